/** What a page tells about the pages after it: a link, a counter in the query or in the path, an address in an answer. */
import { type CheerioAPI, load } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { canonicalAddress } from '../../compare/addresses.ts';
import type { Document } from './document.ts';
import { ownText, shownText } from './elements.ts';
import { addTo, groupBy } from './grouping.ts';
import { evaluatePath } from './json.ts';
import { findLink, goesOn, most, type PagingWay, statedPaging } from './json-paging.ts';
import { getText, toStringLiteral } from './text.ts';

/** An address without its fragment and what trackers add. */
const toPage = (address: string) => canonicalAddress(address.replace(/#.*/, ''));
/** Link texts that mean "next page"; the whole text must match. */
const nextText =
  /^(?:(?:next|older)(?:\s(?:page|results|posts|entries))?|more|load more|show more|weiter|nächste(?:\sseite)?|(?:page\s)?suivante?|siguiente|página siguiente|successiv[ao]|pagina successiva|próxima(?:\spágina)?|volgende(?:\spagina)?|nästa(?:\ssida)?|næste(?:\sside)?|neste(?:\sside)?|następna(?:\sstrona)?|další(?:\sstránka)?|seuraava|következő|sonraki|επόμενη|далее|вперёд|следующая(?:\sстраница)?|наступна|次へ|次のページ|下一页|下一頁|다음|التالي|הבא|(?=[›»→>]))\s*[›»→>]{0,2}$/iu;

/** Of these, what a note says as well that leads to another subject: it means the list where it leads to its own address. */
const openText = /^(?:more|weiter)\b/i;

/** A list has a link to its next page above it and below it; more pages than these are those of its rows, such as "»" to a last reply. */
const mostPagers = 2;

/** The first link whose text leads to so few pages that it belongs to no row. */
function firstOfList(links: readonly Element[], base: string): Element | undefined {
  const alike = groupBy(links, shownText);
  const pagesOf = (some: readonly Element[]) =>
    new Set(some.map(({ attribs }) => toPage(new URL(attribs.href ?? '', base).href)));
  return [...alike.values()].find((some) => pagesOf(some).size <= mostPagers)?.[0];
}

/** The ways to the next page that the page shows, the surest first. */
export function findPagings(html: CheerioAPI, pageUrl: string, base: string): PagingWay[] {
  const origin = new URL(pageUrl).origin;
  const pagings: PagingWay[] = [];
  const leadsOn = (element: Element | undefined) => {
    const href = element?.attribs.href;
    if (href === undefined || href.startsWith('#') || !URL.canParse(href, base)) return false;
    const url = new URL(href, base);
    return url.origin === origin && toPage(url.href) !== toPage(pageUrl);
  };
  // On the last page, many sites show their link switched off.
  const links = html('a[href]').not(
    '[aria-disabled="true"], .disabled, .disabled > *, [aria-disabled="true"] > *',
  );
  const byLink = (select: string, among = links.filter(select)) => {
    if (leadsOn(among.get(0))) pagings.push({ kind: 'next', select, most });
  };
  byLink('a[rel~="next"]');
  byLink('link[rel~="next"]', html('link[rel~="next"]'));
  byLink('a[aria-label^="Next" i]');
  byLink('a.next, .next > a, a[class*="next" i]');
  const { pathname } = new URL(pageUrl);
  const isOfList = (link: Element) =>
    !openText.test(shownText(link)) || new URL(link.attribs.href ?? '', base).pathname.startsWith(pathname);
  const calledNext = links
    .toArray()
    .filter((link) => nextText.test(shownText(link)) && leadsOn(link) && isOfList(link));
  const named = firstOfList(calledNext, base);
  if (named !== undefined) {
    const select = `a:contains(${toStringLiteral(shownText(named))})`;
    const around = html(named).closest('[class*="pag" i], nav, [class*="more" i]').add(named).first();
    const name = (around.attr('class') ?? '')
      .split(/\s+/)
      .find((className) => /^[a-z][\w-]*$/i.test(className));
    if (links.filter(select).get(0) === named) byLink(select);
    else if (name !== undefined) byLink(`.${name} ${select}`);
  }
  // Behind the current one of tabs or menus stands another view, not the next page.
  const isPage = (link: Element) => /^\D{0,8}\d/.test(shownText(link)) || nextText.test(shownText(link));
  const behind = [
    '[aria-current="page"] + a',
    'li:has([aria-current="page"]) + li > a',
    'li.active + li > a, li.current + li > a, .current + a, .active + a[href*="page"]',
  ];
  for (const select of behind) if (links.filter(select).slice(0, 1).toArray().some(isPage)) byLink(select);
  const counters = [findCounter, findPathCounter].flatMap(
    (find) => find(links.toArray(), pageUrl, base) ?? [],
  );
  return [...pagings, ...counters];
}

const counterNames = /^(?:page|p|pg|paged|seite|pagina|start|offset|from|skip|first|s)$/i;
/**
 * Whether a link counts by a parameter of any other name: one with the text 2 leads to `side=2`. Its text may also be the number
 * of a page that begins with the row in the address: `ab=20` under 3.
 */
const countsAsShown = (value: string, shown: string): boolean =>
  value === shown ||
  (/^[2-9]$/.test(shown) && Number(value) > 9 && Number(value) % (Number(shown) - 1) === 0);

/** For each counter in the addresses of links, the numbers that occur. */
function countBy(
  links: readonly Element[],
  here: URL,
  base: string,
  countersOf: (url: URL, link: Element) => readonly (readonly [name: string, number: string])[],
): Map<string, Set<number>> {
  const counts = new Map<string, Set<number>>();
  for (const link of links) {
    const { href = '' } = link.attribs;
    if (!URL.canParse(href, base)) continue;
    const url = new URL(href, base);
    if (url.origin !== here.origin) continue;
    for (const [name, number] of countersOf(url, link))
      counts.set(name, (counts.get(name) ?? new Set()).add(Number(number)));
  }
  return counts;
}

/** Links to the same page that count in one query parameter: page=2, page=3 or start=20, start=40. */
function findCounter(links: readonly Element[], pageUrl: string, base: string): PagingWay | undefined {
  const here = new URL(pageUrl);
  const counters = countBy(links, here, base, (url, link) =>
    url.pathname === here.pathname
      ? [...url.searchParams].filter(
          ([name, value]) =>
            /^\d{1,6}$/.test(value) && (counterNames.test(name) || countsAsShown(value, shownText(link))),
        )
      : [],
  );
  for (const [query, numbers] of counters) {
    // One such link alone is a number of comments, or a note.
    if (!counterNames.test(query) && numbers.size < 2 && !here.searchParams.has(query)) continue;
    const shown = here.searchParams.get(query);
    const current = shown === null ? undefined : Number(shown);
    if (current !== undefined && Math.max(...numbers) <= current) continue;
    const known = [...new Set([...numbers, ...(current === undefined ? [] : [current])])].sort(
      (one, other) => one - other,
    );
    // A pager shows the pages around this one, so that the first numbers alone tell nothing.
    const gap = Math.min(...known.slice(1).map((number, index) => number - (known[index] ?? 0)));
    const isOnly = known.length === 1 && known[0] === 1;
    if (gap === 1 || isOnly || (current === undefined && numbers.has(2)))
      return { kind: 'page', query, first: current ?? (numbers.has(2) ? 1 : 0), most };
    const first = current ?? (numbers.has(1) ? 1 : 0);
    const step = known.length === 1 ? (known[0] ?? 0) : gap;
    if (step > 1 && known.every((number) => (number - first) % step === 0))
      return { kind: 'offset', query, step, first, most };
  }
  return undefined;
}

/** A path that ends in a number as a template, where the link's text is that number; links to products have other texts. */
function numberedPath(url: URL, link: Element): readonly (readonly [string, string])[] {
  const shown = shownText(link);
  const [, before, number, after = ''] = /^(.*?)(\d{1,4})(\/|\.\w{2,5})?$/.exec(url.pathname) ?? [];
  return before === undefined || number !== shown ? [] : [[`${before}{page}${after}`, shown]];
}

/** Numbered links whose path counts: /radios/page/2/, /radios/page/3/. */
function findPathCounter(links: readonly Element[], pageUrl: string, base: string): PagingWay | undefined {
  const here = new URL(pageUrl);
  for (const [template, found] of countBy(links, here, base, numberedPath)) {
    const [before = '', after = ''] = template.split('{page}');
    const current =
      here.pathname.startsWith(before) && here.pathname.endsWith(after)
        ? Number(here.pathname.slice(before.length, here.pathname.length - after.length || undefined))
        : Number.NaN;
    const folder = before.replace(/[^/]*$/, '').replace(/[^/]+\/$/, '');
    if (!here.pathname.startsWith(folder) || (Number.isNaN(current) && !found.has(2))) continue;
    if (Math.max(...found) <= current) continue;
    return { kind: 'path', path: template, first: Number.isNaN(current) ? 1 : current, most };
  }
  return undefined;
}

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

/** A button that loads more, the pages of a script, or a position before the end. */
function hasSign(document: Document): boolean {
  const { html } = document;
  if (hasScriptPager(html)) return true;
  const buttons = html('button, [role="button"], a[href="#"], a:not([href]), input[type="button"]').toArray();
  const isMore = buttons.some((button) =>
    moreButton.test((getText(button) || (html(button).attr('value') ?? '')).replace(/\s+/g, ' ').trim()),
  );
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
