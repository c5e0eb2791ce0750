/** What people write in one block, in several or in none is one column that holds the whole text. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const review = (who: string, text: string) =>
  `<div class="review"><span class="who">${who}</span><div class="text">${text}</div></div>`;
const page = (texts: readonly string[]) =>
  `<!doctype html><html lang="en"><title>Reviews</title><main><h1>Reviews</h1>${texts.map((text, index) => review(`Ann ${index}`, text)).join('')}</main></html>`;

const sentence = (at: number) => `This is a sentence of the length that people write, number ${at} of many.`;
const paragraphs = (...numbers: number[]) => numbers.map((at) => `<p>${sentence(at)}</p>`).join('');
const whole = (...numbers: number[]) => numbers.map(sentence).join(' ');

it.each([
  [
    'blocks, bare text and both',
    [
      '<p>Great.</p><p>Would buy again.</p>',
      'Bad, broke after a day.',
      '<p>OK</p>but <em>slow</em> delivery',
      '<ul><li>cheap</li><li>loud</li></ul>',
    ],
    ['Great. Would buy again.', 'Bad, broke after a day.', 'OK but slow delivery', 'cheap loud'],
  ],
  [
    'a quote before bare text in one of them',
    [
      '<p>My mast broke.</p>',
      '<blockquote>My mast broke.</blockquote>Carbon?',
      '<p>Alu. See <a href="/s">there</a>.</p>',
      '<p>Buy new.</p>',
    ],
    ['My mast broke.', 'My mast broke. Carbon?', 'Alu. See there.', 'Buy new.'],
  ],
  [
    'several paragraphs in one of ten',
    [...Array.from({ length: 9 }, (_, at) => `<p>Text ${at}.</p>`), '<p>First.</p><p>Second.</p>'],
    [...Array.from({ length: 9 }, (_, at) => `Text ${at}.`), 'First. Second.'],
  ],
  [
    'several paragraphs in all of them',
    [paragraphs(1, 2), paragraphs(3, 4), paragraphs(5, 6, 7), paragraphs(8, 9)],
    [whole(1, 2), whole(3, 4), whole(5, 6, 7), whole(8, 9)],
  ],
  [
    'a classed quote in one of them',
    ['Plain one.', 'Plain two.', '<blockquote class="quote">Plain one.</blockquote>So it is.', 'Plain four.'],
    ['Plain one.', 'Plain two.', 'Plain one. So it is.', 'Plain four.'],
  ],
])('%s', async (_, texts, expected) => {
  const { build, run } = await serve(() => page(texts));
  const data = await run(await build('/', 'List reviews with who and text'), {});
  expect(data.items).toEqual(expected.map((text, index) => ({ who: `Ann ${index}`, text })));
});

it('a name and a place in two paragraphs stay two columns', async () => {
  const cards = ['Ann Doe', 'Bo Roe', 'Cy Poe', 'Di Moe'].map(
    (name, at) => `<p>${name}</p>${at === 2 ? '' : `<p>Pier ${at}</p>`}`,
  );
  const { preview } = await serve(() => page(cards));
  const outcome = await preview('/');
  if (!outcome.ok) throw new Error(outcome.message);
  const samples = outcome.candidates.flatMap(({ columns }) => columns.map((column) => column.samples[0]));
  expect(samples).toEqual(expect.arrayContaining(['Ann Doe', 'Pier 0']));
});
