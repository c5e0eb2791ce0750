/** Cuts lists and tables to the rows that are asked for, and says what of them is left out or in doubt. */
import { type DecimalMark, readNumber } from '../../compare/number.ts';
import type { Row } from '../page/document.ts';
import { totalRowText } from '../recipes/total-row.ts';
import type { Records } from './read-records.ts';
import { mostRows } from './readings.ts';

/** Rows of a table that may add up others; `rows`: texts by the names of their columns. */
function explainTotals(rows: readonly Row[], mark: DecimalMark | undefined): string[] {
  const read = (text: unknown) => {
    const reading = typeof text === 'string' ? readNumber(text, mark) : undefined;
    return reading?.kind === 'one' ? reading.value : text;
  };
  const typed = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, text]) => [name, read(text)])),
  );
  const names = Object.keys(rows[0] ?? {}).filter(
    (name) => typed.filter((row) => typeof row[name] === 'number').length > 2,
  );
  return [totalRowText(typed, names)].flatMap((text) => text ?? []);
}

/** Cuts each list or table to `maxRows` rows, and says so in `missing`. */
export function withRows(
  all: readonly Records[],
  maxRows: number,
  name: 'lists' | 'tables',
  missing: string[],
  mark?: DecimalMark,
): Row[] {
  return all.map(({ leftOut, total, ...records }, index) => {
    const { rows } = records;
    for (const what of leftOut) missing.push(`${what} of ${name}[${index}] are left out.`);
    if (name === 'tables')
      missing.push(...explainTotals(rows, mark).map((text) => `tables[${index}]: ${text}`));
    if (total <= maxRows) return records;
    const step = maxRows < mostRows ? 'ask with a larger max_rows' : `an answer holds at most ${mostRows}`;
    missing.push(`${total - maxRows} of ${total} rows of ${name}[${index}] are left out: ${step}.`);
    return { ...records, rows: rows.slice(0, maxRows) };
  });
}
