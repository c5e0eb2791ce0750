/** What can be read from any page, and how a recipe asks for it. */
import * as z from 'zod';
import type { PageContent, Row } from '../page/document.ts';
import type { Obstacle } from '../page/obstacles.ts';

export const pageParts = ['main', 'lists', 'tables', 'data', 'links'] as const;
export type PagePart = (typeof pageParts)[number];
export const defaultRows = 100;
export const mostRows = 5_000;

/** The recipe of an action of the catalog `web`. */
export const WebRecipe = z.strictObject({ web: z.enum(['page', 'feed']) });

/** Params of both actions; the action's own schema has checked them. */
const WebParams = z.object({
  url: z.string(),
  parts: z.array(z.enum(pageParts)).nonempty().nullish(),
  max_rows: z.int().min(1).max(mostRows).nullish(),
});

export interface ReadingRequest {
  readonly reading: 'page' | 'feed';
  /** The parts asked for; undefined: those that the page needs. */
  readonly parts: readonly PagePart[] | undefined;
  readonly maxRows: number;
}

export interface ReadingTask extends ReadingRequest {
  readonly page: PageContent;
  /** How the page was fetched: a page without content is read again with the browser if there is one. */
  readonly browser: 'used' | 'available' | 'absent';
}

/** Undefined if the params do not fit the action. */
export function toReading(
  recipe: z.infer<typeof WebRecipe>,
  params: unknown,
): (ReadingRequest & { url: string }) | undefined {
  const parsed = WebParams.safeParse(params);
  if (!parsed.success) return undefined;
  const { url, parts, max_rows: maxRows } = parsed.data;
  return { url, reading: recipe.web, parts: parts ?? undefined, maxRows: maxRows ?? defaultRows };
}

export type ReadingResult =
  | { readonly data: Row }
  /** The page is only an obstacle. */
  | { readonly obstacle: Obstacle }
  /** The address of the feed to fetch, which the page links to. */
  | { readonly feed: string }
  /** The page shows almost nothing without its scripts; `data` is what it shows. */
  | { readonly needsBrowser: true; readonly data: Row };
