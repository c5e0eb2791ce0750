/** What is said beside an empty or partial answer, so that nobody takes it for the whole truth. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ViewRequest } from '../../../src/gateway/interface/outcomes.ts';
import { readPath } from '../../../src/gateway/results/path.ts';
import { toView } from '../../../src/gateway/results/view.ts';
import { callContext, closeGateways, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const data = {
  items: [
    { title: 'Emma', price: 9.5, rating: 4, author: 'Jane Austen', 'list price': 12, sold: true },
    { title: 'Ulysses', price: 20, rating: 2, author: 'James Joyce', 'list price': 25, sold: false },
  ],
  count: 2,
};
const view = (request: ViewRequest, of: unknown = data) =>
  toView({
    kept: Buffer.from(JSON.stringify({ status: 'completed', data: of })),
    budget: 20_000,
    ...request,
  });

const orders = {
  items: [
    { id: 'R-1', date: '2026-10-30', amount: '91.50', total: '1,250.00', when: '5 Nov 2026', n: 9 },
    { id: 'R-2', date: '2026-11-02T08:00:00Z', amount: '117.50', total: '80.00', when: '2026-11-02', n: 10 },
    { id: 'R-3', date: '2026-11-20', amount: '1250', total: '9.00', when: '1 Dec 2026', n: 100 },
  ],
};

describe('versions and ids', () => {
  const of = (...versions: unknown[]) =>
    view({ select: 'max_by(items, &version).version' }, { items: versions.map((version) => ({ version })) });

  it.each([
    [['1.9.2', '1.10.0', '1.2.11', '1.1'], '"1.10.0" comes before "1.2.11"'],
    [['1.9.2', '1.10.0'], '"1.10.0" comes before "1.9.2"'],
    [['v1.9.2', 'v1.10.0'], 'order them yourself'],
  ])('%j are not in order as texts, and are no numbers', (versions, part) => {
    const note = of(...versions).note ?? '';
    expect(note).toContain(part);
    expect(note).not.toContain('use to_number');
  });

  it('need no word where they are none', () => {
    expect(of('Emma', 'Ulysses').note).toBeUndefined();
  });

  it('that are numbers and texts of numbers say what orders them', () => {
    const ids = ['9007199254740993', '12'];
    expect(() => of(...ids)).toThrow('order by to_number(version)');
    expect(() => of('x', 1)).toThrow(/numbers$/);
    expect(
      view({ select: 'max_by(items, &to_number(id)).id' }, { items: ids.map((id) => ({ id })) }).data,
    ).toBe(ids[0]);
  });
});

describe('numbers of several currencies or units', () => {
  const rows = [
    { item: 'Apple', amount: 100, amount_currency: 'USD', weight: 500, weight_unit: 'g' },
    { item: 'Pear', amount: 200, amount_currency: 'EUR', weight: 2, weight_unit: 'kg' },
    { item: 'Kiwi', amount: 30_000, amount_currency: 'JPY', weight: 3, weight_unit: null },
  ];
  const noteOf = (select: string, items: readonly object[] = rows) => view({ select }, { items }).note ?? '';
  const currencies = 'amount is in 3 currencies (USD, EUR, JPY), as amount_currency tells';

  it.each([
    'sum(items[].amount)',
    'items[].amount | sum(@)',
    'max_by(items, &amount).item',
    'items[?amount > `60`].item',
    'sort_by(items, &amount)[*].item',
    '{a: sum(items[].amount)}',
    'let $a = items[].amount in sum($a)',
  ])('are not told as alike: %s', (select) => {
    expect(noteOf(select)).toContain(currencies);
  });

  it('are of units too', () => {
    expect(noteOf('max_by(items, &weight).item')).toContain(
      'weight is in 2 units (g, kg), as weight_unit tells',
    );
  });

  it.each([
    "sum(items[?amount_currency == 'EUR'].amount)",
    'items[].{item: item, amount: amount, amount_currency: amount_currency}',
    'items[].item',
    'items',
  ])('need no word where the path names them, or not the numbers: %s', (select) => {
    expect(noteOf(select)).not.toContain('currencies');
  });

  it('are one in the plural', () => {
    const items = [
      { pages: 12, pages_unit: 'pages' },
      { pages: 1, pages_unit: 'page' },
    ];
    expect(view({ select: 'max_by(items, &pages).pages' }, { items }).note).toBeUndefined();
  });

  it('need no word where all are of one', () => {
    const alike = rows.map((row) => ({ ...row, amount_currency: 'EUR' }));
    expect(noteOf('sum(items[].amount)', alike)).toBe('');
  });
});

describe('texts in order', () => {
  it.each([
    ["items[?date >= '2026-11-01'].id", ['R-2', 'R-3']],
    ["length(items[?date < '2026-11-01'])", 1],
    ["items[?'2026-11-01' > date].id", ['R-1']],
    ['max_by(items, &date).id', 'R-3'],
    ['min_by(items, &id).id', 'R-1'],
    ['sort_by(items, &date)[-1].id', 'R-3'],
    ['max(items[*].date)', '2026-11-20'],
    ['sort(items[*].n)', [9, 10, 100]],
    ['max_by(items, &n).id', 'R-3'],
    ['max_by(`[0]`, &@)', 0],
    [
      "{n: length(items[?date >= '2026-11-01' && date <= '2026-11-02T23']), last: max(items[*].id)}",
      { n: 1, last: 'R-3' },
    ],
    ["let $day = '2026-11-01' in items[?date >= $day].id", ['R-2', 'R-3']],
    ['items[?to_number(amount) > `100`].id', ['R-2', 'R-3']],
    ["to_number('')", null],
  ])('%s', (path, found) => {
    const shown = view({ select: path }, orders);
    expect(shown.data).toEqual(found);
    expect(shown.note).toBeUndefined();
  });

  it.each([
    ["items[?amount > '900'].id", 'use to_number(amount)'],
    ["length(items[?amount > '900'])", 'amount holds texts such as "91.50"'],
    ['max_by(items, &amount).amount', 'use to_number(amount)'],
    ['sort_by(items, &amount)[0].id', 'use to_number(amount)'],
    ['max(items[*].amount)', 'use to_number(amount)'],
    ["items[?total > '900'].id", 'to_number() does not read that form'],
    ["items[?id >= '2026-11-03'].id", 'the order of time only for dates like'],
    ["items[?when >= '2026-11-03'].id", 'not their order in time'],
    ['items[?amount > `900`].id', 'write to_number(amount) > `900`'],
    ['items[?`900` > amount].id', 'write to_number(amount) < `900`'],
    ['length(items[?amount > `900`])', 'write to_number(amount) > `900`'],
    ["{n: length(items[?n > '50'])}", 'write `50`'],
    ["[length(items[?n == '9'])]", 'write `9`'],
    ["items[?n > '2026-11-01'].id", 'nothing passes'],
    ['items[?amount > n].id', 'n holds numbers such as 9'],
    ["length(items[?id == 'r-1'])", 'Text is compared exactly'],
  ])('%s says what is compared', (path, part) => {
    expect(view({ select: path }, orders).note).toContain(part);
  });

  it.each([
    [['24.11.2026', '01.12.2026', '30.10.2026'], 'max_by(items, &at)', '24.11.2026'],
    [['24.11.2026', '01.12.2026', '30.10.2026'], "items[?at >= '15.11.2026']", '24.11.2026'],
    [['11/24/26', '2/1/27'], 'sort_by(items, &at)', '11/24/26'],
    [['Nov 24, 2026', 'Dec 1, 2026'], 'max(items[].at)', 'Nov 24, 2026'],
    [['Tue, 24 Nov 2026', '3. Dezember 2026'], 'min_by(items, &at)', 'Tue, 24 Nov 2026'],
    [['24 nov. 2026', '1 déc. 2026'], 'max_by(items, &at)', '24 nov. 2026'],
    [['24 ноября 2026', '1 декабря 2026'], 'max_by(items, &at)', '24 ноября 2026'],
    [['2026. január 12.', '2026. február 3.'], 'max_by(items, &at)', '2026. január 12.'],
    [['27 בנובמבר 2025', '12 בינואר 2026'], 'min_by(items, &at)', '27 בנובמבר 2025'],
    [['27 نوفمبر 2025', '12 يناير 2026'], 'min_by(items, &at)', '27 نوفمبر 2025'],
    [['27 พฤศจิกายน 2568', '12 มกราคม 2569'], 'min_by(items, &at)', '27 พฤศจิกายน 2568'],
    [['2026-9-5', '2026-11-24', '2026-12-10'], 'max_by(items, &at)', '2026-9-5'],
    [['2026-9-5', '2026-11-24'], "items[?at > '2026-10-01']", '2026-9-5'],
    [['9:30', '10:15'], 'max_by(items, &at)', '10:15'],
    [['11:00 am', '01:00 pm'], 'length(items[?at > `"10:00"`])', '11:00 am'],
    [
      ['2026-11-24T15:00:00Z', '2026-11-24T23:30:00+09:00'],
      'max_by(items, &at)',
      '2026-11-24T23:30:00+09:00',
    ],
  ])('of times in another form than ISO are said not to follow time: %j by %s', (times, path, shown) => {
    const { note } = view({ select: path }, { items: times.map((at) => ({ at })) });
    expect(note).toContain(`at holds texts such as "${shown}"`);
    expect(note).toContain('not their order in time');
  });

  it.each([
    [['Jörg', 'Zoë', 'Ángel'], '"Zoë" comes before "Ángel"'],
    [['iPhone', 'Nokia'], '"Nokia" comes before "iPhone"'],
    [['Chapter 10, 2020', 'Chapter 9, 2021'], '"Chapter 10, 2020" comes before "Chapter 9, 2021"'],
    [['R-1', 'R-10', 'R-2'], '"R-10" comes before "R-2"'],
    [['2026年10月1日', '2026年9月15日'], '"2026年10月1日" comes before "2026年9月15日"'],
    [['3 Volumes 2019', '12 Volumes 2020'], '"12 Volumes 2020" comes before "3 Volumes 2019"'],
  ])('that stand otherwise than people order them are named: %j', (texts, part) => {
    const items = texts.map((at) => ({ at }));
    expect(view({ select: 'sort_by(items, &at)' }, { items }).note).toContain(part);
  });

  it('of sizes are said to be ordered letter by letter', () => {
    const items = ['PDF, 1.2 MB', 'DOCX, 800 KB', 'PDF, 90 KB'].map((size) => ({ size }));
    expect(view({ select: 'max_by(items, &size)' }, { items }).note).toContain('"PDF, 1.2 MB"');
  });

  it('of ratings are said to be ordered letter by letter, and are no times', () => {
    const items = ['7.8/10', '10/10', '9.1 / 10'].map((rating) => ({ rating }));
    const { note } = view({ select: 'max_by(items, &rating)' }, { items });
    expect(note).toContain('rating holds texts such as "7.8/10"');
    expect(note).not.toContain('time');
  });

  it.each([
    ['2026-11-24', '2026-12-01'],
    ['2026-11-24T15:00:00Z', '2026-12-01T15:00:00Z'],
    ['2026/11/24', '2026/12/01'],
    ['09:30', '10:15'],
    ['Windows 11, 2024', 'Emma', 'Ulysses'],
    ['May', 'June 1'],
  ])('of names and of times in one ISO form need no word: %s, %s', (...texts) => {
    expect(
      view({ select: 'max_by(items, &at)' }, { items: texts.map((at) => ({ at })) }).note,
    ).toBeUndefined();
  });

  it.each(['1.11.2026', 'yesterday', 'now-1d'])(
    'says how a date is written where the filter writes it otherwise than the rows: %s',
    (limit) => {
      expect(view({ select: `items[?date >= '${limit}'].id` }, orders)).toMatchObject({
        note: `Texts are ordered letter by letter, and "${limit}" is not written as date is: write it like "2026-10-30".`,
      });
    },
  );

  it.each([
    ["[?at <= '2026-10-29']", '<= leaves out'],
    ["[?at > '2026-10-29']", '> takes'],
    ["[?'2026-10' >= at]", '<= leaves out'],
    ["[?at < '2026-10-30']", undefined],
    ["[?at >= '2026-10-29']", undefined],
    ["[?at <= '2026-11-02']", undefined],
  ])('says of a day or a month that its times come after it: %s', (select, does) => {
    const times = [{ at: '2026-10-29T09:29:00Z' }, { at: '2026-11-01T10:00:00Z' }];
    const { note } = view({ select }, times);
    if (does === undefined) expect(note).toBeUndefined();
    else expect(note).toContain(`which come after "2026-10${select.includes('29') ? '-29' : ''}": ${does}`);
  });

  it('says nothing of a year as the limit of dates', () => {
    expect(view({ select: "items[?date >= '2026'].id" }, orders).note).toBeUndefined();
  });

  it.each([
    [
      'max_by(items, &stars).id',
      '2 have 5 as stars, and max_by() gives one of them: [?stars == `5`] gives all.',
    ],
    ['min_by(items, &stars).id', undefined],
    [
      'min_by(items, &name).id',
      String.raw`2 have "O'Neill" as name, and min_by() gives one of them: [?name == 'O\'Neill'] gives all.`,
    ],
  ])('says where several have the value that was looked for: %s', (select, note) => {
    const items = [
      { id: 1, stars: 5, name: "O'Neill" },
      { id: 2, stars: 3, name: "O'Neill" },
      { id: 3, stars: 5, name: 'Zed' },
    ];
    expect(view({ select }, { items }).note).toBe(note);
    const advised = /\[\?.*\]/.exec(note ?? '')?.[0];
    if (advised !== undefined) expect(view({ select: `items${advised}` }, { items }).data).toHaveLength(2);
  });

  it('says which rows have another kind of value than the others', () => {
    const items = [{ price: 5 }, { price: 'sold out' }, { price: 30 }];
    expect(view({ select: 'items[?price < `20`]' }, { items }).note).toBe(
      '1 of 3 rows have texts as price, such as "sold out": they never pass.',
    );
  });

  it.each([
    ['sum(items[*].amount)', 'put to_number(amount) in the place of amount'],
    ['max_by(items, &gone)', 'filter the rows that have a value first'],
  ])('%s fails with what to write', (path, advice) => {
    const items = orders.items.map((item, index) => ({ ...item, gone: index === 0 ? null : 1 }));
    expect(() => view({ select: path }, { items })).toThrow(advice);
  });
});

describe('a function that leaves out values', () => {
  const items = [
    { title: 'iPhone 15', price: '500.00', sold: 3 },
    { title: 'IPHONE cable', price: '1,250.00', sold: null },
    { title: 'iphone case', price: 'on request' },
  ];

  it.each([
    ['sum(items[*].to_number(price))', 500],
    ['items[?to_number(price) > `400`].title', ['iPhone 15']],
    ['{n: length(items), all: sum(items[].to_number(price)) / length(items)}', { n: 3, all: 500 / 3 }],
  ])('%s says which numbers were not read', (select, found) => {
    expect(view({ select }, { items })).toMatchObject({
      data: found,
      note: 'to_number() reads no number in 2 of 3 values of price, such as "1,250.00": they are null, and lists leave them out.',
    });
  });

  it.each(['avg(items[*].sold)', '{t: items[*].title, s: items[*].sold}', 'items[*].sold | max(@)'])(
    '%s says which rows have no value',
    (select) => {
      expect(view({ select }, { items }).note).toBe(
        '2 of 3 rows have no sold and are left out: [*].[sold] keeps them.',
      );
    },
  );

  it.each([
    ["length(items[?contains(title, 'iphone')])", 1, 'it is false for "iPhone 15"'],
    ["items[?starts_with(title, 'IP')].title", ['IPHONE cable'], 'it is false for "iPhone 15"'],
    ["items[?!ends_with(title, 'Case')] | length(@)", 3, 'it is false for "iphone case"'],
  ])('%s says that it tells upper from lower case', (select, found, part) => {
    const shown = view({ select }, { items });
    expect(shown).toMatchObject({ data: found, note: expect.stringContaining(part) });
    const [, advice = ''] = /; (.*) takes both/.exec(shown.note ?? '') ?? [];
    expect(view({ select: `items[?${advice}]` }, { items }).note).toBeUndefined();
  });

  it.each(["items[?contains(lower(title), 'iphone')].title", "items[?contains(title, 'Nokia')]"])(
    '%s needs no word',
    (select) => {
      expect(view({ select }, { items }).note).toBeUndefined();
    },
  );
});

describe('integers that a number cannot hold', () => {
  const large =
    '{"items":[{"id":4611686018427387905,"n":1},{"id":4611686018427387904,"n":2},{"id":77,"n":3}]}';
  const read = (select: string) =>
    toView({ kept: Buffer.from(`{"status":"completed","data":${large}}`), budget: 20_000, select });

  it.each([
    ['items[?id == `4611686018427387905`].n', [1]],
    ["items[?id == '4611686018427387904'].n", [2]],
    ['items[?contains(`[4611686018427387904]`, id)].n', [2]],
    ['items[?id > `77`].n', [1, 2]],
    ['items[?id < `4611686018427387905`].n', [2, 3]],
    ['max_by(items, &id).n', 1],
    ['sort_by(items, &id)[].n', [3, 2, 1]],
    [
      '{ids: items[].{id: id}}',
      { ids: [{ id: '4611686018427387905' }, { id: '4611686018427387904' }, { id: 77 }] },
    ],
  ])('are compared and ordered exactly: %s', (path, found) => {
    expect(read(path)).toMatchObject({ data: found });
    expect(read(path).note).toBeUndefined();
  });

  it.each([
    ['items[].to_number(id)', ['4611686018427387905', '4611686018427387904', 77]],
    ['items[?to_number(id) == `4611686018427387905`].n', [1]],
    ["to_number(' +09007199254740993 ')", '9007199254740993'],
    ['sum(items[].id)', '9223372036854775886'],
    ['avg(items[:2].id)', '4611686018427387904.5'],
    ['items[0].id - items[1].id', 1],
    ['items[2].id - items[0].id', '-4611686018427387828'],
    ['items[0].id * `2`', '9223372036854775810'],
    ['items[0].id / `1`', '4611686018427387905'],
    ['-items[0].id', '-4611686018427387905'],
    ['max(items[].id)', '4611686018427387905'],
    ['sum(`[9007199254740991, 2]`)', '9007199254740993'],
    ['`9007199254740991` + `2`', '9007199254740993'],
    ['`3037000500` * `3037000501`', '9223372040037250500'],
    ['`1e308` * `10`', `1${'0'.repeat(309)}`],
    ['`1e22` + `1e22`', 2e22],
  ])('are calculated with exactly, and so are results: %s', (path, found) => {
    expect(read(path)).toMatchObject({ data: found });
    expect(read(path).note).toBeUndefined();
  });
});

describe('what is calculated', () => {
  it.each([
    ['sum(`[0.1, 0.2]`)', 0.3],
    ['sum(`[5.99, 13.5, 21.5, 29.99, 8.5]`)', 79.48],
    ['`0.1` + `0.2`', 0.3],
    ['`1.1` * `3`', 3.3],
    ['avg(`[0.1, 0.2, 0.3]`)', 0.2],
    ['`1` / `3`', 1 / 3],
    ['`1e-30` / `10`', 1e-31],
    ['`1.5e-7` - `0.5e-7`', 1e-7],
    ['`7` // `2`', 3],
    ['`-7` % `4`', -3],
    ['sum(`[]`)', 0],
  ])('has no error of binary fractions: %s', (select, found) => {
    expect(view({ select }).data).toBe(found);
  });

  it.each([
    ['`1e308` * `1e308`', 'the result of * has too many digits'],
    ['items[].{share: price / none}', '/ takes numbers, and none is null: filter the rows that have a value'],
    ['items[].{share: price / zero}', 'zero is 0: filter the rows first'],
    ['items[0].price + items[0].title', '+ takes numbers, and an operand is "Emma"'],
    ['items[].{more: text * `2`}', '* takes numbers, and text is "4.50": write to_number(text)'],
    ['sum(items[].{p: price})', 'sum() takes numbers, and the list holds {"p":9.5}'],
    ["join(', ', items[].price)", 'join() takes a list of texts, and its argument 2 is a list of others'],
    ['items[].abs(text)', 'abs() takes a number, and text is a text: write to_number(text)'],
    ["items[?contains(none, 'x')]", 'none is null: filter the rows that have it first, as in [?none]'],
    ['group_by(items, &some)', '1 of 2 have none: filter them first, as in [?some]'],
    ['sort_by(items, &some)', 'filter the rows that have a value first, as in [?some]'],
  ])('fails with what to write, never with null: %s', (select, reason) => {
    const items = data.items.map((item, index) => ({
      ...item,
      ...{ none: null, zero: 0, text: '4.50', some: index === 0 ? null : 'x' },
    }));
    expect(() => view({ select }, { items })).toThrow(reason);
  });

  it('groups by numbers and booleans as by texts', () => {
    const count = (by: string) => view({ select: `map(&length(@), values(group_by(items, &${by})))` }).data;
    expect([count('rating'), count('sold'), count('author')]).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });
});

describe('a path that leads to null', () => {
  it.each([
    ['items[5].title', 'items has 2 elements, counted from 0: there is no [5].'],
    ['items[?price > `900`] | [0].title', 'The list is empty: there is no [0].'],
    ['[0].title', '[0] takes from a list, and here is an object.'],
    ['avg(items[?price > `900`].price)', 'avg() got an empty list, so it is null.'],
    ['{best: max_by(items[?price > `900`], &price).title}', 'max_by() got an empty list, so it is null.'],
  ])('says why: %s', (select, note) => {
    expect(view({ select }).note).toBe(note);
  });

  it('says nothing of what is null in the data', () => {
    expect(view({ select: 'items[0].none' }, { items: [{ none: null }] }).note).toBeUndefined();
  });

  it.each(['length(itms)', 'sum(itms[].price)', 'max_by(itms, &price).title', "join(', ', itms[].title)"])(
    'names the name that does not exist, also where a function needs its value: %s',
    (select) => {
      expect(view({ select }).missing).toMatchObject({
        message: expect.stringContaining('"itms" does not exist'),
        path: select.replace('itms', 'items'),
      });
    },
  );

  it('says that a number is written in backticks where it stands in double quotes', () => {
    expect(view({ select: 'items[?price > "900"]' }).missing?.message).toContain(
      'A number is written `900`, in backticks.',
    );
  });
});

describe('what a result says of its own completeness', () => {
  it.each([
    [
      { has_more: null, next: '10 rows, and there may be more' },
      'It is not known whether the result holds all rows. It says: "10 rows, and there may be more"',
    ],
    [{ missing: ['Rows after 500 are left out.'] }, 'It says: "Rows after 500 are left out."'],
    [{ has_more: false, next: 'Nothing' }, undefined],
  ])('stands beside a selected part: %j', (more, note) => {
    expect(view({ select: 'length(items)' }, { ...data, ...more })).toMatchObject({ data: 2 });
    expect(view({ select: 'length(items)' }, { ...data, ...more }).note).toBe(note);
    expect(view({}, { ...data, ...more }).note).toBeUndefined();
  });

  it('is not repeated where the path asks for it', () => {
    const path = '{items: items, more: has_more, next: next}';
    expect(view({ select: path }, { ...data, has_more: null, next: 'more' }).note).toBeUndefined();
  });
});

describe('a filter that finds nothing', () => {
  it.each([
    ["items[?rating=='4']", 'rating holds numbers such as 4', 'the text "4": write `4`'],
    ["items[?price < '10'].title", 'price holds numbers such as 9.5', 'the text "10": write `10`'],
    ["items[?title == 'Emma' && rating == '4']", 'rating holds numbers', 'write `4`'],
    ["items[?rating == '4'] || items[?title == 'None']", 'rating holds numbers', 'write `4`'],
    ["length(items[?'4' == rating]) && items[?rating == '4']", 'rating holds numbers', 'write `4`'],
    ["items[?sold == 'true'] | [*].title", 'sold holds booleans such as true', 'write `true`'],
    ['items[?title == `4`]', 'title holds texts such as "Emma"', "the number 4: write '4'"],
  ])('%s says that its constant has another type than the values', (path, ...parts) => {
    const { note } = view({ select: path });
    for (const part of parts) expect(note).toContain(part);
  });

  it.each([
    ['items[?remote].title', 'remote holds texts such as "Sì", which all count as true', "remote == 'Sì'"],
    ['items[?!remote].title', 'remote holds texts', 'compare it'],
    [
      'length(items[?stock && price > `1`])',
      'stock holds numbers such as 0, which all count',
      'stock == `0`',
    ],
  ])('%s says that its field is true in each row', (path, ...parts) => {
    const items = [
      { title: 'a', remote: 'Sì', stock: 0, price: 2 },
      { title: 'b', remote: 'No', stock: 3, price: 2 },
    ];
    const { note } = view({ select: path }, { items });
    for (const part of parts) expect(note).toContain(part);
  });

  it.each(['items[?sale].title', 'items[?isbn].title', 'items[?currency].title'])(
    'says nothing of a field that tells rows apart, or is the same in all: %s',
    (path) => {
      const items = [
        { title: 'a', sale: true, isbn: '1', currency: 'EUR' },
        { title: 'b', sale: false, isbn: null, currency: 'EUR' },
      ];
      expect(view({ select: path }, { items }).note ?? '').not.toContain('true');
    },
  );

  it.each([
    ['items[?price > `5`][0].title', '[0] takes from a list, and here is an object in each row'],
    [
      'items[*].title[0]',
      'title is a text in each row: to take from the rows, put a pipe before it, as in … | [0].',
    ],
    ['items[?price > `5`][:1]', '… | [:1]'],
    ['{first: items[][0]}', '… | [0]'],
  ])('says that a place is taken in each row: %s', (path, part) => {
    const { note } = view({ select: path });
    expect(note).toContain(part);
    expect(note).not.toContain('left out');
  });

  it.each([
    'items[?price > `5`] | [0].title',
    'items[*].tags[0]',
    'items[*].title[:2]',
    'tags[:1]',
    'items[:1]',
  ])('says nothing of a place in a list, or a part of a text: %s', (path) => {
    const { note } = view(
      { select: path },
      {
        tags: ['a'],
        items: [
          { title: 'Emma', price: 9, tags: ['a'] },
          { title: 'It', price: 9 },
        ],
      },
    );
    expect(note).toBeUndefined();
  });

  it.each([
    [['24.11.2026', '1.12.2026'], "items[?at == '2026-11-24']", 'write it as they are'],
    [['24.11.2026', '1.12.2026'], "items[?contains(at, '2026-11')]", '"24.11.2026"'],
    [['24. Nov 2026', '1. Dez 2026'], "length(items[?starts_with(at, '2026')])", '"24. Nov 2026"'],
    [['2026-11-24', '2026-12-01'], "items[?at == '24.11.2026']", '"2026-11-24"'],
    [['2026-11-24T08:00:00Z'], "items[?contains(at, 'Nov')]", '"2026-11-24T08:00:00Z"'],
    [['2026-11-24'], "items[?at == 'today']", '"2026-11-24"'],
  ])('says that dates are written otherwise: %j by %s', (times, path, part) => {
    expect(view({ select: path }, { items: times.map((at) => ({ at })) }).note).toContain(part);
  });

  it.each([
    [['24.11.2026', '1.12.2026'], "items[?at == '25.11.2026']"],
    [['24.11.2026', '1.12.2026'], "items[?contains(at, '10.2026')]"],
    [['2026-11-24T08:00:00Z'], "items[?starts_with(at, '2026-12')]"],
    [['24. Nov 2026', 'open'], "items[?at == '2026-11-24']"],
  ])('says nothing of a date that is not there: %j by %s', (times, path) => {
    expect(view({ select: path }, { items: times.map((at) => ({ at })) }).note).toBeUndefined();
  });

  it('says that text is compared exactly, with a value that is near', () => {
    expect(view({ select: "items[?author == 'austen']" }).note).toBe(
      'Text is compared exactly: no author is "austen", but there is "Jane Austen".',
    );
  });

  it.each([
    "items[?author == 'Shakespeare']",
    'items[?rating > `9`]',
    "items[?rating != '4']",
    "items[?missing == '4']",
  ])('says nothing of types where they are not the reason: %s', (path) => {
    expect(view({ select: path }).note ?? '').not.toMatch(/holds|exactly/);
  });
});

it.each([
  ['items[*].isbn', '1 of 2 rows have no isbn and are left out: [*].[isbn] keeps them.'],
  ['items[?rating > `1`].isbn', '1 of 2 rows have no isbn'],
  ['items[?rating < `3`].isbn', undefined],
  ['items[*].[isbn]', undefined],
  ['items[*].{code: isbn}', undefined],
  ['items[*].title', undefined],
])('a list of one field says how many rows it leaves out: %s', (path, note) => {
  const [emma, ulysses] = data.items;
  const items = [
    { ...emma, isbn: null },
    { ...ulysses, isbn: '978' },
  ];
  const shown = view({ select: path }, { items });
  if (note === undefined) expect(shown.note).toBeUndefined();
  else expect(shown.note).toContain(note);
});

it('says so too where no row has the field', () => {
  const shown = view(
    { select: 'items[*].isbn' },
    { items: data.items.map((row) => ({ ...row, isbn: null })) },
  );
  expect(shown).toMatchObject({ data: [], note: expect.stringContaining('2 of 2 rows have no isbn') });
});

it('null without backticks is no name that is missing, and a boolean is told how it is written', () => {
  const items = data.items.map((row) => ({ ...row, author: row.rating === 4 ? null : row.author }));
  expect(view({ select: 'items[?author == null].title' }, { items })).toEqual({
    data: ['Emma'],
    page: expect.anything(),
  });
  const none = view({ select: 'items[?price == null]' }, { items });
  expect([none.data, none.missing, none.note]).toEqual([[], undefined, undefined]);
  expect(view({ select: 'items[?sold == true]' }).missing?.message).toContain(
    'The boolean is written `true`, in backticks.',
  );
  const counted = view({ select: '{sold: length(items[?sold == false]), all: count}' });
  expect(counted).toMatchObject({ data: { sold: 0, all: 2 } });
  expect(counted.note).toContain('The boolean is written `false`, in backticks.');
});

it('a name behind a pipe is looked for in the list, so that no rows are no wrong name', () => {
  const shown = view({ select: 'items[?rating > `9`] | [*].title' });
  expect(shown).toMatchObject({ data: [], page: { total: 0 } });
  expect(shown.missing).toBeUndefined();
  expect(view({ select: 'items[?rating > `1`] | [*].titel' }).missing?.message).toContain(
    '"titel" does not exist',
  );
});

describe('offset and limit without a path', () => {
  it('page the only list of the result, and the next call names it', () => {
    const shown = view({ offset: 1, limit: 1 });
    expect(shown).toMatchObject({
      data: [data.items[1]],
      page: { offset: 1, total: 2, next_offset: null },
      path: 'items',
      note: 'offset and limit page items, the only list of the result.',
    });
  });

  it('page the rows of the one table that a result has', () => {
    const rows = [{ a: 1 }, { a: 2 }, { a: 3 }];
    const page = {
      title: 'Fees',
      main: 'x',
      missing: ['A frame'],
      tables: [{ about: null, columns: ['a'], rows }],
    };
    expect(view({ offset: 1, limit: 1 }, page)).toMatchObject({
      data: [{ a: 2 }],
      page: { offset: 1, total: 3 },
      path: 'tables[0].rows',
    });
  });

  it('say where to page if there are several lists', () => {
    const several = { a: [1], b: [2] };
    expect(view({ limit: 1 }, several)).toMatchObject({
      data: several,
      note: 'offset and limit apply to a list or a text; set select to one, such as a, b.',
    });
  });

  it('of get_job give the rest of a run by the call in next', async () => {
    const rows = Array.from({ length: 30 }, (_, id) => ({ id }));
    const { gateway } = await startGateway({
      actions: [{ action_id: 'shop-rows', job: { data: { rows } } }],
    });
    const { body } = await gateway.runAction({ action_id: 'shop-rows' }, callContext());
    const part = await gateway.getJob({ job_id: String(body.job_id), limit: 10 }, callContext());
    expect(part.body).toMatchObject({ data: rows.slice(0, 10), page: { total: 30, next_offset: 10 } });
    const call = { job_id: body.job_id, select: 'rows', offset: 10 };
    expect(part.body.next).toEqual({ kind: 'read', call, what: 'rest' });
  });
});

describe('a name that JMESPath takes only in quotes', () => {
  it('stands in quotes where the names are listed', () => {
    const { missing } = view({ select: 'items[*].listprize' });
    expect(missing?.message).toContain('"list price", sold');
  });

  it.each([
    ['items[*].Stra\u00dfe', 'Stra\u00dfe'],
    ["items[?n == '\u00e9'].Gr\u00f6\u00dfe", 'Gr\u00f6\u00dfe'],
  ])('is named where it broke the syntax: %s', (path, name) => {
    expect(() => readPath(path)).toThrow(`the name ${name} must be in double quotes: "${name}"`);
  });

  it('a text between backticks is told to be in single quotes', () => {
    expect(() => readPath('items[?author==`Jules Verne`]')).toThrow(
      "a text is in single quotes: 'Jules Verne'",
    );
  });

  it('a text between backticks elsewhere is no advice for another mistake', () => {
    expect(() => readPath('items[?price < `10`].')).toThrow(/^(?!.*single quotes)/);
  });
});

describe('a run without rows', () => {
  const script = (found: unknown) => ({
    actions: [
      {
        action_id: 'shop-find',
        catalog_slug: 'shop',
        parameters: { properties: { sort: { enum: ['new', 'old'] } } },
        job: { data: found },
      },
    ],
  });
  const run = async (found: unknown, input: object) => {
    const { gateway } = await startGateway(script(found));
    return (await gateway.runAction({ action_id: 'shop-find', ...input }, callContext())).body;
  };
  const note =
    'There are no rows. Websites may compare text exactly: check spelling, case and whole names in tag, or leave it out. The site may also have changed.';

  it.each([
    [{ items: [], count: 0 }, { params: { tag: 'Wisdom', limit: 3 } }, { items: [], count: 0 }],
    [{ items: [], count: 0 }, { params: { tag: 'Wisdom' }, select: 'length(items)' }, 0],
    [[], { params: { tag: 'Wisdom' } }, []],
  ])('says that text may be compared exactly: %j %j', async (found, input, shown) => {
    const body = await run(found, input);
    expect(body).toMatchObject({ status: 'completed', note, data: shown });
    // Clients cut the end of long answers.
    expect(Object.keys(body).at(-1)).toBe('data');
  });

  it('does not propose to leave out a param that is required', async () => {
    const { gateway } = await startGateway({
      actions: [
        {
          action_id: 'shop-find',
          catalog_slug: 'shop',
          parameters: { properties: { q: { type: 'string' } }, required: ['q'] },
          job: { data: { items: [] } },
        },
      ],
    });
    const { body } = await gateway.runAction(
      { action_id: 'shop-find', params: { q: 'H G Wells' } },
      callContext(),
    );
    expect(body.note).toMatch(/whole names in q\. The/);
  });

  it.each([
    [{ items: [] }, {}],
    [{ items: [] }, { params: { page: 7 } }],
    [{ items: [] }, { params: { sort: 'new', url: 'https://shop.example/feed' } }],
    [{ items: [1] }, { params: { tag: 'Wisdom' } }],
    [{ text: '' }, { params: { tag: 'Wisdom' } }],
  ])('says nothing where no text was asked for or something was found: %j %j', async (found, input) => {
    expect(await run(found, input)).not.toHaveProperty('note');
  });
});
