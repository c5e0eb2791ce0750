/** A table of rows to page, sort and filter, for the views and the console. Only the rows of one page are elements. */

import { columnLabel, getColumnNames, type ResultRow } from '../contract/result-rows.ts';
import { button, element, visible } from './elements.ts';
import { searchText, sortRows } from './row-order.ts';
import { type OpenLink, showValue } from './values.ts';

const pageSize = 50;

interface Sorting {
  readonly column: string;
  readonly direction: 'ascending' | 'descending';
}

export interface TableOptions {
  readonly label: string;
  readonly openLink: OpenLink;
}

/** Sorting and filtering are over all rows. */
export function createTable(rows: readonly ResultRow[], { label, openLink }: TableOptions): HTMLElement {
  const columns = getColumnNames(rows);
  let filtered: readonly ResultRow[] = rows;
  let ordered: readonly ResultRow[] = rows;
  let sorting: Sorting | undefined;
  let page = 0;
  let texts: readonly string[] | undefined;

  const { filter, filterLabel } = createFilter(label);
  const status = element('span', { class: 'quiet', role: 'status' });
  const body = element('tbody');
  const headers = columns.map((column) => ({
    column,
    cell: createHeader(rows, column, () => sortBy(column)),
  }));
  const previous = button('Previous', () => goTo(page - 1));
  const next = button('Next', () => goTo(page + 1));
  const pages = element('span', { class: 'quiet' });
  const head = element('thead', {}, element('tr', {}, ...headers.map(({ cell }) => cell)));
  const scroll = createScroll(label, element('table', {}, head, body));
  const paging = element('nav', { class: 'paging', 'aria-label': 'Pages' }, previous, pages, next);

  function sortBy(column: string): void {
    const isSame = sorting?.column === column;
    if (isSame && sorting?.direction === 'descending') sorting = undefined;
    else sorting = { column, direction: isSame ? 'descending' : 'ascending' };
    for (const header of headers) {
      if (sorting?.column === header.column) header.cell.setAttribute('aria-sort', sorting.direction);
      else header.cell.removeAttribute('aria-sort');
    }
    order();
  }
  function order(): void {
    ordered = sorting === undefined ? filtered : sortRows(filtered, sorting.column, sorting.direction);
    goTo(0);
  }
  function goTo(wanted: number): void {
    const last = Math.max(0, Math.ceil(ordered.length / pageSize) - 1);
    page = Math.min(Math.max(0, wanted), last);
    const start = page * pageSize;
    const shown = ordered.slice(start, start + pageSize);
    body.replaceChildren(...shown.map((row) => rowElement(row, columns, openLink)));
    scroll.scrollTop = 0;
    previous.disabled = page === 0;
    next.disabled = page === last;
    paging.hidden = last === 0;
    pages.textContent = `Page ${page + 1} of ${last + 1}`;
    status.textContent = describeCount(ordered.length, rows.length);
  }
  filter.addEventListener('input', () => {
    const wanted = filter.value.trim().toLowerCase();
    texts ??= rows.map(searchText);
    const knownTexts = texts;
    filtered = wanted === '' ? rows : rows.filter((_, index) => knownTexts[index]?.includes(wanted));
    order();
  });
  goTo(0);
  const tools = element('div', { class: 'tools' }, ...(rows.length > 1 ? [filterLabel] : []), status);
  return element('div', { class: 'records' }, tools, scroll, paging);
}

function describeCount(shown: number, count: number): string {
  const all = `${count} ${count === 1 ? 'row' : 'rows'}`;
  return shown === count ? all : `${shown} of ${all}`;
}

const createScroll = (label: string, table: HTMLElement): HTMLElement =>
  element('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0' }, table);

function createFilter(label: string) {
  const filter = element('input', { type: 'search', placeholder: 'Filter rows' });
  const name = element('span', { class: 'visually-hidden' }, `Filter ${label}`);
  return { filter, filterLabel: element('label', {}, name, filter) };
}

function createHeader(rows: readonly ResultRow[], column: string, sort: () => void): HTMLElement {
  const first = rows.find((row) => row[column] !== null && row[column] !== undefined);
  const kind = typeof first?.[column] === 'number' ? 'number' : undefined;
  return element(
    'th',
    { scope: 'col', class: kind },
    button(visible(columnLabel(column)), sort, { class: 'sort', title: visible(column) }),
  );
}

function rowElement(row: ResultRow, columns: readonly string[], openLink: OpenLink): HTMLElement {
  const cells = columns.map((column) => {
    const value = row[column];
    const shown = showValue(value, openLink);
    return element('td', { class: getWidth(value, shown.textContent ?? '') }, shown);
  });
  return element('tr', {}, ...cells);
}

/** Short values stay on one line, and long ones get room. */
function getWidth(value: unknown, { length }: string): string | undefined {
  if (typeof value === 'number') return 'number';
  return length > 60 ? 'long' : length <= 24 ? 'short' : undefined;
}
