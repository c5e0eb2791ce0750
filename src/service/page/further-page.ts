/** Whether a page says that its list goes on, and where: a link, a button, a position before the end, an address in an answer. */
import { type CheerioAPI, load } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import type { Document } from './document.ts';
import { collapse, ownText, shownText } from './elements.ts';
import { addTo } from './grouping.ts';
import { evaluatePath } from './json.ts';
import { findLink, goesOn, type PagingWay, statedPaging } from './json-paging.ts';
import { findPagings, nextText } from './paging.ts';
import { getText, isHidden } from './text.ts';

export interface FurtherPage {
  /** Absolute; undefined where the page does not tell it. */
  readonly url?: string | undefined;
  /** False: the sign may mean something else. */
  readonly isCertain: boolean;
}

/** The address after the one of `here`, if the way alone gives it. */
function nextAddress(paging: PagingWay, here: string): string | undefined {
  const url = new URL(here);
  switch (paging.kind) {
    case 'page':
      url.searchParams.set(paging.query, String(paging.first + 1));
      return url.href;
    case 'offset':
      url.searchParams.set(paging.query, String(paging.first + paging.step));
      return url.href;
    case 'path':
      url.pathname = paging.path.replace('{page}', String(paging.first + 1));
      return url.href;
    default:
      return undefined;
  }
}

const toAbsolute = (address: unknown, base: string): string | undefined =>
  typeof address === 'string' && URL.canParse(address, base) ? new URL(address, base).href : undefined;

function furtherInJson(document: Document): FurtherPage | undefined {
  const { url } = document.page;
  const [paging, ...others] = statedPaging(document.json, document.page);
  // A counter in the address says nothing about its last number.
  if (paging === undefined)
    return goesOn(document.json) || /[?&](?:page|offset|skip|start)=/i.test(url)
      ? { isCertain: false }
      : undefined;
  if (paging.kind === 'cursor') return { isCertain: /^next/i.test(paging.path.replace(/^.*\./, '')) };
  // The name of the counter in the address is a guess.
  if (paging.kind === 'page' && others.some(({ kind }) => kind === 'page')) return { isCertain: false };
  const address =
    paging.kind === 'next' && paging.path !== undefined
      ? evaluatePath(document.json, paging.path)
      : undefined;
  return { url: toAbsolute(address, url) ?? nextAddress(paging, url), isCertain: true };
}

/** "Page 1 of 7", "1–10 of 64 results": the position in a list that goes on. */
const position =
  /\b(?:page|seite|página|pagina|strona|sida|side)\s+(\d{1,5})\s*(?:of|\/|von|de|di|van|z|av|af)\s*(\d{1,5})\b|\b(?:\d{1,6})\s*(?:-|–|to|bis|à|a)\s*(\d{1,3}(?:[.,'’\s]\d{3})+|\d{1,6})\s+(?:of|von|de|sur|di|van)\s+(\d{1,3}(?:[.,'’\s]\d{3})+|\d{1,7})(?![\d.,]*\d)/giu;
/** "Showing 10 of 40", "Viser 10 af 40", "10 de 40 resultados": the number of rows, of all. */
const shownOfAll =
  /(?<!\p{L})(?:showing|displaying|viewing|zeigt?|angezeigt|affich\p{L}+|mostra\p{L}+|exibindo|toont|viser|visar|pokazan\p{L}+|показано)\s+(\d{1,6})\s+(?:of|von|de|sur|di|van|af|av|z|из)\s+(\d{1,7})(?![\d.,]*\d)|(?<![\d.,])(\d{1,6})\s+(?:of|von|de|sur|di|van|af|av|z|из)\s+(\d{1,7})\s+(?:results?|items|products|entries|ergebnis\p{L}*|treffer\p{L}*|artikel\p{L}*|r[eé]sult\p{L}+|risultati|produ[kct]\p{L}+|wyników|результат\p{L}*|товаров)/giu;
