/** The names of months in the languages that pages have. */
const languages = 'en de fr es pt it nl sv da nb fi pl cs hu ro tr ru uk el he ar th'.split(' ');
let names: ReadonlySet<string> | undefined;

/** In full and short, as they stand in dates, in lower case without points. */
function monthNames(): ReadonlySet<string> {
  names ??= new Set([
    'sept',
    ...languages.flatMap((language) =>
      (['long', 'short'] as const).flatMap((month) => {
        const format = new Intl.DateTimeFormat(language, { day: 'numeric', month, timeZone: 'UTC' });
        return Array.from({ length: 12 }, (_, index) =>
          format
            .formatToParts(Date.UTC(2024, index, 15))
            .find(({ type }) => type === 'month')
            ?.value.toLowerCase()
            .replace('.', ''),
        ).filter((name) => name !== undefined);
      }),
    ),
  ]);
  return names;
}

/** Without a point at its end. */
export const isMonthName = (word: string): boolean => monthNames().has(word.toLowerCase());
