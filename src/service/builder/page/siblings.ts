/** Pages beside this one, whose addresses differ in the last part alone. */
import querystring from 'node:querystring';
import type { CheerioAPI } from 'cheerio/slim';

/** The last parts of their addresses: `ulysses` of /book/ulysses, beside /book/emma. */
export function findSiblings(html: CheerioAPI, pageUrl: string, base: string): string[] {
  const here = new URL(pageUrl);
  const [, folder, , ending = ''] = /^(.*\/)([^/]+?)(\/|\.html?)?$/.exec(here.pathname) ?? [];
  if (folder === undefined || folder === '/') return [];
  const names = new Set<string>();
  for (const { attribs } of html('a[href]').toArray().slice(0, 500)) {
    if (!URL.canParse(attribs.href ?? '', base)) continue;
    const url = new URL(attribs.href ?? '', base);
    if (url.origin !== here.origin || url.search !== '' || !url.pathname.startsWith(folder)) continue;
    const name = url.pathname.slice(folder.length);
    const slug = name.endsWith(ending) ? name.slice(0, name.length - ending.length) : '';
    if (slug !== '' && !slug.includes('/') && url.pathname !== here.pathname)
      names.add(querystring.unescape(slug));
  }
  return [...names].slice(0, 5);
}
