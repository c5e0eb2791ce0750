/** When a build would only repeat an action. Sites and goals in here are any that came to mind. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { practiceCatalogs } from '../../../src/practice/catalogs.ts';
import { createAction } from '../../../src/service/builder/recipe/action.ts';
import { publicCatalogs } from '../../../src/service/catalogs/shipped.ts';
import { type DescribedAction, similarityTo } from '../../../src/service/operations/similar-actions.ts';

const similarity = (goal: string, action: DescribedAction) => similarityTo(goal)(action);

/** An action as the builder would have made it for the goal. */
function built(goal: string, fields: readonly string[], search?: string): DescribedAction {
  const form = { url: 'https://site.example/', query: 'q', constants: {}, label: 'Words', example: 'word' };
  const task = { websiteUrl: 'https://site.example/', domain: 'site.example', goal, catalog: undefined };
  const { name, description, tags, parameters } = createAction(
    task,
    {
      url: task.websiteUrl,
      extract: { kind: 'html', list: 'li', fields: {} },
      parameters: search === undefined ? {} : { search: { form, example: search } },
    },
    { fields: fields.map((name) => ({ name, kind: 'text', fill: 1 })), many: true },
  );
  return { name, description, tags, parameters, recipe: {}, goal, site: 'A Site site.example' };
}

const books = built('List all books with title, author and price', ['title', 'author', 'price']);
const jobs = built('Extract the job openings: position, company, location and salary', [
  'position',
  'company',
  'location',
  'salary',
]);
const quotes = built('quotes with their text, author and tags', ['text', 'author', 'tags']);
const boats = built('List all boats with name and price', ['name', 'price']);
const bookSearch = built(
  'search books by title or author; give title and price',
  ['title', 'price'],
  'Treasure',
);
const shipped = [...publicCatalogs(), ...practiceCatalogs('http://127.0.0.1:1')];
function shippedAction(id: string): DescribedAction {
  for (const catalog of shipped) {
    const action = catalog.actions.find(({ action_id }) => action_id === id);
    if (action !== undefined) {
      const site = `${catalog.name} ${new URL(catalog.url).hostname}`;
      return { ...action, goal: undefined, site };
    }
  }
  throw new Error(`No action ${id}`);
}

describe('similar', () => {
  it.each([
    ['Get every book: its title, its price', books],
    ['extract book titles and prices', books],
    ['list the books in the shop with author and cost', books],
    ['LIST BOOKS', books],
    ['Get quotes and authors', quotes],
    ['Get the boats with their names and prices', boats],
    ['Search for books by author and return the title', bookSearch],
    ['List all books with author, price and rating', shippedAction('bookshop_list_books')],
    ['List books', shippedAction('bookshop_list_books')],
    ['Get the details of a book: title, author', shippedAction('bookshop_book_details')],
    [
      'league standings: club, points',
      built('league table with club, played and points', ['club', 'points']),
    ],
    ['everything', books],
    ['get all the data of this page', jobs],
  ])('%s', (goal, action) => expect(similarity(goal, action)).toBeGreaterThan(0));
});

describe('an action is not similar to', () => {
  it.each([
    ['List all authors with name and date of birth', books],
    ['Get the opening hours of the shop', books],
    ['List the categories', books],
    ['List book reviews with reviewer, stars and text', books],
    ['search books by title or author; give title and price', books],
    ['List all books with title, author and price', bookSearch],
    ["Get the boat's owner, length and berth", boats],
    ['List companies with address and phone number', jobs],
    ['list the authors with birthday and birthplace', quotes],
    ['upcoming events with date and venue', quotes],
    ['List all boats with their rating', boats],
    ['Autoren mit Geburtsdatum', built('Alle Bücher mit Titel und Preis', ['titel', 'preis'])],
    [
      'top scorers with club and goals',
      built('league table with club, played and points', ['club', 'points']),
    ],
    ['Get the members with their borrowed books', shippedAction('bookshop_list_books')],
    ['List all books with title and author', shippedAction('bookshop_book_details')],
    ['List quotations with author', shippedAction('bookshop_list_books')],
    ['Temperature and wind of each station', shippedAction('bookshop_list_books')],
  ])('%s', (goal, action) => expect(similarity(goal, action)).toBe(0));
});

const goals = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }),
  fc
    .array(
      fc.constantFrom(
        ...'list get search all every the books jobs titles price author and , with of for; by table 書籍 Bücher É'.split(
          ' ',
        ),
      ),
      { minLength: 1, maxLength: 40 },
    )
    .map((words) => words.join(' ')),
  fc.constantFrom('x'.repeat(4_000), 'whether it '.repeat(360), 'a, '.repeat(1_300), 'search '.repeat(500)),
);

it('the same goal is always similar to what was built for it, in any case and spacing', () => {
  fc.assert(
    fc.property(goals, fc.array(fc.string({ maxLength: 20 })), fc.boolean(), (goal, fields, searches) => {
      const action = built(goal, fields, searches ? 'word' : undefined);
      expect(similarity(goal, action)).toBeGreaterThan(0);
      expect(similarity(`  ${goal.replaceAll(' ', '   ')}\n`, action)).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});

it('it is a number from 0 to 1 for any goal and any action, the same every time', () => {
  const described = fc.record({
    name: goals,
    description: fc.option(goals),
    tags: fc.array(fc.string()),
    parameters: fc.dictionary(fc.string(), fc.jsonValue()),
    recipe: fc.jsonValue(),
    goal: fc.option(goals, { nil: undefined }),
    site: fc.string(),
  });
  fc.assert(
    fc.property(goals, described, (goal, action) => {
      const found = similarity(goal, action);
      expect(found).toBeGreaterThanOrEqual(0);
      expect(found).toBeLessThanOrEqual(1);
      expect(similarity(goal, action)).toBe(found);
    }),
    { numRuns: 500 },
  );
});
