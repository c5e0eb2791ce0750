/** The ways to the next page that a page shows: a link, a counter in the query or in the path. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { canonicalAddress } from '../../compare/addresses.ts';
import { shownText } from './elements.ts';
import { groupBy } from './grouping.ts';
import { most, type PagingWay } from './json-paging.ts';
import { toStringLiteral } from './text.ts';

/** An address without its fragment and what trackers add. */
const toPage = (address: string) => canonicalAddress(address.replace(/#.*/, ''));
/** Link texts that mean "next page"; the whole text must match. */
export const nextText =
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

/** `2`, `Page 2`, `11–20`; no year. */
const pageNumber =
  /^(?:(?:page|p|pg|seite|p[aá]gina|side|sida|strona)\.?\s?)?\d{1,3}(?:\s?[-–]\s?\d{1,4})?$/iu;

const isNumbered = (element: Element) => /^\d{1,4}$/.test(shownText(element));

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
  // Behind the current one of tabs or menus stands another view, not the next page: "Merged 40", "Sun. 29".
  const isPage = (link: Element) => pageNumber.test(shownText(link)) || nextText.test(shownText(link));
  const behind = [
    '[aria-current="page"] + a',
    'li:has([aria-current="page"]) + li > a',
    'li.active + li > a, li.current + li > a, .current + a, .active + a[href*="page"]',
  ];
  for (const select of behind) if (links.filter(select).slice(0, 1).toArray().some(isPage)) byLink(select);
  // A number beside other cells or links is that of a row, such as of a track.
  const isOfRow = (link: Element) => {
    const row = html(link).closest('tr, li');
    return [row.children('td'), row.find('a')].some((parts) => {
      const shown = parts.toArray().filter(shownText);
      return shown.length > 1 && shown.filter(isNumbered).length === 1;
    });
  };
  const counting = links.toArray().filter((link) => !(isNumbered(link) && isOfRow(link)));
  const counters = [findCounter, findPathCounter].flatMap((find) => find(counting, pageUrl, base) ?? []);
  return [...pagings, ...counters];
}

const counterNames = /^(?:page|p|pg|paged|seite|pagina|start|offset|from|skip|first|s)$/i;
/**
 * Whether a link counts by a parameter of any other name: one with the text 2 leads to `side=2`. Its text may also be the number
 * of a page that begins with the row in the address: `ab=20` under 3.
 */
const countsAsShown = (value: string, shown: string): boolean =>
  (value === shown && pageNumber.test(shown)) ||
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
