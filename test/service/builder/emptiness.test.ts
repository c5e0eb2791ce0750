/** What a page says of itself where it has nothing of what was asked for. */
import { isTag } from 'domhandler';
import { expect, test } from 'vitest';
import { emptinessOf } from '../../../src/service/builder/emptiness.ts';
import { readGoal } from '../../../src/service/builder/goal.ts';
import { Document } from '../../../src/service/recipes/document.ts';

function emptiness(body: string, goal: string) {
  const page = { url: 'https://site.example/', status: 200, contentType: 'text/html', link: '' };
  const { html } = new Document({ ...page, body: Buffer.from(`<!doctype html><body>${body}`) });
  const root = html('body').get(0);
  if (root === undefined || !isTag(root)) throw new Error('no body');
  const found = emptinessOf(root, readGoal(goal));
  const excluded = (select: string) => {
    const element = html(select).get(0);
    return found?.excludes(element !== undefined && isTag(element) ? element : undefined);
  };
  return { statement: found?.statement, excluded };
}

test.each([
  ['<h2>Open roles</h2><p>We don’t have any open roles right now.</p>', 'All open roles with title'],
  ['<p>There are currently <strong>no</strong> open vacancies.</p>', 'List all vacancies with salary'],
  ['<div>Sorry, we couldn’t find any results for “grinder”</div>', 'All grinders with price'],
  ['<p>No upcoming events</p>', 'Upcoming events with date'],
  ['<span>0 results</span>', 'All lamps with price'],
  ['<p>Derzeit sind leider keine Stellen ausgeschrieben.</p>', 'Alle Stellen mit Ort'],
  ['<p>Aucun résultat ne correspond à votre recherche</p>', 'Toutes les annonces avec prix'],
  ['<p>No se han encontrado resultados</p>', 'Todos los pisos con precio'],
  ['<p>Nessun risultato trovato</p>', 'Tutti gli annunci con prezzo'],
  ['<h1>Error 500</h1>', 'All boats with price'],
  ['<h1>Page not found</h1>', 'All boats with price'],
])('%s', (body, goal) => {
  expect(emptiness(body, goal).statement).toBeDefined();
});

test.each([
  ['a basket', '<div>You have no items in your shopping cart.</div>', 'All products with price'],
  ['what is hidden', '<p style="display:none">No results</p>', 'All products with price'],
  [
    'what a class hides',
    '<div class="empty hidden"><p>No results found</p></div>',
    'All products with price',
  ],
  ['something else', '<p>No comments yet.</p>', 'All products with price'],
  ['a name', '<h3>No. 12 Restaurant</h3><h3>No Time to Dine</h3>', 'All restaurants with rating'],
  [
    'each of several rows',
    '<ul><li>A<p>No events</p></li><li>B<p>No events</p></li><li>C<p>No events</p></li></ul>',
    'All events with date',
  ],
  ['what is over', '<p>No upcoming events</p>', 'All past events with date'],
])('of %s it says nothing', (_, body, goal) => {
  expect(emptiness(body, goal).statement).toBeUndefined();
});

test('lists before it stay, those after it are recommendations; of what the goal is about there is none anywhere', () => {
  const page = (said: string) => `<ul id="above"><li>A</li></ul><p>${said}</p><ul id="below"><li>B</li></ul>`;
  const some = emptiness(page('No more results found'), 'All lamps with price');
  expect([some.excluded('#above'), some.excluded('#below')]).toEqual([undefined, undefined]);
  const none = emptiness(page('No results found'), 'All lamps with price');
  expect([none.excluded('#above'), none.excluded('#below')]).toEqual([false, true]);
  const lamps = emptiness(page('We have no lamps at the moment'), 'All lamps with price');
  expect([lamps.excluded('#above'), lamps.excluded('#below')]).toEqual([true, true]);
});
