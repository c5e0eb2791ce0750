/** What can be read from a page of any website, and how a recipe asks for it. */
import * as z from 'zod';

const webReadings = ['article', 'tables', 'records', 'structured_data', 'feed', 'links'] as const;
export type WebReading = (typeof webReadings)[number];

/** The recipe of an action of the catalog `web`. */
export const WebRecipe = z.strictObject({ web: z.enum(webReadings) });
