/** What a goal asks for, in the languages that it may be written in. */
import { expect, it } from 'vitest';
import { absentFields, readGoal } from '../../../src/service/catalog/read-goal.ts';
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
  ['Liste de Ville, Prix et Surface', ['ville', 'prix', 'surface']],
  ['Alle Lampen mit Name, Preis und Farbe auflisten', ['name', 'preis', 'farbe']],
  ['Liste alle Bücher mit Titel und Menge auf.', ['titel', 'menge']],
  ['Stelle alle Spieler mit Name und Toren zusammen', ['name', 'toren']],
  ['Suche bitte alle Hotels mit Name und Preis heraus', ['name', 'preis']],
  ['Zeig mir alle Bücher mit Titel und Preis an', ['titel', 'preis']],
  ['Rufe alle Termine mit Datum und Ort ab!', ['datum', 'ort']],
  ['Liste alle Züge mit Linie, Abfahrt ab und Ankunft an', ['linie', 'abfahrt_ab', 'ankunft_an']],
  ['Donne le titre, le prix et le lien de chaque livre', ['titre', 'prix', 'lien']],
  ['Todos los libros con título, precio y enlace', ['titulo', 'precio', 'enlace']],
  ['Lista de ofertas con el título e imagen', ['titulo', 'imagen']],
  ['Dame el título y el precio de cada libro', ['titulo', 'precio']],
  ['Ich möchte Titel und Preis aller Bücher', ['titel', 'preis']],
  ['Je voudrais le titre et le prix de chaque livre', ['titre', 'prix']],
  ['Quiero el título y el precio de todos los libros', ['titulo', 'precio']],
  ['Price, rating and stock of each book', ['price', 'rating', 'stock']],
  ['title and price for all books', ['title', 'price']],
  ['Titel und Preis aller Bücher', ['titel', 'preis']],
  ['Titre et prix de chaque livre', ['titre', 'prix']],
  ['Título y precio de todos los libros', ['titulo', 'precio']],
])('%s: %j', (goal, fields) => {
  expect(names(goal)).toEqual(fields);
  expect(readGoal(goal).many).toBe(true);
});

it.each([
  ['List all shares with name, change and % change', ['name', 'change', 'percent_change']],
  [
    'Liste aller Aktien mit Kurs, Veränderung und Veränderung %',
    ['kurs', 'veranderung', 'veranderung_percent'],
  ],
  ['List all rooms with name, price € and price $', ['name', 'price_eur', 'price_usd']],
  ['List all shares with % change and change', ['percent_change', 'change']],
  ['List all rooms with name, names and % free', ['name', 'free']],
])('phrases that differ by a sign alone are two fields: %s', (goal, fields) => {
  expect(names(goal)).toEqual(fields);
});

it('abbreviations end no list, and Swedish has an "and" beside the Spanish "lista"', () => {
  expect(names('List hotels with hotel, price incl. VAT, no. of rooms and min. stay')).toEqual([
    'hotel',
    'price_incl_vat',
    'no_of_rooms',
    'min_stay',
  ]);
  expect(names('List hotels with price incl. VAT and stars')).toEqual(['price_incl_vat', 'stars']);
  expect(names('Extract all offers incl. the name and price')).toEqual(['name', 'price']);
  expect(names('Elenca gli atti con oggetto, inizio pubbl. e fine pubbl.')).toHaveLength(3);
  expect(names('List all jobs with title and salary. Take the newest ones.')).toEqual(['title', 'salary']);
  expect(names('Lista dagar med väder, nederbörd och vind')).toEqual(['vader', 'nederbord', 'vind']);
});

it.each([
  ['List all rooms with room and rate. Include rating.', ['room', 'rate', 'rating']],
  ['List all rooms with room and rate. Also the rating.', ['room', 'rate', 'rating']],
  ['List the rooms with room and rate. Also breakfast and rating.', ['room', 'rate', 'breakfast', 'rating']],
  ['List rooms: room, rate. Also spa, pool and rating, please.', ['room', 'rate', 'spa', 'pool', 'rating']],
  ['Get hotels with name and price. For each hotel give address, pool', ['address', 'pool', 'name', 'price']],
  ['Alle Zimmer mit Name und Preis. Außerdem die Note.', ['name', 'preis', 'note']],
  ['Tous les hôtels avec nom et prix. Ajoute la note.', ['nom', 'prix', 'note']],
  ['Get all rooms with names and rates. I need name, rate and link.', ['name', 'rate', 'link']],
])('further sentences add to the list: %s', (goal, fields) => {
  expect(names(goal)).toEqual(fields);
});

it.each([
  'List rooms with room and rate. Include all pages.',
  'List rooms with room and rate. Also go to the next page.',
  'Go to the page with spas and pools. List room and rate.',
])('but not what they say of rows or pages: %s', (goal) => {
  expect(names(goal)).toEqual(['room', 'rate']);
});

it('what all of the list is of is no part of its last field', () => {
  expect(names('Get the name, price and weight of the product')).toEqual(['name', 'price', 'weight']);
});

it('a list that nothing leads names fields only before what has them', () => {
  expect(readGoal('price and stock of each book').subject.trim()).toBe('each book');
  expect(names('reviews of all books')).toEqual([]);
  expect(names('All players of each team with name and goals')).toEqual(['name', 'goals']);
});

