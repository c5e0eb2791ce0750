/** The structures of pages: the right rows and columns are among the first candidates; what a goal says clearly is right. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toChosen } from '../../../src/service/builder/matching/choice.ts';
import { clearMatch, matchGoal } from '../../../src/service/builder/matching/match.ts';
import { readGoal } from '../../../src/service/catalog/read-goal.ts';
import { extract } from '../../../src/service/recipes/parse.ts';
import { candidatesOf, documentOf, reachOf } from './best-choice.ts';
import { ownPages, readPageSets } from './page-sets.ts';
import { scoreRows } from './scoring.ts';

const sets = readPageSets(ownPages);

it.each(sets.filter(({ truth }) => truth.length > 0))(
  '$file: the best choice among three candidates is right',
  async (set) => {
    expect((await reachOf(set)).best).toBeGreaterThan(0.95);
  },
);

it('the index lists every page', () => {
  const files = readdirSync(ownPages).filter((file) => file !== 'pages.json');
  expect(sets.map(({ file }) => file).sort()).toEqual(files.sort());
});

it('the same page has the same candidates and columns', async () => {
  const [set] = sets;
  if (set === undefined) throw new Error('no page sets');
  const ids = async () =>
    (await candidatesOf(documentOf(set))).map(({ id, columns }) => [id, columns.map((column) => column.id)]);
  expect(await ids()).toEqual(await ids());
});

it.each([
  ['a-recipe-in-microdata-with-lists.html', 1],
  ['a-recipe-with-labels-in-one-text.html', 0.4],
  ['boats.html', undefined],
])('%s: %s of the true values stand in structured data', async (file, share) => {
  const set = sets.find((one) => one.file === file);
  expect(set && (await reachOf(set)).structured).toBe(share);
});

it('no goal is met with other rows than it asks for', async () => {
  const wrong: string[] = [];
  for (const set of sets) {
    const document = documentOf(set);
    const goal = readGoal(set.goal);
    const clear = clearMatch(matchGoal(await candidatesOf(document), goal), goal);
    if (clear === undefined) continue;
    const { candidate, fields } = toChosen(clear);
    const extracted = await extract(document, candidate.toExtract(fields));
    const rows = extracted.kind === 'rows' ? extracted.rows : [extracted.record];
    const named = set.fields.filter(({ name }) => fields.some((field) => field.name === name));
    if (named.length > 0 && scoreRows(rows, set.truth, named).f1 < 0.3) wrong.push(set.file);
  }
  expect(wrong).toEqual([]);
});
