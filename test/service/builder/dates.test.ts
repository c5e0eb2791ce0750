/** Which of day and month comes first in the dates of a page. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderOfDates } from '../../../src/compare/date.ts';
import { readingOfDates } from '../../../src/service/builder/columns/dates.ts';
import { toTyped } from '../../../src/service/recipes/values.ts';
import { readPage, serve } from './serve-pages.ts';

describe('the order of day and month', () => {
  it.each([
    ['sittings-with-dates-of-the-united-states.html', 'by the dates of the column', '2024-03-04'],
    ['hearings-whose-order-of-dates-another-list-tells.html', 'by the other dates of the page', '2024-04-05'],
    [
      'landings-as-json-with-dates-of-the-united-states.json',
      'by the other dates of the answer',
      '2024-04-05',
    ],
    ['moorings-in-british-english.html', 'by the language of the page', '2024-05-04'],
  ])('%s: is read %s', async (file, _, date) => {
    const { build } = await serve(() => readPage(`pages/${file}`));
    const goal = file.startsWith('landings')
      ? 'List all landings with boat and date'
      : 'List all rows with date';
    const outcome = await build('/', goal);
    expect(outcome.built && outcome.sample?.[0]).toMatchObject({ date });
  });

  it.each(['moorings-with-dates-whose-order-is-open.html', 'moorings-with-dates-in-both-orders.html'])(
    '%s: is asked for where the page does not tell, and the choice is built',
    async (file) => {
      const { build } = await serve(() => readPage(`pages/${file}`));
      const outcome = await build('/', 'List all moorings with boat and date');
      expect(outcome).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
      if (outcome.built) return;
      const [first] = outcome.candidates ?? [];
      const orders = ['Date (month/day)', 'Date (day/month)'].map((label) =>
        first?.columns.find((column) => column.label === label),
      );
      expect(orders.map((column) => column?.samples[0])).toEqual(['2024-04-05', '2024-05-04']);
      const fields = { boat: 'c1', date: orders[1]?.id ?? '' };
      const built = await build('/', 'Moorings', { candidate: first?.id ?? '', fields });
      expect(built.built && built.sample?.[0]).toEqual({ boat: 'Skerry', date: '2024-05-04' });
    },
  );

  it.each([
    ['Filed 3/13/24', true],
    ['Filed 13/3/2024', false],
    ['"filed":"12\\/25\\/2024"', true],
    ['3/4/2024, 5/6/2024', undefined],
    ['3/13/24, 13/3/24', undefined],
    ['25-12-2024', false],
    ['/2024/12/25/ 2024-12-25 20/13/45/7 99/88/77 1-13-22', undefined],
    ['a1/13/24 1/13/24b', undefined],
  ])('%s tells %s', (source, expected) => expect(orderOfDates(source)).toBe(expected));
});

const context = { language: '', host: 'site.example' };
const valuesOf = (texts: readonly string[], rules: NonNullable<ReturnType<typeof readingOfDates>>['rules']) =>
  texts.map((text) => toTyped(text, rules, 'http://x/').value);

it.each([
  [['7/4/24', '12/31/23'], 'en-GB', ['2024-07-04', '2023-12-31']],
  [['4.7.24', '1.2.2023'], '', ['2024-07-04', '2023-02-01']],
  [['07042024', '07142024'], '', ['2024-07-04', '2024-07-14']],
  [['7/4/2024 9:30 AM', '7/14/2024 1:05 PM'], '', ['2024-07-04T09:30:00Z', '2024-07-14T13:05:00Z']],
  [['Thursday, 7/4/2024', 'Saturday, 7/13/2024'], '', ['2024-07-04', '2024-07-13']],
  [['Mon, 06 Mar 2024', 'Fri, 12 Mar 2024'], '', ['2024-03-06', '2024-03-12']],
  [['15/12/2026 à 12h00', '08/01/2027 à 9h30'], 'fr', ['2026-12-15T12:00:00Z', '2027-01-08T09:30:00Z']],
  [
    ['1.12.2026, um 8:15 Uhr', '8.1.2027, um 17:00 Uhr'],
    '',
    ['2026-12-01T08:15:00Z', '2027-01-08T17:00:00Z'],
  ],
])('%j with the language "%s" is %j', (texts, language, expected) => {
  const reading = readingOfDates(texts, { ...context, language });
  expect(reading?.other).toBeUndefined();
  expect(reading && valuesOf(texts, reading.rules)).toEqual(expected);
});

it.each([
  [['13/3/24', '3/13/24']],
  [['31/31/2024', '30/30/2024']],
  [['571527/24', '571530/24']],
  [['10/20', '11/20']],
  [['20240704', '20240811']],
  [['45622024', '45632024']],
  [['Step 1', 'Step 2']],
  [['15/06/1403', '23/07/1403']],
  [['1403/06/15', '1403/07/23']],
  [['05/06/2567', '15/06/2567']],
  [['04.12.19:00', '12.12.20:00']],
])('%j are no dates', (texts) => expect(readingOfDates(texts, context)).toBeUndefined());

it.each([
  ['in some rows', ['12.–14.11.2026', '3.12.2026', '10.12.2026 – 12.1.2027', '5.12.2026']],
  ['in all rows', ['12.–14.11.2026', '3.–4.12.2026', '10.–12.1.2027', '5.–8.12.2026']],
  ['with both years', ['12.11.2026 – 14.11.2026', '3.12.2026 – 4.12.2026', '10.12.2026 – 12.1.2027']],
  ['of months and days', ['12.11. – 14.11.2026', '3.11. – 4.12.2026', '10.12. – 12.1.2027']],
  ['without an end', ['3.12.2026', 'ab 7.12.2026', '8.12.2026', '9.12.2026']],
])('a span of days %s is not one of its days', async (_, dates) => {
  const rows = dates.map((date, at) => `<tr><td>Kurs ${'ABCD'[at]}<td>${date}`);
  const page = `<html lang="de"><h1>Kurse</h1><table><tr><th>Kurs<th>Datum${rows.join('')}</table>`;
  const { build, run } = await serve(() => page);
  const { items } = await run(await build('/', 'Liste der Kurse mit Kurs und Datum'), {});
  expect(items).toMatchObject(dates.map((datum) => ({ datum })));
});

it('a day and an hour in elements side by side are no date with a year', async () => {
  const rows = ['Nils|Fr 04.12.|19:00', 'Olga|Sa 12.12.|20:00', 'Pia|So 03.01.|20:00'].map((row) => {
    const [artist, date, doors] = row.split('|');
    return `<li><b>${artist}</b><span class=date>${date}</span><span class=doors>${doors}</span></li>`;
  });
  const { preview } = await serve(() => `<h1>Concerts</h1><ul>${rows.join('')}</ul>`);
  const shown = JSON.stringify(await preview('/'));
  expect(shown).not.toContain('"kind":"date"');
  expect(shown).toContain('Nils Fr 04.12. 19:00');
});

it('what is read as dates has dates, in every order that is left open', () => {
  const part = fc.integer({ min: 1, max: 31 }).map(String);
  const text = fc.tuple(part, fc.constantFrom('/', '-', '.'), part, fc.constantFrom('24', '2024'));
  fc.assert(
    fc.property(
      fc.array(
        text.map(([day, mark, month, year]) => [day, month, year].join(mark)),
        { minLength: 1, maxLength: 9 },
      ),
      (texts) => {
        const reading = readingOfDates(texts, context);
        for (const rules of reading === undefined ? [] : [reading.rules, reading.other ?? reading.rules])
          expect(valuesOf(texts, rules)).not.toContain(null);
      },
    ),
  );
});

it.each([
  ['18.11.2026, 13:51 Uhr', '2026-11-18T13:51:00Z'],
  ['18.11.2026 um 13:51 Uhr', '2026-11-18T13:51:00Z'],
  ['18/11/2026 à 13h51', '2026-11-18T13:51:00Z'],
  ['18.11.2026, 12:00–13:30', '18.11.2026, 12:00–13:30'],
])('a time is kept with its day, or the text as it is: %s', async (text, start) => {
  const rows = ['17', '18', '19'].map(
    (day) => `<tr><td>Course ${day}</td><td>${text.replace('18', day)}</td></tr>`,
  );
  const { build, run } = await serve(
    () => `<h1>Courses</h1><table><tr><th>Name</th><th>Start</th></tr>${rows.join('')}</table>`,
  );
  const built = await build('/', 'List all rows with name and start');
  expect(await run(built, {})).toMatchObject({ items: [{}, { start }, {}] });
});

it('the month above some events is the day of none of them', async () => {
  const event = (day: string, title: string) =>
    `<div class="event"><div class="sheet"><span class="d">${day}</span><span class="m">Dez</span></div>
    <h3><a href="/${day}">${title}</a></h3><p class="place">Town hall</p></div>`;
  const { build } = await serve(
    () => `<html lang="de"><h1>Kalender</h1><h2>Dezember 2026</h2>${event('05', 'Adventsmarkt')}${event('12', 'Schau')}
    ${event('31', 'Konzert')}<h2>Januar 2027</h2>${event('06', 'Wanderung')}${event('17', 'Empfang')}${event('23', 'Fasching')}`,
  );
  expect(await build('/', 'Alle Veranstaltungen mit Titel und Datum')).toMatchObject({
    built: false,
    errorType: 'CHOICE_NEEDED',
  });
});
