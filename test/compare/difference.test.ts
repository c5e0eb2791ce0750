import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceOf, isSame, unsteadyFields } from '../../src/compare/difference.ts';
import { isRelativeTime } from '../../src/compare/relative-time.ts';
import { canonicalValue } from '../../src/compare/sameness.ts';

const book = (id: number, more: object = {}) => ({
  url: `https://shop.example/books/${id}`,
  title: `Book number ${id}`,
  price: 10 + id,
  ...more,
});
const books = (...rows: readonly object[]) => ({ books: rows, has_more: false });
const many = (count: number, more: (id: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, id) => book(id, more(id)));

const told = (before: unknown, after: unknown, options = {}) => {
  const { added, removed, changed } = differenceOf(before, after, options);
  return { added, removed, changed };
};
const nothing = { added: [], removed: [], changed: [] };

describe('what is different between two versions', () => {
  it('are rows that came and went, and fields that changed, by the address of a row', () => {
    const before = books(book(1), book(2), book(3));
    const after = books(book(4), book(3), book(2, { price: 99 }));

    const difference = differenceOf(before, after);

    expect(difference).toMatchObject({ comparedBy: 'url', rows: { before: 3, after: 3 }, isLoss: false });
    expect(difference.added).toEqual([book(4)]);
    expect(difference.removed).toEqual([book(1)]);
    expect(difference.changed).toEqual([
      { key: 'https://shop.example/books/2', field: 'price', before: 12, after: 99 },
    ]);
  });

  it.each([
    ['an address', { name: 'Ann', id: 4, link: 'https://a.example/4' }, 'link'],
    [
      'a text where the only address is a picture',
      { cover: 'https://a.example/4.png?w=9', name: 'Ann' },
      'name',
    ],
    ['an id', { name: 'Ann', price: 4, item_id: 'a4' }, 'item_id'],
    ['a text', { price: '£4.00', name: 'Ann' }, 'name'],
    [
      'nothing: prices, dates and numbers change',
      { price: '£4.00', day: '2026-05-04', stock: 4 },
      'whole rows',
    ],
  ])('are told apart by %s', (_name, row, by) => {
    expect(differenceOf([row], [row]).comparedBy).toBe(by);
  });

  it('are told apart by the key that was given, also where it has twins', () => {
    const [before, after] = [many(4), many(4, (id) => ({ title: 'One title', price: id }))];

    expect(differenceOf(before, after, { key: 'title' }).comparedBy).toBe('title');
    expect(differenceOf(before, after, { key: 'unknown' }).comparedBy).toBe('url');
  });

  it('are whole rows where several share the key: nobody knows which of them changed', () => {
    const nuts = (price: number) => [
      { part: 'Nut', size: 'M', price },
      { part: 'Nut', size: 'L', price: 2 },
      { part: 'Pin', size: 'M', price: 3 },
    ];
    expect(told(nuts(1.4), nuts(1.45), { key: 'part' })).toEqual({
      added: [{ part: 'Nut', size: 'M', price: 1.45 }],
      removed: [{ part: 'Nut', size: 'M', price: 1.4 }],
      changed: [],
    });
  });

  it('takes a key only where 95 % of the rows of both versions have it for themselves', () => {
    const twins = (count: number) => (id: number) => ({
      url: `https://shop.example/${id < count ? 'twin' : id}`,
    });

    expect(differenceOf(many(40, twins(2)), many(40)).comparedBy).toBe('url');
    expect(differenceOf(many(40, twins(4)), many(40)).comparedBy).toBe('title');
    expect(differenceOf(many(40), many(40, twins(4))).comparedBy).toBe('title');
  });

  it('are fields where the result is one record, with its lists', () => {
    const product = { name: 'Tea', price: '€ 5', pictures: ['a.png', 'b.png'] };

    expect(told(product, { ...product, price: '€ 6', pictures: ['b.png', 'a.png'] })).toEqual({
      ...nothing,
      changed: [{ key: null, field: 'price', before: '€ 5', after: '€ 6' }],
    });
    expect(differenceOf(product, { name: '', price: null }).isLoss).toBe(true);
    expect(differenceOf(product, product).comparedBy).toBe('fields');
    const counts = [product, null, many(3), { rows: [] }].map((data) => differenceOf(data, data).rows.after);
    expect(counts).toEqual([1, 0, 3, 0]);
  });

  it('are also what stands beside the rows, but not how much was read', () => {
    const before = { items: many(2), currency: 'EUR', count: 2, returned: 2, has_more: false };

    expect(told(before, { ...before, currency: 'USD', count: 3, returned: 3 })).toEqual({
      ...nothing,
      changed: [{ key: null, field: 'currency', before: 'EUR', after: 'USD' }],
    });
  });

  it('follows the list of the version before, also where another is longer now', () => {
    const before = { books: many(3), related: [{ name: 'x' }] };
    const difference = differenceOf(before, { books: [], related: [{ name: 'x' }] });

    expect(difference.removed).toHaveLength(3);
    expect(difference.isLoss).toBe(true);
  });

  it.each([[true], [null]])('tells no removals where the list may go on (has_more: %s)', (has_more) => {
    const difference = differenceOf(books(book(1), book(2)), { books: [book(2), book(3)], has_more });

    expect(difference).toMatchObject({ added: [book(3)], removed: [] });
    expect(told(books(book(1)), { books: [], missing: 'a further page' }).removed).toEqual([]);
  });

  it.each([
    [3, 1, true],
    [2, 1, false],
    [10, 0, true],
    [0, 0, false],
    [10, 5, false],
  ])('is a loss: %i rows, then %i: %s', (before, after, isLoss) => {
    expect(differenceOf(many(before), many(after)).isLoss).toBe(isLoss);
  });

  it('is nothing in a relative time, which is named', () => {
    const at = (text: string) => books(book(1, { posted: text }), book(2, { posted: 'vor 2 Tagen' }));
    const difference = differenceOf(at('3 hours ago'), at('5 May 2026'));

    expect(isSame(difference)).toBe(true);
    expect(difference.ignored).toEqual(['posted']);
    expect(told(at('3 hours ago'), at('sold out')).changed).toHaveLength(1);
  });

  it('is nothing in an ignored field, also between whole rows', () => {
    const views = (count: number) => [
      { price: 1, views: count },
      { price: 1, views: count + 1 },
    ];
    const difference = differenceOf(views(1), views(7), { ignore: ['views'] });

    expect(difference).toMatchObject({ comparedBy: 'whole rows', ...nothing, ignored: ['views'] });
  });

  it('finds the fields that differ between two readings in most rows', () => {
    const at = (step: number) => many(10, (id) => ({ views: id * step, price: id === 0 ? step : 5 }));

    expect(unsteadyFields(at(1), at(2), 0.3)).toEqual(['views']);
    expect(unsteadyFields({ a: 1, b: 2 }, { a: 1, b: 3 }, 0.3)).toEqual(['b']);
  });
});

