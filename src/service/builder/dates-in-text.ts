/** Dates among a few words, in whatever language: "sabato 17 maggio 2025 - ore 21.00", "publié le 14 mai 2025 à 18h30". */
import type { ValueRules } from '../recipes/schema.ts';
import { typed } from '../recipes/values.ts';
import { literally } from './elements.ts';
import type { ValueType } from './value-type.ts';

/** Languages whose months are tried after that of the page. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'sv', 'da', 'nb', 'cs', 'fi'];

/** A day of the week or words such as "published on"; more of them make a sentence. */
const lead = '(?:\\p{L}{1,14}[.,:]*\\s+){0,3}';
const tail = '\\s*(?:Uhr|uur|h|hrs?|hod\\.?|klo)?\\.?';
const inWords =
  '(?<day>\\d{1,2})(?<afterDay>\\.|º|ª|er|:e|st|nd|rd|th)?(?<one>\\s+(?:de\\s+|of\\s+)?)(?<month>\\p{L}{3,12})(?<dot>\\.)?(?<two>,?\\s+(?:de\\s+|del\\s+)?)(?<year>\\d{4})';
const monthFirst =
  '(?<month>\\p{L}{3,9})(?<dot>\\.)?(?<one>\\s+)(?<day>\\d{1,2})(?<afterDay>st|nd|rd|th)?(?<two>,?\\s+)(?<year>\\d{4})';
const inDigits = '(?<day>\\d{1,2})(?<one>[./-]\\s?)(?<month>\\d{1,2})(?<two>[./-]\\s?)(?<year>\\d{4})';
const time = '(?<between>\\D{1,12}?)(?<hour>\\d{1,2})(?<mark>[:.h])(?<minute>\\d{2})';

const literal = (text: string | undefined) =>
  text !== undefined && /[\p{L}']/u.test(text) ? `'${text.replaceAll("'", "''")}'` : (text ?? '');

/** The formats that the first of the values may have, by its parts. */
function formatsOf(groups: Readonly<Record<string, string | undefined>>, isMonthFirst: boolean): string[] {
  const { one, two, afterDay, dot, between, mark, month = '' } = groups;
  const clock = mark === undefined ? '' : `${literal(between)}H${literal(mark)}mm`;
  const day = `d${literal(afterDay)}`;
  const months = /^\d/.test(month)
    ? ['M']
    : [`MMMM${literal(dot)}`, `MMM${literal(dot)}`, ...(dot === undefined ? [] : ['MMM'])];
  const dates = months.map((each) => (isMonthFirst ? [each, day] : [day, each]));
  if (months[0] === 'M') dates.push(['M', 'd']);
  return dates.map(([first, second]) => `${first}${literal(one)}${second}${literal(two)}yyyy${clock}`);
}

/** How dates are read out of texts that hold hardly more; undefined where they do not. */
export function dateInText(values: readonly string[], language: string): ValueType | undefined {
  for (const [date, isMonthFirst] of [
    [inWords, false],
    [monthFirst, true],
    [inDigits, false],
  ] as const)
    for (const clock of [time, '']) {
      const whole = new RegExp(`^${lead}${date}${clock}${tail}$`, 'iu');
      const found = values.map((value) => whole.exec(value)?.groups);
      const [first] = found.filter((groups) => groups !== undefined);
      if (first === undefined || found.filter((groups) => groups !== undefined).length < values.length * 0.9)
        continue;
      const { between, mark, one = ' ' } = first;
      const start = isMonthFirst ? '\\p{L}{3,9}\\.?\\s+\\d{1,2}' : '\\d{1,2}';
      const end =
        mark === undefined ? '\\d{4}' : `\\d{4}${literally(between ?? '')}\\d{1,2}${literally(mark)}\\d{2}`;
      const match = `(${start}.*?${end})`;
      for (const locale of new Set([
        ...(language === '' ? [] : [language]),
        ...(/^\D*[./-]/.test(one) ? ['en'] : languages),
      ]))
        for (const format of formatsOf(first, isMonthFirst)) {
          const rules: ValueRules = { type: 'date', format, match, ...(locale === 'en' ? {} : { locale }) };
          const read = values.filter((value) => typed(value, rules, 'http://x/').value !== null).length;
          if (read >= values.length * 0.9) return { rules };
        }
    }
  return undefined;
}
