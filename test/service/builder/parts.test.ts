/** Values that stand in longer texts. */
import { expect, it } from 'vitest';
import { findParts, sharedLead } from '../../../src/service/builder/columns/parts.ts';
import { toFind } from '../../../src/service/recipes/pattern.ts';
import { serve } from './serve-pages.ts';

it.each([
  ['Case No. 14-1629: X v. Y', ['14-1629', 'X v. Y']],
  ['Filed: May 3, 2024 Judge: Ann Doe', ['May 3, 2024', 'Ann Doe']],
  ['X v. Y, 2024 CA 0022 (3/13/24)', ['X v. Y', '2024 CA 0022', '3/13/24']],
])('%s is offered as parts, each with its pattern', (text, expected) => {
  const others = ['15-0003', '16-0211', '17-0400'].map((code, at) =>
    text
      .replace('14-1629', code)
      .replace('2024 CA 0022', `2024 CA 01${at}2`)
      .replace('May 3', `May ${at + 4}`)
      .replace('3/13/24', `3/1${at + 4}/24`)
      .replace('X', `Dune ${'ABC'[at]}`)
      .replace('Y', `Reed ${'ABC'[at]}`)
      .replace('Ann', ['Bo', 'Cy', 'Di'][at] ?? ''),
  );
  const parts = findParts([text, ...others]);
  expect(parts.map(({ values }) => values[0])).toEqual(expect.arrayContaining(expected));
  for (const { match, values } of parts) expect(toFind(match)(text)?.trim()).toBe(values[0]);
});

it('a dash without spaces divides no parts where others stand between them', () => {
  const parts = findParts([
    'AC/DC - T.N.T.',
    'Jay-Z - 99 Problems',
    'Mala Vita - Noir Désir',
    'A-ha - Take on me',
  ]);
  expect(parts.map(({ values }) => values[1])).toEqual(['Jay-Z', '99 Problems']);
});

it('a time is not cut where others have a sign behind', () => {
  const parts = findParts(['12:10', '14:05+1', '00:20+1']);
  expect(parts.flatMap(({ values }) => values)).not.toContain('12:1');
});

it.each([
  [['Ann Doe, J.', 'Bo Roe, P.J.', 'Cy Poe, J.', 'Di Moe, J.'], 'Ann Doe'],
  [['Doe and Son, LLC, Buyer', 'Bo Roe, Buyers', 'Cy Poe, Buyer', 'Di Moe, Buyer'], 'Doe and Son, LLC'],
  [['Leeds, West', 'Hull, North', 'York, South', 'Bath, East'], undefined],
])('%j: before the comma stands %j where few titles follow it', (texts, expected) => {
  expect(findParts(texts)[0]?.values[0]).toBe(expected);
});

it.each([
  [['in an opinion by Ann Doe', 'in an opinion by Bo Roe', 'in an opinion by Cy Poe'], 'in an opinion by '],
  [['by order of Ann Doe', 'by leave of Bo Roe', 'by Cy Poe'], 'by '],
  [['the first of May', 'a second', 'one third'], undefined],
])('%j begin with %j', (texts, lead) => {
  expect(sharedLead(texts)).toBe(lead);
});

it('a text of another form among many keeps no pattern busy', () => {
  const texts = Array.from(
    { length: 9 },
    (_, at) => `a${at}: b${at}: c${at}: d${at}: e${at}: f${at}: g${at}: 12-34${at}`,
  );
  const parts = findParts([...texts, `${'x: '.repeat(130)}x`]);
  expect(parts.map(({ values }) => values[0])).toContain('12-340');
});

it('a part in brackets ends with them, and an amount is not cut from the sign of its currency', () => {
  const counts = findParts(['In stock (11 available)', 'In stock (7 available)', 'In stock (3 available)']);
  expect(counts.map(({ label, values }) => [label, values[0]])).toEqual([['In stock', '11 available']]);
  expect(findParts(['Item 1 $1.50', 'Item 2 $2,345.50', 'Item 3 $ 3.50'])).toEqual([]);
});

it('the last day of a span is no date of its text', () => {
  const spans = ['3–5 May 2026', '7 May 2026', '9 – 12 June 2026', '30 Aug – 2 Sep 2026'];
  expect(findParts(spans).flatMap(({ values }) => values)).not.toContain('5 May 2026');
});

