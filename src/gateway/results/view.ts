/**
 * What a caller gets to see of a kept result: a part by JMESPath, a page of it, as JSON or CSV, within a budget. A pure
 * function of its task, so that it can run in a worker process: an expression may cost any time and memory.
 */
import { gunzipSync } from 'node:zlib';
import { listsOf, toName } from '../../compare/main-list.ts';
import { parseJson } from '../../contract/exact-json.ts';
import { isRecord, type ResultRow } from '../../contract/result-rows.ts';
import { PathError } from '../foundation/errors.ts';
import { isGzip } from '../foundation/gzip.ts';
import type { ViewRequest } from '../interface/outcomes.ts';
import { type CsvView, csvView } from './csv-view.ts';
import { comparisonNotes } from './explain-comparison.ts';
import { explainFailure, nullNotes } from './explain-function.ts';
import { evaluate, isNumeral } from './jmespath.ts';
import { type MissingName, missingName } from './missing-name.ts';
import { type PathNode, readPath } from './path.ts';
import { nameOf, namesIn, partsOf } from './path-words.ts';
import { type SliceRequest, toSlice } from './slice.ts';

export interface ViewTask extends Omit<ViewRequest, 'format'> {
  /** `rows`: as CSV, but as values, for a table of several results. */
  readonly format?: ViewRequest['format'] | 'rows';
  /** The service's answer as it is kept: JSON text, gzipped unless it is short. */
  readonly kept: Uint8Array;
  /** Characters of data. */
  readonly budget: number;
}

export interface ResultView extends CsvView {
  /** Why the path found nothing, and which names exist. */
  readonly missing?: {
    readonly message: string;
    readonly keys: readonly string[];
    /** A path that exists. */
    readonly path?: string | undefined;
  };
}

/** Rejects with a `PathError`. */
export function toView({ kept, budget, format, ...request }: ViewTask): ResultView {
  const data = parseData(kept);
  const { text, node } = readPath(request.select ?? '@', data);
  const isTable = format === 'csv' || format === 'rows';
  const nameNotInData = missingName(node, data);
  const found = text === '@' ? data : evaluated(node, data, nameNotInData !== undefined);
  // Without a path, `offset` and `limit` mean the only list there is. CSV looks for its rows itself.
  const list = text === '@' && isPaged(request) && !isTable ? onlyList(found) : undefined;
  const value = list === undefined ? found : list.rows;
  const part: SliceRequest = { ...request, select: list?.path ?? text };
  const misplaced = isNothing(value) ? misplacedPath(text, data, nameNotInData) : undefined;
  if (misplaced !== undefined) return { data: null, missing: misplaced };
  if (nameNotInData !== undefined && isNothing(value)) {
    const { name, keys, nearest, kind } = nameNotInData;
    const nearestHint = nearest === undefined ? '' : ` The nearest name is "${nearest}".`;
    const textHint = text.includes(JSON.stringify(name)) ? inQuotes(name) : '';
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
  const shown: CsvView = isTable
    ? csvView(value, part, { budget, written: format === 'csv' })
    : { ...toSlice(value, part, budget), ...(list !== undefined && { path: list.path }) };
  const named = namesIn(node);
  const notes = [
    nameNotInData === undefined
      ? []
      : [
          `No value has the field "${nameNotInData.name}". The fields are: ${nameNotInData.keys.map(toName).join(', ')}.${hintOfValue(nameNotInData.name)}`,
        ],
    comparisonNotes(node, data),
    isNothing(value) ? nullNotes(node, data).slice(0, maxLists) : [],
    nameNotInData === undefined ? leftOut(node, data) : [],
    mixedNotes(named, data),
    incomplete(data, node, named),
    list === undefined ? [] : [`offset and limit page ${list.path}, the only list of the result.`],
    isTable ? [] : unpaged(value, request),
    shown.note ?? [],
  ].flat();
  return { ...shown, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) };
}

/** A path that takes the result for its rows, or a list for one of its rows: what to write instead. */
function misplacedPath(
  text: string,
  data: unknown,
  nameNotInData: MissingName | undefined,
): ResultView['missing'] {
  const list = Array.isArray(data) || !/^\[[\]*?]/.test(text) ? undefined : onlyList(data);
  // "[].data.count", as if the results of a batch were one list.
  const ofEach = Array.isArray(data) ? undefined : /^\[(?:\*|\d*)\]\.data(?:\.(?<rest>.+))?$/s.exec(text);
  const rest = ofEach?.groups?.rest ?? '@';
  if (ofEach !== null && ofEach !== undefined && finds(rest, data))
    return written('the path is read in the data of one result, in a batch in those of each input', rest);
  if (list !== undefined) {
    const reason = `the result is an object, and its rows are in ${list.path}`;
    const path = list.path + text;
    return finds(path, data)
      ? written(reason, path)
      : { message: `The path matches nothing: ${reason}.`, keys: [] };
  }
  if (nameNotInData?.isOfRows !== true) return undefined;
  const { name } = nameNotInData;
  const path = text.replace(`.${toName(name)}`, (member) => `[]${member}`);
  return path === text ? undefined : written(`"${name}" is a field of the rows of a list`, path);
}

/** Whether all names of a path that is told are in the data. */
const finds = (path: string, data: unknown): boolean =>
  missingName(readPath(path, data).node, data) === undefined;

