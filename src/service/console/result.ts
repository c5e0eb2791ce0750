/** A job's data: a table if it is a list of records, else JSON, a part at a time. */
import { html } from 'hono/html';
import { csvText } from '../../contract/csv.ts';
import {
  booleanText,
  columnLabel,
  findRows,
  getColumnNames,
  hasLines,
  isRecord,
  type ResultRow,
  type ResultRows,
} from '../../contract/result-rows.ts';
import type { Html } from '../../http/page.ts';
import { RequestError } from '../foundation/errors.ts';
import { type Page, slicePage } from '../operations/list-page.ts';
import { count, cut, factList } from './html.ts';
import { dataTable, kindOf, pageLinks, type TableColumn } from './table.ts';

/** Characters of JSON on one page. */
const partLength = 20_000;
const maxColumns = 12;
const maxCellLength = 300;
/** A CSV file is made in one go, which holds up the process. */
const maxCells = 1_000_000;

export function resultSection(
  jobPath: string,
  data: unknown,
  page: number,
): { readonly content: Html; readonly hasCsv: boolean; readonly isPart?: boolean } {
  const rows = findRows(data);
  if (rows === undefined) {
    const json = resultParts(jobPath, JSON.stringify(data, undefined, 2) ?? '', page);
    if (!isRecord(data)) return { content: json, hasCsv: false };
    const folded = html`<details${page > 1 ? ' open' : ''}><summary>As JSON</summary>${json}</details>`;
    return { content: html`${fieldsView(data)}${folded}`, hasCsv: false };
  }
  const { has_more, missing } = rows.others;
  return {
    content: rowsView(jobPath, rows, page),
    hasCsv: findRows(rows.others) === undefined,
    isPart: has_more === true || (Array.isArray(missing) && missing.length > 0),
  };
}

function rowsView(jobPath: string, { rows, others }: ResultRows, page: number): Html {
  const shown = slicePage(rows, page);
  const names = getColumnNames(shown.rows, Number.POSITIVE_INFINITY);
  const more =
    names.length > maxColumns ? `; the first ${maxColumns} of ${names.length} columns are shown` : '';
  return html`<div data-rows="${jobPath}/result.json"><p class="quiet">${count(rows.length, 'record')}${more}</p>
${rowsTable('Result', shown.rows, names.slice(0, maxColumns))}
${pageLinks(shown, jobPath)}</div>
${Object.keys(others).length === 0 ? '' : html`<details${Object.values(others).some(hasLines) ? ' open' : ''}><summary>Beside the rows</summary>${fieldsView(others)}</details>`}`;
}

/** What is no list of records: texts of several lines as they are set, all else as terms. */
function fieldsView(fields: ResultRow): Html {
  const named = Object.entries(fields).map(([name, value]) => [columnLabel(cut(name, 60)), value] as const);
  const terms = named.filter(([, value]) => !hasLines(value));
  const shown = terms.slice(0, maxColumns).map(([name, value]) => [name, showValue(value)]);
  return html`${factList(Object.fromEntries(shown))}
${terms.length > maxColumns ? html`<p class="quiet">and ${terms.length - maxColumns} more</p>` : ''}
${named.map(([name, value]) => (hasLines(value) ? html`<h3>${name}</h3><pre tabindex="0">${cut(value, partLength)}</pre>` : ''))}`;
}

/** Numbers stand to the right, and long texts get room. */
export function rowsTable(label: string, rows: readonly ResultRow[], names = getColumnNames(rows)): Html {
  const columns = names.map((name): TableColumn<ResultRow> => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    const isNumber = values.length > 0 && values.every((value) => typeof value === 'number');
    return {
      name: columnLabel(cut(name, 60)),
      kind: kindOf(isNumber, values.map(showValue)),
      cell: (row) => showValue(row[name]),
    };
  });
  return dataTable(label, columns, rows, 'records');
}

const showValue = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return booleanText(value);
  return cut(typeof value === 'object' ? JSON.stringify(value) : String(value), maxCellLength);
};

/** JSON, a part at a time. */
export function resultParts(jobPath: string, text: string, page: number): Html {
  const start = (page - 1) * partLength;
  const part: Page<string> = {
    rows: [text.slice(start, start + partLength)],
    page,
    hasNext: start + partLength < text.length,
  };
  return html`${text.length > partLength ? html`<p class="quiet">${text.length} characters of JSON, split into parts.</p>` : ''}
<div data-rows="${jobPath}/result.json"><pre tabindex="0">${part.rows}</pre>
${pageLinks(part, jobPath)}</div>`;
}

/** Throws a `RequestError` where the data has no rows, several lists of them, or too many. */
export function toCsv(data: unknown): string {
  const rows = findRows(data);
  const refuse = (message: string) => new RequestError(400, 'INVALID_INPUT', message);
  if (rows === undefined) throw refuse('This result has no rows. Download it as JSON');
  // A file with one of the lists would not say that it lacks the others.
  if (findRows(rows.others) !== undefined)
    throw refuse('This result has several lists, and a CSV file holds one. Download it as JSON');
  const text = csvText(rows.rows, maxCells);
  if (text === undefined) throw refuse('This result is too large for a CSV file. Download it as JSON');
  return text;
}
