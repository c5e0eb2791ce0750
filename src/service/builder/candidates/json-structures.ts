/** Lists of objects, and objects that are records, anywhere in JSON, as interfaces and applications write them. */

import { findJsonRows, isObject, type JsonRows } from '../../page/json.ts';
import { jsonPlaces } from '../columns/json-places.ts';
import type { Source } from '../columns/place.ts';
import { type CandidateKind, type Structure, toExtract, toFields } from './candidate.ts';
import { findJsonTables } from './json-tables.ts';

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

/** The structures in a value; `start` is the path that leads to it, from the scripts of a page if it has them. */
export function structuresInJson(value: unknown, start: string, script?: string): Structure[] {
  const found = findJsonRows(value, start);
  const isAnswer = script === undefined && !found.some(({ many }) => many);
  const tables = isAnswer ? findJsonTables(value, start) : [];
  // An answer without a list is a record, whatever its members are called.
  const isRecord = isAnswer && isObject(value) && !found.some(({ path }) => path === '');
  const record = isRecord ? [{ rows: [value], many: false, path: '', about: '' }] : [];
  return [...found, ...tables, ...record].flatMap((rows) => jsonStructure('json', rows, script) ?? []);
}
