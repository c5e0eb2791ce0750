/** Lists of objects anywhere in JSON, in the forms in which interfaces and applications write them. */
import { type Candidate, type CandidateKind, fieldOf, type NamedColumn } from './candidate.ts';
import { columnsOf, identifier, isRow, type Row } from './json-columns.ts';
import { wordsOf } from './words.ts';

export interface Found {
  /** JMESPath of the rows. */
  readonly list: string;
  readonly rows: readonly Row[];
  readonly about: readonly string[];
  /** The words of its type, where that is stated. */
  readonly thing?: readonly string[];
  /** Rows that are lists: the key of each of their cells. */
  readonly cells?: readonly string[];
}

/** Values looked at in one document; a bound on the work. */
const maxVisited = 50_000;
const maxDepth = 40;
/** Of objects of one kind, those that are looked into for lists of their own. */
const maxAlike = 3;
const maxItems = 100;

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const joined = (path: string, key: string) => (path === '' ? identifier(key) : `${path}.${identifier(key)}`);

/** Objects by id: {"17": {…}, "18": {…}}; in a cache of several kinds, those of one kind. */
function mapsIn(
  entries: readonly (readonly [string, unknown])[],
  path: string,
  about: readonly string[],
): Found[] {
  if (entries.length < 3) return [];
  const all = path === '' ? 'values(@)' : `values(${path})`;
  const rows = entries.map(([, entry]) => entry).filter(isRow);
  const [first] = rows;
  if (first === undefined) return [];
  const shared = (row: Row) =>
    Object.keys(first).filter((key) => key in row).length >= Object.keys(first).length * 0.6;
  if (rows.length === entries.length && Object.keys(first).length >= 2 && rows.every(shared))
    return [{ list: all, rows, about }];
  const byType = new Map<string, Row[]>();
  for (const row of rows)
    if (typeof row.__typename === 'string' && /^\w+$/.test(row.__typename))
      byType.set(row.__typename, [...(byType.get(row.__typename) ?? []), row]);
  return [...byType]
    .filter(([, some]) => some.length >= 2)
    .map(([type, some]) => ({
      list: `${all}[?__typename=='${type}']`,
      rows: some,
      about: [...about, ...wordsOf(type)],
    }));
}

/** What a column is called: a text, or an object with a name. */
function headerOf(header: unknown): string | undefined {
  if (typeof header === 'string') return header;
  if (!isRow(header)) return undefined;
  const name = ['label', 'title', 'name', 'header', 'text', 'field', 'key', 'id'].find(
    (key) => typeof header[key] === 'string',
  );
  return name === undefined ? undefined : String(header[name]);
}

/** The names of columns; undefined for what is no list of distinct ones. */
function headersOf(value: unknown): string[] | undefined {
  if (!isList(value) || value.length < 2) return undefined;
  const headers = value.map(headerOf).filter((header) => header !== undefined && /\p{L}/u.test(header));
  const names = headers.filter((header) => header !== undefined);
  return names.length === value.length && new Set(names).size === names.length ? names : undefined;
}

/** Lists of one length, two cells at least. */
function isTable(value: unknown): value is readonly (readonly unknown[])[] {
  if (!isList(value) || value.length < 2) return false;
  const [first] = value;
  return (
    isList(first) && first.length >= 2 && value.every((row) => isList(row) && row.length === first.length)
  );
}

const rowsOf = (table: readonly (readonly unknown[])[], cells: readonly string[]): Row[] =>
  table.map((row) => Object.fromEntries(cells.map((cell, index) => [cell, row[index]])));

/** `{"columns": ["a", "b"], "rows": [[1, 2], …]}`, the names wherever they stand beside the rows. */
function tablesIn(
  entries: readonly (readonly [string, unknown])[],
  path: string,
  about: readonly string[],
): Found[] {
  return entries.flatMap(([key, table]): Found[] => {
    if (!isTable(table)) return [];
    const width = table[0]?.length;
    const cells = entries
      .map(([, other]) => (other === table ? undefined : headersOf(other)))
      .find((headers) => headers?.length === width);
    return cells === undefined
      ? []
      : [{ list: joined(path, key), rows: rowsOf(table, cells), about: [...about, ...wordsOf(key)], cells }];
  });
}

interface BareTable {
  readonly list: string;
  readonly table: readonly (readonly unknown[])[];
  readonly about: readonly string[];
}
/** `{"meta": {"columns": […]}, "data": [[1, 2], …]}`: the names of the columns stand elsewhere. */
function withHeaders({ list, table, about }: BareTable, headers: readonly string[][]): Found[] {
  const fitting = headers.filter((names) => names.length === table[0]?.length);
  const [cells, other] = fitting;
  return cells === undefined || other !== undefined
    ? []
    : [{ list, rows: rowsOf(table, cells), about, cells }];
}

