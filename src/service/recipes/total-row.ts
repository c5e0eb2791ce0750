/** Tells a last row that adds up the ones above it: in the body of a table it is a row like the others, and sums count all twice. */
import type { Row } from '../page/document.ts';

/** Whole sums up to it, as of ranks or votes, add up by chance. */
const byChance = 10;

function isSum(total: unknown, values: readonly unknown[]): boolean {
  if (typeof total !== 'number' || (Number.isInteger(total) && Math.abs(total) <= byChance)) return false;
  const added = values.filter((value) => typeof value === 'number').filter((value) => value !== 0);
  const sum = added.reduce((before, value) => before + value, 0);
  // The sum of decimals in binary is not exact.
  return added.length > 1 && Math.abs(sum - total) <= 1e-9 * Math.abs(total);
}

/** `names`: the fields that hold numbers. A sentence where all that the last row has are sums. */
export function totalRowText(rows: readonly Row[], names: readonly string[]): string | undefined {
  const last = rows.at(-1);
  const above = rows.slice(0, -1);
  const own = names.filter((name) => typeof last?.[name] === 'number');
  if (own.length === 0) return undefined;
  const areSums = own.every((name) =>
    isSum(
      last?.[name],
      above.map((row) => row[name]),
    ),
  );
  return areSums
    ? `The last row may be a total and no further entry: its ${own.join(' and ')} ${own.length === 1 ? 'is the sum' : 'are the sums'} of the rows above.`
    : undefined;
}
