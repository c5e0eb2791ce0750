/** A small site with the truth about its data: what a build for the goal must give, or why it must not be built. */
import type { BuildFailureType } from '../../../../src/service/builder/failures.ts';

type Value = string | number | boolean | null | readonly string[];

export interface PageSet {
  readonly name: string;
  /** By path with query; `{origin}` in a page stands for the site's own. The first is asked for. */
  readonly pages: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly goal: string;
  /** The rows by the goal's own words for the fields; one row for a single record. */
  readonly truth?: readonly Readonly<Record<string, Value>>[];
  /** Instead of a truth: nothing may be published, for one of these reasons. */
  readonly failure?: readonly BuildFailureType[];
  /** A further page: what reading two pages adds. */
  readonly second?: readonly Readonly<Record<string, Value>>[];
}

export const page = (title: string, body: string, head = '', lang = 'en') =>
  `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;

export const frame = (body: string) =>
  `<header><a href="/">Home</a><nav class="main-nav"><ul><li><a href="/about">About us</a></li><li><a href="/contact">Contact</a></li><li><a href="/help">Help</a></li></ul></nav></header>
  <main>${body}</main>
  <footer><ul><li><a href="/privacy">Privacy</a></li><li><a href="/terms">Terms</a></li><li><a href="/imprint">Imprint</a></li></ul><p>All rights reserved.</p></footer>`;
