/**
 * Reads a large JSON answer element by element, from its bytes as they arrived: parsed or decoded as a whole, tens of
 * thousands of actions would stop everything else for half a second and take several times their length in memory.
 */

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const maxKeyBytes = 100;

/**
 * The bytes of the elements of the array that a member of the object at the root holds. They are found by their
 * separators; whether an element is JSON shows when it is parsed. Throws a `SyntaxError` if there is no such array.
 */
export function* elementsOf(chunks: Iterable<Uint8Array>, member: string): Generator<Uint8Array> {
  const scanner = new ArrayScanner(member);
  let pieces: Uint8Array[] = [];
  let isFirst = true;
  for (const chunk of chunks) {
    let start = 0;
    for (let at = scanner.next(chunk, 0); at < chunk.length; at = scanner.next(chunk, at + 1)) {
      if (scanner.event !== 'opened') {
        const last = chunk.subarray(start, at);
        const element = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
        pieces = [];
        const isLast = scanner.event === 'closed';
        if (!(isFirst && isLast && isBlank(element))) yield element;
        if (isLast) return;
        isFirst = false;
      }
      start = at + 1;
    }
    if (scanner.isInArray) pieces.push(chunk.subarray(start));
  }
  throw new SyntaxError(scanner.isInArray ? 'an array without an end' : `no array ${member}`);
}

const isBlank = (bytes: Uint8Array) => bytes.every(isSpace);
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Follows JSON through its chunks; bytes of a character beyond ASCII look like no punctuation. */
class ArrayScanner {
  isInArray = false;
  event: 'opened' | 'separated' | 'closed' = 'opened';
  readonly #member: string;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The last string right below the root, which may be a key. */
  #string = '';
  #key: string | undefined;

  constructor(member: string) {
    this.#member = member;
  }

  /** The place of the next event in the chunk, or the chunk's length if there is none. */
  next(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (this.#isInString) at = this.#endOfString(chunk, at);
      else if (this.#isEvent(chunk[at] ?? 0)) return at;
      else at += 1;
    }
    return at;
  }

  /** The place after the string's end, or the chunk's length. */
  #endOfString(chunk: Uint8Array, from: number): number {
    let isEscaped = this.#isEscaped;
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) {
        this.#isInString = false;
        break;
      }
    }
    this.#isEscaped = isEscaped;
    // A key with escapes is not the member that is looked for.
    if (this.#depth === 1 && this.#string.length <= this.#member.length)
      this.#string += String.fromCharCode(...chunk.subarray(from, Math.min(at, from + maxKeyBytes)));
    return this.#isInString ? at : at + 1;
  }

  #isEvent(byte: number): boolean {
    switch (byte) {
      case quote:
        this.#isInString = true;
        this.#string = '';
        return false;
      case openBracket:
      case openBrace:
        return this.#opens(byte);
      case closeBracket:
      case closeBrace:
        this.#depth -= 1;
        this.event = 'closed';
        return this.isInArray && this.#depth === 1;
      case comma:
        if (this.#depth === 1) this.#key = undefined;
        this.event = 'separated';
        return this.isInArray && this.#depth === 2;
      case colon:
        if (this.#depth === 1) this.#key = this.#string;
        return false;
      default:
        if (this.#depth === 0 && !isSpace(byte)) throw new SyntaxError('no object');
        return false;
    }
  }

  #opens(byte: number): boolean {
    if (this.#depth === 0 && byte !== openBrace) throw new SyntaxError('no object');
    this.#depth += 1;
    if (byte !== openBracket || this.#depth !== 2 || this.#key !== this.#member) return false;
    this.isInArray = true;
    this.event = 'opened';
    return true;
  }
}
