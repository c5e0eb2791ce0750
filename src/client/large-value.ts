/**
 * Reads a large JSON value piece by piece and keeps no more of it than a preview can show: parsed as a whole, 15 MB stop
 * everything else for hundreds of milliseconds and take many times their length in memory. Every piece is parsed, so
 * that a text that is no JSON is refused.
 */
import type { Totals } from '../contract/api.ts';
import { maxJsonDepth } from '../contract/json-limits.ts';
import { afterSpace, endOfString, endOfValue } from './json-places.ts';
import { largeBytes } from './large-body.ts';
import { runInSlices } from './slices.ts';

/** A text is read whole where it has at most so many times the characters that are shown. */
const wholeTimes = 8;

export interface ReadLimits {
  /** A value of more characters is read in pieces of about this length. */
  readonly pieceChars?: number;
  readonly maxDepth?: number;
}

export interface LargeValue {
  readonly value: unknown;
  /** How many elements or members there are of each array and object that is not whole. */
  readonly totals: Totals;
}

/**
 * Reads an object; of its member `data` no more is kept than `keptChars` characters of JSON of each array and object,
 * and large values beside them. Each `yield` is a place where others may have their turn. Throws a
 * `SyntaxError`, or a `DepthError`.
 */
export function* readLargeData(
  text: string,
  keptChars: number,
  limits: ReadLimits = {},
): Generator<undefined, LargeValue> {
  const reader = new Reader(text, keptChars, limits);
  const value = yield* reader.read();
  return { value, totals: reader.totals };
}

/** Whether the text is small, or so much of its data is shown that nothing would be gained by leaving out the rest. */
export const isReadWhole = ({ length }: { readonly length: number }, shownChars: number): boolean =>
  length < largeBytes || length <= wholeTimes * shownChars;

/** Reads a text that was checked when it arrived, of its data no more than what is shown needs. */
export async function readShown(text: string, shownChars: number): Promise<LargeValue> {
  if (isReadWhole(text, shownChars)) return { value: JSON.parse(text), totals: new Map() };
  // What has the form of a job only with us is a level deeper than it came.
  return runInSlices(readLargeData(text, shownChars, { maxDepth: maxJsonDepth + 1 }));
}

class Reader {
  readonly totals = new Map<object, number>();
  readonly #text: string;
  readonly #dataChars: number;
  readonly #pieceChars: number;
  readonly #maxDepth: number;
  #keptChars = Number.POSITIVE_INFINITY;
  #depth = 0;
  #at = 0;

  constructor(text: string, keptChars: number, { pieceChars = 65_536, maxDepth = maxJsonDepth }: ReadLimits) {
    this.#text = text;
    this.#pieceChars = pieceChars;
    this.#maxDepth = maxDepth;
    this.#dataChars = keptChars;
  }

  *read(): Generator<undefined, unknown> {
    this.#skipSpace();
    const { value } = yield* this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw new SyntaxError('more than one value');
    return value;
  }

  *#value(): Generator<undefined, Part> {
    const opener = this.#text[this.#at];
    const end = this.#endFrom(this.#at);
    if (end !== undefined) {
      const text = this.#text.slice(this.#at, end);
      this.#at = end;
      return { value: JSON.parse(text), chars: text.length };
    }
    // The brackets that make it long may stand behind something else.
    if (opener !== '{' && opener !== '[') throw new SyntaxError('no array or object where one belongs');
    const isObject = opener === '{';
    this.#depth += 1;
    const parts = isObject ? new ObjectParts(this.#keptChars) : new ArrayParts(this.#keptChars);
    const part = yield* this.#container(parts, isObject ? '}' : ']');
    this.#depth -= 1;
    return part;
  }

