/** Tells rows that lack most of what nearly all others have, such as an advertisement with markup of its own. */
import type { Extracted, Row } from '../page/document.ts';
import { isPresent } from '../page/elements.ts';
import type { Extract } from './recipe-schema.ts';

/** Rows of which a few may be told from the others. */
const leastRows = 5;
/** The least share of the rows that have a field that all should have. */
const nearlyAll = 0.8;

/** As sentences. A null of JSON is what its site says. */
export function explainBareRows(extraction: Extract, extracted: Extracted): string[] {
  const { rows } = extracted.kind === 'rows' ? extracted : { rows: [] };
  if ((extraction.kind !== 'html' && extraction.kind !== 'table') || rows.length < leastRows) return [];
  const has = (row: Row, name: string) => isPresent(row[name]);
  // A unit is there where its number is.
  const names = Object.keys(rows[0] ?? {}).filter((name) => !/_(?:unit|currency)$/.test(name));
  const usual = names.filter(
    (name) => rows.filter((row) => has(row, name)).length >= rows.length * nearlyAll,
  );
  const lackedBy = (row: Row) => usual.filter((name) => !has(row, name));
  const bare = rows.filter((row) => lackedBy(row).length >= Math.max(2, usual.length / 2));
  const [first] = bare;
  if (first === undefined) return [];
  return [
    `${bare.length} of ${rows.length} rows lack what nearly all others have (${lackedBy(first).join(', ')}): their markup may be another.`,
  ];
}
