/** robots.txt (RFC 9309): read once per origin, kept for an hour. */
import robotsParser from 'robots-parser';

const keepMs = 3_600_000;
const maxOrigins = 1_000;
/** Matching costs pattern length times path length, so what is matched against is kept short. */
export const maxRobotsBytes = 128 * 1024;

export interface RobotsRules {
  allows(url: string): boolean;
  /** Milliseconds the site asks to leave between requests. */
  readonly crawlDelayMs: number | undefined;
}
const everything: RobotsRules = { allows: () => true, crawlDelayMs: undefined };
const nothing: RobotsRules = { allows: () => false, crawlDelayMs: undefined };

export type RobotsAnswer = { readonly status: number; readonly text: string };

/** No file (4xx) allows everything; a site that cannot answer for its file (5xx) is left alone for now. */
export function readRobots(url: string, answer: RobotsAnswer, userAgent: string): RobotsRules {
  if (answer.status >= 500 || answer.status === 429) return nothing;
  if (answer.status < 200 || answer.status >= 300) return everything;
  const rules = robotsParser(url, answer.text);
  const delaySeconds = rules.getCrawlDelay(userAgent);
  return {
    allows: (address) => rules.isAllowed(address, userAgent) !== false,
    // What the file says may be no number at all.
    crawlDelayMs: Number.isFinite(delaySeconds) ? Number(delaySeconds) * 1000 : undefined,
  };
}

/** Keeps rules per origin; two requests at once share one fetch, and a failed fetch is not remembered. */
export class RobotsCache {
  readonly #kept = new Map<string, { readonly until: number; readonly rules: Promise<RobotsRules> }>();

  rulesOf(origin: string, load: () => Promise<RobotsRules>): Promise<RobotsRules> {
    const kept = this.#kept.get(origin);
    if (kept !== undefined && kept.until > Date.now()) return kept.rules;
    this.#kept.delete(origin);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= maxOrigins && oldest !== undefined) this.#kept.delete(oldest);
    const rules = load();
    this.#kept.set(origin, { until: Date.now() + keepMs, rules });
    rules.catch(() => this.#kept.delete(origin));
    return rules;
  }
}
