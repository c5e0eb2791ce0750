/** One list that a page sets in several columns or tables: all of it is given, or what is not is told. */
import { describe, expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const first = ['Adler', 'Brock', 'Cello', 'Dorn', 'Erle'];
const second = ['Nord', 'Olm', 'Pult', 'Quast', 'Rabe'];

const rowsOf = (names: readonly string[]) =>
  names.map((name, at) => `<tr><td>${name}</td><td>${at + 110} m</td></tr>`).join('');
const tableOf = (heads: readonly string[], names: readonly string[]) =>
  `<table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rowsOf(names)}</table>`;
const linksOf = (names: readonly string[]) =>
  names.map((name) => `<a href="/peaks/${name}">${name} peak</a><br>`).join('');
const pageOf = (...columns: readonly string[]) =>
  `<!doctype html><html lang="en"><title>Peaks</title><body><main><h1>Peaks</h1>${columns.map((column) => `<div class="column">${column}</div>`).join('')}</main></body></html>`;

async function peaksOf(page: string, fields: string) {
  const { build, run } = await serve(() => page);
  const built = await build('/', `List all peaks with ${fields}`);
  const { items, missing = [] } = await run(built, {});
  return { rows: Array.isArray(items) ? items.length : 0, built, missing };
}

describe('a list in two columns', () => {
  it.each([
    ['has heads in the first one only', rowsOf(second), 'Nord | 110 m'],
    ['has another unit in the second one', tableOf(['Name', 'Height (ft)'], second), 'Name | Height (ft)'],
    ['has another name for its rows in the second one', tableOf(['Peak', 'Height'], second), 'Peak | Height'],
  ])('is told where a table %s', async (_, other, begins) => {
    const beside = other.startsWith('<table') ? other : `<table>${other}</table>`;
    const { rows, built, missing } = await peaksOf(
      pageOf(tableOf(['Name', 'Height'], first), beside),
      'name and height',
    );
    const told = [expect.stringContaining(`begins with "${begins}"`)];
    expect({ rows, missing }).toEqual({ rows: 5, missing: told });
    expect(built).toMatchObject({ missing: told });
  });

  it('is read whole where its tables have the same heads', async () => {
    const heads = ['Name', 'Height'];
    const { rows, missing } = await peaksOf(
      pageOf(tableOf(heads, first), tableOf(heads, second)),
      'name and height',
    );
    expect({ rows, missing }).toEqual({ rows: 10, missing: [] });
  });

  it('says nothing of a table beside it with other columns', async () => {
    const legend =
      '<table><tr><th>Colour</th><th>Meaning</th></tr><tr><td>Red</td><td>Closed</td></tr></table>';
    const { rows, missing } = await peaksOf(
      pageOf(tableOf(['Name', 'Height'], first), legend),
      'name and height',
    );
    expect({ rows, missing }).toEqual({ rows: 5, missing: [] });
  });

  it('has a row for each of its links, not for each column', async () => {
    const { rows, missing } = await peaksOf(pageOf(linksOf(first), linksOf(second)), 'name and link');
    expect({ rows, missing }).toEqual({ rows: 10, missing: [] });
  });
});

it('a first row that is called a total is told', async () => {
  const rows = ['Total country', ...first].map(
    (name, at) => `<tr><td>${name}</td><td>${at === 0 ? '48,085,361' : `${at + 1},300,${at}50`}</td></tr>`,
  );
  const table = `<table><tr><th>Region</th><th>People</th></tr>${rows.join('')}</table>`;
  const { build, run } = await serve(() => pageOf(table));
  const { missing } = await run(await build('/', 'List all regions with region and people'), {});
  expect(missing).toEqual(['The first row may be a total and no further entry: "Total country".']);
});
