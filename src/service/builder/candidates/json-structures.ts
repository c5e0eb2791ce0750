/** Lists of objects, and objects that are records, anywhere in JSON, as interfaces and applications write them. */
import { jsonPlaces } from '../columns/json-places.ts';
import type { Source } from '../columns/place.ts';
import { isObject, isScalar, type JsonObject, pathOf } from '../page/json-values.ts';
import { type CandidateKind, fieldsOf, type Structure, toExtract } from './candidate.ts';

/** Where the JSON is: in the answer itself, in scripts, in attributes. */
export interface JsonLocation {
  readonly script?: string;
  readonly select?: string;
  readonly attribute?: string;
}

interface RowList {
  /** JMESPath of the rows. */
  readonly list: string;
  readonly rows: readonly JsonObject[];
  readonly about: string;
}

/** Values looked at in one document; a bound on the work. */
const maxVisited = 50_000;
const maxDepth = 30;
const maxItems = 60;
/** Of objects of one kind, those that are looked into for lists of their own. */
const maxAlike = 2;

const isName = (key: string) => /^(?:name|title|headline|label)$/i.test(key);

class JsonWalk {
  readonly lists: RowList[] = [];
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
    for (const [index, item] of node.slice(0, isRows ? maxAlike : maxItems).entries())
      if (!isScalar(item)) this.walk(item, `${path || '@'}[${index}]`, key, depth + 1);
  }

  #object(node: JsonObject, path: string, key: string, depth: number): void {
    const entries = Object.entries(node);
    const values = entries.filter(([, entry]) => entry !== null && isScalar(entry));
    if (values.length >= 3 && values.some(([name]) => isName(name)))
      this.records.push({ path, row: node, about: key });
    for (const [name, entry] of entries)
      if (!isScalar(entry)) this.walk(entry, pathOf(path, name), name, depth + 1);
  }
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
  { list, rows, about }: RowList,
  location: JsonLocation,
): Structure | undefined => structureOf({ kind, rows, about, location, list }, (path) => path);

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
