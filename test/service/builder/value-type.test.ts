import { expect, test } from 'vitest';
import { typeOfTexts } from '../../../src/service/builder/value-type.ts';
import { typed } from '../../../src/service/recipes/values.ts';

const read = (language: string, texts: readonly string[]) => {
  const { rules } = typeOfTexts(texts, language);
  return texts.map((text) => typed(text, rules, 'https://site.example/').value);
};

test.each([
  [
    'it',
    ['sabato 17 maggio 2025 - ore 21.00', 'domenica 8 giugno 2025 - ore 16.30'],
    ['2025-05-17T21:00:00Z', '2025-06-08T16:30:00Z'],
  ],
  [
    '',
    ['sabato 17 maggio 2025 - ore 21.00', 'domenica 8 giugno 2025 - ore 16.30'],
    ['2025-05-17T21:00:00Z', '2025-06-08T16:30:00Z'],
  ],
  ['fr', ['14 mai 2025 à 18h30', '3 août 2025 à 9h05'], ['2025-05-14T18:30:00Z', '2025-08-03T09:05:00Z']],
  ['fr', ['Publié le 14 mai 2025', 'Publié le 3 août 2025'], ['2025-05-14', '2025-08-03']],
  [
    'de',
    ['Mittwoch, 14. Mai 2025, 19:30 Uhr', 'Freitag, 3. Oktober 2025, 9:00 Uhr'],
    ['2025-05-14T19:30:00Z', '2025-10-03T09:00:00Z'],
  ],
  [
    'nl',
    ['wo 14 mei 2025 om 19:30 uur', 'do 3 oktober 2025 om 9:00 uur'],
    ['2025-05-14T19:30:00Z', '2025-10-03T09:00:00Z'],
  ],
  ['es', ['14 de mayo de 2025', '3 de enero de 2024'], ['2025-05-14', '2024-01-03']],
  ['pt', ['14 de março de 2025', '3 de janeiro de 2024'], ['2025-03-14', '2024-01-03']],
  ['pl', ['14 maja 2025', '3 września 2024'], ['2025-05-14', '2024-09-03']],
  ['cs', ['14. května 2025', '3. září 2024'], ['2025-05-14', '2024-09-03']],
  [
    'sv',
    ['den 14 maj 2025 kl. 18.30', 'den 3 mars 2025 kl. 9.15'],
    ['2025-05-14T18:30:00Z', '2025-03-03T09:15:00Z'],
  ],
  ['da', ['14. maj 2025', '3. oktober 2024'], ['2025-05-14', '2024-10-03']],
] as const)('dates among words, %s: %j', (language, texts, dates) => {
  expect(read(language, texts)).toEqual(dates);
});

test.each([
  [['Tue 1 April', 'Wed 2 April']],
  [['12–14 May 2025', '1–3 June 2025']],
  [['Opened 12 May 1905 as a school', 'Opened 3 June 1911 as a mill']],
  [['Posted on May 14, 2025 by Ann', 'Posted on May 15, 2025 by Bob']],
])('no single date: %j', (texts) => {
  expect(typeOfTexts(texts, 'en').rules.type).toBe('text');
});

test('a dash for the cents tells the decimal mark', () => {
  expect(read('', ['85,- €', '2.950,- €'])).toEqual([85, 2950]);
  expect(read('', ['85.–', "2'950.–"])).toEqual([85, 2950]);
});

test('a number and a name are no number with a unit', () => {
  expect(typeOfTexts(['2118 Snell Hall'], 'en').rules.type).toBe('text');
});

test('what is rated out of so many is a number', () => {
  expect(typeOfTexts(['4.8 out of 5', '3 out of 5'], 'en').rules.type).toBe('number');
});
