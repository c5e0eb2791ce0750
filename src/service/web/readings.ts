/** What can be read from a page of any website, and how a recipe asks for it. */
import * as z from 'zod';
import type { Page, Row } from '../recipes/document.ts';

const webReadings = ['article', 'tables', 'records', 'structured_data', 'feed', 'links'] as const;
export type WebReading = (typeof webReadings)[number];

/** The recipe of an action of the catalog `web`. */
export const WebRecipe = z.strictObject({ web: z.enum(webReadings) });

export interface ReadingTask {
  readonly page: Page;
  readonly reading: WebReading;
}

export type ReadingResult =
  | { readonly data: Row }
  /** The page links to its feed, which is to be fetched. */
  | { readonly feed: string };
