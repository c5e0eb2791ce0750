/** The console's script: the rows of a job's result in the table of the views. Without it the page has a plain table. */

import { findRows } from './rows.ts';
import { createTable } from './table.ts';

async function showRows(place: HTMLElement, source: string): Promise<void> {
  const response = await fetch(source, { credentials: 'same-origin' });
  const job: unknown = await response.json();
  const data: unknown = Object(job).data;
  const tableRows = response.ok ? findRows(data) : undefined;
  if (tableRows === undefined) return;
  const openLink = (address: string) => void window.open(address, '_blank', 'noopener,noreferrer');
  place.replaceChildren(createTable(tableRows.rows, { label: 'Rows of the result', openLink }));
}

const place = document.querySelector<HTMLElement>('[data-rows]');
// What the server wrote stays where the result cannot be read.
if (place?.dataset.rows !== undefined) showRows(place, place.dataset.rows).catch(() => undefined);
