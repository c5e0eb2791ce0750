/**
 * Text from upstream is data, never instruction: what could hide in it or steer a model is taken out
 * before it reaches one. A job's `data` never passes through here.
 */

import { distance } from 'fastest-levenshtein';
import { visibleText } from '../../client/visible-text.ts';
import { buildCredits } from '../../contract/limits.ts';
import { creditsText } from '../../contract/price.ts';

/** One clean line of at most `maxLength` characters; a longer one ends in `…`. */
export function cleanText(text: string, maxLength: number): string {
  // Cutting first bounds the work; what cleaning removes may leave a little less than could be shown.
  const line = visibleText(text.slice(0, maxLength * 4));
  return line.length <= maxLength
    ? line
    : `${line
        .slice(0, maxLength - 1)
        .replace(/\p{Cs}$/u, '')
        .trimEnd()}…`;
}

/** A message of the service inside one of our sentences, quoted so that nobody takes it for ours. */
export function quoted(text: string, maxLength = 500): string {
  const clean = cleanText(text, maxLength).replaceAll('"', "'");
  return clean === '' ? '(no message)' : `"${clean}"`;
}

const maxMembers = 40;
const maxElements = 20;
const maxString = 500;

/** An upstream object as it may be shown: every text in it cleaned, its size bounded. */
export function toVisibleMembers(
  value: Readonly<Record<string, unknown>>,
  depth = 4,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxMembers)
      .map(([key, member]) => [cleanText(key, 60), toVisibleValue(member, depth - 1)]),
  );
}

function toVisibleValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, maxString);
  if (typeof value !== 'object' || value === null) return value;
  if (depth <= 0) return null;
  if (Array.isArray(value))
    return value.slice(0, maxElements).map((element) => toVisibleValue(element, depth - 1));
  return toVisibleMembers({ ...value }, depth);
}

/** What a build costs, for a sentence that names `request_build`. */
export const buildCostText = `${creditsText(buildCredits)}, refunded if it fails`;

/** At most `length` UTF-16 units, without half a surrogate pair at the end. */
export function wholeCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}

/** Whether a cut at `index` would part a surrogate pair. */
export function splitsPair(text: string, index: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(index));
}

/** Longer names are not treated as misspellings. */
const maxLength = 200;

/** The nearest of the names, whatever their case and separators; undefined where none is near. */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  const text = plain(wanted);
  if (text === '' || text.length > maxLength) return undefined;
  const most = Math.ceil(text.length / 3);
  let least = most + 1;
  let best: string | undefined;
  for (const name of names) {
    const candidate = plain(name);
    if (candidate === '') continue;
    // A text that is part of a name is as near as one wrong letter.
    const isPart = text.length >= 4 && candidate.includes(text);
    if (!isPart && Math.abs(candidate.length - text.length) > most) continue;
    const steps = isPart ? Math.min(1, candidate.length - text.length) : distance(text, candidate);
    const isFirst = steps === least && best !== undefined && name < best;
    if (steps >= least && !isFirst) continue;
    least = steps;
    best = name;
  }
  return best;
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
