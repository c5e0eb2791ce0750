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
export function keyHider(apiKey: string): (text: string) => string {
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
