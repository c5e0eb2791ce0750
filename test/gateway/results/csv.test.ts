import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withUnitColumns } from '../../../src/contract/csv.ts';
import { toView } from '../../../src/gateway/results/view.ts';
import { timeOf } from '../../support/stalls.ts';

const kept = (data: unknown) => Buffer.from(JSON.stringify({ status: 'completed', data }));
const view = (
  data: unknown,
  more: { offset?: number; limit?: number; budget?: number; select?: string } = {},
) =>
  toView({
    kept: kept(data),
    budget: 20_000,
    format: 'csv',
    ...more,
  });

/** A reader of RFC 4180 of its own. */
function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (const [, quotedCell, cell, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    line.push(quotedCell?.replaceAll('""', '"') ?? cell ?? '');
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}

describe('rows as CSV', () => {
  it('have a header of every member, CRLF, quotes where needed, and JSON for nested values', () => {
    const rows = [
      { title: 'A, "B"', tags: ['x', 'y'], price: 1.5 },
      { title: 'two\nlines', stock: null, price: 2 },
      { title: ' padded', seller: { id: 7 }, price: -0 },
    ];
    expect(view(rows).data).toBe(
      'title,tags,price,stock,seller\r\n' +
        '"A, ""B""","[""x"",""y""]",1.5,,\r\n' +
        '"two\nlines",,2,,\r\n' +
        '" padded",,0,,"{""id"":7}"\r\n',
    );
  });

  it('can be read back, whatever is in them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ a: fc.string({ unit: 'binary' }), b: fc.string() }), {
          minLength: 1,
          maxLength: 10,
        }),
        (rows) => {
          const [header, ...lines] = readCsv(String(view(rows).data));
          expect(header).toEqual(['a', 'b']);
          expect(lines).toEqual(rows.map(({ a, b }) => [a, b]));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('are the longest list of an object; its other members stand beside them', () => {
    const shown = view({ count: 43, few: [1], books: [{ t: 'A' }, { t: 'B' }] });
    expect(shown).toMatchObject({ data: 't\r\nA\r\nB\r\n', path: 'books', beside: { count: 43, few: [1] } });
  });

  it.each([
    [
      { id: 1, text: 'To be', author: null, tags: ['doubt', 'life'] },
      'id,text,author,tags\r\n1,To be,,"[""doubt"",""life""]"\r\n',
    ],
    [{ title: 'A', isbns: [], subjects: ['x'] }, 'title,isbns,subjects\r\nA,[],"[""x""]"\r\n'],
    [{ title: 'A', tags: [] }, 'title,tags\r\nA,[]\r\n'],
    [{ count: 2, source_url: 'https://x.example/', items: ['a', 'b'] }, 'value\r\na\r\nb\r\n'],
    [{ query: 'none', items: [] }, ''],
  ])('are the record itself where its lists are fields of it: %j', (data, csv) => {
    expect(view(data).data).toBe(csv);
  });

  it('are those of the one table of a result, and the longest of several is named', () => {
    const rows = [{ a: 1 }, { a: 2 }];
    const page = {
      title: 'Fees',
      missing: ['one', 'two', 'three'],
      tables: [{ about: 'Prices', columns: ['a'], rows }],
    };
    expect(view(page)).toEqual({
      data: 'a\r\n1\r\n2\r\n',
      page: expect.anything(),
      path: 'tables[0].rows',
      beside: { title: 'Fees', missing: page.missing, about: 'Prices' },
    });
    const several = { tables: [...page.tables, { about: null, columns: ['b'], rows: [{ b: 1 }] }] };
    expect(view(several)).toMatchObject({
      data: 'a\r\n1\r\n2\r\n',
      note: 'The rows are tables[0].rows; set select for those of tables[1].rows.',
    });
    expect(view({ items: [], missing: ['a'] })).toMatchObject({ page: { total: 0 }, path: 'items' });
  });

  it('show a currency that all of them share only once', () => {
    const rows = [
      { price: 1, currency: 'GBP', weight_unit: 'g' },
      { price: 2, currency: 'GBP', weight_unit: 'kg' },
    ];
    expect(view(rows)).toMatchObject({
      data: 'price,weight_unit\r\n1,g\r\n2,kg\r\n',
      beside: { currency: 'GBP' },
    });
  });

  it('keep their own currency as a column where another one stands beside them', () => {
    const rows = [
      { price: 1, currency: 'USD' },
      { price: 2, currency: 'USD' },
    ];
    const shown = view({ currency: 'EUR', rows });
    expect(shown).toMatchObject({
      data: 'price,currency\r\n1,USD\r\n2,USD\r\n',
      beside: { currency: 'EUR' },
    });
    expect(withUnitColumns(String(shown.data), { ...shown.beside, unit: 'kg' })).toBe(
      'price,currency,unit\r\n1,USD,kg\r\n2,USD,kg\r\n',
    );
  });

  it('say where a long text beside them is shortened', () => {
    const page = { main: 'word '.repeat(2_000), tables: [{ rows: [{ a: 1 }] }] };
    expect(view(page)).toMatchObject({
      data: 'a\r\n1\r\n',
      note: 'What stands beside the rows is shortened here: format json has all of it.',
    });
    expect(view({ ...page, main: 'short' }).note).toBeUndefined();
  });

  it('leave no blank line, which readers pass over, for a row without a value', () => {
    expect(view([{ a: null }, { a: 1 }, {}]).data).toBe('a\r\n""\r\n1\r\n""\r\n');
  });

  it('cost what is there, also with a column of units for each of many rows', () => {
    const rows = Array.from({ length: 5_500 }, (_, id) => ({ [`a${id}_unit`]: 'g', currency: 'GBP' }));
    const budget = 100_000;
    let shown: ReturnType<typeof view> | undefined;
    expect(
      timeOf(() => {
        shown = view(rows, { budget });
      }),
    ).toBeLessThan(200);
    expect(shown).toMatchObject({ beside: { currency: 'GBP' }, page: { total: 5_500 } });
    expect(view([{ unit: 'g' }, {}]).beside).toBeUndefined();
    expect(view([{}, { unit: 'g' }, { unit: 'g' }]).beside).toBeUndefined();
    expect(view([{ unit: 'g' }]).beside).toBeUndefined();
  });

  it('are JSON within the budget where a row is longer by itself, and the rest of it can be read', () => {
    const rows = [{ text: 'a'.repeat(200) }, { text: 'b'.repeat(200) }];
    const shown = view({ rows, count: 2 }, { budget: 100 });
    expect(JSON.stringify(shown.data).length).toBeLessThan(110);
    expect(shown).toMatchObject({
      data: [{ text: expect.stringMatching(/^a+$/) }],
      page: { offset: 0, total: 2, next_offset: 1 },
      tooLarge: { path: 'rows | [0] | text', totalChars: 211 },
      beside: { count: 2 },
      note: 'A row of CSV would be longer than an answer may be, so the rows are JSON.',
    });
    expect(view(rows, { budget: 100, offset: 1 })).toMatchObject({
      data: [{ text: expect.stringMatching(/^b+$/) }],
      page: { next_offset: null },
    });
  });

  it('are the value itself where it is no list and too long, and the rest of it can be read', () => {
    const data = { of: { text: 'a'.repeat(200) } };
    const { tooLarge, ...shown } = view(data, { select: 'of', budget: 100, limit: 1 });
    expect(shown).toMatchObject({ data: { text: expect.stringMatching(/^a+$/) } });
    const offset = tooLarge?.offset ?? 0;
    const rest = toView({ kept: kept(data), select: tooLarge?.path, offset, budget: 1_000 });
    expect(rest.data).toBe('a'.repeat(200 - offset));
    // No page: the offset of CSV counts rows.
    const text = view('b'.repeat(200), { budget: 102, limit: 1 });
    expect(text).toMatchObject({ data: 'b'.repeat(100), tooLarge: { path: '@', offset: 100 } });
    expect(text).not.toHaveProperty('page');
  });

  it('are JSON where the header alone is longer than the budget', () => {
    const rows = Array.from({ length: 60 }, (_, id) => ({ [`column${id}`]: id }));
    const { data, page } = view(rows, { budget: 400 });
    expect(data).toEqual(rows.slice(0, page?.next_offset ?? 0));
    expect(page?.next_offset).toBeGreaterThan(10);
  });

  it('are CSV as far as they fit where a later row is longer than the budget', () => {
    const rows = [{ text: 'a' }, { text: 'b'.repeat(200) }, { text: 'c' }];
    expect(view(rows, { budget: 100 })).toMatchObject({ data: 'text\r\na\r\n', page: { next_offset: 1 } });
    expect(view(rows, { budget: 100, offset: 2 })).toMatchObject({ data: 'text\r\nc\r\n' });
  });

  it('are paged without loss, each page with the header', () => {
    const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: `Row ${id}` }));
    const pages: string[][] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const { data, page } = view(rows, { offset, budget: 100 });
      const [header, ...lines] = readCsv(String(data));
      expect(header).toEqual(['id', 'name']);
      expect(String(data).length).toBeLessThanOrEqual(100);
      pages.push(...lines);
      offset = page?.next_offset ?? null;
    }
    expect(pages).toEqual(rows.map(({ id, name }) => [String(id), name]));
  });

  it('cost far fewer characters than JSON', () => {
    const rows = Array.from({ length: 40 }, (_, id) => ({
      title: `Book ${id}`,
      price: 10,
      availability: 'In stock',
    }));
    expect(String(view(rows).data).length).toBeLessThan(JSON.stringify(rows).length / 2);
  });
});
