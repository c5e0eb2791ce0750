import { expect, it } from 'vitest';
import { findMutants } from './mutants.ts';

it('changes one thing at a time, in the order of the text', () => {
  const text = "const from = ['a', 'b']; if (!done && n < 2) { stop(); } const one = ok ? 1 : 60_000;";
  const changed = findMutants('x.ts', text).map(
    ({ start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
  );
  expect(changed).toEqual([
    text.replace("'a', ", ''),
    text.replace('!done && n < 2', 'false'),
    text.replace('!done && n < 2', 'true'),
    text.replace('!done', 'done'),
    text.replace('&&', '||'),
    text.replace('<', '<='),
    text.replace('2', '3'),
    text.replace('stop();', ';'),
    text.replace('1 : 60_000', '60_000 : 1'),
    text.replace('? 1', '? 2'),
  ]);
});
