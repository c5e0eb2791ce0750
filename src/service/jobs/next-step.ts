/** The `next` of an incomplete list: the call that reads more rows, and its price. */
import * as z from 'zod';
import { creditsText } from '../../contract/price.ts';
import type { PagesRead } from '../foundation/ports.ts';

/** An action with the param that says how many pages are read. */
const Paged = z.looseObject({
  properties: z.looseObject({ max_pages: z.looseObject({ maximum: z.number().optional() }) }),
});

const AnyParams = z.looseObject({ properties: z.record(z.string(), z.unknown()) });

/** Whether a caller can ask for something else. */
const hasParams = (parameters: Action['parameters']): boolean =>
  Object.keys(AnyParams.safeParse(parameters).data?.properties ?? {}).some((name) => name !== 'max_pages');

interface Action {
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Credits of a call. */
  readonly price: number;
  readonly credits_expression?: string | undefined;
}

/** Adds `next` if the site has, or may have, more rows; `items` stay last, because clients cut the end. */
export function withNextStep(
  data: Readonly<Record<string, unknown>>,
  pages: PagesRead | undefined,
  action: Action,
): Readonly<Record<string, unknown>> {
  const { items, has_more, ...facts } = data;
  if (pages === undefined || !Array.isArray(items) || has_more === false) return data;
  const total = typeof data.total === 'number' ? data.total : undefined;
  const rowsText = total === undefined ? `${items.length} rows` : `${items.length} of ${total} rows`;
  const moreText = has_more === true ? 'and there are more' : 'and there may be more';
  return {
    ...facts,
    has_more,
    next: `${rowsText}, ${moreText}. ${furtherCall(items.length, total, pages, action)}`,
    items,
  };
}

function furtherCall(
  returned: number,
  total: number | undefined,
  pages: PagesRead,
  { parameters, price, credits_expression }: Action,
): string {
  if (pages.failure !== undefined) return `${pages.failure} The same call later may read them.`;
  const paged = Paged.safeParse(parameters).data?.properties.max_pages;
  const most = Math.min(pages.most, paged?.maximum ?? pages.most);
  if (paged === undefined || pages.read >= most)
    return pages.next === undefined
      ? `This action reads no further pages${hasParams(parameters) ? '; use narrower params.' : ', and has no params that could narrow it: build one from a page that shows all rows, or fewer.'}`
      : `This action reads no further pages; the next one is ${pages.next}. Read that address, or build the action again from a page that has a next one.`;
  const perPage = returned / pages.read;
  const needed = total === undefined || perPage === 0 ? most : Math.ceil(total / perPage);
  const maxPages = Math.min(Math.max(needed, pages.read + 1), most);
  const credits = creditsText(price);
  const costs = credits_expression === undefined ? credits : `${credits} or more, depending on the result`;
  return `The same call with max_pages ${maxPages} costs ${costs}.`;
}
