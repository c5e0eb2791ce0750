/** A column of a table that is not read, and says for how many the numbers beside it are: exchange rates for 1, 10 or 100 units. */
import { shownText } from '../page/elements.ts';
import type { Grid } from '../page/tables.ts';
import type { Extract } from './recipe-schema.ts';

/** Rows of which few may have such numbers by chance. */
const leastRows = 3;
const powerOfTen = /^1(?:[.,'’\s]?0{3})*0{0,2}$/;

/** Its texts, each once; undefined where one of them is no power of ten, or none is more than one. */
function countsIn({ rows }: Grid, at: number): readonly string[] | undefined {
  const texts = rows.map(({ cells: { [at]: cell } }) => (cell === undefined ? '' : shownText(cell)));
  const counts = [...new Set(texts)];
  const isOfCounts = counts.every((text) => powerOfTen.test(text)) && counts.some((text) => text !== '1');
  return rows.length >= leastRows && isOfCounts ? counts : undefined;
}

/** Sentences about such columns beside those that are read. */
export function explainUnreadCounts(
  grids: readonly Grid[],
  columns: NonNullable<(Extract & { kind: 'table' })['columns']>,
): string[] {
  const read = Object.values(columns).map(({ header }) => header);
  const numbers = Object.entries(columns).flatMap(([name, { type }]) => (type === 'number' ? name : []));
  if (numbers.length === 0) return [];
  const said = grids.flatMap((grid) =>
    grid.headers.flatMap((header, at) => {
      const counts = read.includes(header) ? undefined : countsIn(grid, at);
      return counts === undefined
        ? []
        : `${numbers.join(' and ')}: the column "${header}", which is not read, has ${counts.slice(0, 4).join(', ')}: it may say for how many they are.`;
    }),
  );
  return [...new Set(said)];
}
