/** A value through which a line goes is told, because it may not hold any more. */
import { expect, it } from 'vitest';
import { readExtracted } from '../../support/extract.ts';

const talks = (cells: readonly string[]) =>
  `<table><tr><th>Talk<th>Start</tr>${cells.map((cell, at) => `<tr>${cell}<td>1${at}:00</tr>`).join('')}</table>`;
const columns = { talk: { header: 'Talk' }, start: { header: 'Start' } };
const doubtsOf = async (cells: readonly string[]) =>
  (await readExtracted(talks(cells), { kind: 'table', table: 'table', columns }))?.doubts;
const others = ['<td>Tides', '<td>Maps', '<td>Boats'];

it.each([
  '<td><s>Kelp</s>',
  '<td><span><del>Kelp</del></span>',
  '<td style="text-decoration: line-through">Kelp',
  '<td><a class="line-through" href="/k">Kelp</a>',
])('a cell of which all is struck out: %s', async (cell) => {
  expect(await doubtsOf([cell, ...others])).toEqual([
    'talk: struck out in 1 of 4 rows, such as "Kelp": it may not hold any more.',
  ]);
});

it.each([
  ['of which a part is struck out', ['<td><s>Kelp</s> Algae', ...others]],
  ['that are all struck out', others.map((cell) => cell.replace(/<td>(.*)/, '<td><s>$1</s>'))],
])('nothing is told of cells %s', async (_, cells) => {
  expect(await doubtsOf(cells)).toBeUndefined();
});
