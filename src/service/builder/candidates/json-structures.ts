/** Lists of objects, and objects that are records, anywhere in JSON, as interfaces and applications write them. */
import { jsonPlaces } from '../columns/json-places.ts';
import { identifier, isObject, isScalar, type JsonObject } from '../page/json-values.ts';
import { type CandidateKind, type NamedField, type Structure, toRecipeField } from './candidate.ts';
import { toExtract } from './to-extract.ts';

/** Where the JSON is: in the answer itself, in scripts, in attributes. */
export interface JsonLocation {
  readonly script?: string;
  readonly select?: string;
  readonly attribute?: string;
}

interface FoundList {
  /** JMESPath of the rows. */
  readonly list: string;
  readonly rows: readonly JsonObject[];
  readonly about: string;
  /** Rows that are lists: the header of each of their cells. */
  readonly cells?: readonly string[];
}

/** Values looked at in one document; a bound on the work. */
const maxVisited = 50_000;
const maxDepth = 30;
const maxItems = 60;
/** Of objects of one kind, those that are looked into for lists of their own. */
const maxAlike = 2;

const joined = (path: string, key: string) => (path === '' ? identifier(key) : `${path}.${identifier(key)}`);
const isName = (key: string) => /^(?:name|title|headline|label)$/i.test(key);

/** Objects by id: `{"17": {…}, "18": {…}}`. */
function mapIn(
  entries: readonly (readonly [string, unknown])[],
  path: string,
  about: string,
): FoundList | undefined {
  const rows = entries.map(([, entry]) => entry).filter(isObject);
  const keys = Object.keys(rows[0] ?? {});
  if (entries.length < 3 || rows.length < entries.length || keys.length < 2) return undefined;
  const isAlike = (row: JsonObject) => keys.filter((key) => key in row).length >= keys.length * 0.6;
  return rows.every(isAlike)
    ? { list: path === '' ? 'values(@)' : `values(${path})`, rows, about }
    : undefined;
}

/** What a column is called: a text, or an object with a name. */
function headerOf(header: unknown): string | undefined {
  if (typeof header === 'string') return header;
  if (!isObject(header)) return undefined;
  const key = ['label', 'title', 'name', 'header', 'text', 'field', 'key'].find(
    (one) => typeof header[one] === 'string',
  );
  return key === undefined ? undefined : String(header[key]);
}

/** The names of columns; undefined for what is no list of distinct ones. */
function headersIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const names = value
    .map(headerOf)
    .flatMap((header) => (header !== undefined && /\p{L}/u.test(header) ? [header] : []));
  return names.length === value.length && new Set(names).size === names.length ? names : undefined;
}

function isTable(value: unknown): value is readonly (readonly unknown[])[] {
  if (!Array.isArray(value) || value.length < 2) return false;
  const [first] = value;
  return (
    Array.isArray(first) &&
    first.length >= 2 &&
    value.every((row) => Array.isArray(row) && row.length === first.length)
  );
}

const toRows = (table: readonly (readonly unknown[])[], cells: readonly string[]): JsonObject[] =>
  table.map((row) => Object.fromEntries(cells.map((cell, index) => [cell, row[index]])));

/** Rows that hold nothing to speak of but one object each: `{"cursor": …, "node": {…}}`. */
function wrappedIn({ list, rows, about }: FoundList): FoundList[] {
  const [first] = rows;
  if (first === undefined || Object.keys(first).some(isName)) return [];
  const [key, ...others] = Object.keys(first).filter((one) => rows.every((row) => isObject(row[one])));
  if (key === undefined || others.length > 0) return [];
  const inner = rows.map((row) => row[key]).filter(isObject);
  if (!inner.every((row) => Object.keys(row).length >= 2)) return [];
  return [{ list: `${list}[].${identifier(key)}`, rows: inner, about: `${about} ${key}` }];
}

/** Lists of lists beside their headers: `{"columns": ["Name", …], "data": [[…], …]}`. */
function tablesIn(entries: readonly (readonly [string, unknown])[], path: string): FoundList[] {
  const headers = entries.map(([, entry]) => headersIn(entry)).find((names) => names !== undefined);
  if (headers === undefined) return [];
  return entries.flatMap(([key, entry]): FoundList[] =>
    isTable(entry) && entry[0]?.length === headers.length
      ? [{ list: joined(path, key), rows: toRows(entry, headers), about: key, cells: headers }]
      : [],
  );
}

class JsonWalk {
  readonly lists: FoundList[] = [];
  readonly maps: FoundList[] = [];
  readonly records: { readonly path: string; readonly row: JsonObject; readonly about: string }[] = [];
  #visited = 0;

