/** Tells rows that add up others: in the body of a table they are rows like the others, and sums count all twice. */
import { type DecimalMark, readNumber } from '../../compare/number.ts';
import type { Row } from '../page/document.ts';

/** Whole sums up to it, as of ranks or votes, add up by chance. */
const byChance = 10;
const sumName =
  /^(?:(?:grand|sub|sub-|running) ?totals?|totals?|sum|summe|zwischensumme|gesamt\p{L}*|insgesamt|somme|sous-total|totale|totaal|suma|soma|i alt|sammanlagt|totalt|yhteensä|razem|celkem|összesen|итого|всего|разом|合計|小計|总计|合计)(?!\p{L})/iu;
const meanName =
  /^(?:ø|average|avg\.?|mean|durchschnitt\p{L}*|mittel\p{L}*|moyenne|media|média|promedio|gemiddeld\p{L}*|gennemsnit|genomsnitt|gjennomsnitt|keskiarvo|średnia|среднее|平均)(?!\p{L})/iu;

const numbersIn = (values: readonly unknown[]) => values.filter((value) => typeof value === 'number');
const sumOf = (values: readonly number[]) => values.reduce((before, value) => before + value, 0);

function isSum(total: unknown, values: readonly unknown[], least = 2): boolean {
  if (typeof total !== 'number' || (Number.isInteger(total) && Math.abs(total) <= byChance && least > 1))
    return false;
  const added = numbersIn(values).filter((value) => value !== 0);
  // The sum of decimals in binary is not exact.
  return added.length >= least && Math.abs(sumOf(added) - total) <= 1e-9 * Math.abs(total);
}

/** The mean, as rounded to as many decimals as are written. */
function isMean(mean: unknown, values: readonly unknown[]): boolean {
  const numbers = numbersIn(values);
  if (typeof mean !== 'number' || numbers.length < 2) return false;
  const decimals = /\.(\d+)$/.exec(String(mean))?.[1]?.length ?? 0;
  return Math.abs(sumOf(numbers) / numbers.length - mean) <= 0.51 * 10 ** -decimals;
}

const firstText = (row: Row): string | undefined =>
  Object.values(row).find((value) => typeof value === 'string');

/** The fields in which a total repeats the text of the row above, where not all rows that it adds up have it. */
const borrowedFields = (row: Row, above: Row | undefined, entries: readonly Row[]): string[] =>
  Object.keys(row).filter(
    (field) =>
      typeof row[field] === 'string' &&
      row[field] === above?.[field] &&
      entries.some((entry) => entry[field] !== row[field]),
  );

interface Found {
  readonly index: number;
  readonly name: string | undefined;
  /** Its fields that add up others. */
  readonly fields: readonly string[];
  /** Its fields that are only those of the last rows that it adds up, such as their section. */
  readonly borrowed: readonly string[];
}

type Holds = (value: unknown, values: readonly unknown[]) => boolean;

/** Rows that have the sums or means of the rows above, and say so by their names, except that the last one need not. */
function findTotals(rows: readonly Row[], names: readonly string[]): Found[] {
  const found: Found[] = [];
  let [group, entries]: [Row[], Row[]] = [[], []];
  for (const [index, row] of rows.entries()) {
    const own = names.filter((name) => typeof row[name] === 'number');
    const name = firstText(row);
    const isNamed = sumName.test(name ?? '');
    const that = (above: readonly Row[], holds: Holds) =>
      own.filter((field) =>
        holds(
          row[field],
          above.map((one) => one[field]),
        ),
      );
    const all = (above: readonly Row[], holds: Holds) => {
      const fields = that(above, holds);
      return fields.length === own.length ? fields : [];
    };
    // Beside the sums that its name promises, a total may have a share or a change, which nobody adds up.
    const sums = (above: readonly Row[]) =>
      (isNamed ? that : all)(above, (value, values) => isSum(value, values));
    const ofAll = isNamed || index === rows.length - 1 ? [sums(entries), sums(rows.slice(0, index))] : [];
    const ofGroup = isNamed ? all(group, (value, values) => isSum(value, values, 1)) : [];
    const means = meanName.test(name ?? '') ? all(entries, isMean) : [];
    const fields = [...ofAll, ofGroup, means].find((some) => some.length > 0);
    if (fields !== undefined) {
      const added = ofGroup.length > 0 ? group : entries;
      found.push({ index, name, fields, borrowed: borrowedFields(row, rows[index - 1], added) });
      group = [];
    } else {
      group.push(row);
      entries.push(row);
    }
  }
  return found;
}

/** A first row that is called a total, and has no less than any other in each number: the rest of what it adds up may not be there. */
function leadingTotal([first, ...others]: readonly Row[], names: readonly string[]): string[] {
  const name = first && firstText(first);
  const own = names.filter((field) => Math.abs(Number(first?.[field])) > byChance);
  const isMost = (field: string) => {
    const values = numbersIn(others.map((row) => row[field]));
    return values.length > 1 && values.every((value) => value <= Number(first?.[field]));
  };
  return name !== undefined && sumName.test(name) && own.length > 0 && own.every(isMost)
    ? [`The first row may be a total and no further entry: "${name.slice(0, 40)}".`]
    : [];
}

/** `names`: the fields that hold numbers. A sentence where rows have nothing but sums or means of others. */
export function totalRowText(rows: readonly Row[], names: readonly string[]): string | undefined {
  const totals = findTotals(rows, names);
  const [first, ...others] = totals;
  if (first === undefined) return leadingTotal(rows, names)[0];
  const { fields: own, borrowed } = first;
  const toNote = (field: string) => `its ${field} is only that of the row above`;
  if (others.length === 0 && first.index === rows.length - 1 && !meanName.test(first.name ?? ''))
    return `The last row may be a total and no further entry: its ${own.join(' and ')} ${own.length === 1 ? 'is the sum' : 'are the sums'} of the rows above${borrowed.map((field) => `; ${toNote(field)}`).join('')}.`;
  const shown = totals.slice(0, 5).map(({ index, name, borrowed }) => {
    const said = name === undefined ? [] : [`"${name.slice(0, 40)}"`];
    const about = [...said, ...borrowed.map(toNote)];
    return `row ${index + 1}${about.length === 0 ? '' : ` (${about.join('; ')})`}`;
  });
  const more = totals.length > shown.length ? [`${totals.length - shown.length} more`] : [];
  return `Some rows may be totals or averages of others and no further entries: ${[...shown, ...more].join(', ')}.`;
}

/** As `totalRowText`, of rows of texts by the names of their columns. */
export function explainTotals(rows: readonly Row[], mark: DecimalMark | undefined): string[] {
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
