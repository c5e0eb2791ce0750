import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { requirements } from './requirements.ts';

/** Sides whose rules must all be cited by now. */
const enforced: readonly string[] = ['service'];

/** The first argument of a call with a second one, such as a test's title; not of a skipped test. */
const titles = /(?<!\.(?:skip|todo))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1\s*,/gs;
/** Ids in square brackets, like `[task.accepted]`. */
const citation = /\[([a-z][a-z-]*\.[a-z0-9-]+)\]/g;

/** The one form of a title with citations: the tags first, then the sentence. */
const taggedTitle = /^(?:\[[a-z][a-z-]*\.[a-z0-9-]+\] )+[^[\]]+$/;

const cited = new Map<string, string[]>();
const misplaced: string[] = [];

beforeAll(async () => {
  const files = await readdir(import.meta.dirname, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
    const text = await readFile(join(import.meta.dirname, file), 'utf8');
    for (const [, , title = ''] of text.matchAll(titles)) {
      if (title.match(citation) !== null && !taggedTitle.test(title)) misplaced.push(`${file}: ${title}`);
      for (const [, id = ''] of title.matchAll(citation)) cited.set(id, [...(cited.get(id) ?? []), file]);
    }
  }
});

it('every rule has an id of its own', () => {
  const ids = requirements.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

it('every rule is cited by a test', () => {
  const uncited = requirements.filter(({ id, side }) => enforced.includes(side) && !cited.has(id));
  expect(uncited.map(({ id, text }) => `${id}: ${text}`)).toEqual([]);
});

it('every citation is of a rule', () => {
  const ids = new Set(requirements.map(({ id }) => id));
  const unmatched = [...cited].filter(([id]) => !ids.has(id));
  expect(unmatched).toEqual([]);
});

it('every citation is a tag before the sentence of its title', () => {
  expect(misplaced).toEqual([]);
});
