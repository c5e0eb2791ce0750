/**
 * What a caller gets to see of a kept result: a part by JMESPath, a page of it, as JSON or CSV, within a budget. A pure
 * function of its task, so that it can run in a worker process: an expression may cost any time and memory.
 */
import { gunzipSync } from 'node:zlib';
import { type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import { type CsvTable, csvHeader, csvRow, csvTable } from '../../contract/csv.ts';
import { PathError } from '../foundation/errors.ts';
import { isGzip } from '../foundation/gzip.ts';
import type { ViewRequest } from '../interface/outcomes.ts';
import { filterNotes, missingName, nameOf } from './explain-path.ts';
import { type PathNode, readPath } from './path.ts';
import { preview } from './preview.ts';
import { fitting, partPage, type Slice, type SliceRequest, toSlice } from './slice.ts';

export interface ViewTask extends ViewRequest {
  /** The service's answer as it is kept: JSON text, gzipped unless it is short. */
  readonly kept: Uint8Array;
  /** Characters of data. */
  readonly budget: number;
}

export interface ResultView extends Slice {
  /** Beside the rows of CSV: the units of all of them, and the members of the data that are no rows. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** Why the path found nothing, and which names exist. */
  readonly missing?: {
    readonly message: string;
    readonly keys: readonly string[];
    /** A path that exists. */
    readonly path?: string | undefined;
  };
  readonly note?: string;
}

// The library would also read what an object inherits, such as `constructor`: no value, and not even JSON.
Object.setPrototypeOf(TreeInterpreter.runtime._functionTable, null);
const interpreter: Pick<typeof TreeInterpreter, 'visit'> = Object.getPrototypeOf(TreeInterpreter);
const { visit } = interpreter;
interpreter.visit = function visitOwnMembers(node, value) {
  if (node.type !== 'Field') return visit.call(this, node, value);
  const hasMember = typeof value === 'object' && value !== null && Object.hasOwn(value, node.name);
  return hasMember ? visit.call(this, node, value) : null;
};

const maxBeside = 2_000;

/** Rejects with a `PathError`. */
export function toView({ kept, budget, format, ...request }: ViewTask): ResultView {
  const data = parseData(kept);
  const { text, node } = readPath(request.path ?? '@', data);
  const found = text === '@' ? data : evaluate(node, data);
  // Without a path, `offset` and `limit` mean the only list there is. CSV looks for its rows itself.
  const list = text === '@' && isPaged(request) && format !== 'csv' ? onlyList(found) : undefined;
  const value = list === undefined ? found : list.rows;
  const part = { ...request, path: list?.path ?? text };
  const nameNotInData = missingName(node, data);
  if (nameNotInData !== undefined && isNothing(value)) {
    const { name, keys, nearest, kind } = nameNotInData;
    const nearestHint = nearest === undefined ? '' : ` The nearest name is "${nearest}".`;
    const textHint = text.includes(JSON.stringify(name)) ? ' A text is written in single quotes.' : '';
    const there = keys.length === 0 ? `there is ${kind}` : `there are ${keys.map(toName).join(', ')}`;
    return {
      data: null,
      missing: {
        message: `The path matches nothing: "${name}" does not exist; ${there}.${nearestHint}${textHint}${hintOfValue(name)}`,
        keys,
        path: nearest === undefined ? undefined : renamePath(text, name, nearest),
      },
    };
  }
  const shown =
    format === 'csv'
      ? csvView(value, part, budget)
      : { ...toSlice(value, part, budget), ...(list !== undefined && { path: list.path }) };
  const notes = [
    nameNotInData === undefined
      ? []
      : [
          `No value has the field "${nameNotInData.name}". The fields are: ${nameNotInData.keys.map(toName).join(', ')}.${hintOfValue(nameNotInData.name)}`,
        ],
    isNothing(value) ? filterNotes(node, data) : [],
    nameNotInData === undefined ? leftOut(node, value, data) : [],
    incomplete(data, text),
    list === undefined ? [] : [`offset and limit page ${list.path}, the only list of the result.`],
    format === 'csv' ? [] : unpaged(value, request),
    format === 'csv' && typeof shown.data !== 'string' ? [noCsv] : [],
  ].flat();
  return { ...shown, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) };
}

const noCsv = 'A row of CSV would be longer than an answer may be, so the rows are JSON.';

const isPaged = ({ offset, limit }: ViewRequest) => offset !== undefined || limit !== undefined;

/** Without backticks, JMESPath takes a boolean for the name of a field. */
const hintOfValue = (name: string): string =>
  /^(true|false)$/.test(name) ? ` The boolean is written \`${name}\`, in backticks.` : '';

/** A name as JMESPath takes it: others than plain ones stand in double quotes. */
const toName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

interface MemberList {
  readonly key: string;
  readonly rows: readonly unknown[];
}

const listsOf = (value: object): MemberList[] =>
  Object.entries(value).flatMap(([key, member]) => (Array.isArray(member) ? [{ key, rows: member }] : []));

/** The list of an object that has no other. */
function onlyList(value: unknown): { readonly path: string; readonly rows: readonly unknown[] } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [list, ...others] = listsOf(value);
  return list === undefined || others.length > 0 ? undefined : { path: toName(list.key), rows: list.rows };
}

const maxNext = 300;

