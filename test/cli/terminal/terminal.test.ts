import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { escapeInvisible } from '../../../src/cli/terminal/terminal.ts';

/** What a terminal gets of a text that a command writes. */
function shown(text: string): string {
  let written = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      written += chunk;
      done();
    },
  });
  escapeInvisible(stream);
  stream.write(text);
  return written;
}

it.each([
  '\r\u001b[K  Working',
  '\u001b[32mok  \u001b[39m',
  '\u001b[1mA\u001b[22m',
  'a,b\r\nc,d\r\n',
  'a\tb\n',
])('what commands write of their own stays: %j', (text) => expect(shown(text)).toBe(text));

it.each([
  ['good\rEVIL', 'good\\u000dEVIL'],
  ['a\u001b[8mhidden\u001b[28m', 'a\\u001b[8mhidden\\u001b[28m'],
  ['a\u001b[7mb', 'a\\u001b[7mb'],
  ['\u009b2J', '\\u009b2J'],
  ['\u001b]8;;https://evil.example/\u001b\\x', '\\u001b]8;;https://evil.example/\\u001b\\x'],
  ['a\u2028b\u202ec', 'a\\u2028b\\u202ec'],
])('what writes over a line, hides or turns a text is spelled out: %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});
