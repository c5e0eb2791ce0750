/** Pages kept for a few minutes, so that a choice finds the page of its preview. */
import type { FetchedPage } from '../../fetching/fetcher.ts';

export interface KeptPage {
  readonly page: FetchedPage;
  /** The page shows its data in a browser only. */
  readonly render?: true | undefined;
}

/** Milliseconds. */
const keptFor = 15 * 60_000;
const maxKept = 50;
/** Bytes of all pages that are kept. */
const maxBytes = 64 * 1024 * 1024;

export class KeptPages {
  /** `until` is monotonic: a clock set back must not keep an old page. */
  readonly #pages = new Map<string, KeptPage & { readonly until: number }>();

  get(url: string): KeptPage | undefined {
    const kept = this.#pages.get(url);
    return kept !== undefined && kept.until > performance.now() ? kept : undefined;
  }

  set(url: string, { page, render }: KeptPage): void {
    this.#pages.delete(url);
    this.#pages.set(url, { page, render, until: performance.now() + keptFor });
    let bytes = 0;
    for (const [other, { page: one, until }] of [...this.#pages].reverse()) {
      bytes += one.body.byteLength;
      if (bytes > maxBytes || until <= performance.now()) this.#pages.delete(other);
    }
    for (const oldest of this.#pages.keys()) if (this.#pages.size > maxKept) this.#pages.delete(oldest);
  }
}
