/**
 * Text from upstream is data, never instruction: what could hide in it or steer a model is taken out
 * before it reaches one. A job's `data` never passes through here.
 */
import { stripVTControlCharacters } from 'node:util';

/** Control, format (bidirectional, zero-width), private, lone surrogate and other invisible characters. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** `<IMPORTANT>`, `</system>` and the like: markup has no place in a name or a description. */
const tagStart = /^<\/?[A-Za-z!]/;

/** One clean line of at most `maxLength` characters; a longer one ends in `…`. */
export function cleanText(text: string, maxLength: number): string {
  // Cutting first bounds the work; what cleaning removes may leave a little less than could be shown.
  const visible = stripVTControlCharacters(text.slice(0, maxLength * 4))
    .replace(/\s+/gu, ' ')
    .replace(invisible, '');
  const line = withoutMarkup(visible).replace(/ {2,}/g, ' ').trim();
  return line.length <= maxLength
    ? line
    : `${line
        .slice(0, maxLength - 1)
        .replace(/\p{Cs}$/u, '')
        .trimEnd()}…`;
}

/** What is left around a removed tag may be a tag itself, so the tags within a tag are removed first. */
function withoutMarkup(text: string): string {
  if (!text.includes('>')) return text;
  let kept = '';
  /** Where each `<` stands that no `>` has closed. */
  let open: number[] = [];
  for (const part of text.split(/(?=[<>])/)) {
    if (part.startsWith('<')) {
      open.push(kept.length);
      kept += part;
      continue;
    }
    const start = part.startsWith('>') ? open.pop() : undefined;
    if (start !== undefined && tagStart.test(kept.slice(start, start + 3))) {
      kept = kept.slice(0, start) + part.slice(1);
      continue;
    }
    // A `>` that closes no tag: none that began before it can end after it.
    if (part.startsWith('>')) open = [];
    kept += part;
  }
  return kept;
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
export function shownMembers(value: Readonly<Record<string, unknown>>, depth = 4): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxMembers)
      .map(([key, member]) => [cleanText(key, 60), shownValue(member, depth - 1)]),
  );
}

function shownValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, maxString);
  if (typeof value !== 'object' || value === null) return value;
  if (depth <= 0) return null;
  if (Array.isArray(value))
    return value.slice(0, maxElements).map((element) => shownValue(element, depth - 1));
  return shownMembers({ ...value }, depth);
}

/** A number of credits in words: `1 credit`, `3 credits`. */
export const creditsText = (credits: number) => `${credits} credit${credits === 1 ? '' : 's'}`;