const value = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('a', 'b', 'Tea', '£5.00', null, true));
const row = fc.dictionary(fc.constantFrom('name', 'price', 'note', 'stock'), value);
const keyedRows = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 30 }), row), {
  selector: ([id]) => id,
  maxLength: 20,
});
const toBooks = (rows: readonly (readonly [number, object])[]) => rows.map(([id, more]) => book(id, more));

it('a site on this machine that was started anew, at another port, is the same site', () => {
  const at = (origin: string) =>
    many(5).map((row, id) => ({ ...row, url: `${origin}/books/${id}`, source_url: `${origin}/` }));
  expect(told(books(...at('http://127.0.0.1:4001')), books(...at('http://127.0.0.1:5002')))).toEqual(nothing);
  expect(
    told(books(...at('http://shop.example:81')), books(...at('http://shop.example:82'))).added,
  ).toHaveLength(5);
});

describe('for any rows', () => {
  it('their order never counts', () => {
    const shuffled = fc
      .array(row)
      .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })));
    fc.assert(fc.property(shuffled, ([rows, other]) => isSame(differenceOf(rows, other))));
  });

  it('blanks, forms of numbers and what addresses carry for trackers never count', () => {
    const written = (rows: ReturnType<typeof toBooks>) =>
      rows.map(({ url, price, ...others }) => ({
        url: `${url}?utm_source=mail&ref=home`,
        price: ` ${typeof price === 'number' ? price.toFixed(2) : (price ?? '')} `,
        ...Object.fromEntries(
          Object.entries(others).map(([name, text]) => [
            name,
            typeof text === 'string' ? `\n ${text.replaceAll(' ', '  ')}` : text,
          ]),
        ),
      }));
    fc.assert(
      fc.property(keyedRows, (rows) => {
        expect(told(toBooks(rows), written(toBooks(rows)))).toEqual(nothing);
      }),
    );
  });

  it('each change is undone by the opposite one, so that A, B, A are two changes', () => {
    fc.assert(
      fc.property(keyedRows, keyedRows, (one, other) => {
        const [there, back] = [told(toBooks(one), toBooks(other)), told(toBooks(other), toBooks(one))];
        expect(back.added).toEqual(there.removed);
        expect(back.removed).toEqual(there.added);
        expect(back.changed.map(({ field, before, after }) => [field, after, before]).sort()).toEqual(
          there.changed.map(({ field, before, after }) => [field, before, after]).sort(),
        );
      }),
    );
  });

  it('rows without a key are multisets: of twins each counts', () => {
    const bag = fc.array(fc.record({ price: fc.integer({ min: 0, max: 3 }) }), { maxLength: 12 });
    fc.assert(
      fc.property(bag, bag, (one, other) => {
        const { added, removed, comparedBy } = differenceOf(one, other);
        expect(comparedBy).toBe('whole rows');
        expect(one.length - removed.length).toBe(other.length - added.length);
        for (let price = 0; price <= 3; price += 1) {
          const count = (rows: readonly unknown[]) =>
            rows.filter((each) => Object(each).price === price).length;
          expect(count(added) - count(removed)).toBe(count(other) - count(one));
        }
      }),
    );
  });

  it('what is told leads from the version before to the version after', () => {
    fc.assert(
      fc.property(keyedRows, keyedRows, (one, other) => {
        const [before, after] = [toBooks(one), toBooks(other)];
        const { added, removed, changed } = told(before, after);
        const gone = new Set(removed.map(({ url }) => url));
        const left = before.filter(({ url }) => !gone.has(url)).map((each) => ({ ...each }));
        for (const { key, field, after: now } of changed)
          Object.assign(left.find(({ url }) => url === key) ?? {}, { [field]: now });
        const texts = (rows: readonly object[]) => rows.map(canonicalValue).sort();
        expect(texts([...left, ...added])).toEqual(texts(after));
      }),
    );
  });
});

