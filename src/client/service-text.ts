/**
 * Where a text of the service becomes ours: it is cut before anything reads it, and the API key is taken out of it. A
 * job's `data` never passes through here.
 */
import { visibleText } from './visible-text.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** UTF-16 units of one text: far more than any answer shows. */
const maxText = 8_000;
/** UTF-16 units of all names and texts of one answer, where each value counts as one more. */
const maxTotal = 64_000;

/** One text of the service, cut, and without the key, also where the key appears only once the text is cleaned. */
export function serviceText(text: string, apiKey: string): string {
  const start = text.slice(0, maxText).replaceAll(apiKey, keyMark);
  const visible = visibleText(start);
  const safe = visible.includes(apiKey) ? visible.replaceAll(apiKey, keyMark) : start;
  // The cut may have parted a key.
  return text.length <= maxText ? safe : safe.slice(0, -apiKey.length);
}

const keyMark = '[API key]';

/** The members of an object of the service, with each text as `serviceText` has it; what exceeds the total is left out. */
export function serviceMembers(members: JsonObject, apiKey: string): JsonObject {
  let room = maxTotal;
  const toText = (text: string): string => {
    const taken = serviceText(text, apiKey);
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
