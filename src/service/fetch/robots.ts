/** robots.txt (RFC 9309): read once per origin, kept for an hour. Matching takes time in proportion to the file. */

const keepMs = 3_600_000;
/** How soon a site is asked again that could not serve its file. */
const keepUnavailableMs = 60_000;
const maxOrigins = 1_000;
/** Patterns with `*` of one site that are tried for an address; each costs as much as the address is long. */
const maxPatterns = 1_000;
/** Characters of a rule; no address is longer. */
const maxRuleLength = 2_048;
/** At least as much as RFC 9309 asks to read. */
export const maxRobotsBytes = 512 * 1024;

export interface RobotsRules {
  allows(url: string): boolean;
  /** Milliseconds the site asks to leave between requests. */
  readonly crawlDelayMs: number | undefined;
  /** The HTTP status of a site that could not serve its file: nothing is allowed for now. */
  readonly unavailable?: number;
}
const everything: RobotsRules = { allows: () => true, crawlDelayMs: undefined };

export type RobotsAnswer = { readonly status: number; readonly text: string };

/**
 * A missing file (4xx) allows everything; a site that cannot serve its file (5xx, 429) is left alone for now (RFC 9309,
 * 2.3.1.4).
 */
export function readRobots(answer: RobotsAnswer, userAgent: string): RobotsRules {
  if (answer.status >= 500 || answer.status === 429)
    return { allows: () => false, crawlDelayMs: undefined, unavailable: answer.status };
  if (answer.status < 200 || answer.status >= 300) return everything;
  const { rules, crawlDelay } = groupFor(productToken(userAgent), answer.text);
  return {
    allows(address) {
      const { pathname, search } = new URL(address);
      const path = normalize(pathname + search);
      const first = rules.find((rule) => matches(rule, path));
      return first === undefined || first.allow || pathname === '/robots.txt';
    },
    crawlDelayMs: crawlDelay === undefined ? undefined : crawlDelay * 1000,
  };
}

interface Rule {
  readonly allow: boolean;
  /** Texts that must follow each other, with anything between them; the first starts the path. */
  readonly parts: readonly string[];
  /** Whether the last part ends the path (`$`). */
  readonly toEnd: boolean;
  readonly length: number;
}

interface Group {
  /** The longest first, and `allow` before `disallow` of the same length, so that the first match decides. */
  readonly rules: readonly Rule[];
  /** Seconds. */
  readonly crawlDelay: number | undefined;
}

/** `svc-mcp` of `svc-mcp/1.0 (…)`. */
const productToken = (userAgent: string) => userAgent.split(/[/\s]/)[0]?.toLowerCase() ?? '';

/** All groups for the product together, or those for `*` if it has none. */
function groupFor(product: string, text: string): Group {
  const collected = new Map<string, { rules: Rule[]; patterns: number; crawlDelay: number | undefined }>();
  /** The matching user agents of the line's group: the product, `*`, or both. */
  let names = new Set<string>();
  let inRules = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/[\r\n]+/)) {
    const [, key = '', raw = ''] = /^[^\S\n]*([\w-]+)[^\S\n]*:([^#]*)/.exec(line) ?? [];
    const directive = key.toLowerCase();
    const value = raw.trim();
    if (directive === 'user-agent') {
      if (inRules) names = new Set();
      inRules = false;
      const name = productToken(value);
      if (name !== product && name !== '*') continue;
      names.add(name);
      if (!collected.has(name)) collected.set(name, { rules: [], patterns: 0, crawlDelay: undefined });
    } else if (directive === 'allow' || directive === 'disallow' || directive === 'crawl-delay') {
      inRules = true;
      for (const name of names) {
        const group = collected.get(name);
        if (group === undefined) continue;
        if (directive === 'crawl-delay') group.crawlDelay ??= parseSeconds(value);
        else if (value !== '' && value.length <= maxRuleLength) {
          const isPattern = value.includes('*');
          if (isPattern) group.patterns += 1;
          if (!isPattern || group.patterns <= maxPatterns)
            group.rules.push(parseRule(directive === 'allow', value));
        }
      }
    }
  }
  const { rules = [], crawlDelay } = collected.get(product) ?? collected.get('*') ?? {};
  const sorted = rules.sort((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow));
  return { rules: sorted, crawlDelay };
}

/** Undefined if the value is not a number of seconds. */
function parseSeconds(value: string): number | undefined {
  const seconds = Number.parseFloat(value);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

function parseRule(allow: boolean, value: string): Rule {
  const pattern = normalize(value);
  const toEnd = pattern.endsWith('$');
  return {
    allow,
    parts: (toEnd ? pattern.slice(0, -1) : pattern).split(/\*+/),
    toEnd,
    length: pattern.length,
  };
}

/** Each part is searched once, from the end of the one before: the first match leaves most room for the rest. */
function matches({ parts: [first = '', ...rest], toEnd }: Rule, path: string): boolean {
  if (!path.startsWith(first)) return false;
  const last = toEnd ? rest.pop() : undefined;
  let position = first.length;
  for (const part of rest) {
    const index = path.indexOf(part, position);
    if (index < 0) return false;
    position = index + part.length;
  }
  if (!toEnd) return true;
  if (last === undefined) return position === path.length;
  return path.endsWith(last) && path.length - last.length >= position;
}

/** Percent-encodes what is not ASCII, and spells every code in upper case (RFC 9309, 2.2.2). */
function normalize(path: string): string {
  return path
    .replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD')))
    .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

interface CachedRules {
  /** By the monotonic clock, in milliseconds. */
  until: number;
  readonly rules: Promise<RobotsRules>;
}

/** Keeps rules per origin; two requests at once share one fetch, and a failed fetch is not remembered. */
export class RobotsCache {
  readonly #cached = new Map<string, CachedRules>();

  getRules(origin: string, load: () => Promise<RobotsRules>): Promise<RobotsRules> {
    const cached = this.#cached.get(origin);
    if (cached !== undefined && cached.until > performance.now()) return cached.rules;
    this.#cached.delete(origin);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size >= maxOrigins && oldest !== undefined) this.#cached.delete(oldest);
    const entry: CachedRules = { until: performance.now() + keepMs, rules: load() };
    this.#cached.set(origin, entry);
    entry.rules.then(
      ({ unavailable }) => {
        if (unavailable !== undefined) entry.until = performance.now() + keepUnavailableMs;
      },
      () => this.#cached.delete(origin),
    );
    return entry.rules;
  }
}
