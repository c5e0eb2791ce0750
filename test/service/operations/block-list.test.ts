import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isListed, parseBlockList } from '../../../src/service/fetch/block-list.ts';

it('one domain a line, in any form that people write; what is no domain is named by its line', () => {
  const { domains, unreadable } = parseBlockList(
    [
      '\uFEFF# the list',
      'Blocked.Example  # not here',
      '*.stars.example',
      '.dot.example.',
      'https://address.example/path?x=1',
      'bücher.example',
      '203.0.113.7',
      '2001:db8::1',
      'two words',
      '',
      '   ',
      'http://',
      '%%%',
    ].join('\r\n'),
  );
  expect([...domains]).toEqual([
    'blocked.example',
    'stars.example',
    'dot.example',
    'address.example',
    'xn--bcher-kva.example',
    '203.0.113.7',
  ]);
  expect(unreadable).toEqual([8, 9, 12, 13]);
});

it('a domain blocks itself and what is below it, nothing beside it', () => {
  const domains = new Set(['blocked.example', 'a.b.example']);
  for (const host of ['blocked.example', 'www.blocked.example', 'x.y.BLOCKED.example.', 'c.a.b.example'])
    expect([host, isListed(host, domains)]).toEqual([host, true]);
  for (const host of ['example', 'notblocked.example', 'blocked.example.com', 'b.example', 'ab.example', ''])
    expect([host, isListed(host, domains)]).toEqual([host, false]);
});

it('whatever the file holds, it can be read', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.domain(), (text, domain) => {
      const { domains } = parseBlockList(`${text}\n${domain}`);
      expect(isListed(new URL(`http://www.${domain}`).hostname, domains)).toBe(true);
    }),
  );
});