describe('two values say the same', () => {
  it.each([
    ['1,234.50', 1234.5],
    ['£ 51.77', '£51.77'],
    ['5 €', '€5.00'],
    ['https://a.example/x?b=1&a=2', 'https://a.example/x?a=2&b=1&gclid=9'],
    ['  two\n words', 'two words'],
    [null, ''],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [{ a: 1, b: null }, { a: '1' }],
  ])('%j and %j', (one, other) => expect(canonicalValue(one)).toBe(canonicalValue(other)));

  it.each([
    ['1.234', '1,234'],
    ['£5', '€5'],
    ['5 in stock', '5'],
    ['https://a.example/?page=1', 'https://a.example/?page=2'],
    [true, 'false'],
    ['12345678901234567890', '12345678901234567891'],
    [['a', 'a'], ['a']],
  ])('not %j and %j', (one, other) => expect(canonicalValue(one)).not.toBe(canonicalValue(other)));

  it.each([
    '3 hours ago',
    'vor 2 Tagen',
    'il y a 3 jours',
    'Posted an hour ago',
    'yesterday at 14:05',
    'ends in 5 minutes',
    '3日前',
  ])('%s is a relative time', (text) => expect(isRelativeTime(text)).toBe(true));
  it.each([
    '3 days',
    'in stock',
    'Ships in 2 days',
    '5 min read',
    'Order now',
    '2026-05-04',
    'A year in Provence',
  ])('%s is none', (text) => expect(isRelativeTime(text)).toBe(false));
});
