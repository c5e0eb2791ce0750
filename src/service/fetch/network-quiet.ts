/** Waits until a page has no request under way for a moment. */
import type { Page } from 'playwright-core';

const quietMs = 400;

export class NetworkQuiet {
  #pending = 0;
  #changed = () => {};

  constructor(page: Page) {
    page.on('request', () => this.#count(1));
    page.on('requestfinished', () => this.#count(-1));
    page.on('requestfailed', () => this.#count(-1));
  }

  #count(change: number): void {
    this.#pending += change;
    this.#changed();
  }

  /** Resolves when no request was under way for 0.4 s, or after `mostMs`: some pages never stop asking. */
  wait(mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      let quiet: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(quiet);
        clearTimeout(most);
        this.#changed = () => {};
        resolve();
      };
      const most = setTimeout(end, mostMs);
      this.#changed = () => {
        clearTimeout(quiet);
        if (this.#pending <= 0) quiet = setTimeout(end, quietMs);
      };
      this.#changed();
    });
  }
}
