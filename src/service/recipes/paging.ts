/** The pages of a list: how many are read, which comes next, and whether there are more. */
import { RunError } from '../foundation/errors.ts';
import type { Paging } from './schema.ts';
import type { FilledRequest, Values } from './template.ts';

/** Whether the site has rows that were not read; null where neither a link nor a total tells. */
export function hasMore(list: {
  readonly paging: Paging | undefined;
  readonly next: FilledRequest | undefined;
  readonly returned: number;
  readonly total: number | undefined;
}): boolean | null {
  const { paging, next, returned, total } = list;
  if (paging !== undefined && next === undefined) return false;
  if (total !== undefined) return returned < total;
  if (paging === undefined) return false;
  return paging.kind === 'next' || paging.kind === 'cursor' ? true : null;
}

/** The param `max_pages`, one page without it, never more than the recipe admits. */
export function getMaxPages(values: Values, paging: Paging): number {
  const maxPages = Number(values.max_pages ?? 1);
  return Number.isFinite(maxPages) ? Math.min(Math.max(Math.floor(maxPages), 1), paging.most) : 1;
}

/** The request for page `index` (from 0), or undefined where the listing ends. */
export function nextRequest(
  last: FilledRequest,
  paging: Paging,
  index: number,
  next: string | undefined,
  pageUrl: string,
): FilledRequest | undefined {
  const url = new URL(last.url);
  switch (paging.kind) {
    case 'next':
      if (next === undefined || !URL.canParse(next, pageUrl)) return undefined;
      // The request's headers and body are meant for this site alone.
      if (new URL(next, pageUrl).origin !== url.origin)
        throw new RunError('The next page would be on another site, so it was not fetched');
      return { ...last, url: new URL(next, pageUrl).href };
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
