/** What others wrote never moves a terminal's cursor, and never looks like a row of its own. */
import { expect, it } from 'vitest';
import { cell, rowTable, table } from '../../src/cli/terminal/table.ts';
import { escapeInvisible } from '../../src/cli/terminal/terminal.ts';

const hostile = '\u001b]0;pwned\u0007\u001b[2J\r\nFAKE-ROW  default\u009b31m\u2028x\0';
const shown = '\\u001b]0;pwned\\u0007\\u001b[2J FAKE-ROW default\\u009b31m x\\u0000';

it('a cell of a table is one line without controls', () => {
  expect(table(['NAME', 'USER'], [[hostile, 'ada']]).split('\n')).toEqual([
    `NAME${' '.repeat(shown.length - 4)}  USER`,
    `${shown}  ada`,
  ]);
  expect(rowTable([{ name: '\u001b[2J', '\u001b]0;x\u0007': 1 }])).toBe(
    'NAME       \\u001b]0;X\\u0007\n\\u001b[2J  1',
  );
  expect(cell({ a: '\u001b' })).toBe('{"a":"\\u001b"}');
});

it('a stream keeps line ends and our colours, and shows every other control', () => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  escapeInvisible(stream as never);
  stream.write('\u001b[1mBold\u001b[22m\ta\r\n\r\u001b[Kb\u001b]0;x\u0007\u001b[2J\u009b31m');
  expect(written).toEqual([
    '\u001b[1mBold\u001b[22m\ta\r\n\r\u001b[Kb\\u001b]0;x\\u0007\\u001b[2J\\u009b31m',
  ]);
});
