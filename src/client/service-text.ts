/**
 * Where a text of the service becomes ours: it is cut before anything reads it, and the API key is taken out of it. A
 * job's `data` never passes through here.
 */
import { largeBytes } from './large-body.ts';
import { visibleText } from './visible-text.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** UTF-16 units of one text: far more than any answer shows. */
const maxText = 8_000;
/** UTF-16 units of all names and texts of one answer, where each value counts as one more. */
const maxTotal = 64_000;

/** One text of the service, cut, and without the key. */
export const serviceText = (text: string, apiKey: string): string => cutText(text, apiKey, textHider(apiKey));

/** UTF-16 units that a character of the key takes at most in another form. */
const formLength = 16;

/** A key that the cut would part is seen whole. */
const cutText = (text: string, apiKey: string, hide: (text: string) => string): string =>
  hide(text.slice(0, maxText + apiKey.length * formLength)).slice(0, maxText);

/** Takes the key out of a text, also where it appears only once the text is cleaned. */
function textHider(apiKey: string): (text: string) => string {
  const hideKey = keyHider(apiKey);
  return (text) => {
    const visible = visibleText(text);
    const hidden = hideKey(visible);
    return hidden === visible ? hideKey(text) : hidden;
  };
}

/** The members of an object of the service, with each text as `serviceText` has it; what exceeds the total is left out. */
export function serviceMembers(members: JsonObject, apiKey: string): JsonObject {
  const hide = textHider(apiKey);
  let room = maxTotal;
  const toText = (text: string): string => {
    const taken = cutText(text, apiKey, hide);
    room -= taken.length;
    return taken;
  };
  const toValue = (value: unknown): unknown => {
    room -= 1;
    if (typeof value === 'string') return toText(value);
    if (Array.isArray(value)) return value.flatMap((element) => (room > 0 ? [toValue(element)] : []));
    return typeof value === 'object' && value !== null ? toMembers(value) : value;
  };
  const toMembers = (object: object): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, value]) => (room > 0 ? [[toText(name), toValue(value)]] : [])),
    );
  return toMembers(members);
}

/**
 * An answer without the key in any of its names and texts, which are not cut. Most answers have no key and stay what they are.
 * `json`: its text, which is searched where the answer has megabytes: to clean all of its texts takes seconds.
 */
export function withoutKey(value: unknown, json: string, apiKey: string): unknown {
  const isLarge = json.length >= largeBytes;
  const hide = isLarge ? keyHider(apiKey) : textHider(apiKey);
  const texts = isLarge ? json : [...textsOf(value)].join('\n');
  if (hide(texts) === texts) return value;
  const toValue = (one: unknown): unknown => {
    if (typeof one === 'string') return hide(one);
    if (Array.isArray(one)) return one.map(toValue);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [hide(name), toValue(member)]));
  };
  return toValue(value);
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) yield name;
    yield* textsOf(member);
  }
}

/** Texts of a service without our API key, also where the service wrote it in another way. */

const keyMark = '[API key]';

/** White space, also as the escapes of JSON, because large answers are searched before they are parsed. */
const gap = '(?:\\s|\\\\[bfnrt])*';

/** A shorter key would be found by chance in words: "dev" in "device", or with blanks between. */
const leastForOtherForms = 8;

/**
 * Takes the key out of a text: as it is, with white space within, percent-encoded, as escapes of JSON or references of HTML,
 * in hexadecimal, or in Base64, alone or within more text. The work grows no faster than the text.
 */
function keyHider(apiKey: string): (text: string) => string {
  if (apiKey.length < leastForOtherForms) {
    const alone = new RegExp(`(?<![A-Za-z0-9])${[...apiKey].map(literal).join('')}(?![A-Za-z0-9])`, 'g');
    return (text) => text.replace(alone, keyMark);
  }
  const hex = [...apiKey].map((character) => character.charCodeAt(0).toString(16).padStart(2, '0'));
  const plain = [...apiKey].map((character, index) => {
    const code = hex[index];
    const reference = `&#0{0,6}(?:${character.charCodeAt(0)}|x0{0,6}${code});`;
    return `(?:${literal(character)}|%(?:25){0,4}${code}|\\\\{1,8}(?:u00|x)${code}|${reference})`;
  });
  const forms = [plain.join(gap), hex.join(`[:,]?${gap}`), ...base64Forms(apiKey)];
  const pattern = new RegExp(forms.join('|'), 'gi');
  return (text) => text.replace(pattern, keyMark);
}

const literal = (character: string) => character.replace(/[^\w]/, '\\$&');

/** Bytes before the key move its characters; those that its neighbours have a part in are left out. */
const base64Forms = (apiKey: string): readonly string[] =>
  [0, 1, 2].map((before) => {
    const encoded = Buffer.from(`${'x'.repeat(before)}${apiKey}`).toString('base64');
    const whole = Math.floor(((before + apiKey.length) * 8) / 6);
    return [...encoded.slice(Math.ceil((before * 8) / 6), whole)]
      .map((character) => ({ '+': '[+-]', '/': '[/_]' })[character] ?? character)
      .join(gap);
  });
