/** Ways to a page's next page: a link, a counter in the query or in the path, an address in an answer. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { getText, toStringLiteral } from '../page/text.ts';
import type { Paging } from './schema.ts';

const most = 10;
const shownText = (element: Element) => getText(element).replace(/\s+/g, ' ').trim();
/** Link texts that mean "next page"; the whole text must match. */
const nextText =
  /^(?:(?:next|older)(?:\s(?:page|results|posts|entries))?|more|load more|show more|weiter|nächste(?:\sseite)?|(?:page\s)?suivante?|siguiente|página siguiente|successiv[ao]|pagina successiva|próxima(?:\spágina)?|volgende(?:\spagina)?|nästa(?:\ssida)?|næste(?:\sside)?|neste(?:\sside)?|następna(?:\sstrona)?|další(?:\sstránka)?|(?=[›»→>]))\s*[›»→>]{0,2}$/iu;

/** The ways to the next page that the page shows, the surest first. */
export function findPagings(html: CheerioAPI, pageUrl: string, base: string): Paging[] {
  const origin = new URL(pageUrl).origin;
  const pagings: Paging[] = [];
  const leadsOn = (element: Element | undefined) => {
    const href = element?.attribs.href;
    if (href === undefined || href.startsWith('#') || !URL.canParse(href, base)) return false;
    const url = new URL(href, base);
    return url.origin === origin && url.href.replace(/#.*/, '') !== pageUrl.replace(/#.*/, '');
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
  const named = links.toArray().find((link) => nextText.test(shownText(link)) && leadsOn(link));
  if (named !== undefined) {
    const select = `a:contains(${toStringLiteral(shownText(named))})`;
    const around = html(named).closest('[class*="pag" i], nav, [class*="more" i]').add(named).first();
    const name = (around.attr('class') ?? '')
      .split(/\s+/)
      .find((className) => /^[a-z][\w-]*$/i.test(className));
    if (links.filter(select).get(0) === named) byLink(select);
    else if (name !== undefined) byLink(`.${name} ${select}`);
  }
  byLink('[aria-current="page"] + a');
  byLink('li:has([aria-current="page"]) + li > a');
  byLink('li.active + li > a, li.current + li > a, .current + a, .active + a[href*="page"]');
  const counters = [findCounter, findPathCounter].flatMap(
    (find) => find(links.toArray(), pageUrl, base) ?? [],
  );
  return [...pagings, ...counters];
}

const counterNames = /^(?:page|p|pg|paged|seite|pagina|start|offset|from|skip|first|s)$/i;

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
function findCounter(links: readonly Element[], pageUrl: string, base: string): Paging | undefined {
  const here = new URL(pageUrl);
  const counters = countBy(links, here, base, (url) =>
    url.pathname === here.pathname
      ? [...url.searchParams].filter(([name, value]) => counterNames.test(name) && /^\d{1,6}$/.test(value))
      : [],
  );
  for (const [query, numbers] of counters) {
    const [least, second] = [...numbers].filter((number) => number > 0).sort((one, other) => one - other);
    if (least === undefined) continue;
    const shown = here.searchParams.get(query);
    const current = shown === null ? undefined : Number(shown);
    if (current !== undefined && Math.max(...numbers) <= current) continue;
    if (numbers.has(2) || numbers.has(1) || current === 1 || current === 0)
      return { kind: 'page', query, first: current ?? (numbers.has(2) ? 1 : 0), most };
    const step = second === undefined ? least : second - least;
    if (step > 1 && least % step === 0) return { kind: 'offset', query, step, first: current ?? 0, most };
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
function findPathCounter(links: readonly Element[], pageUrl: string, base: string): Paging | undefined {
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