  /** An array or object that is longer than a piece. */
  *#container(parts: Parts, closer: string): Generator<undefined, Part> {
    this.#at += 1;
    this.#skipSpace();
    while (this.#text[this.#at] !== closer) {
      yield;
      if (!this.#readPiece(parts)) {
        const key = parts.hasKeys ? this.#key() : '';
        if (this.#depth === 1) this.#keptChars = key === 'data' ? this.#dataChars : Number.POSITIVE_INFINITY;
        parts.addLarge(key, yield* this.#value());
      }
      this.#skipSpace();
      if (this.#text[this.#at] === closer) break;
      this.#expect(',');
      if (this.#text[this.#at] === closer) throw new SyntaxError('a comma at the end');
    }
    this.#at += 1;
    const value = parts.value();
    if (parts.kept < parts.total) this.totals.set(value, parts.total);
    return { value, chars: parts.chars };
  }

  /** Reads as many small elements or members as make a piece; false where the next one is large. */
  #readPiece(parts: Parts): boolean {
    const start = this.#at;
    let end = start;
    for (;;) {
      const next = this.#endOfPart(parts.hasKeys);
      if (next === undefined) break;
      end = next;
      this.#at = next;
      this.#skipSpace();
      if (end - start > this.#pieceChars || this.#text[this.#at] !== ',') break;
      this.#expect(',');
    }
    this.#at = end;
    if (end === start) return false;
    parts.add(this.#text.slice(start, end));
    return true;
  }

  /** The end of the element or member here; undefined where it is large. */
  #endOfPart(hasKey: boolean): number | undefined {
    if (!hasKey) return this.#endFrom(this.#at);
    const colon = afterSpace(this.#text, endOfString(this.#text, this.#at));
    return this.#endFrom(afterSpace(this.#text, colon + 1));
  }

  #endFrom(start: number): number | undefined {
    const limits = { maxChars: this.#pieceChars, maxDepth: this.#maxDepth - this.#depth };
    return endOfValue(this.#text, start, limits);
  }

  #key(): string {
    const end = endOfString(this.#text, this.#at);
    const key = String(JSON.parse(this.#text.slice(this.#at, end)));
    this.#at = end;
    this.#skipSpace();
    this.#expect(':');
    return key;
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new SyntaxError(`no ${character} where one belongs`);
    this.#at += 1;
    this.#skipSpace();
  }

  #skipSpace(): void {
    this.#at = afterSpace(this.#text, this.#at);
  }
}

/** An element, or the value of a member, with the length of its JSON: to measure it again would take a pass at each level. */
interface Part {
  readonly value: unknown;
  readonly chars: number;
}

/** Collects the kept parts of an array or object. */
interface Parts {
  readonly hasKeys: boolean;
  readonly kept: number;
  readonly total: number;
  /** The length of the kept JSON; less where all is kept, because then nobody needs it. */
  readonly chars: number;
  /** Several small parts, as they stand between the brackets. */
  add(text: string): void;
  addLarge(key: string, part: Part): void;
  value(): object;
}

class ArrayParts implements Parts {
  readonly hasKeys = false;
  readonly #kept: unknown[] = [];
  #left: number;
  total = 0;
  chars = 2;

  constructor(keptChars: number) {
    this.#left = keptChars;
  }

  get kept(): number {
    return this.#kept.length;
  }

  add(text: string): void {
    const parts: unknown[] = JSON.parse(`[${text}]`);
    for (const value of parts) this.#add(value);
  }

  addLarge(_key: string, { value, chars }: Part): void {
    this.#add(value, chars);
  }

  value(): unknown[] {
    return this.#kept;
  }

  /** `measured`: the length of its JSON, where that is known. */
  #add(value: unknown, measured?: number): void {
    this.total += 1;
    if (this.#left <= 0) return;
    this.#kept.push(value);
    const chars = measured ?? measureLength(value, this.#left);
    this.chars += chars + 1;
    this.#left -= chars;
  }
}

class ObjectParts implements Parts {
  readonly hasKeys = true;
  readonly #kept = new Map<string, unknown>();
  #left: number;
  total = 0;
  chars = 2;

  constructor(keptChars: number) {
    this.#left = keptChars;
  }

  get kept(): number {
    return this.#kept.size;
  }

  add(text: string): void {
    const parts: object = JSON.parse(`{${text}}`);
    for (const [key, part] of Object.entries(parts)) {
      if (!this.#kept.has(key)) this.total += 1;
      if (this.#left <= 0 && !this.#kept.has(key)) continue;
      this.#kept.set(key, part);
      const chars = key.length + measureLength(part, this.#left);
      this.chars += chars + 4;
      this.#left -= chars;
    }
  }

  /** Always kept, so that a long list does not push out the facts behind it, nor they the list. */
  addLarge(key: string, { value, chars }: Part): void {
    if (!this.#kept.has(key)) this.total += 1;
    this.#kept.set(key, value);
    this.chars += key.length + chars + 4;
  }

  value(): object {
    return Object.fromEntries(this.#kept);
  }
}

/** Not measured where all is kept. */
const measureLength = (part: unknown, budget: number): number =>
  budget === Number.POSITIVE_INFINITY ? 0 : (JSON.stringify(part) ?? '').length;
