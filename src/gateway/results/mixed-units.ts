/** Numbers whose unit or currency stands in a field of its own, which a path leaves out: they look alike, and are not. */
import { listsOf, toName } from '../../compare/main-list.ts';
import { isRecord, type ResultRow } from '../../contract/result-rows.ts';

/** The field that says of which kind the numbers of another one are, such as `price_currency` of `price`. */
const companion = /^(?<name>.+?)_?(?<kind>currency|unit)$/i;
const maxShown = 5;

/** A sentence for each field of numbers of several kinds that a path names without the field that tells them. */
export function mixedNotes(names: ReadonlySet<string>, data: unknown): string[] {
  if (names.size === 0) return [];
  const notes = listsOf(data).flatMap(({ rows }) => {
    const records = rows.filter(isRecord);
    const fields = new Set(records.flatMap((row) => Object.keys(row)));
    return [...fields].flatMap((field) => (names.has(field) ? [] : mixedNote(field, names, records)));
  });
  return [...new Set(notes)];
}

function mixedNote(field: string, names: ReadonlySet<string>, rows: readonly ResultRow[]): string[] {
  const { name = '', kind = '' } = companion.exec(field)?.groups ?? {};
  if (!names.has(name)) return [];
  const told = rows.flatMap((row) => (typeof row[name] === 'number' ? [row[field]] : []));
  const kinds = [...new Set(told.filter((one) => typeof one === 'string'))];
  // "1 page" beside "12 pages".
  const singular = new Set(kinds.map((one) => one.toLowerCase().replace(/(?<=\p{L}{2})s$/u, '')));
  if (singular.size < 2) return [];
  const word = kind.toLowerCase() === 'unit' ? 'units' : 'currencies';
  const [list, more] = [kinds.slice(0, maxShown).join(', '), kinds.length > maxShown ? ', …' : ''];
  return [
    `${toName(name)} is in ${kinds.length} ${word} (${list}${more}), as ${toName(field)} tells: do not add or compare its numbers across them.`,
  ];
}
