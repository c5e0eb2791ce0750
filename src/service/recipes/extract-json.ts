/** Extraction by JMESPath, from JSON answers and from feeds. */
import { PageChangedError, PageUnfitError } from '../foundation/errors.ts';
import type { Document, Extracted, Row } from '../page/document.ts';
import { evaluatePath, isObject, type JmespathValue } from '../page/json.ts';
import { readScriptValues } from '../page/scripts.ts';
import type { Extract, JsonField } from './recipe-schema.ts';
import { RowFields } from './row-fields.ts';
import { asStated, toTyped } from './values.ts';

type JsonExtract = Extract & { kind: 'json' };

/** The fields of one value; undefined if a required one is missing. */
function jsonRow(
  value: JmespathValue,
  fields: Readonly<Record<string, JsonField>>,
  base: string,
  into: RowFields,
): Row | undefined {
  const row: Row = {};
  let complete = true;
  for (const [name, field] of Object.entries(fields)) {
    const raw = evaluatePath(value, field.path);
    complete = into.set(row, name, field, toTyped(asStated(raw, field), field, base)) && complete;
  }
  return complete ? row : undefined;
}

/** Of a path through the first of a list, that of the list: `offers` of `offers[0].price`. */
const firstOfList = /^((?:[\w.]|"[^"]*")+)\[0\](?:$|\.)/;

/** Sentences about fields that read the first of a list where some of these values have further ones. */
function explainFirsts(
  values: readonly JmespathValue[],
  fields: Readonly<Record<string, JsonField>>,
): string[] {
  const told = new Set<string>();
  return Object.entries(fields).flatMap(([name, { path, type }]) => {
    const at = path.lastIndexOf(' | ');
    const [start, own] = at < 0 ? ['', path] : [path.slice(0, at + 3), path.slice(at + 3)];
    const [, list] = firstOfList.exec(own) ?? [];
    // Of a picture there are sizes and crops.
    if (list === undefined || type === 'image' || told.has(list)) return [];
    const several = values.filter((value) => {
      const [first, second] = [0, 1].map((turn) => evaluatePath(value, `${start}${list}[${turn}]`));
      return second !== null && second !== undefined && JSON.stringify(first) !== JSON.stringify(second);
    });
    if (several.length === 0) return [];
    told.add(list);
    const where = values.length === 1 ? '' : ` in ${several.length} of ${values.length} rows`;
    return [`${name}: "${list}" has several entries${where}; the first one is given.`];
  });
}

/** The fields of each entry, settled; entries without a required one are left out. */
export function jsonRows(
  list: readonly JmespathValue[],
  fields: Readonly<Record<string, JsonField>>,
  base: string,
  into: RowFields,
): Row[] {
  const rows = list.map((entry) => jsonRow(entry, fields, base, into)).filter((row) => row !== undefined);
  into.settle(rows);
  if (list.length > 0 && rows.length === 0)
    throw new PageChangedError('No entry of the response has all required values; the site may have changed');
  return rows;
}

/** The list of the matching scripts' data. */
export function scriptJson({ html }: Document, script: string): JmespathValue {
  const held = readScriptValues(html, script);
  if (held.length > 0) return held.map(({ value }) => value);
  if (html(script).length > 0)
    throw new PageUnfitError(
      'The matching script of the page is not JSON and does not assign JSON to a name (name = {…})',
    );
  throw new PageChangedError('The page has no matching script with JSON; it may have changed');
}

export function extractJson(
  page: Document,
  value: JmespathValue,
  extraction: JsonExtract,
  base: string,
): Extracted {
  if (extraction.list === undefined) {
    if (extraction.fields === undefined)
      return { kind: 'record', record: isObject(value) ? value : { value } };
    const into = new RowFields(page);
    const record = jsonRow(value, extraction.fields, base, into);
    into.settle(record === undefined ? [] : [record]);
    if (record === undefined)
      throw new PageChangedError('The response lacks a required value; the site may have changed');
    return { kind: 'record', record, doubts: [...into.doubts, ...explainFirsts([value], extraction.fields)] };
  }
  const list: unknown = evaluatePath(value, extraction.list);
  if (!Array.isArray(list))
    throw new PageChangedError(
      'The response has no list where the recipe expects one; the site may have changed',
    );
  if (extraction.fields === undefined)
    return { kind: 'rows', rows: list.map((entry: unknown) => (isObject(entry) ? entry : { value: entry })) };
  const into = new RowFields(page);
  const rows = jsonRows(list, extraction.fields, base, into);
  return { kind: 'rows', rows, doubts: [...into.doubts, ...explainFirsts(list, extraction.fields)] };
}
