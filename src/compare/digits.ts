/** Digits and marks of other scripts, brought to ASCII. */

/** The value of a decimal digit of any script: Unicode keeps the ten of each script together, in order. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}

const marks: Readonly<Record<string, string>> = {
  '٫': '.',
  '٬': "'",
  '،': ',',
  '−': '-',
  '–': '-',
  '—': '-',
  '‐': '-',
  '‑': '-',
  '﹣': '-',
  '‒': '-',
  '―': '-',
  '﹘': '-',
  '〜': '~',
  '’': "'",
  '‘': "'",
  '´': "'",
  '`': "'",
  ʼ: "'",
  '\u066a': '%',
};

/** Signs that show nothing: soft hyphens, zero-width blanks, marks of the direction. Joiners change how letters look. */
const unseenSigns = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
export const withoutUnseen = (text: string): string => text.replace(unseenSigns, '');

/**
 * The text with ASCII digits, marks and signs: fullwidth, Arabic, Persian, Devanagari and other digits; every dash and
 * minus as `-`; every space as one space. Its length may differ.
 */
export const toPlainDigits = (text: string): string =>
  withoutUnseen(text)
    .replace(/[\uff00-\uffef]/g, (sign) => sign.normalize('NFKC'))
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit)))
    .replace(/[\u200c\u200d]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[٫٬،−–—‐‑‒―﹘﹣〜’‘´`ʼ\u066a]/g, (mark) => marks[mark] ?? mark)
    .trim();