/** Without the marks between its groups. */
export const toCount = (text = '') => Number(text.replace(/\D/g, ''));
const moreButton =
  /^(?:(?:load|show|view|see)\s+more(?:\s+\p{L}+)?|more\s+results|mehr\s+(?:laden|anzeigen)|weitere\s+\p{L}+\s+(?:laden|anzeigen)|(?:afficher|voir|charger)\s+plus|(?:cargar|ver|mostrar)\s+más|(?:carregar|ver|mostrar)\s+mais|(?:carica|mostra)\s+altr[io]|mostra\s+di\s+più|(?:meer\s+(?:laden|tonen)|toon\s+meer)|(?:vis|visa|last|hent)\s+(?:flere?|mer)|näytä\s+lisää|pokaż\s+więcej|zobrazit\s+další|показать\s+ещ[её]|daha\s+fazla(?:\s+\p{L}+)?|もっと見る|더\s?보기|加载更多|查看更多)$/iu;
const pageNames = /^(?:page|p|pg|paged|seite|p[aá]gina|side|sida|strona)$/iu;
/** Characters of a page in which its position is searched. */
const maxText = 500_000;

/** The rows that the page shows, as the last of them and the number of all. */
export function findPosition(text: string): { text: string; last: number; total: number } | undefined {
  for (const [said, page, , last, total] of text.matchAll(position))
    if (page === undefined) return { text: said, last: toCount(last), total: toCount(total) };
  for (const [said, last, total, lastOf, totalOf] of text.matchAll(shownOfAll))
    return { text: said, last: toCount(last ?? lastOf), total: toCount(total ?? totalOf) };
  return undefined;
}

const byScript = 'a[href^="javascript:"], a[href="#"], a:not([href]), button, [role="button"]';
/** What stands for nothing but the pages of a list. */
const pagerBox = '[class*="pag" i]';
const ofCurrent = '[aria-current], .active, .current, .selected, .disabled, input[checked] + label';

/** Numbers of pages that scripts or forms open, with one before them that is no link, or is marked: the page that is shown. */
function hasScriptPager(html: CheerioAPI): boolean {
  const isNumber = (text: string) => /^[1-9]\d{0,3}$/.test(text);
  const links = html(`${byScript}, ${pagerBox} label`)
    .toArray()
    .filter((link) => isNumber(shownText(link)))
    .filter((link) => !html(link).is(ofCurrent) && !html(link).parent().is(ofCurrent));
  const pagers = new Map<Element, string[]>();
  for (const link of links) {
    const pager = html(link).closest('ul, ol, nav, tr, div').get(0);
    if (pager !== undefined) addTo(pagers, pager, shownText(link));
  }
  return [...pagers].some(([pager, linked]) => {
    const parts = [pager, ...html(pager).find('*').toArray()];
    const texts = parts.flatMap((part) => ownText(part).split(/\s+/)).filter((text) => text !== '');
    const [own, ...others] = texts.filter((text) => isNumber(text) && !linked.includes(text));
    // A pager need not show where one is: then it is the first page, or nothing is known.
    const before = own === undefined && html(pager).closest(pagerBox).length > 0 ? 1 : Number(own);
    return texts.length < 30 && others.length === 0 && linked.some((text) => before + 1 === Number(text));
  });
}

const namedPager = ['class', 'data-testid', 'aria-label']
  .flatMap((name) => ['pagina', 'pager'].map((part) => `[${name}*="${part}" i]`))
  .join(', ');
/** "1 of 3", which says of what only where it stands. */
const bareParts =
  /(?<![\d.,])([1-9]\d{0,4})\s*(?:of|\/|von|de|sur|di|van|z|av|af)\s*(\d{1,5})(?![\d.,]*\d)/giu;
const mostOfPager = 60;

const pageWord = /(?:page|seite|p[aá]gina|side|sida|strona|stránka)$/iu;
/** "Next page", of a button that shows only an arrow; "Next" may lead to the next picture. */
const isNextPage = (label: string) => nextText.test(label) && (pageWord.test(label) || /^page /i.test(label));

