/** What a page tells about a page after it, without a recipe's help. */
import { load } from 'cheerio/slim';
import type { Document } from '../page/document.ts';
import { getText } from '../page/text.ts';
import { isXmlFeed } from '../page/xml.ts';
import { evaluatePath } from './extract-json.ts';
import { findPagings } from './find-paging.ts';
import { statedPaging } from './json-paging.ts';
import { findLink } from './link-header.ts';
import type { Paging } from './schema.ts';

export interface FurtherPage {
  /** Absolute; undefined where the page does not tell it. */
  readonly url?: string | undefined;
  /** False: the sign may mean something else. */
  readonly isCertain: boolean;
}

/** The address after the one of `here`, if the way alone gives it. */
function nextAddress(paging: Paging, here: string): string | undefined {
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
  const [paging] = statedPaging(document.json, document.page);
  // A counter in the address says nothing about its last number.
  if (paging === undefined)
    return /[?&](?:page|offset|skip|start)=/i.test(url) ? { isCertain: false } : undefined;
  if (paging.kind === 'cursor') return { isCertain: /^next/i.test(paging.path.replace(/^.*\./, '')) };
  const address =
    paging.kind === 'next' && paging.path !== undefined
      ? evaluatePath(document.json, paging.path)
      : undefined;
  return { url: toAbsolute(address, url) ?? nextAddress(paging, url), isCertain: true };
}

/** "Page 1 of 7", "1–10 of 64 results": the position in a list that goes on. */
const position =
  /\b(?:page|seite|página|pagina|strona|sida|side)\s+(\d{1,5})\s*(?:of|\/|von|de|di|van|z|av|af)\s*(\d{1,5})\b|\b(?:\d{1,6})\s*(?:-|–|to|bis|à|a)\s*(\d{1,6})\s+(?:of|von|de|sur|di|van)\s+(\d{1,7})\b/giu;
const moreButton =
  /^(?:(?:load|show|view|see)\s+more(?:\s+\p{L}+)?|more\s+results|mehr\s+(?:laden|anzeigen)|weitere\s+\p{L}+\s+(?:laden|anzeigen)|(?:afficher|voir|charger)\s+plus|(?:cargar|ver|mostrar)\s+más|carregar\s+mais|carica\s+altri|meer\s+laden)$/iu;
/** Characters of a page in which its position is searched. */
const maxText = 500_000;

/** A button that loads more, or a position before the end. */
function hasSign({ html }: Document): boolean {
  const buttons = html('button, [role="button"], a[href="#"], a:not([href]), input[type="button"]').toArray();
  const isMore = buttons.some((button) =>
    moreButton.test((getText(button) || (html(button).attr('value') ?? '')).replace(/\s+/g, ' ').trim()),
  );
  if (isMore) return true;
  const text = html.root().contents().toArray().map(getText).join(' ').slice(0, maxText);
  return [...text.matchAll(position)].some(
    ([, page, pages, last, total]) => Number(page ?? last) < Number(pages ?? total),
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
  if (document.isData) return furtherInJson(document);
  if (/html/i.test(page.contentType)) return furtherInHtml(document);
  return isXmlFeed(document.source) ? furtherInFeed(document) : undefined;
}
