/** The pages of a list: how many are read, which comes next, and whether there are more. */
import type { FurtherPage } from '../page/further-page.ts';
import type { Paging } from './recipe-schema.ts';
import type { FilledRequest, Values } from './template.ts';

/** Whether the site has rows that were not read; null where neither a link nor a total tells. */
export function hasMore(list: {
  readonly paging: Paging | undefined;
  readonly next: FilledRequest | undefined;
  /** What the last page itself says. */
  readonly further: FurtherPage | undefined;
  readonly returned: number;
  readonly total: number | undefined;
}): boolean | null {
  const { paging, next, further, returned, total } = list;
  if (paging !== undefined && next === undefined) return false;
  if (further?.isCertain === true || (total !== undefined && returned < total)) return true;
  if (paging?.kind === 'next' || paging?.kind === 'cursor') return true;
  if (total !== undefined) return false;
  return paging === undefined && further === undefined ? false : null;
}

/** The param `max_pages`, one page without it, never more than the recipe admits. */
export function getMaxPages(values: Values, paging: Paging): number {
  const maxPages = Number(values.max_pages ?? 1);
  return Number.isFinite(maxPages) ? Math.min(Math.max(Math.floor(maxPages), 1), paging.most) : 1;
}

/** What a page says about the page after it. */
interface Pointer {
  readonly pageUrl: string;
  /** The address or cursor where the recipe's paging says. */
  readonly next?: string | undefined;
  readonly further?: FurtherPage | undefined;
}

/** The request for page `index` (from 0); undefined where the list ends, `elsewhere` where another site would be asked. */
export function nextRequest(
  last: FilledRequest,
  paging: Paging,
  index: number,
  { pageUrl, next, further }: Pointer,
): FilledRequest | 'elsewhere' | undefined {
  const url = new URL(last.url);
  switch (paging.kind) {
    case 'next':
    case 'found': {
      const address = paging.kind === 'next' ? next : further?.url;
      if (address === undefined || !URL.canParse(address, pageUrl)) return undefined;
      // The request's headers and body are meant for this site alone.
      const target = new URL(address, pageUrl);
      return target.origin === url.origin ? { ...last, url: target.href } : 'elsewhere';
    }
    case 'cursor':
      if (next === undefined) return undefined;
      url.searchParams.set(paging.query, next);
      return { ...last, url: url.href };
    case 'page':
      url.searchParams.set(paging.query, String(paging.first + index));
      return { ...last, url: url.href };
    case 'path':
      url.pathname = paging.path.replace('{page}', String(paging.first + index));
      return { ...last, url: url.href };
    case 'offset':
      url.searchParams.set(paging.query, String(paging.first + index * paging.step));
      return { ...last, url: url.href };
  }
}