/** `{"time": […], "temperature": […]}`: lists of one length, side by side. */
function parallelIn(
  entries: readonly (readonly [string, unknown])[],
  path: string,
  about: readonly string[],
): Found[] {
  const byLength = new Map<number, [string, readonly unknown[]][]>();
  for (const [key, list] of entries)
    if (isList(list) && list.length >= 3 && list.every(isScalar))
      byLength.set(list.length, [...(byLength.get(list.length) ?? []), [key, list]]);
  return [...byLength].flatMap(([length, lists]): Found[] => {
    // Of an object with other lists they are properties: tags, images.
    if (lists.length < 2 || lists.length < entries.filter(([, entry]) => isList(entry)).length) return [];
    const rows = Array.from({ length }, (_, index) =>
      Object.fromEntries(lists.map(([key, list]) => [key, list[index]])),
    );
    const cells = lists.map(([key]) => key);
    return [{ list: `zip(${cells.map((key) => joined(path, key)).join(', ')})`, rows, about, cells }];
  });
}

/** An element of React as it is streamed: `["$", type, key, props]`. */
const isElement = (value: unknown): value is readonly [unknown, string, unknown, Row] =>
  isList(value) && value.length >= 4 && value[0] === '$' && typeof value[1] === 'string' && isRow(value[3]);

/** Elements of one component, each with its props, also inside of other elements: `<li><Card product={…}/></li>`. */
function propsIn(items: readonly unknown[], path: string, about: readonly string[]): Found | undefined {
  let elements = items.filter(isElement);
  if (elements.length < 2 || elements.length < items.length * 0.8) return undefined;
  let list = `${path || '@'}[*]`;
  // Written in HTML they are what the page shows; components have data.
  while (elements.every(([, type]) => !type.startsWith('$'))) {
    const inner = elements.map(([, , , { children }]) => children).filter(isElement);
    if (inner.length < elements.length) return undefined;
    elements = inner;
    list += '[3].children';
  }
  const rows = elements.map(([, , , props]) => props);
  return { list: `${list}[3]`, rows, about };
}

/** Rows that hold nothing to speak of but one object each: `{"cursor": …, "node": {…}}`, `{"product": {…}}`. */
function wrappedIn({ list, rows, about }: Found, isProjection: boolean): Found[] {
  const [first] = rows;
  if (first === undefined || Object.keys(first).some(isName)) return [];
  const keys = Object.keys(first).filter((key) => rows.every((row) => isRow(row[key])));
  const [key] = keys;
  if (key === undefined || keys.length > 1) return [];
  const inner = rows.map((row) => row[key]).filter(isRow);
  if (!inner.every((row) => Object.keys(row).length >= 2)) return [];
  const path = `${list}${isProjection ? '' : '[]'}.${identifier(key)}`;
  return [{ list: path, rows: inner, about: [...about, ...wordsOf(key)] }];
}

/** Lists of objects anywhere in a value; `start` is the path that leads to it. */
export function listsIn(value: unknown, start: string): Found[] {
  const found: Found[] = [];
  // A list says in which order its objects are shown, and a map of the same does not.
  const maps: Found[] = [];
  const headers: string[][] = [];
  const bare: BareTable[] = [];
  let visited = 0;
  const walk = (node: unknown, path: string, keys: readonly string[], depth: number): void => {
    visited += 1;
    if (visited > maxVisited || depth > maxDepth) return;
    const about = keys.slice(-4).flatMap(wordsOf);
    if (isElement(node)) {
      walk(node[3], `${path}[3]`, keys, depth + 1);
    } else if (isList(node)) {
      const rows = node.filter(isRow);
      const isRows = rows.length >= 2 && rows.length >= node.length * 0.9;
      if (isRows) {
        const own = { list: path || '@', rows, about };
        found.push(own, ...wrappedIn(own, false));
      }
      const props = propsIn(node, path, about);
      if (props !== undefined) found.push(props, ...wrappedIn(props, true));
      const [first] = node;
      const headers = isTable(node) ? headersOf(first) : undefined;
      if (isTable(node) && node.length > 2 && headers !== undefined)
        found.push({
          list: `${path || '@'}[1:]`,
          rows: rowsOf(node.slice(1), headers),
          about,
          cells: headers,
        });
      for (const [index, item] of node.slice(0, isRows ? maxAlike : maxItems).entries())
        if (!isScalar(item)) walk(item, `${path || '@'}[${index}]`, keys, depth + 1);
    } else if (isRow(node)) {
      const entries = Object.entries(node);
      maps.push(...mapsIn(entries, path, about));
      const tables = tablesIn(entries, path, about);
      found.push(...tables, ...parallelIn(entries, path, about));
      for (const [key, entry] of entries) {
        const names = headersOf(entry);
        if (names !== undefined) headers.push(names);
        const list = joined(path, key);
        if (isTable(entry) && !tables.some((table) => table.list === list))
          bare.push({ list, table: entry, about: [...about, ...wordsOf(key)] });
      }
      for (const [key, entry] of entries)
        if (!isScalar(entry)) walk(entry, joined(path, key), [...keys, key], depth + 1);
    }
  };
  walk(value, start, [], 0);
  return [...found, ...bare.flatMap((one) => withHeaders(one, headers)), ...maps];
}