  walk(node: unknown, path: string, key: string, depth: number): void {
    this.#visited += 1;
    if (this.#visited > maxVisited || depth > maxDepth) return;
    if (Array.isArray(node)) this.#list(node, path, key, depth);
    else if (isObject(node)) this.#object(node, path, key, depth);
  }

  #list(node: readonly unknown[], path: string, key: string, depth: number): void {
    const rows = node.filter(isObject);
    const isRows = rows.length >= 2 && rows.length >= node.length * 0.9;
    const own = { list: path || '@', rows, about: key };
    if (isRows) this.lists.push(own, ...wrappedIn(own));
    const headers = isTable(node) && node.length > 2 ? headersIn(node[0]) : undefined;
    if (headers !== undefined && isTable(node))
      this.lists.push({
        list: `${path || '@'}[1:]`,
        rows: toRows(node.slice(1), headers),
        about: key,
        cells: headers,
      });
    for (const [index, item] of node.slice(0, isRows ? maxAlike : maxItems).entries())
      if (!isScalar(item)) this.walk(item, `${path || '@'}[${index}]`, key, depth + 1);
  }

  #object(node: JsonObject, path: string, key: string, depth: number): void {
    const entries = Object.entries(node);
    const map = mapIn(entries, path, key);
    if (map !== undefined) this.maps.push(map);
    this.lists.push(...tablesIn(entries, path));
    const values = entries.filter(([, entry]) => entry !== null && isScalar(entry));
    if (values.length >= 3 && values.some(([name]) => isName(name)))
      this.records.push({ path, row: node, about: key });
    for (const [name, entry] of entries)
      if (!isScalar(entry)) this.walk(entry, joined(path, name), name, depth + 1);
  }
}

/** The cells of rows that are lists have no keys, but places. */
function cellPath(path: string, cells: readonly string[]): string {
  const index = cells.findIndex((key) => path === identifier(key) || path.startsWith(`${identifier(key)}.`));
  return index < 0 ? path : `[${index}]${path.slice(identifier(cells[index] ?? '').length)}`;
}

const fieldsAt = (fields: readonly NamedField[], prefix: string, toPath = (path: string) => path) =>
  Object.fromEntries(
    fields.map((field) => {
      const { path = '@', markup } = field.source;
      const written = `${prefix}${toPath(path)}`;
      return [
        field.name,
        { ...toRecipeField({ ...field, source: markup === true ? { markup } : {} }), path: written },
      ];
    }),
  );

export function listStructure(
  kind: CandidateKind,
  found: FoundList,
  location: JsonLocation,
): Structure | undefined {
  const { cells, list } = found;
  const places = jsonPlaces(found.rows);
  if (places.length === 0) return undefined;
  const toPath = cells === undefined ? undefined : (path: string) => cellPath(path, cells);
  return {
    kind,
    many: true,
    rows: found.rows.length,
    about: found.about,
    places,
    toExtract: toExtract((fields) => ({
      kind: 'json',
      ...location,
      list,
      fields: fieldsAt(fields, '', toPath),
    })),
  };
}

/** One object; `path` leads to it, and is empty for the whole value. */
export function recordStructure(
  kind: CandidateKind,
  { path, row, about }: { readonly path: string; readonly row: JsonObject; readonly about: string },
  location: JsonLocation,
): Structure | undefined {
  const places = jsonPlaces([row]);
  if (places.length === 0) return undefined;
  return {
    kind,
    many: false,
    rows: 1,
    about,
    places,
    toExtract: toExtract((fields) => ({
      kind: 'json',
      ...location,
      fields: fieldsAt(fields, path === '' ? '' : `${path} | `),
    })),
  };
}

const maxLists = 6;
const maxRecords = 3;
const sizeOf = (rows: readonly JsonObject[]) => rows.length * Object.keys(rows[0] ?? {}).length;

/** The structures in a value, the largest first; `start` is the path that leads to it. */
export function structuresInJson(value: unknown, start: string, location: JsonLocation): Structure[] {
  const walk = new JsonWalk();
  walk.walk(value, start, '', 0);
  const lists = [...walk.lists, ...walk.maps].sort((one, other) => sizeOf(other.rows) - sizeOf(one.rows));
  const records = walk.records.sort(
    (one, other) => Object.keys(other.row).length - Object.keys(one.row).length,
  );
  return [
    ...lists.slice(0, maxLists).map((found) => listStructure('json', found, location)),
    ...records.slice(0, maxRecords).map((found) => recordStructure('json', found, location)),
  ].filter((structure) => structure !== undefined);
}
