/** Where a page leads: its feeds, links that the goal's words point to, pages beside it. */
import type { CheerioAPI } from 'cheerio/slim';
import { shownText } from './elements.ts';
import type { Goal } from './goal.ts';
import { likeness, wordsOf } from './words.ts';

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
    const text = shownText(link).slice(0, 80);
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
