/** Where a page leads: its next page, its search, its feeds, and links that the goal's words point to. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import type { Paging } from '../recipes/schema.ts';
import type { Goal } from './goal.ts';
import { collapse } from './slots.ts';
import { likeness, wordsOf } from './words.ts';

const most = 10;
/** What "next page" is called; a whole text, not a part of one. */
const nextText =
  /^(?:next|next page|older|older posts|older entries|more|load more|show more|weiter|nächste|nächste seite|suivant|siguiente|successivo|volgende|[›»→>]{1,2}|next\s*[›»→>]+|older\s*[›»→>]+)$/i;

const escaped = (value: string) => value.replace(/["\\]/g, '\\$&');

/** The ways to the next page that the page shows, the surest first. */
export function pagingOf(html: CheerioAPI, pageUrl: string, base: string): Paging[] {
  const origin = new URL(pageUrl).origin;
  const found: Paging[] = [];
  const leadsOn = (element: Element | undefined) => {
    const href = element?.attribs.href;
    if (href === undefined || href.startsWith('#') || !URL.canParse(href, base)) return false;
    const url = new URL(href, base);
    return url.origin === origin && url.href.replace(/#.*/, '') !== pageUrl.replace(/#.*/, '');
  };
  const byLink = (select: string) => {
    const element = html(select).get(0);
    if (element !== undefined && isTag(element) && leadsOn(element))
      found.push({ kind: 'next', select, most });
  };
  byLink('a[rel~="next"]');
  byLink('link[rel~="next"]');
  byLink('a[aria-label^="Next" i]');
  byLink('a.next, .next > a, a[class*="next" i]');
  const named = html('a[href]')
    .toArray()
    .find((link) => nextText.test(collapse(html(link).text())) && leadsOn(link));
  if (named !== undefined) {
    const text = collapse(html(named).text());
    const select = `a:contains("${escaped(text)}")`;
    if (html(select).get(0) === named) byLink(select);
    else {
      const around = html(named).closest('[class*="pag" i], nav, [class*="more" i]').get(0);
      const name = html(around ?? named)
        .attr('class')
        ?.split(/\s+/)
        .find((one) => /^[a-z][\w-]*$/i.test(one));
      if (name !== undefined) byLink(`.${name} a:contains("${escaped(text)}")`);
    }
  }
  byLink('[aria-current="page"] + a');
  byLink('li:has([aria-current="page"]) + li > a');
  byLink('li.active + li > a, li.current + li > a, .current + a, .active + a[href*="page"]');
  const counter = counterOf(html, pageUrl, base);
  if (counter !== undefined) found.push(counter);
  return found;
}

/** Links to the same page that count in one query parameter: page=2, page=3 or start=20, start=40. */
function counterOf(html: CheerioAPI, pageUrl: string, base: string): Paging | undefined {
  const here = new URL(pageUrl);
  const values = new Map<string, Set<number>>();
  for (const link of html('a[href]').toArray()) {
    const { href = '' } = link.attribs;
    if (!href.includes('=') || !URL.canParse(href, base)) continue;
    const url = new URL(href, base);
    if (url.origin !== here.origin || url.pathname !== here.pathname) continue;
    for (const [name, value] of url.searchParams) {
      if (
        /^(?:page|p|pg|paged|seite|pagina|start|offset|from|skip|first|s)$/i.test(name) &&
        /^\d{1,6}$/.test(value)
      ) {
        const known = values.get(name) ?? new Set();
        values.set(name, known.add(Number(value)));
      }
    }
  }
  for (const [query, numbers] of values) {
    const current = Number(here.searchParams.get(query) ?? Number.NaN);
    const sorted = [...numbers].filter((number) => number > 0).sort((one, other) => one - other);
    const [first, second] = sorted;
    if (first === undefined) continue;
    if (numbers.has(2) || numbers.has(1) || current === 1 || current === 0) {
      const from = Number.isNaN(current) ? (numbers.has(2) ? 1 : 0) : current;
      return { kind: 'page', query, first: from, most };
    }
    const step = second === undefined ? first : second - first;
    if (step > 1 && first % step === 0)
      return { kind: 'offset', query, step, first: Number.isNaN(current) ? 0 : current, most };
  }
  return undefined;
}

/** In a JSON answer: the address of the next page, or counters that say where this one starts. */
export function jsonPaging(value: unknown, pageUrl: string): Paging[] {
  const found: Paging[] = [];
  const here = new URL(pageUrl);
  const walk = (node: unknown, path: string, depth: number): void => {
    if (typeof node !== 'object' || node === null || Array.isArray(node) || depth > 2) return;
    const entries = new Map<string, unknown>(Object.entries(node));
    for (const [key, entry] of entries) {
      const at = path === '' ? JSON.stringify(key) : `${path}.${JSON.stringify(key)}`;
      if (
        /^(?:next|next_?(?:page|url|link|href))$/i.test(key) &&
        typeof entry === 'string' &&
        URL.canParse(entry, pageUrl) &&
        /[/?]/.test(entry)
      )
        found.push({ kind: 'next', path: at, most });
      walk(entry, at, depth + 1);
    }
    const number = (names: RegExp) =>
      [...entries].find(([key, entry]) => names.test(key) && typeof entry === 'number');
    const total = number(/^(?:total|total_?(?:count|results|items|hits)|count)$/i);
    const limit = number(/^(?:limit|per_?page|page_?size|size|itemsPerPage|rows)$/i);
    const offset = number(/^(?:offset|skip|start|from)$/i);
    const page = number(/^(?:page|current_?page|page_?number)$/i);
    if (total !== undefined && limit !== undefined && Number(total[1]) > Number(limit[1])) {
      if (offset !== undefined && Number(limit[1]) > 0)
        found.push({
          kind: 'offset',
          query: offset[0],
          step: Number(limit[1]),
          first: Number(offset[1]),
          most,
        });
      else if (page !== undefined)
        found.push({
          kind: 'page',
          query: here.searchParams.has('page') ? 'page' : page[0],
          first: Number(page[1]),
          most,
        });
    }
  };
  walk(value, '', 0);
  return found;
}

export interface SearchForm {
  /** Without the query. */
  readonly url: string;
  /** The parameter that takes the words. */
  readonly query: string;
  /** What the form sends besides. */
  readonly constants: Readonly<Record<string, string>>;
  readonly label: string;
}

/** The form that searches the site, if it is sent by GET. */
export function searchFormOf(html: CheerioAPI, base: string): SearchForm | undefined {
  for (const form of html('form').toArray().slice(0, 20)) {
    if (
      /post/i.test(form.attribs.method ?? 'get') ||
      html(form).find('[type="password"], [type="email"]').length > 0
    )
      continue;
    const inputs = html(form).find('input[name]').toArray();
    const texts = inputs.filter(({ attribs }) => /^(?:text|search)?$/i.test(attribs.type ?? ''));
    const input = texts.find(
      ({ attribs }) =>
        attribs.type === 'search' ||
        /^(?:q|s|query|search|keywords?|term|text|find|k|suche|wd)$/i.test(attribs.name ?? '') ||
        /search|suche|find/i.test(
          `${attribs.placeholder ?? ''} ${attribs['aria-label'] ?? ''} ${form.attribs.role ?? ''} ${form.attribs.class ?? ''} ${form.attribs.id ?? ''} ${form.attribs.action ?? ''}`,
        ),
    );
    const name = input?.attribs.name;
    if (input === undefined || name === undefined || !URL.canParse(form.attribs.action ?? '', base)) continue;
    const url = new URL(form.attribs.action || base, base);
    const constants: Record<string, string> = {};
    for (const { attribs } of inputs)
      if (
        attribs.type === 'hidden' &&
        attribs.name !== undefined &&
        (attribs.value ?? '') !== '' &&
        !/[{}]/.test(attribs.value ?? '')
      )
        constants[attribs.name] = attribs.value ?? '';
    url.search = '';
    url.hash = '';
    const label =
      collapse(html(input).closest('label').text()) ||
      input.attribs['aria-label'] ||
      input.attribs.placeholder ||
      'Words to search for';
    return { url: url.href, query: name, constants, label: label.slice(0, 80) };
  }
  return undefined;
}

export function feedsOf(html: CheerioAPI, base: string): string[] {
  return html(
    'link[rel~="alternate"][href], a[href$=".rss"], a[href$=".atom"], a[href$="/feed"], a[href$="/feed/"], a[href$="rss.xml"], a[href$="feed.xml"]',
  )
    .toArray()
    .filter(({ name, attribs }) => name === 'a' || /rss|atom|feed/i.test(attribs.type ?? ''))
    .flatMap(({ attribs }) =>
      URL.canParse(attribs.href ?? '', base) ? [new URL(attribs.href ?? '', base).href] : [],
    )
    .slice(0, 3);
}

export interface Lead {
  readonly url: string;
  readonly text: string;
}

/** Links of the same site whose words are the goal's, those that share most first. */
export function leadsOf(html: CheerioAPI, pageUrl: string, base: string, goal: Goal): Lead[] {
  const here = new URL(pageUrl);
  const wanted = [
    ...goal.subject,
    ...goal.fields.flatMap(({ words }) => words),
    ...(goal.searches ? ['search'] : []),
  ];
  const leads = new Map<string, Lead & { weight: number }>();
  for (const link of html('a[href]').toArray().slice(0, 500)) {
    const { href = '' } = link.attribs;
    if (!URL.canParse(href, base)) continue;
    const url = new URL(href, base);
    url.hash = '';
    if (url.origin !== here.origin || url.href === here.href || leads.has(url.href)) continue;
    if (
      /log-?(?:in|out)|sign-?(?:in|up|out)|register|cart|basket|account|privacy|terms|imprint|impressum/i.test(
        url.pathname,
      )
    )
      continue;
    const text = collapse(html(link).text()).slice(0, 80);
    const words = [...wordsOf(text), ...wordsOf(decodeURIComponentSafe(url.pathname))];
    const weight =
      wanted.filter((word) => words.some((other) => likeness(word, other) >= 0.85)).length /
      (1 + words.length * 0.05);
    if (weight > 0) leads.set(url.href, { url: url.href, text, weight });
  }
  return [...leads.values()]
    .sort((one, other) => other.weight - one.weight)
    .slice(0, 5)
    .map(({ url, text }) => ({ url, text }));
}

/** The last parts of addresses that else are like this one's: /book/emma beside /book/ulysses. */
export function siblingsOf(html: CheerioAPI, pageUrl: string, base: string): string[] {
  const here = new URL(pageUrl);
  const [, folder, , ending = ''] = /^(.*\/)([^/]+?)(\/|\.html?)?$/.exec(here.pathname) ?? [];
  if (folder === undefined || folder === '/') return [];
  const found = new Set<string>();
  for (const { attribs } of html('a[href]').toArray().slice(0, 500)) {
    if (!URL.canParse(attribs.href ?? '', base)) continue;
    const url = new URL(attribs.href ?? '', base);
    if (url.origin !== here.origin || url.search !== '' || !url.pathname.startsWith(folder)) continue;
    const name = url.pathname.slice(folder.length);
    const slug = name.endsWith(ending) ? name.slice(0, name.length - ending.length) : '';
    if (slug !== '' && !slug.includes('/') && url.pathname !== here.pathname)
      found.add(decodeURIComponentSafe(slug));
  }
  return [...found].slice(0, 5);
}

function decodeURIComponentSafe(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
