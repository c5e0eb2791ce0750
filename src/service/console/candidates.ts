/** What a page offers to a build: each candidate as the table that it would become, a column under its head. */
import { html } from 'hono/html';
import type { PreviewCandidate } from '../../contract/endpoints.ts';
import type { Html } from '../../http/page.ts';
import { count, cut } from './html.ts';
import { dataTable, kindOf, type TableColumn } from './table.ts';

type PageColumn = PreviewCandidate['columns'][number];

/** What the page calls it, else what it is. */
export const candidateTitle = ({ kind, about, rows }: PreviewCandidate): string =>
  `${about === undefined ? kind.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()) : cut(about, 100)}, ${count(rows, 'row')}`;

const numeric = /^(number|integer|price|money|amount)/i;

/** The page's own samples; `pick` adds to a column's head what it is taken with. */
export function candidateTable(candidate: PreviewCandidate, pick?: (column: PageColumn) => Html): Html {
  const { columns, more_columns = 0 } = candidate;
  const depth = Math.max(0, ...columns.map(({ samples }) => samples.length));
  const rows = Array.from({ length: depth }, (_, index) => index);
  const shown = columns.map((column): TableColumn<number> => {
    const { id, label, kind, samples, part_of } = column;
    return {
      name: label || id,
      head: html`<span class="column">${label || 'no label'} <span class="quiet">${kind}${part_of === undefined ? '' : `, part of ${part_of}`}</span>${pick?.(column) ?? ''}</span>`,
      kind: kindOf(numeric.test(kind), samples),
      cell: (index) => cut(samples[index] ?? '', 120),
    };
  });
  return html`${dataTable(candidateTitle(candidate), shown, rows, 'records')}
${more_columns === 0 ? '' : html`<p class="quiet">and ${count(more_columns, 'more column')}</p>`}`;
}
