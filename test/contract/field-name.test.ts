import { expect, it } from 'vitest';
import { columnName } from '../../src/contract/field-name.ts';

it.each([
  ['Price', 'price'],
  ['Qty (pcs)', 'qty_pcs'],
  ['No.', 'no'],
  ['Größe', 'größe'],
  ['名称', '名称'],
  ['ลำดับ', 'ลำดับ'],
  ['क्रमांक (नया)', 'क्रमांक_नया'],
  ['♥️ Likes', 'likes'],
  ['Δt', 'δt'],
  ['#', 'number'],
  ['№', 'number'],
  ['%', 'percent'],
  ['Δ', 'delta'],
  ['Δ %', 'delta_percent'],
  ['+/-', 'plus_minus'],
  ['€', 'amount'],
  ['2024', 'column_2024'],
  ['1st', 'column_1st'],
  ['', 'column_7'],
  ['–', 'column_7'],
  ['🏆', 'column_7'],
])('a column called "%s" is named %s', (label, name) => {
  expect(columnName(label, 'c7')).toBe(name);
  expect(name).toMatch(/^[\p{L}_][\p{L}\p{M}\p{N}_]{0,63}$/u);
});
