import { describe, expect, it } from 'vitest';
import { judge, namesOfParams, type Profile } from '../../src/compare/drift.ts';
import { shapeOf } from '../../src/compare/shape.ts';

const day = 24 * 60 * 60_000;
const list = (count: number, first = 0, more: (id: number) => object = () => ({})) => ({
  count,
  items: Array.from({ length: count }, (_, index) => {
    const id = first + index;
    return { url: `https://x.example/${id}`, title: `Title ${id}`, price: 10 + (id % 7), ...more(id) };
  }),
});

/** The verdicts of runs one after another. */
interface Named {
  readonly call?: (index: number) => string;
  readonly texts?: (index: number) => string;
}

function verdicts(results: readonly unknown[], { call = () => 'a', texts = () => 'a' }: Named = {}) {
  let profile: Profile = { runs: [], known: {} };
  return results.map((data, index) => {
    const judged = judge(profile, { at: index * day, call: call(index), texts: texts(index) }, shapeOf(data));
    profile = judged.profile;
    return judged.drift;
  });
}
const last = (...args: Parameters<typeof verdicts>) => verdicts(...args).at(-1)?.doubt;
const usual = [list(30), list(28), list(30)];

describe('a result departs from earlier ones', () => {
  it.each<[string, unknown, string]>([
    ['no rows', list(0), 'There are no rows; the last 3 runs like this had 28 to 30.'],
    ['null', null, 'There are no rows'],
    ['one row', list(1), 'There is only 1 row; the last 3 runs like this had 28 to 30.'],
    ['far fewer rows', list(4), 'There are only 4 rows; the last 3 runs like this had 28 to 30.'],
    ['an empty field', list(30, 0, () => ({ price: null })), 'price is empty'],
    ['a field that is gone', list(30, 0, () => ({ price: undefined })), 'price is empty'],
    ['texts in place of numbers', list(30, 0, () => ({ price: 'sold' })), 'price holds texts'],
    ['texts in place of addresses', list(30, 0, (id) => ({ url: `${id}` })), 'url holds texts'],
    [
      'one value in all rows',
      list(30, 0, () => ({ title: 'Accept cookies' })),
      'title is the same in all 30 rows',
    ],
    [
      'another value in every row',
      list(30, 0, (id) => ({ title: `Author ${id}` })),
      'title changed in every row',
    ],
  ])('by %s', (_, data, doubt) => {
    expect(last([...usual, data])).toContain(doubt);
  });

  it.each<[string, unknown, string]>([
    ['half of the rows', list(14), 'There are only 14 rows; the last 3 runs like this had 28 to 30.'],
    [
      'names that repeat where each row had its own',
      list(30, 0, (id) => ({ title: `Brand ${id % 4}` })),
      'title repeats in most rows; in the last 3 runs like this each row had its own.',
    ],
    [
      'a field that half of the rows lost',
      list(30, 0, (id) => (id % 2 === 0 ? {} : { price: null })),
      'price is empty in 15 of 30 rows; in the last 3 runs like this nearly all had it.',
    ],
  ])('by %s', (_, data, doubt) => {
    expect(last([...usual, data])).toBe(doubt);
  });

  it('by another value in every row that has one, also where the names of rows repeat', () => {
    const duty = (phone: (id: number) => string) => ({
      items: [0, 1, 2, 3, 4, 5, 6, 7].map((id) => ({
        pharmacy: `Pharmacy ${id % 6}`,
        phone: id === 3 ? null : phone(id % 6),
        town: id % 2 === 0 ? 'A' : 'B',
      })),
    });
    const before = [1, 2, 3].map(() => duty((id) => `0361 ${id}`));
    expect(last([...before, duty((id) => `0361 ${id}-99`)])).toContain('phone changed in every row');
  });

  it('since the first of the doubtful runs in a row, which never become usual soon', () => {
    const found = verdicts([...usual, list(0), list(0), list(0), list(30), list(0)]);
    expect(found.slice(3).map((drift) => drift?.since)).toEqual([
      undefined,
      new Date(3 * day).toISOString(),
      new Date(3 * day).toISOString(),
      undefined,
      undefined,
    ]);
    expect(found[6]).toBeUndefined();
  });

  it('although a run before, of too few to know what is usual, had an empty field as well', () => {
    const empty = list(30, 0, () => ({ price: null }));
    const [good] = usual;
    expect(verdicts([good, good, empty, good, empty])[4]).toBeDefined();
    const found = verdicts([good, good, empty, good, good, good, empty, ...usual, ...usual, empty]);
    expect(found[2]).toBeUndefined();
    expect(found[6]?.doubt).toBe('price is empty; in 5 of the last 6 runs like this it was not.');
    expect(found.at(-1)?.doubt).toContain('price is empty');
  });

  it('although a run before had fewer or no rows, which was not told', () => {
    const shrinking = [24, 24, 24, 24, 14, 6, 4, 2, 24, 0].map((count) => list(count));
    expect(verdicts(shrinking).map((drift) => drift?.doubt)).toEqual([
      ...Array(5).fill(undefined),
      'There are only 6 rows; the last 5 runs like this had 14 to 24.',
      'There are only 4 rows; the last 5 runs like this had 14 to 24.',
      'There are only 2 rows; the last 5 runs like this had 14 to 24.',
      undefined,
      'There are no rows; the last 6 runs like this had 14 to 24.',
    ]);
    expect(last([list(30), list(0), list(30), list(30), list(0)])).toContain('There are no rows');
  });

  it.each([
    [[6, 6, 6, 1], 'There is only 1 row; the last 3 runs like this had 6.'],
    [[8, 7, 8, 1], 'There is only 1 row; the last 3 runs like this had 7 to 8.'],
    [[8, 8, 8, 2], 'There are only 2 rows; the last 3 runs like this had 8.'],
    // A small list that changes its number, or loses some of its rows.
    [[9, 5, 7, 1], undefined],
    [[6, 6, 6, 2], undefined],
    [[3, 3, 3, 1], undefined],
  ])('also a small list that kept its number: %j', (counts, doubt) => {
    expect(last(counts.map((count) => list(count)))).toBe(doubt);
  });

  it('also with another page or limit, and by a field that is gone with any params', () => {
    const numbers = { call: (index: number) => String(index), texts: () => 'a' };
    expect(last([...usual, list(0)], numbers)).toContain('There are no rows');
    const words = { call: (index: number) => String(index), texts: (index: number) => String(index) };
    expect(last([...usual, list(30, 0, () => ({ price: null }))], words)).toBe(
      'price is empty; in the last 3 runs with other params it was not.',
    );
  });
});

