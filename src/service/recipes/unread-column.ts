/** A column of a table that is not read, and says of what the numbers beside it are: prices for 1 t or 100 pieces, rates for 100 units. */
import { shownText } from '../page/elements.ts';
import type { Grid } from '../page/tables.ts';
import type { TableExtract } from './recipe-schema.ts';

/** Rows of which few may have such numbers by chance. */
const leastRows = 3;
const powerOfTen = /^1(?:[.,'’\s]?0{3})*0{0,2}$/;
const ofUnits =
  /^(?:(?:price\s)?per|(?:preis\s)?je|pro|par|por)?\s*(?:units?|uom|units? of measure|\p{L}*einheit(?:en)?|unités?|unidad(?:es)?|unità|unidades?|eenheid|enhet|enhed|jednostka|yksikkö)$|^(?:per|je|pro)$/iu;
const maxSaid = 4;

/** Its texts, each once, where they may be units or tell how many of them there are. */
function unitsIn({ headers, rows }: Grid, at: number): readonly string[] {
  const texts = rows.map(({ cells: { [at]: cell } }) => (cell === undefined ? '' : shownText(cell)));
  const units = [...new Set(texts)].filter((text) => text !== '');
  const areCounts =
    rows.length >= leastRows &&
    texts.every((text) => powerOfTen.test(text)) &&
    units.some((text) => text !== '1');
  return areCounts || ofUnits.test(headers[at] ?? '') ? units : [];
}

/** Sentences about such columns beside those that are read. */
export function explainUnreadUnits(
  grids: readonly Grid[],
  columns: NonNullable<TableExtract['columns']>,
): string[] {
  const read = Object.values(columns).map(({ header }) => header);
  const numbers = Object.entries(columns).flatMap(([name, { type }]) => (type === 'number' ? name : []));
  if (numbers.length === 0) return [];
  const said = grids.flatMap((grid) =>
    grid.headers.flatMap((header, at) => {
      const units = read.includes(header) ? [] : unitsIn(grid, at);
      return units.length === 0
        ? []
        : `${numbers.join(' and ')}: the column "${header}", which is not read, has ${units.slice(0, maxSaid).join(', ')}: it may say their unit, or for how many they are.`;
    }),
  );
  return [...new Set(said)];
}
