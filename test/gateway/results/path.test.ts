import { describe, expect, it } from 'vitest';
import type { ViewRequest } from '../../../src/gateway/interface/outcomes.ts';
import { type ResultView, toView } from '../../../src/gateway/results/view.ts';

const data = {
  items: [
    { title: 'Emma', author: 'Jane Austen', price: 9.5, rating: 4, 'list price': 12, stock: null },
    { title: 'Persuasion', author: 'Jane Austen', price: 12.25, rating: 5, 'list price': 12.25, stock: 3 },
    { title: 'Ulysses', author: 'James Joyce', price: 20, rating: 2, 'list price': 25, stock: 0 },
  ],
  count: 3,
};

const view = (path: string, more: Partial<ViewRequest> & { of?: unknown } = {}): ResultView =>
  toView({
    kept: Buffer.from(JSON.stringify({ status: 'completed', data: more.of ?? data })),
    budget: 20_000,
    ...more,
    select: path,
  });

describe('a path', () => {
  it.each([
    ['items[*].title', ['Emma', 'Persuasion', 'Ulysses']],
    ['data.items[0].title', 'Emma'],
    ['data.count', 3],
    ['data', data],
    ["items[?author=='Jane Austen'].title", ['Emma', 'Persuasion']],
    ['items[?rating >= `4`].title', ['Emma', 'Persuasion']],
    ['items[?`4` <= rating].title', ['Emma', 'Persuasion']],
    ["items[?contains(author, 'Joyce')].title", ['Ulysses']],
    // A member's name in quotes stays a name.
    ['items[?price == "list price"].title', ['Persuasion']],
    ['items[*]."list price"', [12, 12.25, 25]],
    ['items[0:2].title', ['Emma', 'Persuasion']],
    ['items[-1].title', 'Ulysses'],
    ['min_by(items, &price).title', 'Emma'],
    ['{n: length(items), mean: avg(items[*].price)}', { n: 3, mean: 13.916666666666666 }],
  ])('%s finds what its writer means', (path, expected) => {
    const shown = view(path);
    expect(shown.data).toEqual(expected);
    expect(shown.missing).toBeUndefined();
    expect(shown.note).toBeUndefined();
  });

  it('keeps a member of the name data', () => {
    expect(view('data.x', { of: { data: { x: 1 } } }).data).toBe(1);
  });

  it.each([
    ['items[?price < 10].title', 'invalid token (Number): "10"'],
    ["items[?author = 'Jane Austen'].title", 'compared with ==, not with ='],
  ])('%s is refused, because JMESPath does not mean what its writer does', (path, reason) => {
    expect(() => view(path)).toThrow(reason);
  });

  it.each([
    ['[].data.count', 'count'],
    ['[*].data.items[].title', 'items[].title'],
    ['[0].data', '@'],
    ['[].title', 'items[].title'],
    ['[?price > `99`].title', 'items[?price > `99`].title'],
  ])('%s on one result is told as %s, whose names are there', (path, told) => {
    const { missing } = view(path);
    expect(missing?.path).toBe(told);
    expect(missing?.message).toContain(`Write ${told}`);
    expect(view(told).missing).toBeUndefined();
  });

  it('tells no path that finds nothing either', () => {
    const { missing } = view('[].data.size');
    expect(missing?.path).toBeUndefined();
    expect(missing?.message).toContain('its rows are in items');
  });

  it('with a text in double quotes says how a text is written', () => {
    const { missing } = view('items[?author=="Jane Austen"].title');
    expect(missing?.message).toContain('"Jane Austen" does not exist');
    expect(missing?.message).toContain('A text is written in single quotes.');
  });

  it.each([
    ['itmes', 'itmes', ['items', 'count'], 'items'],
    ['itmes[*].title', 'itmes', ['items', 'count'], 'items[*].title'],
    ['items[*].tittle', 'tittle', expect.arrayContaining(['title', 'author']), 'items[*].title'],
    [
      "items[?autor=='Jane Austen'].title",
      'autor',
      expect.arrayContaining(['author']),
      "items[?author=='Jane Austen'].title",
    ],
    ['items[*].{t: titel}', 'titel', expect.arrayContaining(['title']), 'items[*].{t: title}'],
    ['nothing.here', 'nothing', ['items', 'count'], undefined],
    ['items.title', 'title', [], 'items[].title'],
    ['count.x', 'x', [], undefined],
  ])('%s names what is missing and what is there', (path, name, keys, meant) => {
    const shown = view(path);
    expect(shown.data).toBeNull();
    expect(shown.missing).toMatchObject({ keys, message: expect.stringContaining(`"${name}"`) });
    expect(shown.missing?.path).toBe(meant);
  });

  it.each([
    ['sort_by(items, &price)[0] | length(itms)', 'itms'],
    ['max_by(items, &price).titel', 'titel'],
    ['sort_by(items, &price)[0].titel', 'titel'],
    ['reverse(items)[0].titel', 'titel'],
    ['reverse(sort_by(items, &price))[:2].{t: titel}', 'titel'],
    ['map(&titel, items)', 'titel'],
    ['sort_by(items, &prise)', 'prise'],
    ['group_by(items, &titel)', 'titel'],
    ['merge(items[0], items[1]).titel', 'titel'],
  ])('behind or inside of a function is named: %s', (path, name) => {
    const { data, missing } = view(path);
    expect(data).toBeNull();
    expect(missing?.message).toContain(`"${name}" does not exist`);
  });

  it.each(['not_null(items[0].sale, items[0].price)', 'max_by(items, &price).title', 'map(&price, items)'])(
    'is not missing where the function finds it: %s',
    (path) => {
      const { data, missing, note } = view(path);
      expect(data).not.toBeNull();
      expect([missing, note]).toEqual([undefined, undefined]);
    },
  );

  it.each([
    ['constructor', 'constructor', ['items', 'count']],
    ['toString', 'toString', ['items', 'count']],
    ['valueOf', 'valueOf', ['items', 'count']],
    ['__proto__', '__proto__', ['items', 'count']],
    ['items[0].constructor', 'constructor', expect.arrayContaining(['title'])],
    ['items[*].constructor', 'constructor', expect.arrayContaining(['title'])],
    ['items[?constructor].title', 'constructor', expect.arrayContaining(['title'])],
    ['items | [0].hasOwnProperty', 'hasOwnProperty', expect.arrayContaining(['title'])],
    ['let $i = items in $i[0].constructor', undefined, undefined],
    ['map(&constructor, items)', 'constructor', expect.arrayContaining(['title'])],
    ['{a: {b: `1`}.toString}', undefined, undefined],
    ['"\\u0028items"', '(items', ['items', 'count']],
    ['"(items[*"', '(items[*', ['items', 'count']],
  ])('%s is a missing name, like any other', (path, name, keys) => {
    for (const format of ['json', 'csv'] as const) {
      const shown = view(path, { format });
      expect(JSON.stringify(shown.data ?? null)).not.toContain('native code');
      if (name === undefined) continue;
      expect(shown.data).toBeNull();
      expect(shown.missing).toMatchObject({
        keys,
        message: expect.stringContaining(`"${name}" does not exist`),
      });
    }
  });

  it('reads a member that has the name of an inherited one', () => {
    const rows: unknown = JSON.parse('[{"constructor": "Ferrari"}, {"driver": "x"}]');
    expect(view('[*].constructor', { of: rows }).data).toEqual(['Ferrari']);
  });

  it('calls no function that the language does not have', () => {
    expect(() => view('toString(@)')).toThrow('Unknown function: toString()');
  });

  it('names a member that no element has beside those that have a value', () => {
    const { data: rows, note } = view('items[*].{title: title, cost: costs}');
    expect(rows).toHaveLength(3);
    expect(note).toContain('"costs"');
  });

  it('says nothing of members that are null or of filters that no element passes', () => {
    expect(view('items[0].stock')).toEqual({ data: null });
    expect(view('items[?price > `100`].title')).toMatchObject({ data: [] });
    expect(view('items[?price > `100`].title').missing).toBeUndefined();
    expect(view('[0].x', { of: [] }).missing).toBeUndefined();
  });

  it('says that an object has no pages', () => {
    expect(view('@', { offset: 1 }).note).toContain('items');
  });
});
