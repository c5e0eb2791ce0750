/** What numbers that belong together, such as those of a column, tell of each other: their decimal mark, and doubts. */
import { saysMoney } from './money.ts';
import type { DecimalMark, NumberReading } from './number.ts';

/** The decimal marks that numerals tell, of which one may be wrong. */
export const toldMarks = (readings: readonly (NumberReading | undefined)[]): Set<DecimalMark> =>
  new Set(readings.flatMap((reading) => (reading?.kind === 'one' ? (reading.mark ?? []) : [])));

export const hasLetter = (reading: NumberReading | undefined, letter: 'k' | 'm'): boolean =>
  reading !== undefined && 'letter' in reading && reading.letter === letter;

/** `5k` beside `800m`: metres, where those are races, and else millions. */
export const mixesLetters = (readings: readonly (NumberReading | undefined)[]): boolean =>
  readings.some((one) => hasLetter(one, 'k')) && readings.some((one) => hasLetter(one, 'm'));

/**
 * Whether amounts of money that belong together are written with both marks, `€ 1,120` beside `€ 1.500`: by the mark of their
 * page one of them would have thousandths.
 */
export function disagree(readings: readonly (NumberReading | undefined)[]): boolean {
  const written = readings.flatMap((reading) =>
    reading?.kind === 'open' && saysMoney(`${reading.before} ${reading.after}`) ? reading.written : [],
  );
  return new Set(written).size > 1 && toldMarks(readings).size === 0;
}

/**
 * The decimal mark of numerals that belong together, such as those of a column; undefined where they do not tell, or
 * disagree.
 */
export function decimalMarkOf(readings: readonly (NumberReading | undefined)[]): DecimalMark | undefined {
  const told = toldMarks(readings);
  const [mark] = told;
  if (told.size > 0) return told.size === 1 ? mark : undefined;
  const written = new Set(
    readings.map((reading) => (reading?.kind === 'open' ? reading.written : undefined)),
  );
  written.delete(undefined);
  const [separator] = written;
  if (separator === undefined || written.size > 1) return undefined;
  const lengths = readings.flatMap((reading) =>
    reading?.kind === 'one' ? (reading.digits?.length ?? []) : [],
  );
  const isGrouped = lengths.some((length) => length === 2 || length === 3);
  // Beside `1500`, `1,234` is not grouped; beside `900`, it is.
  if (lengths.some((length) => length > 3)) return isGrouped ? undefined : separator;
  if (!isGrouped) return undefined;
  return separator === '.' ? ',' : '.';
}
