import { expect, it } from 'vitest';
import { preview, show } from '../../../src/gateway/results/preview.ts';

const text = (length: number) => 'x'.repeat(length);

it('shows the first rows, each whole', () => {
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: text(20) }));
  const { data, cut } = preview(rows, 500);
  const count = cut?.shownCount ?? 0;
  expect(data).toEqual(rows.slice(0, count));
  expect(cut).toEqual({ path: '', kind: 'array', total: 100, shownCount: count });
  const used = JSON.stringify(data).length;
  expect(used).toBeLessThanOrEqual(500);
  expect(used).toBeGreaterThan(500 - 2 * JSON.stringify(rows[0]).length);
});

it('shows the beginning of the first row where that is longer than the budget, and says where it was cut', () => {
  const { data, cut } = preview([{ t: text(500) }, { t: 'short' }], 200);
  expect(data).toEqual([{ t: text(cut?.shownCount ?? 0) }]);
  expect(cut).toEqual({ path: '[0].t', kind: 'string', total: 500, shownCount: expect.any(Number) });
  expect(cut?.shownCount).toBeGreaterThan(150);
});

it('leaves a later row out rather than shortening it', () => {
  const rows = [{ t: text(50) }, { t: text(500) }, { t: 'short' }];
  expect(preview(rows, 200)).toEqual({
    data: rows.slice(0, 1),
    cut: { path: '', kind: 'array', total: 3, shownCount: 1 },
  });
});

it('shows the facts beside a long list, the beginning of each long member, and the order of the names', () => {
  const value = {
    rows: Array.from({ length: 1_000 }, (_, id) => ({ id })),
    text: text(5_000),
    fact: 'a',
    n: 1,
  };
  const { data, cut, alsoCut } = preview(value, 1_000);
  expect(Object.keys(Object(data))).toEqual(['rows', 'text', 'fact', 'n']);
  expect(data).toMatchObject({ fact: 'a', n: 1 });
  const shown: { rows?: unknown[]; text?: string } = Object(data);
  // Two long members share what the facts leave.
  expect(JSON.stringify(shown.rows).length).toBeGreaterThan(400);
  expect(shown.text?.length).toBeGreaterThan(400);
  // Each of them is said to be cut: beside a cut text a list would be taken for the whole one.
  expect(cut).toMatchObject({ path: 'rows', total: 1_000 });
  expect(alsoCut).toEqual([`text: ${shown.text?.length} of 5000`]);
  expect(JSON.stringify(data).length).toBeLessThanOrEqual(1_000);
});

it('leaves members out where not even their names fit, and says how many there are', () => {
  const value = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`member${n}`, n]));
  const { data, cut } = preview(value, 200);
  const names = Object.keys(Object(data));
  expect(names).toEqual(Object.keys(value).slice(0, names.length));
  expect(names.length).toBeGreaterThan(8);
  expect(cut).toEqual({ path: '', kind: 'object', total: 100, shownCount: names.length });
});

it('counts what else was cut', () => {
  const value = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`t${n}`, text(300 + n)]));
  expect(preview(value, 2_500).alsoCut).toEqual([
    ...Array.from({ length: 5 }, (_, n) => expect.stringMatching(new RegExp(`^t${n}: \\d+ of ${300 + n}$`))),
    'and 3 more',
  ]);
});

it.each([
  ['a list', 400, 3_000, { path: 'a.rows', kind: 'array', total: 400 }],
  ['a text', 100, 30_000, { path: 'a."the text"', kind: 'string', total: 30_000 }],
])('names the largest cut: %s', (_, rowCount, textLength, cut) => {
  const rows = Array.from({ length: rowCount }, (_, id) => ({ id }));
  expect(preview({ a: { rows, 'the text': text(textLength) } }, 600).cut).toMatchObject(cut);
});

it('takes characters as JSON writes them', () => {
  for (const character of ['"', '\u0001', '😀']) {
    const { data, cut } = preview(character.repeat(1_000), 300);
    expect(JSON.stringify(data).length).toBeLessThanOrEqual(300);
    expect(cut).toMatchObject({ path: '', kind: 'string', shownCount: String(data).length });
  }
  const exact = '"'.repeat(100);
  expect(preview(exact, 202)).toEqual({ data: exact, cut: undefined });
  expect(preview(exact, 201).cut).toMatchObject({ total: 100 });
});

it('cuts what is nested more deeply than anybody reads, and nothing beside it', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(250)}1${']'.repeat(250)}`);
  const { data, cut } = preview({ deep, levels: [[1]] }, 5_000);
  expect(data).toMatchObject({ levels: [[1]] });
  expect(JSON.stringify(data)).not.toContain('[[1]]]');
  expect(cut).toMatchObject({ kind: 'array', total: 1, shownCount: 0 });
  const branches = Array.from({ length: 250 }, () => [[1]]);
  expect(preview(branches, 50_000)).toEqual({ data: branches, cut: undefined });
});

it('keeps a member that is named as the prototype', () => {
  const value: unknown = JSON.parse('{"__proto__":{"a":1},"b":2}');
  expect(JSON.stringify(preview(value, 500).data)).toBe('{"__proto__":{"a":1},"b":2}');
});

it('is not needed where all fits, whatever spaces the text had', () => {
  const value = { a: text(90) };
  const { length } = JSON.stringify(value);
  expect(show(value, length, 3 * length)).toEqual({ data: value, totalChars: length, cut: undefined });
  expect(show(value, length, length)).toEqual({ data: value, totalChars: length, cut: undefined });
  expect(show(value, length - 1, length)).toMatchObject({ totalChars: length, cut: { path: 'a' } });
});
