/** `parts: ["tables"]` gives every table of a page. */
import { expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { readTables } from '../../../src/service/web/read-records.ts';

const read = (body: string) =>
  readTables(
    new Document({
      url: 'https://x.example/',
      status: 200,
      contentType: 'text/html',
      link: '',
      body: Buffer.from(`<body>${body}</body>`),
    }),
  );
const prices = '<main><table><tr><th>Boat<th>Price<tr><td>Ada<td>12<tr><td>Grace<td>14</table></main>';

it('a table beside the content, whose columns have no names, is read as well', async () => {
  const contact =
    '<aside><table><caption>Contact</caption><tr><td>Phone<td>555 01<tr><td>Mail<td>a@x.example</table></aside>';
  expect(await read(`${prices}${contact}`)).toMatchObject([
    { columns: ['Boat', 'Price'] },
    {
      about: 'Contact',
      rows: [
        { 'column 1': 'Phone', 'column 2': '555 01' },
        { 'column 1': 'Mail', 'column 2': 'a@x.example' },
      ],
    },
  ]);
});

it('a table is not read twice', async () => {
  expect(await read(prices)).toHaveLength(1);
});

it('the columns have the names of their groups, and cells beyond the names are kept', async () => {
  const fees =
    '<table><tr><th rowspan="2">Course<th colspan="2">Fee<tr><th>2025<th>2026<tr><td>Sailing<td>10<td>12<tr><td>Rowing<td>8<td>9<td>full</table>';
  expect(await read(fees)).toMatchObject([
    {
      columns: ['Course', 'Fee 2025', 'Fee 2026', 'column 4'],
      rows: [
        { Course: 'Sailing', 'Fee 2025': '10', 'Fee 2026': '12', 'column 4': null },
        { Course: 'Rowing', 'Fee 2025': '8', 'Fee 2026': '9', 'column 4': 'full' },
      ],
    },
  ]);
});

it('the headings between rows, and those of tables that are one list, stand beside their rows', async () => {
  const head = '<tr><th>Boat<th>Price';
  const north = `<table><caption>North</caption>${head}<tr><td colspan=2>Sail<tr><td>Ada<td>12<tr><td colspan=2>Steam<tr><td>Grace<td>14</table>`;
  const south = `<table><caption>South</caption>${head}<tr><td>Edith<td>9</table>`;
  expect(read(north)).toMatchObject([
    {
      about: 'North',
      rows: [
        { Boat: 'Ada', section: 'Sail' },
        { Boat: 'Grace', section: 'Steam' },
      ],
    },
  ]);
  expect(read(north + south)).toMatchObject([
    {
      about: null,
      rows: [{ section: 'North: Sail' }, { section: 'North: Steam' }, { Boat: 'Edith', section: 'South' }],
    },
  ]);
  expect(read(prices)[0]?.columns).toEqual(['Boat', 'Price']);
});

it.each([
  ['<tfoot><tr><td>Sum<td>26</tfoot>', ''],
  ['', '<tr><td colspan=2>Without harbour dues'],
])('that something stands below the rows is said', (foot, note) => {
  const table = `<table>${foot}<tr><th>Boat<th>Price<tr><td>Ada<td>12<tr><td>Grace<td>14${note}</table>`;
  expect(read(table)[0]?.leftOut).toEqual(['Rows and notes below the data']);
  expect(read(prices)[0]?.leftOut).toEqual([]);
});
