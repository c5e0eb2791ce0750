/** What a page offers to a build: its candidates with their columns and samples. */
import { html } from 'hono/html';
import type { BuildPreview, PreviewCandidate } from '../../contract/endpoints.ts';
import type { Html } from '../../http/page.ts';
import { type Columns, count, cut, dataTable } from './html.ts';

type Column = PreviewCandidate['columns'][number];

export const candidateHeading = ({ id, kind, about, rows }: PreviewCandidate): Html =>
  html`${id}: ${kind}${about === undefined ? '' : html` “${about}”`}, ${count(rows, 'row')}`;

const columnNames: Columns = [['Column'], ['Kind'], ['Samples']];

export function candidateTable(candidate: PreviewCandidate): Html {
  const { id, columns, more_columns = 0 } = candidate;
  const rows = columns.map((column) => html`<tr>${columnCells(column)}</tr>`);
  return html`<h2>${candidateHeading(candidate)}</h2>
${dataTable(`Columns of ${id}`, columnNames, rows, 'records')}
${more_columns === 0 ? '' : html`<p class="quiet">and ${count(more_columns, 'more column')}</p>`}`;
}

const columnCells = ({ id, label, part_of, kind, samples }: Column): Html =>
  html`<td><code>${id}</code> ${label}${part_of === undefined ? '' : html` <span class="quiet">part of ${part_of}</span>`}</td>
<td>${kind}</td><td class="long">${samples.map((sampleText) => cut(sampleText, 120)).join(' | ')}</td>`;

/** A field for the name of each column. */
export const namesTable = (columns: readonly Column[], names: ReadonlyMap<string, string>): Html =>
  dataTable(
    'Columns',
    [['Name'], ...columnNames],
    columns.map(
      (column) =>
        html`<tr><td><label class="visually-hidden" for="name-${column.id}">Name of column ${column.id} ${column.label}</label>
<input id="name-${column.id}" name="name-${column.id}" value="${names.get(column.id) ?? ''}" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false"></td>
${columnCells(column)}</tr>`,
    ),
    'records',
  );

export const sampleTable = (rows: NonNullable<BuildPreview['sample']>): Html =>
  html`<h2>The first rows</h2>
${rowsTable('The first rows', rows)}`;

export function rowsTable(caption: string, rows: NonNullable<BuildPreview['sample']>): Html {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = (value: unknown) =>
    value === null || value === undefined
      ? ''
      : cut(typeof value === 'string' ? value : JSON.stringify(value), 300);
  return dataTable(
    caption,
    names.map((name) => [name]),
    rows.map((row) => html`<tr>${names.map((name) => html`<td>${text(row[name])}</td>`)}</tr>`),
    'records',
  );
}