it.each([
  ['title, company and salary', ['title', 'company', 'salary']],
  ['Titel und Preis', ['titel', 'preis']],
  ['titre, prix et auteur', ['titre', 'prix', 'auteur']],
  ['título y precio', ['titulo', 'precio']],
  ['fruit and vegetables', ['fruit', 'vegetables']],
  ['fruit', []],
  ['both title and price', ['title', 'price']],
  ['title and price, but not rating', ['title', 'price']],
  ['Titel und Preis, ohne Bewertung', ['titel', 'preis']],
])('nothing but a list names its fields, which the page has or not: %s', (goal, fields) => {
  expect(names(goal)).toEqual(fields);
});

it.each([
  ['Domy: miasto, cena i data', ['miasto', 'cena', 'data']],
  ['Huizen met stad, prijs en datum', ['stad', 'prijs', 'datum']],
  ['Boliger med by, leje og dato', ['by', 'leje', 'dato']],
  ['Bostäder med stad, hyra och datum', ['stad', 'hyra', 'datum']],
  ['Libri con titolo, prezzo e data', ['titolo', 'prezzo', 'data']],
  ['Livros com título, preço e data', ['titulo', 'preco', 'data']],
  ['preço e data', ['preco', 'data']],
  ['Дома: город, цена и дата', ['город', 'цена', 'дата']],
  ['Evler: şehir, fiyat ve tarih', ['sehir', 'fiyat', 'tarih']],
  ['Vis dag, regn og vind', ['dag', 'regn', 'vind']],
  ['Toon dag, regen en wind', ['dag', 'regen', 'wind']],
  ['Pokaż dzień, opad i wiatr', ['dzien', 'opad', 'wiatr']],
  ['Listaa päivä, sade ja tuuli', ['paiva', 'sade', 'tuuli']],
  ['Listázd: nap, eső és szél', ['nap', 'eso', 'szel']],
  ['Listează zi, ploaie și vânt', ['zi', 'ploaie', 'vant']],
])('the words that divide a list are known in more languages: %s', (goal, fields) => {
  expect(names(goal)).toEqual(fields);
});

it.each([
  ['Books with title, vitamin e content and price', ['title', 'vitamin_e_content', 'price']],
  ['Lista de libros con nombre en inglés y precio', ['nombre_en_ingles', 'precio']],
  ['all products i want: name, price', ['name', 'price']],
])('and divide none in another language: %s', (goal, fields) => {
  expect(names(goal)).toEqual(fields);
});

it.each([
  ['النتائج: الاسم، المجموع، الشعبة', ['الاسم', 'المجموع', 'الشعبة']],
  ['列出名称、价格，库存。', ['名称', '价格', '库存']],
  ['商品：名前、価格、在庫', ['名前', '価格', '在庫']],
])('the commas and colons of other scripts divide a list too: %s', (goal, fields) => {
  expect(names(goal)).toEqual(fields);
});

it('words of other languages in an English goal are English', () => {
  expect(names('List MIT courses with die size and title')).toEqual(['die_size', 'title']);
});

it('a field is absent where only another field of the goal has its meaning', () => {
  const goal = readGoal('List staff with name, title and e-mail');
  expect(absentFields(goal, ['title', 'email'])).toEqual(['name']);
  expect(absentFields(readGoal('List with price and link'), ['preis', 'url'])).toEqual([]);
});

it('the commonest words mean the same in all of them', () => {
  expect(toConcepts('Titel Preis Datum')).toEqual(toConcepts('title price date'));
  expect(toConcepts('titre auteur lien')).toEqual(toConcepts('title author link'));
  expect(toConcepts('precio fecha enlace')).toEqual(toConcepts('price date link'));
});

it.each([
  ['the 10 best hotels with name', 'the 10 best'],
  ['the newest 5 books with title', 'the newest 5'],
  ['books under 10 euros with title', 'under 10 euros'],
  ['cheapest books in stock with title and price', 'cheapest, in stock'],
  ['boats that have 2 masts with name', 'that have 2 masts'],
  ['Bücher unter 10 Euro mit Titel', 'unter 10 Euro'],
  ['Livres de moins de 10 euros avec titre', 'moins de 10 euros'],
  ['Libros en oferta con título', 'en oferta'],
  ['News about 3 boats with title', undefined],
  ['Books in stock: title, price', 'in stock'],
  ['List books with title, sorted by price', 'sorted by price'],
  ['Los libros más baratos con título', 'más baratos'],
  ['List players with first name, best score', undefined],
  ['List all books with title', undefined],
])('%s asks for the order %j', (goal, order) => {
  expect(readGoal(goal).order).toBe(order);
});

it('what no action does is no part of what it is about', () => {
  expect(readGoal('cheapest books under 10 euros with title').subject.trim()).toBe('books');
  expect(readGoal('Bücher auf Lager mit Titel und Preis').subject.trim()).toBe('Bücher');
});

it('a chosen name in another form of the word is none that is absent', () => {
  const goal = readGoal('Alle Vereine mit Verein, Spielen und Punkten');
  expect(absentFields(goal, ['verein', 'spiele', 'punkte'])).toEqual([]);
  expect(absentFields(goal, ['verein', 'spiele', 'tore'])).toEqual(['punkten']);
});
