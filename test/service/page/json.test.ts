/** JSON as sites write it. */
import { expect, it } from 'vitest';
import { readJsonText } from '../../../src/service/page/json.ts';

it.each([
  ['a semicolon behind it', '{"a": 1};', { a: 1 }],
  ['comments', '// note\n{"a": /* one */ 1 // here\n}', { a: 1 }],
  ['a CDATA section', '//<![CDATA[\n{"a": 1}\n//]]>', { a: 1 }],
  ['marks on one line', '<!-- {"a": "<!-- // kept -->"} -->', { a: '<!-- // kept -->' }],
  ['escaped apostrophes', '{"a": "don\\\'t \\"go\\" \\x41"}', { a: 'don\'t "go" A' }],
  ['texts in apostrophes', `{'a': 'say "hi"', "b": 'it\\'s'}`, { a: 'say "hi"', b: "it's" }],
  ['line breaks in texts', '{"a": "one\ntwo\tthree"}', { a: 'one two three' }],
  ['commas at the end', '{"a": [1, 2,], "b": {},}', { a: [1, 2], b: {} }],
  ['brackets in texts', '[1, "a]b", "c}", {"d": "e[",}, ]', [1, 'a]b', 'c}', { d: 'e[' }]],
  ['values that are none', '[NaN, -Infinity, undefined, None, True]', [null, null, null, null, true]],
  ['several values', '{"a": 1}\n{"a": 2};[3]', [{ a: 1 }, { a: 2 }, [3]]],
  ['a guard against scripts', ')]}\',\n{"a": 1}', { a: 1 }],
  [
    'large integers',
    '{"id": 4611686018427387905, "n": [-9007199254740993]}',
    { id: '4611686018427387905', n: ['-9007199254740993'] },
  ],
  [
    'integers of one name, of which some are large',
    '{"list": [{"id": 9007199254740993, "n": 1, "ids": [1, -9007199254740993]}, {"id": 3, "n": 2.5, "ids": [4]}]}',
    {
      list: [
        { id: '9007199254740993', n: 1, ids: ['1', '-9007199254740993'] },
        { id: '3', n: 2.5, ids: ['4'] },
      ],
    },
  ],
  [
    'amounts with more digits than a number has',
    '[90071992547409.93, 12345.678, 1714521600.123456, 12345678901.5]',
    ['90071992547409.93', 12345.678, 1714521600.123456, 12345678901.5],
  ],
  ['large integers in texts', '{"a": "4611686018427387905", "b": 12}', { a: '4611686018427387905', b: 12 }],
  ['a number out of range', '[1E400, 1e3, 0.1]', ['1E400', 1000, 0.1]],
  ['numbers of other programs', '[.5, +7, 007]', [0.5, 7, '007']],
  ['a closing mark too many', '{"a": [1]}]}', { a: [1] }],
  ['escapes of a page', '{&quot;a&quot;: &quot;x &amp;amp; y&quot;}', { a: 'x &amp; y' }],
  ['a scalar', '12', 12],
  ['a comment that nothing closes', '{"a": 1 <!-- one\n}', { a: 1 }],
])('with %s is read', (_, text, value) => expect(readJsonText(text)?.value).toEqual(value));

it.each([
  '',
  'hello',
  '<p>no</p>',
  'x = {"a": 1}',
  'start({"a": 1})',
  '{a: 1}',
  '{"a": 1',
  '{"a" 1}',
  '[1 2]',
  '{"a": 1}; start()',
])('%j is no JSON', (text) => expect(readJsonText(text)).toBeUndefined());

it.each([
  ['comments that nothing closes', '<!--'.repeat(100_000)],
  ['a number that is none', `[${'1'.repeat(100_000)}x`],
])('%s take no square of time', (_, text) => {
  const started = performance.now();
  expect(readJsonText(text)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(5_000);
});