it('the half of the day belongs to its time', () => {
  const texts = ['11:02 pm', '12:05 am', '7:40 p.m.'].map(
    (time, at) => `by user${at} Thu Nov 2${at}, 2026 ${time}`,
  );
  const parts = findParts(texts).map(({ values }) => values);
  expect(parts).toContainEqual(['11:02 pm', '12:05 am', '7:40 p.m.']);
  expect(parts.flat()).not.toContain('11:02');
});

it('a part that few rows have in its form is none beside an element that says it in all', async () => {
  const codes = [
    'A1EWWW',
    '938914',
    '840400',
    'BASF11',
    '519000',
    '519300',
    '581005',
    '710000',
    '514000',
    '555750',
  ];
  const rows = codes.map((code, at) => {
    const name = `Stahl ${'ABCDEFGHIJ'[at]} AG`;
    return `<tr><td><a href="/${at}">${name}</a><br><span class="wkn">${code}</span></td><td>${at}2,45 €</td><td>17:3${at}:12</td><td>4${at}2.301</td></tr>`;
  });
  const head = '<tr><th>Name<br>WKN</th><th>Kurs</th><th>Zeit</th><th>Volumen</th></tr>';
  const { build } = await serve(
    () => `<!doctype html><html lang="de"><h1>DAX</h1><table>${head}${rows.join('')}</table>`,
  );
  expect(await build('/', 'Liste alle Aktien mit Name, WKN, Kurs, Zeit und Volumen')).toMatchObject({
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('none for wkn'),
  });
});

const hotels = [
  ['Sol', '8,1', 'Fabuloso', '120'],
  ['Mar', '7,9', 'Bien', '88'],
  ['Luna', '9,2', 'Fantástico', '310'],
  ['Norte', '8,8', 'Fabuloso', '201'],
  ['Sur', '7,4', 'Bien', '67'],
];
const tools = ['Hammer', 'Drill', 'Saw', 'Ladder', 'Mill'];
const listOf = (lang: string, cards: readonly string[]) =>
  `<html lang="${lang}"><main><h1>List</h1><div>${cards.map((card) => `<div class="card">${card}</div>`).join('\n')}</div></main>`;
it.each([
  [
    'a later figure of a text, as its score',
    listOf(
      'es',
      hotels.map(
        ([name, score, word, count]) =>
          `<h3>${name}</h3><div class="score"><span>${score}</span> ${word} · ${count} comentarios</div>`,
      ),
    ),
    'List all hotels with name and score',
  ],
  [
    'the cents of a price in pieces, as the price',
    listOf(
      'en',
      tools.map(
        (name, at) =>
          `<h3>${name}</h3><div class="price"><span class="currency">€</span><span class="integer-part">${at + 20}</span><div class="after-price"><span class="fraction">${90 - at}</span></div></div>`,
      ),
    ),
    'List all tools with name and price',
  ],
])('is not taken unasked: %s', async (_, page, goal) => {
  const { build } = await serve(() => page);
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
});

const games = ['2–4', '2–5', '3–8', '2–6'].map((range, at) => `${range} players, from ${at + 7} years`);

it('the unit of a range begins no part of its own', () => {
  const parts = findParts(games).map(({ values }) => values[0]);
  expect(parts).toContain('2–4');
  expect(parts.filter((part) => part?.startsWith('players'))).toEqual([]);
});

it('a part of a cell is none of two fields that its head names', async () => {
  const texts = [...games, '1 players, from 12 years'];
  const rows = texts.map((text, at) => `<tr><td>Game ${'ABCDE'[at]}</td><td>${text}</td></tr>`);
  const { build } = await serve(
    () =>
      `<!doctype html><html lang="en"><title>Games</title><body><main><h1>Games</h1><table><tr><th>Name</th><th>Players / age</th></tr>${rows.join('')}</table></main></body></html>`,
  );
  expect(await build('/', 'List all games with name and players')).toMatchObject({
    sample: [{ players: '2–4 players, from 7 years' }, {}, {}],
  });
  expect(await build('/', 'List all games with name, players and age')).toMatchObject({
    built: false,
    message: expect.stringContaining('none for age'),
  });
});
