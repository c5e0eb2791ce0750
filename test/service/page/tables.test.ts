/** Tables as HTML defines them. */
import { expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { extracted } from '../../support/extract.ts';
import { candidatesOf } from '../builder/best-choice.ts';

const table = (rows: string) =>
  `<table><thead><tr><th>Year</th><th>Pier</th><th>Stones</th></tr></thead><tbody>${rows}</tbody></table>`;
const rest = '<td>North</td><td>100</td></tr><tr><td>South</td><td>200</td></tr>';

it.each(['0', '2px', ' 2', '+2', '2.9', '99999'])('a rowspan of "%s" reaches two rows', async (span) => {
  const rows = await extracted(table(`<tr><td rowspan="${span}">2020</td>${rest}`), { kind: 'table' });
  expect(rows).toEqual([
    { Year: '2020', Pier: 'North', Stones: '100' },
    { Year: '2020', Pier: 'South', Stones: '200' },
  ]);
});

it.each(['0', 'x', '-2', '1px', ''])(
  'a colspan of "%s" is bounded, and never shifts what follows',
  async (span) => {
    const rows = await extracted(table(`<tr><td colspan="${span}">2020</td><td>North</td><td>1</td></tr>`), {
      kind: 'table',
    });
    expect(rows).toEqual([{ Year: '2020', Pier: 'North', Stones: '1' }]);
  },
);

it('one empty cell hides no table from a build', async () => {
  const rows = Array.from(
    { length: 12 },
    (_, index) =>
      `<tr><td>20${index + 10}</td><td>Pier ${index}</td><td>${index === 4 ? '' : index * 7}</td></tr>`,
  );
  const body = Buffer.from(`<main><h1>Piers</h1>${table(rows.join(''))}</main>`);
  const page = { url: 'https://site.example/', status: 200, contentType: 'text/html', link: '', body };
  const found = (await candidatesOf(new Document(page))).find(({ kind }) => kind === 'table');
  expect(found?.columns.map(({ label }) => label)).toEqual(['Year', 'Pier', 'Stones']);
});

it('a head in two levels is a head, whatever its cells are', async () => {
  const head =
    '<tr><td rowspan="2"><b>Pier</b></td><td colspan="2"><b>Fee</b></td></tr><tr><td><b>2025</b></td><td><b>2026</b></td></tr>';
  const rows = '<tr><td>North</td><td>1</td><td>2</td></tr><tr><td>South</td><td>3</td><td>4</td></tr>';
  for (const page of [head, head.replaceAll('td', 'th')])
    expect(await extracted(`<table>${page}${rows}</table>`, { kind: 'table' })).toEqual([
      { Pier: 'North', 'Fee 2025': '1', 'Fee 2026': '2' },
      { Pier: 'South', 'Fee 2025': '3', 'Fee 2026': '4' },
    ]);
  const spanning = '<tr><td rowspan="2">North</td><td>1</td></tr><tr><td>2</td></tr>';
  expect(
    await extracted(`<table><tr><th>Pier</th><th>Fee</th></tr>${spanning}</table>`, { kind: 'table' }),
  ).toEqual([
    { Pier: 'North', Fee: '1' },
    { Pier: 'North', Fee: '2' },
  ]);
});

it('what a cell says without text is its value', async () => {
  const rows = await extracted(
    `<table><tr><th>Boat<th>Sold<th>Ready<tr><td>Ada<td><img src="y.png" alt="Yes"><td><input type="checkbox" disabled checked>
     <tr><td>Grace<td><svg aria-label="No"></svg><td><input type="checkbox" disabled>
     <tr><td>Mary<td><i class="fa-solid fa-xmark"></i><td><i class="material-icons">check</i></table>`,
    { kind: 'table' },
  );
  expect(rows).toEqual([
    { Boat: 'Ada', Sold: 'Yes', Ready: '[x]' },
    { Boat: 'Grace', Sold: 'No', Ready: '[ ]' },
    { Boat: 'Mary', Sold: '(xmark)', Ready: '(check)' },
  ]);
});

it('a key for sorting that no reader sees is no part of a value', async () => {
  const rows = await extracted(
    `<table><tr><th>Day<th>Visitors<tr><td><span style="display:none">20240506</span>6 May 2024<td><span hidden>0099</span>99</table>`,
    {
      kind: 'table',
      columns: { day: { header: 'Day', type: 'date' }, visitors: { header: 'Visitors', type: 'number' } },
    },
  );
  expect(rows).toEqual([{ day: '2024-05-06', visitors: 99 }]);
});

it.each([
  ['<i aria-hidden="true">▲</i>+1,25%', '+1,25%'],
  ['<i aria-hidden="true">▼</i> −1,25%', '−1,25%'],
  ['<i aria-hidden="true">▼</i>—', '—'],
  ['<span><i aria-hidden="true">▼</i></span>1,25%', '▼1,25%'],
  ['<i aria-hidden="true">▼</i>1,25%', '▼1,25%'],
  ['▼-1,25%', '▼-1,25%'],
  ['<i aria-hidden="true">$</i>-5', '$-5'],
])('an arrow that only repeats the sign of a value is no part of it: %s', async (cell, value) => {
  const table = `<table><tr><th>Share<th>Change<tr><td>Ada<td>${cell}<tr><td>Grace<td>+2%</table>`;
  expect(await extracted(table, { kind: 'table' })).toMatchObject([{ Change: value }, { Change: '+2%' }]);
});

it.each([
  [
    'that is too short',
    '<tr><td>Ada<tr><td>Grace<td>14',
    '<tr><th>Boat<th>Price',
    ['Ada', null, 'Grace', '14'],
  ],
  [
    'that spans some columns',
    '<tr><td>Ada<td colspan=2>none<tr><td colspan=2>Grace',
    '<tr><th>Boat<th>Price<th>Fee',
    ['Ada', 'none', 'none', 'Grace', 'Grace', null],
  ],
  [
    'whose cells are headers, as all others are',
    '<tbody><tr><th>Ada<th>12<tr><th>Grace<th>14',
    '<thead><tr><th>Boat<th>Price</thead>',
    ['Ada', '12', 'Grace', '14'],
  ],
])('a row %s is a row', async (_, rows, head, values) => {
  const found = await extracted(`<table>${head}${rows}</table>`, { kind: 'table' });
  expect(Array.isArray(found) && found.flatMap((row) => Object.values(row))).toEqual(values);
});

it('the fractions and powers of a formula are no digits side by side', async () => {
  const cell = (inner: string) => `<td><math>${inner}</math>`;
  const frac = (one: number, other: number) => `<mfrac><mn>${one}</mn><mn>${other}</mn></mfrac>`;
  const power = '<semantics><msup><mn>10</mn><mn>3</mn></msup><annotation>10^3</annotation></semantics>';
  const rows = await extracted(
    `<table><tr><th>Part<th>Size<tr>${cell(frac(1, 2))}${cell(power)}<tr>${cell(frac(3, 4))}<td>5</table>`,
    {
      kind: 'table',
      columns: { part: { header: 'Part', type: 'number' }, size: { header: 'Size', type: 'number' } },
    },
  );
  expect(rows).toEqual([
    { part: 0.5, size: 1000 },
    { part: 0.75, size: 5 },
  ]);
});
