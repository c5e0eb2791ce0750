/** The text of a page's bytes: by its byte order mark, what is declared, or what its characters show. */
import { analyse } from 'chardet';

export interface DecodedText {
  readonly text: string;
  /** The share of its characters that are none: bytes that its encoding does not have, and control characters. */
  readonly replaced: number;
  /** The encoding, where nothing declares it and its bytes are no UTF-8, or what is declared does not fit. */
  readonly guessed?: string;
}

/** A declaration of these is often only a server's setting: text that is whole UTF-8 beyond ASCII is nothing else. */
const usualDefault = /^(?:iso-?8859-?1|latin-?1|windows-1252|us-ascii|ascii)$/i;

const marks: readonly (readonly [readonly number[], string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is counted.
const unreadable = /[\ufffd\0-\x08\x0e-\x1a\x1c-\x1f]/g;
/** The share of unreadable characters from which on a text is in doubt. */
const muchReplaced = 0.01;
/** Bytes in which declarations stand. */
const head = 4_096;

/** Undefined for a name that no decoder has. */
function toDecoder(label: string | undefined) {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label.trim());
  } catch {
    return undefined;
  }
}

/** What the bytes themselves declare: in XML's declaration or in a meta element. A declaration in ASCII is not in UTF-16. */
function declaredIn(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, head));
  const [, xml] = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/i.exec(text) ?? [];
  const [, meta] =
    /<meta\s(?:[^>]*?[\s"'/])?(?:charset\s*=\s*["']?\s*|content\s*=\s*(?:"[^">]*?|'[^'>]*?)charset\s*=\s*)([\w.:-]+)/i.exec(
      text.replace(/<!--[\s\S]*?(?:-->|$)/g, ''),
    ) ?? [];
  const label = xml ?? meta;
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

/** UTF-16 without a mark: every second byte of ASCII text is zero. */
function looksLikeUtf16(bytes: Uint8Array): string | undefined {
  const some = bytes.subarray(0, 1_000);
  const zeros = [0, 1].map((parity) => some.filter((byte, at) => byte === 0 && at % 2 === parity).length);
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) < some.length * 0.3) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** By the frequency of its characters, without those of the markup. */
function guess(bytes: Uint8Array): string {
  const shown = new TextDecoder('latin1').decode(bytes.subarray(0, 100_000)).replace(/<[^<>]*>/g, ' ');
  const likely = analyse(Buffer.from(shown, 'latin1')).find(({ name }) => toDecoder(name) !== undefined);
  return likely !== undefined && likely.confidence >= 15 && !/^UTF/i.test(likely.name)
    ? likely.name
    : 'windows-1252';
}

/** `contentType`: the header with its `charset`, if it has one. */
export function decodeBytes(bytes: Uint8Array, contentType = ''): DecodedText {
  const marked = marks.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const [, sent] = /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(contentType) ?? [];
  const said =
    toDecoder(marked) ?? toDecoder(looksLikeUtf16(bytes)) ?? toDecoder(sent) ?? toDecoder(declaredIn(bytes));
  const isDefault = said !== undefined && marked === undefined && usualDefault.test(said.encoding);
  const isPlainUtf8 = (said === undefined || isDefault) && isUtf8(bytes);
  const guessed = said === undefined && !isPlainUtf8 ? guess(bytes) : undefined;
  const decoder = isPlainUtf8 ? new TextDecoder() : (said ?? new TextDecoder(guessed));
  const read = decodeAs(decoder, bytes);
  if (marked !== undefined || guessed !== undefined || read.replaced < muchReplaced)
    return { ...read, ...(guessed !== undefined && { guessed }) };
  // A text that is mostly readable is broken; else what the server says is not the encoding of the bytes.
  const beyondAscii = read.text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  if (beyondAscii > read.replaced * read.text.length) return read;
  const other = toDecoder(declaredIn(bytes)) ?? new TextDecoder(guess(bytes));
  const again = decodeAs(other, bytes);
  return again.replaced < muchReplaced ? { ...again, guessed: other.encoding } : read;
}

function decodeAs(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): DecodedText {
  const text = decoder.decode(bytes);
  return { text, replaced: (text.match(unreadable)?.length ?? 0) / Math.max(text.length, 1) };
}

/** What is in doubt about the text, as sentences. */
export function explainDoubt({ replaced, guessed }: DecodedText): string[] {
  if (replaced >= muchReplaced)
    return [
      `${Math.ceil(replaced * 100)} % of the characters could not be decoded: the page does not say its encoding, or a wrong one.`,
    ];
  return guessed === undefined
    ? []
    : [`The page does not say its encoding, or a wrong one: it was read as ${guessed}, which is a guess.`];
}
