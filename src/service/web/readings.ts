/** What can be read from a page of any website, and how a recipe asks for it. */
import * as z from 'zod';
import type { Page, Row } from '../recipes/document.ts';

export const pageParts = ['main', 'lists', 'tables', 'data', 'links'] as const;
export type PagePart = (typeof pageParts)[number];
export const defaultRows = 100;
export const mostRows = 5_000;

/** Kinds that recipes of earlier versions name, with the part of the page that each stands for. */
const olderKinds: Readonly<Record<string, PagePart>> = {
  article: 'main',
  tables: 'tables',
  records: 'lists',
  structured_data: 'data',
  links: 'links',
};

const kinds = ['page', 'feed', 'article', 'tables', 'records', 'structured_data', 'links'] as const;

/** The recipe of an action of the catalog `web`. */
export const WebRecipe = z.strictObject({ web: z.enum(kinds) });

/** Params of both actions; the action's own schema has checked them. */
const WebParams = z.object({
  url: z.string(),
  parts: z.array(z.enum(pageParts)).nonempty().nullish(),
  max_rows: z.int().min(1).max(mostRows).nullish(),
});

export interface ReadingRequest {
  readonly reading: 'page' | 'feed';
  /** What was asked for by name; undefined: what the page needs. */
  readonly parts: readonly PagePart[] | undefined;
  readonly maxRows: number;
}

export interface ReadingTask extends ReadingRequest {
  readonly page: Page;
  /** How the page was got: a page without content is read again by the browser where there is one. */
  readonly browser: 'used' | 'available' | 'absent';
}

/** Undefined where the params are not those of the action. */
export function toReading(
  recipe: z.infer<typeof WebRecipe>,
  params: unknown,
): (ReadingRequest & { url: string }) | undefined {
  const parsed = WebParams.safeParse(params);
  if (!parsed.success) return undefined;
  const { url, parts, max_rows: maxRows } = parsed.data;
  const older = olderKinds[recipe.web];
  return {
    url,
    reading: recipe.web === 'feed' ? 'feed' : 'page',
    parts: older === undefined ? (parts ?? undefined) : [older],
    maxRows: maxRows ?? defaultRows,
  };
}

export type ReadingResult =
  | { readonly data: Row }
  /** The page links to its feed, which is to be fetched. */
  | { readonly feed: string }
  /** The page shows hardly anything without its scripts; `data` is what it shows. */
  | { readonly needsBrowser: true; readonly data: Row };
