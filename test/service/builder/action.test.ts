/** A built action fits into a catalog file, whatever its goal and its columns are called. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAction } from '../../../src/service/builder/recipe/action.ts';
import { readCatalogHead, slugOfDomain } from '../../../src/service/catalog/catalogs-of-builds.ts';
import { readCatalog } from '../../../src/service/catalog/read-file.ts';

const place = { websiteUrl: 'https://shop.example/', domain: 'shop.example' };

function build(
  goal: string,
  names: readonly string[],
  parameters: Parameters<typeof createAction>[1]['parameters'] = {},
) {
  const {
    wheel_version: _,
    columns: _columns,
    ...action
  } = createAction(
    { ...place, goal, catalog: undefined },
    {
      url: place.websiteUrl,
      extract: { kind: 'html', list: 'li', fields: { first: { select: 'a', type: 'text' } } },
      parameters,
    },
    {
      fields: names.map((name) => ({ name, kind: 'text', fill: 1 })),
      many: true,
      columns: { candidate: { id: 'r1', kind: 'repeated records', layout: '' }, fields: {} },
    },
  );
  return action;
}

const save = (action: ReturnType<typeof build>) =>
  readCatalog(JSON.stringify({ ...readCatalogHead(place, slugOfDomain(place.domain)), actions: [action] }));

it.each([
  ['Список книг: название, цена', ['название', 'цена'], /^shop-example_list_[0-9a-f]{6}$/],
  ['本の一覧: タイトルと価格', ['タイトル', '価格'], /^shop-example_list_[0-9a-f]{6}$/],
  ['List all łodzie with price', ['price'], /^shop-example_list_[0-9a-f]{6}$/],
  ['List all książki PDF with price', ['price'], /^shop-example_list_ksiazki_pdf$/],
  ['List all books with title and price', ['title', 'price'], /^shop-example_list_books$/],
])('the goal "%s" gives an action that a catalog file takes', async (goal, names, id) => {
  const action = build(goal, names);
  expect(action.action_id).toMatch(id);
  expect(await save(action)).toMatchObject({ ok: true });
});

it('an action is named and described by what it returns, and says what was asked for and is absent', () => {
  const asked = 'List the stories with title, points and number of comments';
  expect(build(asked, ['title', 'score'])).toMatchObject({
    name: 'List stories: title, score',
    description: `Gives rows of title, score from shop.example. No field is named number_of_comments. Built for: "${asked}". No further pages were found on the example.`,
  });
  expect(build('Список книг: цена', ['price']).name).toBe('List список книг: price');
  expect(build('the list: price', ['price']).name).toBe('List price');
});

it('an action of many pages says that it reads one unless it is told', () => {
  const paging = { kind: 'next', select: '.next', most: 5 } as const;
  expect(build('List the books: title', ['title'], { paging }).description).toContain(
    ' Reads one page unless max_pages (up to 5) says more.',
  );
});

it('two goals in another script give two ids', () => {
  expect(build('Список книг', ['цена']).action_id).not.toBe(build('Список журналов', ['цена']).action_id);
});

it('an action of 55 columns has a description that a catalog file takes', async () => {
  const names = Array.from(
    { length: 55 },
    (_, index) => `a_column_whose_name_is_as_long_as_names_become_here_${index}`,
  );
  const action = build(`List ${'everything '.repeat(100)}`, names);
  expect(action.description?.length).toBeGreaterThan(1_000);
  expect(await save(action)).toMatchObject({ ok: true });
});

it('any goal gives an action that a catalog file takes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 700 }).filter((goal) => goal.trim() !== ''),
      fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 64 }), { maxLength: 60 }),
      async (goal, names) => {
        expect(await save(build(goal, names))).toMatchObject({ ok: true });
      },
    ),
    { numRuns: 50 },
  );
});
