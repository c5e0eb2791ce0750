/**
 * Folders of pages with known answers. `pages.json` in a folder lists them: the file (gzip or plain), its type, the address
 * that it is served at, the goal, the fields and the true rows.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';

const PageSet = z.object({
  file: z.string(),
  type: z.string(),
  address: z.string(),
  /** The host that its links name. */
  site: z.string().optional(),
  many: z.boolean(),
  goal: z.string(),
  fields: z.array(z.object({ name: z.string(), kind: z.string() })),
  truth: z.array(z.record(z.string(), z.unknown())),
});
export type PageSet = z.infer<typeof PageSet> & { readonly body: Buffer };

/** The pages that belong to the project. They were written for it and test structures. */
export const ownPages = new URL('pages', import.meta.url).pathname;

export function readPageSets(folder: string): PageSet[] {
  const index: unknown = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8'));
  return z
    .array(PageSet)
    .parse(index)
    .map((set) => {
      const content = readFileSync(join(folder, set.file));
      return { ...set, body: set.file.endsWith('.gz') ? gunzipSync(content) : content };
    });
}