describe('the first runs of a built action depart from what its test gave', () => {
  const tested = shapeOf(list(30, 0, (id) => ({ note: id < 20 ? 'x' : null })));
  const noText = namesOfParams('{"max_pages": 2}', '').texts;
  const noted = (count: number) => list(count, 0, () => ({ note: 'x' }));
  const first = (data: unknown, texts = noText, runs: readonly unknown[] = []) => {
    let profile: Profile = { runs: [], known: {} };
    for (const earlier of runs)
      ({ profile } = judge(profile, { at: 0, call: 'a', texts }, shapeOf(earlier), tested));
    return judge(profile, { at: 0, call: 'a', texts }, shapeOf(data), tested).drift?.doubt;
  };

  it.each([
    ['no rows', list(0), 'There are no rows; when the action was built it gave 30.'],
    ['far fewer rows', noted(8), 'There are only 8 rows; when the action was built it gave 30.'],
    [
      'an empty field',
      list(30, 0, () => ({ note: null, price: null })),
      'price is empty; when the action was built it was not.',
    ],
    [
      'values that repeat',
      list(30, 0, (id) => ({ note: 'x', title: `Title ${id % 10}` })),
      'title repeats in most rows; when the action was built each row had its own.',
    ],
    [
      'a field that most rows lack',
      list(30, 0, (id) => ({ note: 'x', price: id < 10 ? 10 + (id % 7) : null })),
      'price is empty in 20 of 30 rows; when the action was built nearly all had it.',
    ],
    [
      'another kind',
      list(30, 0, () => ({ note: null, price: 'sold' })),
      'price holds texts; when the action was built it held numbers.',
    ],
  ])('by %s', (_, data, doubt) => {
    expect(first(data)).toBe(doubt);
    expect(first(data, noText, [list(30)])).toBe(doubt);
  });

  it('by an empty field that one of six rows lacked at the build', () => {
    const trees = (height: (id: number) => number | null) =>
      shapeOf({ items: [1, 2, 3, 4, 5, 6].map((id) => ({ id, name: `Tree ${id}`, height: height(id) })) });
    const built = trees((id) => (id === 3 ? null : id * 4));
    const judged = judge(
      { runs: [], known: {} },
      { at: 0, call: 'a', texts: noText },
      trees(() => null),
      built,
    );
    expect(judged.drift?.doubt).toBe('height is empty; when the action was built it was not.');
  });

  it.each([
    ['rows as they were', list(30, 100)],
    ['fewer rows', noted(10)],
    ['a field that some rows lacked', list(30, 0, () => ({ note: null }))],
    [
      'the test of other fields',
      list(30, 0, () => ({ note: null, price: undefined })).items.map(({ price: _, ...row }) => row),
    ],
    ['values that repeat on further pages', list(90, 0, (id) => ({ note: 'x', title: `Title ${id % 30}` }))],
    [
      'a field that rows of further pages lack',
      list(90, 0, (id) => ({ note: 'x', price: id < 30 ? 10 + (id % 7) : null })),
    ],
  ])('not by %s', (_, data) => {
    expect(first(data)).toBeUndefined();
  });

  it('not where words ask for other rows, nor when runs tell what is usual', () => {
    const empty = list(30, 0, () => ({ note: null, price: null }));
    expect(first(empty, namesOfParams('{"query": "lamp"}', '').texts)).toBeUndefined();
    const varied = [list(30), list(0), list(30), list(30)];
    expect(first(list(0), noText, varied)).toContain('the last 3 runs like this had 30');
  });
});

