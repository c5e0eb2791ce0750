/** Lists of objects, and objects that are records, anywhere in JSON, as interfaces and applications write them. */

import { isObject, isScalar, type JsonObject, toPath } from '../../page/json-values.ts';
import { jsonPlaces } from '../columns/json-places.ts';
import type { Source } from '../columns/place.ts';
import { type CandidateKind, type Structure, toExtract, toFields } from './candidate.ts';

interface JsonRows {
  readonly rows: readonly JsonObject[];
  readonly many: boolean;
  /** JMESPath of the rows, or of the one record; empty for the whole value. */
  readonly path: string;
  readonly about: string;
}

/** Values looked at in one document; a bound on the work. */
const maxVisited = 50_000;
const maxDepth = 30;
const maxItems = 60;
/** How many rows of one list are searched for lists inside of them. */
const maxAlike = 2;
const maxLists = 6;
const maxRecords = 3;

/** Whether an object is a record: it has several values, one of them a name. */
function isRecord(object: JsonObject): boolean {
  const keys = Object.keys(object).filter((key) => object[key] !== null && isScalar(object[key]));
  return keys.length >= 3 && keys.some((key) => /^(?:name|title|headline|label)$/i.test(key));
}

export function jsonStructure(
  kind: CandidateKind,
  { rows, many, path, about }: JsonRows,
  script?: string,
): Structure | undefined {
  const places = jsonPlaces(rows);
  if (places.length === 0) return undefined;
  const written = ({ path: own = '@', line, markup }: Source) => {
    const value = line === undefined ? own : `${own} && split(${own}, '\n')[${line - 1}]`;
    return { ...(markup && { markup }), path: many || path === '' ? value : `${path} | ${value}` };
  };
  return {
    kind,
    many,
    rows: rows.length,
    about,
    places,
    toExtract: toExtract((fields) => ({
      kind: 'json',
      ...(script === undefined ? {} : { script }),
      ...(many ? { list: path } : {}),
      fields: toFields(fields.map((field) => ({ ...field, source: written(field.source) }))),
    })),
  };
}

const getSize = ({ rows }: JsonRows) => rows.length * Object.keys(rows[0] ?? {}).length;

/** The structures in a value, the largest first; `start` is the path that leads to it, from the scripts of a page if it has them. */
export function structuresInJson(value: unknown, start: string, script?: string): Structure[] {
  const candidateRows: JsonRows[] = [];
  let visited = 0;
  /** What is in a value, each with its path and the key above it. */
  const inside = (node: unknown, path: string, about: string): [unknown, string, string][] => {
    if (isObject(node)) {
      if (isRecord(node)) candidateRows.push({ rows: [node], many: false, path, about });
      return Object.entries(node).map(([name, entry]) => [entry, toPath(path, name), name]);
    }
    if (!Array.isArray(node)) return [];
    const rows = node.filter(isObject);
    const many = rows.length >= 2 && rows.length >= node.length * 0.9;
    if (many) candidateRows.push({ rows, many, path: path || '@', about });
    const some = node.slice(0, many ? maxAlike : maxItems);
    return some.map((item, index) => [item, `${path || '@'}[${index}]`, about]);
  };
  const walk = (node: unknown, path: string, about: string, depth: number) => {
    visited += isScalar(node) ? 0 : 1;
    if (visited > maxVisited || depth > maxDepth) return;
    for (const [item, at, key] of inside(node, path, about)) walk(item, at, key, depth + 1);
  };
  walk(value, start, '', 0);
  candidateRows.sort((one, other) => getSize(other) - getSize(one));
  const lists = candidateRows.filter(({ many }) => many).slice(0, maxLists);
  const records = candidateRows.filter(({ many }) => !many).slice(0, maxRecords);
  return [...lists, ...records].flatMap((rows) => jsonStructure('json', rows, script) ?? []);
}
