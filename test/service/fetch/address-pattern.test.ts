/** Addresses that a recipe names by a pattern. */
import { expect, it } from 'vitest';
import { matchesAddress } from '../../../src/compare/addresses.ts';

it.each<[pattern: string, address: string, matches: boolean]>([
  ['/items', '/items', true],
  ['/items', '/items/1', false],
  ['/items', '/item', false],
  ['/items/*', '/items/', true],
  ['/items/*', '/other/1', false],
  ['*', '', true],
  ['/*/list', '/a/b/list', true],
  ['/*/list', '/a/b/lists', false],
  ['/a*b*c', '/a1b2c', true],
  ['/a*b*c', '/a1c2b', false],
  ['/a*b*c', '/ac', false],
  // The same characters do not count twice.
  ['/ab*ba', '/aba', false],
  ['/ab*ba', '/abba', true],
  ['/a*ab*ab', '/aab', false],
])('%s and %s: %s', (pattern, address, matches) => {
  expect(matchesAddress(pattern, address)).toBe(matches);
});