const ofPictures = ['swiper', 'slick', 'carousel', 'slide', 'gallery']
  .map((name) => `[class*="${name}" i]`)
  .join(', ');

/** Whether what is called a pager says that there are more pages, or has a button to the next one. */
function hasNamedPager(html: CheerioAPI): boolean {
  return html(namedPager)
    .toArray()
    .filter(isTag)
    .filter((pager) => html(pager).closest(ofPictures).length === 0)
    .filter((pager) => !isHidden(pager) && shownText(pager).length <= mostOfPager)
    .some((pager) => {
      const counts = [...shownText(pager).matchAll(bareParts)];
      const labels = html(pager)
        .find('button:not([disabled], [aria-disabled="true"])')
        .toArray()
        .map((button) => button.attribs['aria-label'] ?? shownText(button));
      return (
        counts.some(([, page, pages]) => Number(page) < Number(pages)) ||
        labels.some((label) => nextText.test(label.trim()))
      );
    });
}

/** A button that loads more, the pages of a script, or a position before the end. */
function hasSign(document: Document): boolean {
  const { html } = document;
  if (hasScriptPager(html) || hasNamedPager(html)) return true;
  const buttons = html('button, [role="button"], a[href="#"], a:not([href]), input[type="button"]').toArray();
  const isMore = buttons.filter(isTag).some((button) => {
    const { value = '', 'aria-label': label = '', disabled } = button.attribs;
    const text = collapse(getText(button) || value);
    return moreButton.test(text) || (disabled === undefined && isNextPage(label.trim()));
  });
  if (isMore) return true;
  // What a script sends, and a choice of the page's number.
  const next =
    html('button[data-next], [data-next-page], [data-next-url]').length > 0 ||
    html('button[name]')
      .toArray()
      .some((button) => pageNames.test(button.attribs.name ?? '') && nextText.test(shownText(button)));
  const isChosen = html('select')
    .toArray()
    .some((select) => pageNames.test(select.attribs.name ?? '') && html(select).find('option').length > 1);
  if (next || isChosen) return true;
  const shown = document.text.slice(0, maxText);
  return [...shown.matchAll(position), ...shown.matchAll(shownOfAll)].some(
    ([, page, pages, last, total]) => toCount(page ?? last) < toCount(pages ?? total),
  );
}

function furtherInHtml(document: Document): FurtherPage | undefined {
  const { html, base, page } = document;
  for (const paging of findPagings(html, page.url, base)) {
    const href =
      paging.kind === 'next' && paging.select !== undefined
        ? html(paging.select).first().attr('href')
        : undefined;
    const url = toAbsolute(href, base) ?? nextAddress(paging, page.url);
    // Blogs name their next article in the head of a page as well.
    const isCertain = !(paging.kind === 'next' && paging.select?.startsWith('link'));
    if (url !== undefined) return { url, isCertain };
  }
  return hasSign(document) ? { isCertain: false } : undefined;
}

/** A link of the feed itself (RFC 5005), which stands before its entries. */
function furtherInFeed({ source, page }: Document): FurtherPage | undefined {
  const [head = ''] = source.split(/<(?:\w+:)?(?:item|entry)[\s>]/, 1);
  const link = load(head.slice(0, 50_000), { xml: true })('*').filter('[rel="next"][href]').first();
  const url = toAbsolute(link.attr('href'), page.url);
  return url === undefined ? undefined : { url, isCertain: true };
}

/** Undefined where nothing on the page says that its list goes on. */
export function findFurtherPage(document: Document): FurtherPage | undefined {
  const { page } = document;
  const stated = toAbsolute(findLink(page.link, 'next'), page.url);
  if (stated !== undefined) return { url: stated, isCertain: true };
  if (document.isFeed && !document.isData) return furtherInFeed(document);
  if (document.isData) return furtherInJson(document);
  return /html/i.test(page.contentType) ? furtherInHtml(document) : undefined;
}
