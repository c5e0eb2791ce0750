/** The one table of the console, and the links between the pages of a long one. */
import { html } from 'hono/html';
import type { Html } from '../../http/page.ts';
import type { Page } from '../operations/list-page.ts';
import { withQuery } from './paths.ts';

/** A column as data. */
export interface TableColumn<Row> {
  readonly name: string;
  /** In place of the name. */
  readonly head?: Html;
  /** `number`: set to the right. `head`: names its row. `long`: text that wraps. */
  readonly kind?: 'number' | 'head' | 'long' | undefined;
  readonly cell: (row: Row) => Html | string | number;
}

/** Of a column that nobody knows before. */
export const kindOf = (isNumber: boolean, texts: readonly string[]): 'number' | 'long' | undefined =>
  isNumber ? 'number' : texts.some(({ length }) => length > 40) ? 'long' : undefined;

/**
 * On a narrow screen each row becomes a card, with the columns' names beside the values: nothing is cut. A `records` table
 * has columns that nobody knows before; it scrolls within the page, also by keyboard, and its shadow shows that.
 */
export function dataTable<Row>(
  label: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  kind: 'cards' | 'records' = 'cards',
): Html {
  const head = columns.map(
    ({ name, head, kind }) =>
      html`<th scope="col" class="${kind === 'number' ? kind : ''}">${head ?? name}</th>`,
  );
  const scrolls = kind === 'records' ? html` role="region" aria-label="${label}" tabindex="0"` : '';
  return html`<div class="scroll ${kind}"${scrolls}>
<table aria-label="${label}"><thead><tr>${head}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${columns.map((column) => cell(column, row, kind))}</tr>`,
  )}</tbody></table></div>`;
}

function cell<Row>({ name, kind, cell: show }: TableColumn<Row>, row: Row, table: string): Html {
  if (kind === 'head') return html`<th scope="row">${show(row)}</th>`;
  if (table === 'records') return html`<td class="${kind ?? ''}">${show(row)}</td>`;
  return html`<td class="${kind ?? ''}" data-name="${name}"><div>${show(row)}</div></td>`;
}

/** Links to the pages before and after, which keep the entries of the query. */
export function pageLinks(
  { page, hasNext }: Pick<Page<unknown>, 'page' | 'hasNext'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Html | string {
  if (page === 1 && !hasNext) return '';
  const address = (to: number) => withQuery(path, { ...query, page: String(to) });
  return html`<nav class="pages" aria-label="Pages">
${page > 1 ? html`<a href="${address(page - 1)}" rel="prev">Previous page</a>` : ''}
<span class="quiet">Page ${page}</span>
${hasNext ? html`<a href="${address(page + 1)}" rel="next">Next page</a>` : ''}
</nav>`;
}
