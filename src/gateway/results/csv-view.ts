/** The rows of a value as CSV, as many as fit, and what stands beside them. */
import { listsOf, mainListOf } from '../../compare/main-list.ts';
import { type CsvTable, csvHeader, csvRow, csvTable } from '../../contract/csv.ts';
import { preview } from './preview.ts';
import { fitting, partPage, type Slice, type SliceRequest, toSlice } from './slice.ts';

export interface CsvView extends Slice {
  /** The units of all rows, and the members of the value that are no rows. */
  readonly beside?: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

const maxBeside = 2_000;
/** Completeness and units always fit. */
const leastBeside = 300;

/**
 * `written`: as text; else the same rows as values, for a table of several results. Rows of which not even one fits are shown
 * as JSON, which can be read on within a row.
 */
export function csvView(
  value: unknown,
  request: SliceRequest,
  { budget, written }: { readonly budget: number; readonly written: boolean },
): CsvView {
  const { rows, path, beside: others, note } = mainRows(value, budget);
  const table = csvTable(rows, others);
  const offset = Math.min(request.offset ?? 0, rows.length);
  const requestedRows = rows.slice(offset, offset + (request.limit ?? rows.length));
  const { text, count } = csvText(table, requestedRows, budget);
  const isCsv = count > 0 || requestedRows.length === 0;
  const rowsPath = path === undefined ? undefined : joined(request.select, path);
  // A value that is no list is its own row.
  const isList = path !== undefined || Array.isArray(value);
  const asJson = () =>
    isList
      ? toSlice(rows, { ...request, select: rowsPath ?? request.select }, budget)
      : fitting(value, request.select || '@', budget);
  const beside = isCsv && written ? { ...table.constants, ...others } : { ...others };
  const data = written ? text : requestedRows.slice(0, count);
  return {
    ...(isCsv ? { data, page: partPage(offset, count, rows.length) } : asJson()),
    ...(rowsPath !== undefined && { path: rowsPath }),
    ...(Object.keys(beside).length === 0 ? {} : { beside }),
    ...(isCsv ? note && { note } : { note: noCsv }),
  };
}

const noCsv = 'A row of CSV would be longer than an answer may be, so the rows are JSON.';

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

interface MainRows {
  readonly rows: readonly unknown[];
  /** Where the rows are in the value; absent: they are the value. */
  readonly path?: string;
  readonly beside?: object;
  readonly note?: string;
}

/** The rows of a value: itself, the list that it is made for, or itself as the only row. */
function mainRows(value: unknown, budget: number): MainRows {
  if (Array.isArray(value)) return { rows: value };
  if (value === null) return { rows: [] };
  const longest = mainListOf(value);
  if (longest === undefined) return { rows: [value] };
  const room = Math.min(maxBeside, Math.max(leastBeside, budget / 4));
  const { data: beside, cut } = preview(longest.beside, room);
  const others = listsOf(value).flatMap(({ path }) => (path === longest.path ? [] : [path]));
  const notes = [
    ...(others.length > 0
      ? [`The rows are ${longest.path}; set select for those of ${others.slice(0, 5).join(', ')}.`]
      : []),
    ...(cut === undefined
      ? []
      : ['What stands beside the rows is shortened here: format json has all of it.']),
  ];
  return {
    rows: longest.rows,
    path: longest.path,
    ...(typeof beside === 'object' && beside !== null && { beside }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
}

const joined = (path: string | undefined, below: string): string =>
  path === undefined || path === '@' ? below : `${path} | ${below}`;
