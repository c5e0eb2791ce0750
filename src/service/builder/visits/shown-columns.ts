/** What was shown to whom, so that the ids of a choice mean what their caller saw. Kept in this process only. */
import { LRUCache } from 'lru-cache';
import type { BuildChoice, BuildTask, KeptChoice, ShownCandidate } from '../../foundation/ports.ts';
import { meaningOf } from '../matching/kept-columns.ts';

interface Shown {
  readonly candidates: readonly ShownCandidate[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class ShownColumns {
  readonly #shown = new LRUCache<string, Shown>({
    max: 500,
    maxSize: 16 * 1024 * 1024,
    sizeCalculation: ({ candidates }) => JSON.stringify(candidates).length + 1,
    ttl: 24 * 3_600_000,
  });

  /** Candidates of an earlier look stay: a caller may look at one after the other. */
  remember(user: string | undefined, url: string, candidates: readonly ShownCandidate[]): void {
    if (candidates.length === 0) return;
    const key = toKey(user, url);
    const ids = new Set(candidates.map(({ candidate }) => candidate.id));
    const earlier = this.#shown.get(key)?.candidates ?? [];
    const others = earlier.filter(({ candidate }) => !ids.has(candidate.id));
    this.#shown.set(key, { candidates: [...candidates, ...others], at: Date.now() });
  }

  /**
   * What the ids mean: those of the last look, or those of the action that is built again, whichever is newer.
   * Undefined where nothing was shown: then they are the page's present ones.
   */
  meaning(
    user: string | undefined,
    url: string,
    choose: BuildChoice | undefined,
    kept?: BuildTask['kept'],
  ): KeptChoice | undefined {
    if (choose === undefined) return undefined;
    const shown = this.#shown.get(toKey(user, url));
    const seen = shown && meaningOf(choose, shown.candidates);
    return kept !== undefined && (seen === undefined || shown === undefined || shown.at < kept.at)
      ? kept.columns
      : seen;
  }
}

const toKey = (user: string | undefined, url: string) => `${user ?? ''}\n${url}`;
