/** What a goal asks for, in the languages that it may be written in. */
import { expect, it } from 'vitest';
import { readGoal } from '../../../src/service/catalog/read-goal.ts';
import { toConcepts } from '../../../src/service/catalog/synonyms.ts';

const names = (goal: string) => readGoal(goal).fields.map(({ name }) => name);

it.each([
  ['List all books with title, price and link', ['title', 'price', 'link']],
  ['Alle Bücher mit Titel, Preis und Link', ['titel', 'preis', 'link']],
  ['Liste der Boote mit dem Namen, dem Preis sowie Baujahr', ['namen', 'preis', 'baujahr']],
  ['Zeige mir Titel und Preis von jedem Buch', ['titel', 'preis']],
  ['Alle Stellen: Titel, Firma, Ort', ['titel', 'firma', 'ort']],
  ['Tous les livres avec le titre, le prix et l’auteur', ['titre', 'prix', 'auteur']],
  ['Liste des annonces avec titre et prix', ['titre', 'prix']],
  ['Donne le titre, le prix et le lien de chaque livre', ['titre', 'prix', 'lien']],
  ['Todos los libros con título, precio y enlace', ['titulo', 'precio', 'enlace']],
  ['Lista de ofertas con el título e imagen', ['titulo', 'imagen']],
  ['Dame el título y el precio de cada libro', ['titulo', 'precio']],
])('%s: %j', (goal, fields) => {
  expect(names(goal)).toEqual(fields);
  expect(readGoal(goal).many).toBe(true);
});

it('words of other languages in an English goal are English', () => {
  expect(names('List MIT courses with die size and title')).toEqual(['die_size', 'title']);
});

it('the commonest words mean the same in all of them', () => {
  expect(toConcepts('Titel Preis Datum')).toEqual(toConcepts('title price date'));
  expect(toConcepts('titre auteur lien')).toEqual(toConcepts('title author link'));
  expect(toConcepts('precio fecha enlace')).toEqual(toConcepts('price date link'));
});

it.each([
  ['the 10 best hotels with name', 'best'],
  ['List books with title, sorted by price', 'sorted by price'],
  ['Los libros más baratos con título', 'más baratos'],
  ['List players with first name, best score', undefined],
  ['List all books with title', undefined],
])('%s asks for the order %j', (goal, order) => {
  expect(readGoal(goal).order).toBe(order);
});
