/** Pages with tens of thousands of elements: their time grows with their number, not with its square. */
import { afterAll, expect, it } from 'vitest';
import { createPageProcesses } from '../../../src/service/recipes/page-pool.ts';

// Several times what one of them takes on a busy machine, and less than the square of it on an idle one.
const processes = createPageProcesses({ deadlineMs: 40_000 });
afterAll(() => processes.close());

const count = 30_000;
const toPage = (content: string) => ({
  url: 'http://x.example/',
  status: 200,
  contentType: 'text/html',
  link: '',
  body: Buffer.from(`<html><head><title>t</title></head><body><h1>Boats</h1>${content}</body></html>`),
});
const links = '<a href="/x">x</a> '.repeat(count);
const cents = `<p>${'12<sup>99</sup> '.repeat(count)}</p>`;
const heard = `<table><tr><td>${'<i class="sr-only">1</i>'.repeat(count)}</table>`;
const code = `<pre>x${'\n'.repeat(count * 10)}y</pre>`;
const items = `<ul>${'<li><a href="/x">A boat</a> <b>$1.99</b></li>'.repeat(count)}</ul>`;
const reading = { reading: 'page', parts: undefined, maxRows: 100, browser: 'absent' };

it.each([
  ['links in a row for web_page', 'reading', links, reading, 'data.main'],
  ['small cents in a row for web_page', 'reading', cents, reading, 'data.main'],
  ['texts for the ear in a cell for web_page', 'reading', heard, reading, 'data.main'],
  ['blank lines of code for web_page', 'reading', code, reading, 'data.main'],
  ['rows of a list for a build', 'candidates', items, { goal: 'List all boats with price' }, 'selection'],
] as const)('30,000 %s are read in time', { timeout: 90_000 }, async (_, work, content, task, answer) => {
  const pool = processes.for<object, object>(work);
  expect(await pool.parse({ page: toPage(content), ...task }, new AbortController().signal)).toHaveProperty(
    answer,
  );
});

it('web_page reads 20,000 rows of a list in half of the memory', { timeout: 90_000 }, async () => {
  const small = createPageProcesses({ deadlineMs: 40_000, workers: 1, memoryMb: 128 });
  const rows = '<li><a href="/x">A boat</a> <span>$1.99</span> <span>in stock</span></li>'.repeat(20_000);
  try {
    const read = small
      .for<object, { data: { main: string } }>('reading')
      .parse({ page: toPage(`<ul>${rows}</ul>`), ...reading }, new AbortController().signal);
    expect((await read).data.main.match(/in stock/g)).toHaveLength(20_000);
  } finally {
    await small.close();
  }
});

it('a recipe reads 30,000 rows of a list in little memory', { timeout: 90_000 }, async () => {
  const small = createPageProcesses({ deadlineMs: 40_000, workers: 1, memoryMb: 80 });
  const extract = { kind: 'html', list: 'li', fields: { name: { select: 'a', type: 'text' } } };
  try {
    const read = small
      .for<object, object>('extract')
      .parse({ page: toPage(items), extract }, new AbortController().signal);
    await expect(read).resolves.toHaveProperty('extracted.rows.29999', { name: 'A boat' });
  } finally {
    await small.close();
  }
});
