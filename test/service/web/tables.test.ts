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
