/** Characters of a value. */
const maxValue = 300;

/** A row to look at: of a long value the beginning, as text. */
export function shortRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      return [name, text.length <= maxValue ? value : `${text.slice(0, maxValue - 1)}…`];
    }),
  );
}
