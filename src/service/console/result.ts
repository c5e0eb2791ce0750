/** A job's data: a table if it is a list of records, else JSON, a part at a time. */
import { html } from 'hono/html';
import * as z from 'zod';
import { asPlainText, csvHeader, csvRow, csvTable, withUnitColumns } from '../../contract/csv.ts';
import type { Html } from '../../http/page.ts';
import { RequestError } from '../foundation/errors.ts';
import { type Page, slicePage } from '../operations/list-page.ts';
import { count, cut, dataTable, pageLinks } from './html.ts';

/** Characters of JSON on one page. */
const partLength = 20_000;
const maxColumns = 12;
const maxCellLength = 300;
/** A CSV file is made in one go, which holds up the process. */
const maxCells = 1_000_000;

const Records = z.array(z.record(z.string(), z.unknown())).min(1);

interface RecordList {
  readonly records: z.infer<typeof Records>;
  /** What stands beside the list, such as its count. */
  readonly others: readonly (readonly [name: string, value: unknown])[];
}

/** The data itself, or the only list in it, if all its elements are records. */
function findRows(data: unknown): RecordList | undefined {
  const members = Array.isArray(data) ? [['', data] as const] : Object.entries(Object(data));
  const lists = members.filter(([, value]) => typeof value === 'object' && value !== null);
  const parsed = Records.safeParse(lists[0]?.[1]);
  if (lists.length !== 1 || !parsed.success) return undefined;
  return { records: parsed.data, others: members.filter((member) => member !== lists[0]) };
}

export function resultSection(
  jobPath: string,
  data: unknown,
  page: number,
): { readonly content: Html; readonly hasRows: boolean } {
  const rows = findRows(data);
  if (rows === undefined || rows.others.length > maxColumns) {
    const content = resultParts(jobPath, JSON.stringify(data, undefined, 2) ?? '', page);
    return { content, hasRows: rows !== undefined };
  }
  return { content: rowsView(jobPath, rows, page), hasRows: true };
}

function rowsView(jobPath: string, { records, others }: RecordList, page: number): Html {
  const pageRecords = slicePage(records, page);
  const names = [...new Set(pageRecords.rows.flatMap((record) => Object.keys(record)))];
  const columns = names.slice(0, maxColumns);
  const rows = pageRecords.rows.map(
    (record) => html`<tr>${columns.map((name) => valueCell(showValue(record[name])))}</tr>`,
  );
  const more =
    names.length > maxColumns ? `; the first ${maxColumns} of ${names.length} columns are shown` : '';
  return html`<div data-rows="${jobPath}/result.json"><p class="quiet">${count(records.length, 'record')}${more}</p>
${dataTable(
  'Result',
  columns.map((name) => [cut(name, 60)]),
  rows,
  'records',
)}
${pageLinks(pageRecords, `${jobPath}?page=`)}</div>
${
  others.length === 0
    ? ''
    : html`<details><summary>Beside the rows</summary><dl>${others.map(([name, value]) => html`<dt>${cut(name, 60)}</dt><dd>${showValue(value)}</dd>`)}</dl></details>`
}`;
}

const showValue = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : cut(typeof value === 'object' ? JSON.stringify(value) : String(value), maxCellLength);

const valueCell = (text: string): Html =>
  text.length > 40 ? html`<td class="long">${text}</td>` : html`<td>${text}</td>`;

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
${pageLinks(part, `${jobPath}?page=`)}</div>`;
}

/** Throws a `RequestError` where the data has no rows, or too many. */
export function toCsv(data: unknown): string {
  const rows = findRows(data);
  const refuse = (message: string) => new RequestError(400, 'INVALID_INPUT', message);
  if (rows === undefined) throw refuse('This result has no rows. Download it as JSON');
  const records = rows.records.map((record) =>
    Object.fromEntries(Object.entries(record).map((cell) => cell.map(asPlainText))),
  );
  const columns = csvTable(records);
  if (columns.header.length * rows.records.length > maxCells)
    throw refuse('This result is too large for a CSV file. Download it as JSON');
  const lines = records.map((record) => csvRow(columns, record));
  return withUnitColumns(csvHeader(columns) + lines.join(''), columns.constants);
}
