/** A job's data: a table where it is a list of records, else JSON; never more than a part of it at a time. */
import { html } from 'hono/html';
import * as z from 'zod';
import { type Page, slicePage } from '../operations/page.ts';
import { cut, type Html, pageLinks, table } from './html.ts';

/** Characters of JSON on one page. */
const partLength = 20_000;
const maxColumns = 12;
const maxCellLength = 300;

const Records = z.array(z.record(z.string(), z.unknown())).min(1);

export function result(jobId: string, data: unknown, page: number): Html {
  const address = `/console/jobs/${jobId}?page=`;
  const resultTable = toTable(data);
  if (resultTable === undefined) return parts(jobId, JSON.stringify(data, undefined, 2) ?? '', page);
  const { records, others } = resultTable;
  const pageRecords = slicePage(records, page);
  const names = [...new Set(pageRecords.rows.flatMap((record) => Object.keys(record)))];
  const columns = names.slice(0, maxColumns);
  const rows = pageRecords.rows.map(
    (record) => html`<tr>${columns.map((name) => valueCell(cell(record[name])))}</tr>`,
  );
  return html`${heading(jobId)}
<p class="quiet">${records.length} ${records.length === 1 ? 'record' : 'records'}${
    names.length > maxColumns ? `; the first ${maxColumns} of ${names.length} columns are shown` : ''
  }</p>
${others.length === 0 ? '' : html`<dl>${others.map(([name, value]) => html`<dt>${cut(name, 60)}</dt><dd>${cell(value)}</dd>`)}</dl>`}
<div data-rows="/console/jobs/${jobId}/result.json">${table('Result', html`<tr>${columns.map((name) => html`<th scope="col">${cut(name, 60)}</th>`)}</tr>`, rows, 'records')}
${pageLinks(pageRecords, address)}</div>`;
}

/** Shows an answer that is too large to be read as a whole, a part at a time. */
export const largeResult = (jobId: string, text: string, page: number): Html => parts(jobId, text, page);

function parts(jobId: string, text: string, page: number): Html {
  const start = (page - 1) * partLength;
  const part: Page<string> = {
    rows: [text.slice(start, start + partLength)],
    page,
    hasNext: start + partLength < text.length,
  };
  return html`${heading(jobId)}
${text.length > partLength ? html`<p class="quiet">${text.length} characters of JSON, split into parts.</p>` : ''}
<div data-rows="/console/jobs/${jobId}/result.json"><pre tabindex="0">${part.rows}</pre>
${pageLinks(part, `/console/jobs/${jobId}?page=`)}</div>`;
}

const heading = (jobId: string): Html =>
  html`<h2>Result</h2><p><a href="/console/jobs/${jobId}/result.json" download>Download as JSON</a></p>`;

interface Table {
  readonly records: z.infer<typeof Records>;
  /** What stands beside the list, such as its count. */
  readonly others: readonly (readonly [name: string, value: unknown])[];
}

/** The data itself, or the only list in it, if all its elements are records and nothing beside it is large. */
function toTable(data: unknown): Table | undefined {
  const members = Array.isArray(data) ? [['', data] as const] : Object.entries(Object(data));
  const lists = members.filter(([, value]) => typeof value === 'object' && value !== null);
  const parsed = Records.safeParse(lists[0]?.[1]);
  if (lists.length !== 1 || !parsed.success || members.length > maxColumns) return undefined;
  return { records: parsed.data, others: members.filter((member) => member !== lists[0]) };
}

const cell = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : cut(typeof value === 'object' ? JSON.stringify(value) : String(value), maxCellLength);

const valueCell = (text: string): Html =>
  text.length > 40 ? html`<td class="long">${text}</td>` : html`<td>${text}</td>`;
