/** Separated values as a source of rows. */
import { expect, it } from 'vitest';
import { startWebServer } from '../../support/web-server.ts';
import { closers, toolsFor } from './serve-pages.ts';

async function serveFile(body: string, type = 'text/csv') {
  const server = await startWebServer(({ path }, response) => {
    if (path === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type }).end(body);
  });
  closers.push(() => server.close());
  return toolsFor(server.origin);
}

it.each<[string, string, string, readonly unknown[]]>([
  [
    'commas and quotes',
    '"Name","Amount","City"\r\n"Ann","1,234.50","Bonn, am Rhein"\r\n"Bob","12.00","say ""x"" <b>"\r\n"Cid","7.25",""\r\n',
    'people with name, amount and city',
    [
      { name: 'Ann', amount: 1234.5, city: 'Bonn, am Rhein' },
      { name: 'Bob', amount: 12, city: 'say "x" <b>' },
      { name: 'Cid', amount: 7.25, city: null },
    ],
  ],
  [
    'semicolons below a title, a note at the end, commas at the ends of lines',
    'sep=;\nParts of 2026\n\nName;Price;Date\nBolt;1,20;01.02.2026;\nNut;0,40;13.02.2026\nPin;0,10;;\nSource: the office\n',
    'parts with name, price and date',
    [
      { name: 'Bolt', price: 1.2, date: '2026-02-01' },
      { name: 'Nut', price: 0.4, date: '2026-02-13' },
      { name: 'Pin', price: 0.1, date: null },
    ],
  ],
])('%s', async (_, text, goal, rows) => {
  const { build, run } = await serveFile(text);
  expect(await run(await build('/', goal), {})).toMatchObject({ items: rows });
});

it('tabs in a file that is sent as text without a type are told by its name', async () => {
  const { build, run } = await serveFile('Name\tAge\nAnn\t31\nBob\t42\nCleo\t27\n', 'text/plain');
  const rows = [31, 42, 27].map((age) => expect.objectContaining({ age }));
  expect(await run(await build('/people.tsv', 'people with name and age'), {})).toMatchObject({
    items: rows,
  });
  expect(await build('/people', 'people with name and age')).toMatchObject({ errorType: 'NO_DATA_FOUND' });
});

it('a line with more values than the head is left out, and the answer says so', async () => {
  const { build, run } = await serveFile(
    'Name,City,Age\nAnn,Bonn, am Rhein,12\nBob,Ulm,13\nCid,Jena,14\nDora,,15\n',
  );
  const data = await run(await build('/', 'people with name, city and age'), {});
  expect(data).toMatchObject({
    items: [{ name: 'Bob' }, { name: 'Cid' }, { name: 'Dora', city: null, age: 15 }],
    missing: [expect.stringContaining('one cell across it')],
  });
});

it('a first line of values names no columns', async () => {
  const { preview } = await serveFile('1,2.5,Bonn\n2,3.5,Ulm\n3,4.5,Jena\n');
  expect(await preview('/')).toMatchObject({
    candidates: [{ rows: 3, columns: [{ label: '' }, { label: '' }, { label: '' }] }, {}],
  });
});