const written = (reason: string, path: string): NonNullable<ResultView['missing']> => ({
  message: `The path matches nothing: ${reason}. Write ${path}`,
  keys: [],
  path,
});

const isPaged = ({ offset, limit }: ViewRequest) => offset !== undefined || limit !== undefined;

/** What stands in double quotes is a name. */
const inQuotes = (name: string): string =>
  isNumeral(name)
    ? ` A number is written \`${name}\`, in backticks.`
    : ' A text is written in single quotes.';

/** Without backticks, JMESPath takes a boolean for the name of a field. */
const hintOfValue = (name: string): string =>
  /^(true|false)$/.test(name) ? ` The boolean is written \`${name}\`, in backticks.` : '';

/** The list of a result that has no other, or no other of records. */
function onlyList(value: unknown): { readonly path: string; readonly rows: readonly unknown[] } | undefined {
  const [list, ...others] = listsOf(value);
  return list === undefined || others.length > 0 ? undefined : list;
}

const maxNext = 300;

/**
 * Says what the whole result says of its own completeness, where the path leaves that out: the selected part would be taken
 * for all there is.
 */
function incomplete(data: unknown, node: PathNode, named: ReadonlySet<string>): string[] {
  if (node.type === 'Current' || node.type === 'Identity') return [];
  const { has_more, returned, total, next, missing }: Readonly<Record<string, unknown>> = Object(data);
  const notes = named.has('has_more')
    ? []
    : has_more === true
      ? [`The result holds ${countRows(returned, total)} rows.`]
      : has_more === null
        ? ['It is not known whether the result holds all rows.']
        : [];
  const words = [
    ...(named.has('missing') ? [] : [missing].flat()),
    has_more === false || named.has('next') ? undefined : next,
  ].filter((text) => typeof text === 'string' && text !== '');
  return words.length === 0
    ? notes
    : [...notes, `It says: ${words.slice(0, maxWords).map(quote).join(', ')}`];
}

const maxWords = 4;

const countRows = (returned: unknown, total: unknown): string =>
  typeof returned === 'number' && typeof total === 'number' ? `${returned} of ${total}` : 'not all';

const quote = (text: unknown): string => `"${String(text).slice(0, maxNext).replaceAll('"', "'")}"`;

/** The data of an answer as it is kept. Throws a `SyntaxError` for what is no JSON. */
export function parseData(stored: Uint8Array): unknown {
  const bytes = isGzip(stored) ? gunzipSync(stored) : stored;
  const job = parseJson(Buffer.from(bytes).toString('utf8'));
  return typeof job === 'object' && job !== null && 'data' in job ? job.data : null;
}

/** Throws a `PathError` that says what to write instead; null where it fails because of a name that is `missing`. */
function evaluated(node: PathNode, data: unknown, isMissing: boolean): unknown {
  try {
    return evaluate(node, data);
  } catch (error) {
    if (isMissing) return null;
    throw error instanceof PathError ? new PathError(explainFailure(node, data, error.message)) : error;
  }
}

type Projection = Extract<PathNode, { left: PathNode; right: PathNode }>;

/** Lists of one field that are made of the data themselves, also inside of functions and multi-selects. */
function fieldLists(node: PathNode): Projection[] {
  if (node.type === 'ExpressionReference' || node.type === 'LetExpression') return [];
  const isList = node.type === 'Projection' || node.type === 'FilterProjection';
  if (isList && nameOf(node.right) !== undefined && !isPlaceInRow(node.right)) return [node];
  // What stands behind is applied to other values.
  const isPath =
    isList || ['Subexpression', 'IndexExpression', 'Pipe', 'ValueProjection'].includes(node.type);
  return (isPath && 'left' in node ? [node.left] : partsOf(node)).flatMap(fieldLists);
}

/** Says that lists of one field have fewer values than rows: JMESPath leaves out rows without it. */
function leftOut(node: PathNode, data: unknown): string[] {
  const notes = fieldLists(node)
    .slice(0, maxLists)
    .flatMap((list) => {
      const name = nameOf(list.right) ?? '';
      const [found, count] = [countOf(list, data), countOf({ ...list, right: { type: 'Current' } }, data)];
      return found >= count
        ? []
        : [
            `${count - found} of ${count} rows have no ${name} and are left out: [*].[${toName(name)}] keeps them.`,
          ];
    });
  return [...new Set(notes)];
}

/** As of "[0].title" behind a projection: it finds nothing in any row, which is said by itself. */
const isPlaceInRow = (node: PathNode): boolean =>
  node.type === 'Identity' || ('left' in node && isPlaceInRow(node.left));

const maxLists = 3;

/** 0 for what cannot be evaluated, because the whole path did not get there. */
function countOf(node: PathNode, data: unknown): number {
  try {
    const values = evaluate(node, data);
    return Array.isArray(values) ? values.length : 0;
  } catch {
    return 0;
  }
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
  const keys = listsOf(value).map(({ path }) => path);
  const where = keys.length === 0 ? '' : `, such as ${keys.slice(0, 3).join(', ')}`;
  return [`offset and limit apply to a list or a text; set select to one${where}.`];
}

/** The field that says of which kind the numbers of another one are, such as `price_currency` of `price`. */
const companion = /^(?<name>.+?)_?(?<kind>currency|unit)$/i;
const maxShown = 5;

/** A sentence for each field of numbers of several kinds that a path names without the field that tells them. */
function mixedNotes(names: ReadonlySet<string>, data: unknown): string[] {
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
