/** The script of a job's page: its rows in the table of the views, and copying. Without it the page has a plain table. */

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

/** Buttons that copy are hidden where no script runs. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => void copy(document.getElementById(button.dataset.copy ?? '')));
}

async function copy(source: HTMLElement | null): Promise<void> {
  if (source === null) return;
  const status = document.querySelector('[data-copied]');
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    if (status !== null) status.textContent = 'Copied';
  } catch {
    // Over plain http browsers give no clipboard to a page: the text is selected, to be copied by hand.
    getSelection()?.selectAllChildren(source);
    if (status !== null) status.textContent = 'Selected: copy it with your keyboard';
  }
}
