/** Characters of a value. */
const maxValue = 300;

/** At most that many characters; a longer text ends in `…`. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** A row for display: long values are cut, as text. */
export function shortRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      return [name, text.length <= maxValue ? value : shortened(text, maxValue)];
    }),
  );
}
