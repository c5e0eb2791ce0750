/** `docs/errors.md` has every code that the program can answer with. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Texts in capitals that are no codes of ours: variables of the surroundings, codes of Node, undici and SQLite. */
const foreign = /^(?:SVC|UND_ERR|ERR|SQLITE|NODE)_|^E[A-Z]+$|_PROXY$/;

/** Codes of one word, which the rule for texts in capitals does not tell from other words. */
const singleWords = ['CANCELLED', 'FORBIDDEN', 'TIMEOUT', 'UNAUTHORIZED'];

/** Codes in a source, as texts or as members of a table. */
function codesIn(text: string): string[] {
  const found = [...text.matchAll(/'([A-Z]+(?:_[A-Z]+)*)'|^ {2}([A-Z]+(?:_[A-Z]+)*): /gm)];
  return found
    .map(([, quoted, member]) => quoted ?? member ?? '')
    .filter((code) => (code.includes('_') && !foreign.test(code)) || singleWords.includes(code));
}

it('reads codes in texts and in tables', () => {
  const text = `if (code === 'NOT_FOUND') throw fail('CANCELLED', 'SVC_API_KEY', 'DELETE');
const rules = {
  RATE_LIMITED: rule(429, 'Too many'),
  TIMEOUT: 'It took too long',
};`;
  expect(codesIn(text)).toEqual(['NOT_FOUND', 'CANCELLED', 'RATE_LIMITED', 'TIMEOUT']);
});

it('docs/errors.md explains every code of the source', () => {
  const files = ['contract', 'client', 'gateway', 'mcp', 'service'].flatMap((layer) =>
    readdirSync(join(root, 'src', layer), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(root, 'src', layer, name)),
  );
  const codes = new Set(files.flatMap((file) => codesIn(readFileSync(file, 'utf8'))));
  expect(codes.size).toBeGreaterThan(70);
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  expect([...codes].filter((code) => !page.includes(`\`${code}\``)).sort()).toEqual([]);
});
