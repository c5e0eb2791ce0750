/** Goals in other languages, for pages whose classes are English. */
import { describe, expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const things = ['Alpha', 'Beta', 'Gamma', 'Delta'];
const page = `<!doctype html><html><title>Things</title><body><main><h1>Things</h1><ul>${things
  .map(
    (name, at) =>
      `<li class="item"><h3 class="title"><a href="/p/${name}">${name} lamp</a></h3><b class="price">${at + 10},99 €</b> <i class="author">Ann ${name}</i> <i class="location">Bad ${name}</i> <i class="company">${name} Ltd</i> <i class="count">${at * 3 + 1}</i> <i class="duration">${at + 20} min</i> <i class="rating">${at + 1},5</i></li>`,
  )
  .join('')}</ul></main></body></html>`;

async function firstOf(goal: string) {
  const { build } = await serve(() => page);
  const outcome = await build('/', goal);
  return outcome.built ? outcome.sample?.[0] : outcome.errorType;
}

describe('a goal names the columns of English classes', () => {
  it.each([
    [
      'Alle Lampen mit Namen, Preisen und Autoren',
      { namen: 'Alpha lamp', preisen: 10.99, autoren: 'Ann Alpha' },
    ],
    ['Alle Kurse mit Titel, Dauer und Stadt', { titel: 'Alpha lamp', dauer: 20, stadt: 'Bad Alpha' }],
    ['Alle Stellen mit Titel, Arbeitgeber und Anzahl', { arbeitgeber: 'Alpha Ltd', anzahl: 1 }],
    ['Todos los productos con nombre, precio y ciudad', { nombre: 'Alpha lamp', ciudad: 'Bad Alpha' }],
    ['Tous les cours avec titre, durée et quantité', { titre: 'Alpha lamp', duree: 20, quantite: 1 }],
    ['Elenca tutti i prodotti con nome e prezzo', { nome: 'Alpha lamp', prezzo: 10.99 }],
    ['Toon alle producten met naam en prijs', { naam: 'Alpha lamp', prijs: 10.99 }],
    ['Liste todos os produtos com nome e preço', { nome: 'Alpha lamp', preco: 10.99 }],
  ])('%s', async (goal, row) => {
    expect(await firstOf(goal)).toMatchObject(row);
  });

  it('a name beside a heading, of rows that have one heading, is asked for', async () => {
    expect(await firstOf('Alle Bewertungen mit Überschrift und Preis')).toMatchObject({ preis: 10.99 });
    expect(await firstOf('Alle Bewertungen mit Name, Überschrift und Preis')).toBe('CHOICE_NEEDED');
  });

  it('the French "nombre" is a count and no name', async () => {
    expect(await firstOf('Tous les produits avec nombre et prix')).toMatchObject({ nombre: 1, prix: 10.99 });
    expect(await firstOf("Tous les produits avec titre et nombre d'avis")).toBe('CHOICE_NEEDED');
  });
});