it('a version with other fields is not measured by the runs of the one before', () => {
  const tested = shapeOf(list(30));
  const plain = list(30).items.map(({ price: _, ...row }) => row);
  const judgeAll = (built: typeof tested | undefined) => {
    let profile: Profile = { runs: [], known: {} };
    for (const data of usual)
      ({ profile } = judge(profile, { at: 0, call: 'a', texts: 'a' }, shapeOf(data), built));
    const now = built && shapeOf(plain);
    return judge(profile, { at: 0, call: 'a', texts: 'a' }, shapeOf(plain), now).drift?.doubt;
  };
  expect(judgeAll(tested)).toBeUndefined();
  // Of an action of others nobody knows what it gives.
  expect(judgeAll(undefined)).toBe('price is empty; in the last 3 runs like this it was not.');
});

it('pages at other addresses say nothing of each other, and what was left out is no field', () => {
  const judgeLast = (name: string, urls: readonly string[], last: object) => {
    let profile: Profile = { runs: [], known: {} };
    return urls.map((url, index) => {
      const run = { at: 0, call: url, ...namesOfParams(JSON.stringify({ [name]: url }), url) };
      const data = index === urls.length - 1 ? last : { title: 'T', author: 'A', missing: ['a panel'] };
      const judged = judge(profile, run, shapeOf(data));
      ({ profile } = judged);
      return judged.drift?.doubt;
    });
  };
  const pages = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example/`);
  expect(judgeLast('url', pages, { title: 'T' })).toEqual([undefined, undefined, undefined, undefined]);
  const same = pages.map(() => 'https://a.example/');
  expect(judgeLast('url', same, { title: 'T', author: 'A' }).at(-1)).toBeUndefined();
  expect(judgeLast('url', same, { title: 'T' }).at(-1)).toContain('author is empty');
  expect(judgeLast('query', ['a', 'b', 'c', 'd'], { title: 'T' }).at(-1)).toContain('author is empty');
});

describe('nothing is said of', () => {
  it.each<[string, readonly unknown[]]>([
    ['a first and a second run', [list(30), list(30), list(0)]],
    ['turnover', [...usual, list(30, 1_000)]],
    ['new rows', [...usual, list(45)]],
    ['some fewer rows', [...usual, list(16)]],
    ['half of a list whose length changes', [14, 28, 20, 30, 12].map((count) => list(count))],
    ['a short list', [list(4), list(3), list(5), list(1)]],
    ['a list that was empty before', [list(30), list(0), list(30), list(0)]],
    ['a list that was often short', [30, 4, 30, 4, 30, 30, 4].map((count) => list(count))],
    [
      'prices that change each time',
      [0, 1, 2, 3, 4].map((run) => list(30, 0, (id) => ({ price: id * 10 + run }))),
    ],
    ['a new field', [...usual, list(30, 0, () => ({ stock: 1 }))]],
    [
      'a field that is often empty',
      [0, 1, 2, 3].map((run) => list(10, 0, (id) => ({ note: run < 3 && id === 0 ? 'x' : null }))),
    ],
    ['a single record that changes', [1, 2, 3, 4].map((price) => ({ title: 'A', price }))],
    [
      'a field that is equal in all rows as always',
      [0, 1, 2, 3].map(() => list(30, 0, () => ({ currency: 'EUR' }))),
    ],
    [
      'kinds that vary',
      [
        ...usual.map(() => list(9, 0, (id) => ({ price: id % 2 ? 'sold' : 5 }))),
        list(9, 0, () => ({ price: 'sold' })),
      ],
    ],
  ])('%s', (_, results) => {
    expect(verdicts(results).at(-1)).toBeUndefined();
  });

  it('another part of a page, which other params ask for', () => {
    const article = { source_url: 'https://x.example/', title: 'A', markdown: 'Text' };
    const tables = { source_url: 'https://x.example/', tables: [{ a: 1 }, { a: 2 }] };
    const words = { call: (index: number) => String(index), texts: (index: number) => String(index) };
    expect(last([article, article, article, tables], words)).toBeUndefined();
    expect(last([article, article, article, { ...article, markdown: '' }], words)).toContain('markdown');
  });

  it('what other lists among the params do not ask for', () => {
    const page = { title: 'A', data: { price: 1 }, main: 'Text' };
    let profile: Profile = { runs: [], known: {} };
    const ask = (params: object, data: object) => {
      const call = JSON.stringify(params);
      const judged = judge(profile, { at: 0, call, ...namesOfParams(call, call) }, shapeOf(data));
      profile = judged.profile;
      return judged.drift?.doubt;
    };
    for (const id of [1, 2, 3]) ask({ url: `/${id}` }, page);
    const { data: _data, ...textOnly } = page;
    expect(ask({ url: '/4', parts: ['main'] }, textOnly)).toBeUndefined();
    expect(ask({ url: '/5' }, textOnly)).toContain('data is empty');
  });

  it('no rows where another text was asked for', () => {
    const words = { call: (index: number) => String(index), texts: (index: number) => String(index) };
    expect(last([...usual, list(0)], words)).toBeUndefined();
  });
});

it('a profile stays small', () => {
  const data = list(1_000, 0, (id) => ({
    a: id,
    b: `b${id}`,
    c: null,
    d: true,
    e: `2026-11-${10 + (id % 20)}`,
  }));
  let profile: Profile = { runs: [], known: {} };
  for (let run = 0; run < 40; run += 1)
    profile = judge(profile, { at: run, call: String(run % 5), texts: 'a' }, shapeOf(data)).profile;
  expect(JSON.stringify(profile).length).toBeLessThan(20_000);
});

describe('a first run is compared with the rows of the test', () => {
  const ferns = (price: (id: number) => number, name = (id: number) => `Fern ${id}`, count = 8) => ({
    items: Array.from({ length: count }, (_, id) => ({
      name: name(id),
      price: price(id),
      price_currency: 'EUR',
      votes: id * price(id),
    })),
  });
  const tested = shapeOf(ferns((id) => 13 + id));
  const judged = (data: unknown, params = '{}') =>
    judge(
      { runs: [], known: {} },
      { at: 0, call: params, ...namesOfParams(params, params) },
      shapeOf(data),
      tested,
    ).drift?.doubt;

  it.each<[string, unknown, string]>([
    [
      'lower amounts',
      ferns((id) => 3 + id / 4),
      'price is far from what it was when the action was built, in every row that was there.',
    ],
    ['higher amounts', ferns((id) => 61 + id), 'price is far from what it was'],
    [
      'names that repeat',
      ferns(
        (id) => 13 + id,
        (id) => `Brand ${id % 3}`,
      ),
      'name repeats in most rows',
    ],
  ])('%s are told', (_, data, doubt) => {
    expect(judged(data)).toContain(doubt);
  });

  it.each<[string, (id: number) => object, string]>([
    ['one value in all rows', () => ({ place: 'Sold' }), 'place is the same in all 8 rows; when the action'],
    ['other units', () => ({ size_unit: 'in' }), 'size_unit is another one than when the action was built'],
    ['numbers of another unit', (id) => ({ size: (20 + id) * 100 }), 'size is far from what it was'],
    ['rates the other way round', (id) => ({ size: Math.round(1e4 / (20 + id)) / 1e4 }), 'size is far from'],
    [
      'fields that changed places',
      (id) => ({ place: id % 2 === 0 ? 'Acme' : 'Bolt', maker: `Bed ${id % 5}` }),
      'place holds what another field held when the action was built',
    ],
    ['units where none were, and some numbers', (id) => ({ maker_unit: 'x', size: 30 - id }), ''],
  ])('%s are told of fields that are no amounts', (_, more, doubt) => {
    const sized = (others: (id: number) => object) => ({
      items: Array.from({ length: 8 }, (__, id) => ({
        name: `Fern ${id}`,
        ...{ place: `Bed ${id % 5}`, maker: id % 2 === 0 ? 'Acme' : 'Bolt', maker_unit: null },
        ...{ size: 20 + id, size_unit: 'cm', ...others(id) },
      })),
    });
    const run = { at: 0, call: '{}', ...namesOfParams('{}', '{}') };
    const { drift } = judge({ runs: [], known: {} }, run, shapeOf(sized(more)), shapeOf(sized(() => ({}))));
    if (doubt === '') expect(drift).toBeUndefined();
    else expect(drift?.doubt).toContain(doubt);
  });

  it.each<[string, unknown, string?]>([
    ['the same rows', ferns((id) => 13 + id)],
    ['a few other amounts', ferns((id) => (id < 3 ? 3 : 13) + id)],
    ['amounts that all rose a little', ferns((id) => 14 + id * 1.1)],
    [
      'other rows',
      ferns(
        (id) => 3 + id,
        (id) => `Moss ${id}`,
      ),
    ],
    ['rows for other words', ferns((id) => 3 + id), '{"query":"a"}'],
  ])('%s are as usual', (_, data, params) => {
    expect(judged(data, params)).toBeUndefined();
  });

  const boats = (price: (id: number) => number, day: (id: number) => string) => ({
    items: Array.from({ length: 6 }, (_, id) => ({ day: day(id), name: `Boat ${id}`, price: price(id) })),
  });
  const asBuilt = boats(
    (id) => 848 + 151 * id,
    (id) => `2024-12-0${id + 1}`,
  );
  it.each<[string, unknown, string?]>([
    [
      'amounts of some rows that are read as thousandths',
      boats(
        (id) => (id > 1 ? (848 + 151 * id) / 1000 : 848 + 151 * id),
        (id) => `2024-12-0${id + 1}`,
      ),
      'price is a thousand times as much or as little in 4 of 6 rows that were there ',
    ],
    [
      'days of which day and month are exchanged',
      boats(
        (id) => 848 + 151 * id,
        (id) => (id === 5 ? '2024-12-06' : `2024-0${id + 1}-12`),
      ),
      'day has day and month exchanged in 5 of 6 rows that were there ',
    ],
    [
      'some other days and amounts',
      boats(
        (id) => (id > 1 ? 848 + 150 * id : 848 + 151 * id),
        (id) => `2024-0${id + 1}-1${id > 3 ? 3 : 2}`,
      ),
    ],
  ])('%s, with one run or three before', (_, data, doubt) => {
    for (const count of [0, 1, 3]) {
      let profile: Profile = { runs: [], known: {} };
      const run = { at: 0, call: '{}', ...namesOfParams('{}', '{}') };
      for (let turn = 0; turn < count; turn++)
        ({ profile } = judge(profile, run, shapeOf(asBuilt), shapeOf(asBuilt)));
      const found = judge(profile, run, shapeOf(data), shapeOf(asBuilt)).drift?.doubt;
      const when = count === 0 ? 'when the action was built.' : 'in the run before.';
      if (doubt === undefined) expect(found ?? '').not.toMatch(/exchanged|thousand/);
      else expect(found).toBe(`${doubt}${when}`);
    }
  });

  it('a field that stayed in the test and two runs, and changed in every row', () => {
    let profile: Profile = { runs: [], known: {} };
    const at = (place: string) => ({
      items: Array.from({ length: 8 }, (_, id) => ({ name: `Fern ${id}`, place: `${place} ${id}` })),
    });
    const doubts = ['Bed', 'Bed', 'Pot'].map((place) => {
      const run = { at: 0, call: '{}', ...namesOfParams('{}', '{}') };
      const { drift, ...rest } = judge(profile, run, shapeOf(at(place)), shapeOf(at('Bed')));
      ({ profile } = rest);
      return drift?.doubt;
    });
    expect(doubts).toEqual([
      undefined,
      undefined,
      'place changed in every row that was there before; between earlier runs it stayed the same in most.',
    ]);
  });

  it('a key that is another one in every row, where all else is what it was', () => {
    const plants = (names: readonly string[], size = (at: number) => at * 2) => ({
      items: names.map((name, at) => ({ name, size: size(at), bed: `Bed ${at % 3}` })),
    });
    const run = { at: 0, call: '{}', ...namesOfParams('{}', '{}') };
    const built = shapeOf(plants(['Fern', 'Oak', 'Elm', 'Ash', 'Yew']));
    const people = ['Ann', 'Bob', 'Cy', 'Dan', 'Eve'];
    const doubtOf = (data: unknown) => judge({ runs: [], known: {} }, run, shapeOf(data), built).drift?.doubt;
    expect(doubtOf(plants(people))).toBe(
      'name is another one than when the action was built in every row, and all else is what it was.',
    );
    expect(doubtOf(plants(people, (at) => at * 3 + 1))).toBeUndefined();
    expect(doubtOf(plants(['Fern', ...people.slice(1)]))).toBeUndefined();
  });

  it('of each field that changed', () => {
    const plants = (more: (id: number) => object) => ({
      items: Array.from({ length: 6 }, (_, id) => ({ name: `Fern ${id}`, ...more(id) })),
    });
    const run = { at: 0, call: '{}', ...namesOfParams('{}', '{}') };
    const built = shapeOf(plants((id) => ({ day: `2026-05-0${id + 1}`, state: `in bed ${id}` })));
    const now = shapeOf(plants((id) => ({ day: `soon ${id}`, state: null })));
    expect(judge({ runs: [], known: {} }, run, now, built).drift?.doubt).toBe(
      'day holds texts; when the action was built it held dates. state is empty; when the action was built it was not.',
    );
  });

  it('and a second one with the first', () => {
    let profile: Profile = { runs: [], known: {} };
    const doubts = [1, 1, 5].map((factor) => {
      const run = { at: 0, call: '{"query":"a"}', ...namesOfParams('{"query":"a"}', '') };
      const { drift, ...rest } = judge(profile, run, shapeOf(ferns((id) => factor * (13 + id))), tested);
      ({ profile } = rest);
      return drift?.doubt;
    });
    expect(doubts).toEqual([
      undefined,
      undefined,
      'price is far from what it was in the run before, in every row that was there.',
    ]);
  });
});