/** Objects that may be what a page is about: those with a name and further values, outside of lists. */
export function recordsIn(
  value: unknown,
  start: string,
): { path: string; row: Row; about: readonly string[] }[] {
  const found: { path: string; row: Row; about: readonly string[] }[] = [];
  let visited = 0;
  const walk = (node: unknown, path: string, keys: readonly string[], depth: number): void => {
    visited += 1;
    if (visited > maxVisited || depth > maxDepth || found.length >= maxRecords) return;
    if (isElement(node)) walk(node[3], `${path}[3]`, keys, depth + 1);
    else if (isList(node)) {
      // Rows, each with its name.
      if (node.length >= 2 && node.every((item) => isRow(item) && Object.keys(item).some(isName))) return;
      for (const [index, item] of node.slice(0, maxItems).entries())
        if (!isScalar(item)) walk(item, `${path || '@'}[${index}]`, keys, depth + 1);
    } else if (isRow(node)) {
      const values = Object.entries(node).filter(([, entry]) => entry !== null && isScalar(entry));
      if (values.length >= 3 && values.some(([key]) => isName(key)))
        found.push({ path, row: node, about: keys.slice(-2).flatMap(wordsOf) });
      for (const [key, entry] of Object.entries(node))
        if (!isScalar(entry)) walk(entry, joined(path, key), [...keys, key], depth + 1);
    }
  };
  walk(value, start, [], 0);
  return found;
}
const maxRecords = 20;
const isName = (key: string) => /^(?:name|title|headline|label)$/i.test(key);

/** Where the JSON is: in the answer itself, in scripts, in attributes. */
export interface Place {
  readonly script?: string;
  readonly select?: string;
  readonly attribute?: string;
}

const fieldsOf = (fields: readonly NamedColumn[], prefix: string) =>
  Object.fromEntries(
    fields.map((field) => {
      const path = field.column.source.in === 'json' ? field.column.source.path : '@';
      return [field.name, { ...fieldOf(field, false), path: `${prefix}${path}` }];
    }),
  );

/** The cells of rows that are lists have no keys, but places. */
function cellPath(path: string, cells: readonly string[]): string {
  const index = cells.findIndex((key) => {
    const name = identifier(key);
    return path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);
  });
  return index < 0 ? path : `[${index}]${path.slice(identifier(cells[index] ?? '').length)}`;
}

export function listCandidate(kind: CandidateKind, found: Found, place: Place): Candidate | undefined {
  const { cells } = found;
  const columns = columnsOf(
    found.rows,
    found.thing,
    cells === undefined ? undefined : (path) => cellPath(path, cells),
  );
  if (columns.length === 0) return undefined;
  return {
    kind,
    many: true,
    rows: found.rows.length,
    about: found.about,
    columns,
    extract: (fields) => ({ kind: 'json', ...place, list: found.list, fields: fieldsOf(fields, '') }),
  };
}

/** One object; `path` leads to it, and is empty for the whole value. */
export function recordCandidate(
  kind: CandidateKind,
  {
    path,
    row,
    about,
    thing,
  }: { path: string; row: Row; about: readonly string[]; thing?: readonly string[] },
  place: Place,
): Candidate | undefined {
  const columns = columnsOf([row], thing);
  if (columns.length === 0) return undefined;
  return {
    kind,
    many: false,
    rows: 1,
    about,
    columns,
    extract: (fields) => ({
      kind: 'json',
      ...place,
      fields: fieldsOf(fields, path === '' ? '' : `${path} | `),
    }),
  };
}
