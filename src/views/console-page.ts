/**
 * The script of pages that change or hold results: the rows of a job in the table of the views, copying, and looking again.
 * Without it a job's page has a plain table, and pages that change are loaded again by the browser.
 */

import { findRows } from '../contract/result-rows.ts';
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
// If the result cannot be read, the server's table stays.
if (place?.dataset.rows !== undefined) showRows(place, place.dataset.rows).catch(() => undefined);

/** Buttons that copy are hidden where no script runs. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  button.hidden = false;
  const source = document.getElementById(button.dataset.copy ?? '');
  button.addEventListener('click', () => void copy(source, button.nextElementSibling));
}

/** What somebody names is taken. */
for (const name of document.querySelectorAll<HTMLInputElement>('input[data-ticks]')) {
  const box = document.getElementById(name.dataset.ticks ?? '');
  name.addEventListener('input', () => {
    if (box instanceof HTMLInputElement) box.checked = name.value !== '';
  });
}

async function copy(source: HTMLElement | null, status: Element | null): Promise<void> {
  if (source === null) return;
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    if (status !== null) status.textContent = 'Copied';
  } catch {
    // On plain http, pages have no clipboard: the text is selected to be copied by hand.
    getSelection()?.selectAllChildren(source);
    if (status !== null) status.textContent = 'Selected: copy it with your keyboard';
  }
}

/** A page that changes is loaded again, but not while something on it is open to be read. */
const again = document.querySelector<HTMLElement>('script[data-again]');
if (again !== null)
  setInterval(() => {
    if (document.querySelector('details[open]') === null) location.reload();
  }, Number(again.dataset.again) * 1_000);