/** Says that the whole has more rows than the selected part: an empty filter result would be taken as final. */
function incomplete(data: unknown, path: string): string[] {
  if (path === '@' || /\b(has_more|next)\b/.test(path)) return [];
  const { has_more, returned, total, next }: Readonly<Record<string, unknown>> = Object(data);
  if (has_more !== true) return [];
  const count =
    typeof returned === 'number' && typeof total === 'number' ? `${returned} of ${total}` : 'not all';
  const serviceHint =
    typeof next === 'string' ? ` It says: "${next.slice(0, maxNext).replaceAll('"', "'")}"` : '';
  return [`The result holds ${count} rows.${serviceHint}`];
}

function parseData(stored: Uint8Array): unknown {
  const bytes = isGzip(stored) ? gunzipSync(stored) : stored;
  const job: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return typeof job === 'object' && job !== null && 'data' in job ? job.data : null;
}

/** Data came out of a JSON parser, so it is JSON unless it is missing. */
const isJson = (data: unknown): data is JSONValue => data !== undefined;

function evaluate(node: Parameters<typeof TreeInterpreter.search>[0], data: unknown): unknown {
  try {
    return isJson(data) ? (TreeInterpreter.search(node, data) ?? null) : null;
  } catch (error) {
    throw new PathError(error instanceof Error ? error.message : 'it cannot be evaluated');
  }
}

/** Says that a list of one field has fewer values than rows: JMESPath leaves out rows without it. */
function leftOut(node: PathNode, value: unknown, data: unknown): string[] {
  if ((node.type !== 'Projection' && node.type !== 'FilterProjection') || !Array.isArray(value)) return [];
  const name = nameOf(node.right);
  if (name === undefined) return [];
  const rows = evaluate({ ...node, right: { type: 'Current' } }, data);
  const count = Array.isArray(rows) ? rows.length : 0;
  return value.length >= count
    ? []
    : [
        `${count - value.length} of ${count} rows have no ${name} and are left out: [*].[${toName(name)}] keeps them.`,
      ];
}

/** Whether a wrong name may have left this: null, an empty list, or lists and objects of nothing. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.every(isNothing);
  return typeof value === 'object' && Object.values(value).every(isNothing);
}

/** The path with one name in the place of another; undefined where the name is written with escapes. */
function renamePath(path: string, name: string, by: string): string | undefined {
  const quoted = JSON.stringify(name);
  const proper = toName(by);
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const renamed = path.includes(quoted)
    ? path.replaceAll(quoted, () => proper)
    : path.replaceAll(new RegExp(`(?<![\\w"'])${escaped}(?![\\w"'(])`, 'g'), () => proper);
  return renamed === path ? undefined : renamed;
}

/** Notes that `offset` and `limit` page only lists and texts. */
function unpaged(value: unknown, request: ViewRequest): string[] {
  if (!isPaged(request)) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const keys = listsOf(value).map(({ key }) => key);
  const where = keys.length === 0 ? '' : `, such as ${keys.slice(0, 3).join(', ')}`;
  return [`offset and limit apply to a list or a text; set select to one${where}.`];
}

/** Rows of which not even one fits as CSV are shown as JSON, which can be read on within a row. */
function csvView(value: unknown, request: SliceRequest, budget: number): ResultView {
  const { rows, path, beside: others } = mainList(value);
  const table = csvTable(rows);
  const offset = Math.min(request.offset ?? 0, rows.length);
  const requestedRows = rows.slice(offset, offset + (request.limit ?? rows.length));
  const { text, count } = csvText(table, requestedRows, budget);
  const isCsv = count > 0 || requestedRows.length === 0;
  const rowsPath = path === undefined ? {} : { path: joined(request.path, path) };
  // A value that is no list is its own row.
  const isList = path !== undefined || Array.isArray(value);
  const asJson = () =>
    isList ? toSlice(rows, { ...request, ...rowsPath }, budget) : fitting(value, request.path || '@', budget);
  const beside = isCsv ? { ...table.constants, ...others } : { ...others };
  return {
    ...(isCsv ? { data: text, page: partPage(offset, count, rows.length) } : asJson()),
    ...rowsPath,
    ...(Object.keys(beside).length === 0 ? {} : { beside }),
  };
}

/** As many whole rows as fit. */
function csvText(table: CsvTable, rows: readonly unknown[], budget: number) {
  let text = csvHeader(table);
  let count = 0;
  for (const row of rows) {
    const line = csvRow(table, row);
    if (text.length + line.length > budget) break;
    text += line;
    count += 1;
  }
  return { text, count };
}

interface MainList {
  readonly rows: readonly unknown[];
  /** Where the rows are in the value; absent: they are the value. */
  readonly path?: string;
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** The rows of a value: itself, the longest list among its members, or itself as the only row. */
function mainList(value: unknown): MainList {
  if (Array.isArray(value)) return { rows: value };
  if (typeof value !== 'object' || value === null) return { rows: value === null ? [] : [value] };
  const [longest] = listsOf(value).sort((a, b) => b.rows.length - a.rows.length);
  if (longest === undefined) return { rows: [value] };
  const { [longest.key]: _rows, ...others } = Object.fromEntries(Object.entries(value));
  const { data: beside } = preview(others, maxBeside);
  return {
    rows: longest.rows,
    path: toName(longest.key),
    beside: typeof beside === 'object' && beside !== null ? { ...beside } : {},
  };
}

const joined = (path: string | undefined, below: string): string =>
  path === undefined || path === '@' ? below : `${path} | ${below}`;
