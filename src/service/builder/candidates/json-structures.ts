/** Lists of objects, and objects that are records, anywhere in JSON, as interfaces and applications write them. */
import { jsonPlaces } from '../columns/json-places.ts';
import type { Source } from '../columns/place.ts';
import { identifier, isObject, isScalar, type JsonObject, pathOf } from '../page/json-values.ts';
import { type CandidateKind, fieldsOf, type Structure, toExtract } from './candidate.ts';

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

const isName = (key: string) => /^(?:name|title|headline|label)$/i.test(key);

/** The names of columns, as texts or objects with a name; undefined for what is no list of distinct ones. */
function headersIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const keys = ['label', 'title', 'name', 'header', 'text', 'field', 'key'];
  const nameOf = (header: unknown) =>
    isObject(header) ? keys.map((key) => header[key]).find((name) => typeof name === 'string') : header;
  const names = value
    .map(nameOf)
    .flatMap((name) => (typeof name === 'string' && /\p{L}/u.test(name) ? [name] : []));
  return names.length === value.length && new Set(names).size === names.length ? names : undefined;
}

/** Rows that are lists, with their headers: `{"columns": ["Name", …], "data": [[…], …]}`. */
function tableAt(list: string, headers: unknown, value: unknown, about: string): FoundList[] {
  const cells = headersIn(headers);
  if (cells === undefined || !Array.isArray(value) || value.length < 2) return [];
  const rows = value.flatMap((row: unknown) =>
    Array.isArray(row) && row.length === cells.length
      ? [Object.fromEntries(cells.map((cell, index): [string, unknown] => [cell, row[index]]))]
      : [],
  );
  return rows.length === value.length ? [{ list, rows, about, cells }] : [];
}

class JsonWalk {
  readonly lists: FoundList[] = [];
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
    if (isRows) this.lists.push({ list: path || '@', rows, about: key });
    this.lists.push(...tableAt(`${path || '@'}[1:]`, node[0], node.slice(1), key));
    for (const [index, item] of node.slice(0, isRows ? maxAlike : maxItems).entries())
      if (!isScalar(item)) this.walk(item, `${path || '@'}[${index}]`, key, depth + 1);
  }

  #object(node: JsonObject, path: string, key: string, depth: number): void {
    const entries = Object.entries(node);
    const headers = entries.find(([, entry]) => headersIn(entry) !== undefined)?.[1];
    for (const [name, entry] of entries)
      this.lists.push(...tableAt(pathOf(path, name), headers, entry, name));
    const values = entries.filter(([, entry]) => entry !== null && isScalar(entry));
    if (values.length >= 3 && values.some(([name]) => isName(name)))
      this.records.push({ path, row: node, about: key });
    for (const [name, entry] of entries)
      if (!isScalar(entry)) this.walk(entry, pathOf(path, name), name, depth + 1);
  }
}

/** The cells of rows that are lists have no keys, but places. */
function cellPath(path: string, cells: readonly string[]): string {
  const index = cells.findIndex((key) => path === identifier(key) || path.startsWith(`${identifier(key)}.`));
  return index < 0 ? path : `[${index}]${path.slice(identifier(cells[index] ?? '').length)}`;
}

/** Of rows, or of one record; `at` writes the path of each of its fields. */
function structureOf(
  { kind, rows, about, location, list }: JsonRows,
  at: (path: string) => string,
): Structure | undefined {
  const places = jsonPlaces(rows);
  if (places.length === 0) return undefined;
  const written = ({ path = '@', line, markup }: Source) => ({
    ...(markup && { markup }),
    path: at(line === undefined ? path : `${path} && split(${path}, '\n')[${line - 1}]`),
  });
  return {
    kind,
    many: list !== undefined,
    rows: rows.length,
    about,
    places,
    toExtract: toExtract((fields) => ({
      kind: 'json',
      ...location,
      ...(list === undefined ? {} : { list }),
      fields: fieldsOf(fields.map((field) => ({ ...field, source: written(field.source) }))),
    })),
  };
}

interface JsonRows {
  readonly kind: CandidateKind;
  readonly rows: readonly JsonObject[];
  readonly about: string;
  readonly location: JsonLocation;
  readonly list?: string;
}

export const listStructure = (
  kind: CandidateKind,
  { cells = [], list, rows, about }: FoundList,
  location: JsonLocation,
): Structure | undefined =>
  structureOf({ kind, rows, about, location, list }, (path) => cellPath(path, cells));

/** One object; `path` leads to it, and is empty for the whole value. */
export const recordStructure = (
  kind: CandidateKind,
  { path, row, about }: { readonly path: string; readonly row: JsonObject; readonly about: string },
  location: JsonLocation,
): Structure | undefined =>
  structureOf({ kind, rows: [row], about, location }, (own) => (path === '' ? own : `${path} | ${own}`));

const maxLists = 6;
const maxRecords = 3;
const sizeOf = (rows: readonly JsonObject[]) => rows.length * Object.keys(rows[0] ?? {}).length;

/** The structures in a value, the largest first; `start` is the path that leads to it. */
export function structuresInJson(value: unknown, start: string, location: JsonLocation): Structure[] {
  const walk = new JsonWalk();
  walk.walk(value, start, '', 0);
  const lists = walk.lists.sort((one, other) => sizeOf(other.rows) - sizeOf(one.rows));
  const records = walk.records.sort(
    (one, other) => Object.keys(other.row).length - Object.keys(one.row).length,
  );
  return [
    ...lists.slice(0, maxLists).map((found) => listStructure('json', found, location)),
    ...records.slice(0, maxRecords).map((found) => recordStructure('json', found, location)),
  ].filter((structure) => structure !== undefined);
}
