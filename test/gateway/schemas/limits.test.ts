import { describe, expect, it } from 'vitest';
import { passwordInAddress } from '../../../src/contract/web-address.ts';
import { argumentIssue } from '../../../src/gateway/schemas/argument-bounds.ts';
import { timeOf } from '../../support/stalls.ts';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

describe('arguments', () => {
  it.each([
    ['64 levels', nested(64)],
    ['9,998 elements', { list: Array.from({ length: 9_998 }, () => 0) }],
    ['names that only look dangerous', { proto: 1, _proto_: 2, list: ['__proto__'] }],
    ['a long text', { text: 'x'.repeat(5_000_000) }],
    ['addresses without a password', { a: 'https://a.example/@me', b: 'ssh://git@a.example/x', c: 'a:b@c' }],
  ])('may have %s', (_, value) => {
    expect(argumentIssue(value)).toBeUndefined();
  });

  it.each([
    ['65 levels', nested(65), 'nested more than 64 levels deep'],
    ['100,000 levels', nested(100_000), 'nested more than 64 levels deep'],
    ['10,001 elements', { list: Array.from({ length: 10_000 }, () => 0) }, 'more than 10000 elements'],
    ['an integer beyond 2^53', JSON.parse('[9007199254740993]'), 'an integer beyond 2^53 loses digits'],
    ['a number that is read as infinity', JSON.parse('[1e999]'), 'an integer beyond 2^53 loses digits'],
    ['__proto__', JSON.parse('{"a": [{"__proto__": 1}]}'), 'the name "__proto__" is not allowed'],
    ['constructor', { constructor: { prototype: 1 } }, 'the name "constructor" is not allowed'],
    ['prototype', { a: { prototype: 1 } }, 'the name "prototype" is not allowed'],
    ['a password in an address', { a: ['https://me:hunter2@a.example/'] }, passwordInAddress],
    ['one without slashes', { a: ' HTTPS:me:hunter2@a.example' }, passwordInAddress],
    ['a user name in a web address', { a: 'https://hunter2@a.example/' }, passwordInAddress],
    ['a password in another address', { a: 'postgres://me:hunter2@a.example/' }, passwordInAddress],
  ])('may not have %s', (_, value, message) => {
    const time = timeOf(() => expect(argumentIssue(value)?.message).toContain(message));
    expect(time).toBeLessThan(100);
  });

  it('are refused with the path of the issue', () => {
    expect(argumentIssue(JSON.parse('{"a": [0, {"b": {"__proto__": 1}}]}'))?.path).toBe('a[1].b.__proto__');
  });
});
