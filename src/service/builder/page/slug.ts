/** The part of a page's address that distinguishes it from its sibling pages. */
import querystring from 'node:querystring';
import type { CheerioAPI } from 'cheerio/slim';

/** `ulysses` of https://books.example/book/ulysses.html, with what is before and after it. */
export type Slug = Readonly<Record<'prefix' | 'suffix' | 'value', string>> & {
  /** The same part in other addresses, such as `emma`. */
  readonly others: readonly string[];
};

/** One word, so that no sentence of a site gets into a schema as a default or an example. */
const isName = (text: string) => /^[\p{L}\p{N}\p{M}._~+-]{1,80}$/u.test(text);

/** Undefined if the page links to no sibling page. */
export function findSlug(html: CheerioAPI, pageUrl: string, base: string): Slug | undefined {
  const here = new URL(pageUrl);
  const [, folder = '/', own = '', suffix = ''] = /^(.*\/)([^/]+?)(\/|\.html?)?$/.exec(here.pathname) ?? [];
  if (folder === '/' || here.search !== '') return undefined;
  const others = new Set<string>();
  for (const { attribs } of html('a[href]').toArray().slice(0, 500)) {
    if (!URL.canParse(attribs.href ?? '', base)) continue;
    const { origin, search, pathname } = new URL(attribs.href ?? '', base);
    if (origin !== here.origin || search !== '' || !pathname.startsWith(folder)) continue;
    const name = pathname.endsWith(suffix)
      ? pathname.slice(folder.length, pathname.length - suffix.length)
      : '';
    if (name !== own && isName(querystring.unescape(name))) others.add(querystring.unescape(name));
  }
  const value = querystring.unescape(own);
  const some = [...others].slice(0, 2);
  return some.length === 0 || !isName(value)
    ? undefined
    : { prefix: `${here.origin}${folder}`, suffix, value, others: some };
}
