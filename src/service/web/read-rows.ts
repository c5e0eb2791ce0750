/** All rows of a structure, with each value as the page shows it. */
import { isPresent, type Place, type Structure } from '../builder/structures.ts';
import { ParseError } from '../foundation/errors.ts';
import type { Document, Row } from '../page/document.ts';
import { extract } from '../recipes/parse.ts';

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** The page's own name of each place, made unique where it repeats. */
function toFieldNames(places: readonly Place[]): string[] {
  const usedNames = new Set<string>();
  return places.map(({ label, names, hint }, index) => {
    const base = label || names[0] || `column ${index + 1}`;
    const preferredName = usedNames.has(base) && hint !== undefined ? `${base} ${hint}` : base;
    let name = preferredName;
    for (let count = 2; usedNames.has(name); count++) name = `${preferredName} ${count}`;
    usedNames.add(name);
    return name;
  });
}

/** Undefined if nothing of the structure can be read. Columns without a value are left out. */
export async function readRows(
  document: Document,
  structure: Pick<Structure, 'toExtract'>,
  places: readonly Place[],
): Promise<Rows | undefined> {
  const fields = places.map(({ source, hint }, index) => ({
    name: `c${index}`,
    source,
    rules: { type: hint ?? (source.path === undefined ? ('text' as const) : ('json' as const)) },
  }));
  let read: readonly Row[];
  try {
    const extracted = await extract(document, structure.toExtract(fields));
    read = extracted.kind === 'rows' ? extracted.rows : [extracted.record];
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
  const names = toFieldNames(places);
  const columns = names.flatMap((name, index) => {
    const id = `c${index}`;
    return read.some((row) => isPresent(row[id])) ? [{ name, id }] : [];
  });
  if (columns.length === 0) return undefined;
  return {
    columns: columns.map(({ name }) => name),
    rows: read.map((row) => Object.fromEntries(columns.map(({ name, id }) => [name, row[id] ?? null]))),
  };
}
