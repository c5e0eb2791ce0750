/** The rows of a build's test tell a first run that its page has another layout. */
import { expect, it } from 'vitest';
import { judge, noTexts } from '../../../src/compare/drift.ts';
import { shapeOf } from '../../../src/compare/shape.ts';
import { serve } from './serve-pages.ts';

const ferns = ['Red', 'Blue', 'Green', 'Tree', 'Royal', 'Lady', 'Sword', 'Holly'].map(
  (name) => `${name} Fern`,
);
const page = (row: (name: string, at: number) => string) =>
  `<!doctype html><title>Ferns</title><h1>Ferns</h1><ul>${ferns
    .map((name, at) => `<li>${row(name, at)} <em>${at + 2} left</em></li>`)
    .join('')}</ul>`;
const first = page((name, at) => `<b>${name}</b> <span>€ ${13 + at}</span>`);

it.each([
  [
    'a brand before the name',
    page((name, at) => `<b>Brand ${at % 3}</b> <b>${name}</b> <span>€ ${13 + at}</span>`),
    'repeats in most rows',
  ],
  [
    'a deposit before the price',
    page((name, at) => `<b>${name}</b> <span>€ ${3 + at / 2}</span> <span>€ ${13 + at}</span>`),
    'is far from what it was when the action was built',
  ],
  ['nothing new', first, undefined],
])('%s', async (_, later, doubt) => {
  let shown = first;
  const { build, run } = await serve(() => shown);
  const outcome = await build('/', 'All ferns', { candidate: 'r1', fields: { name: 'c2', price: 'c3' } });
  if (!outcome.built) throw new Error(outcome.message);
  shown = later;
  const data = await run(outcome, {});
  const { usual } = outcome.action;
  const judged = judge({ runs: [], known: {} }, { at: 0, call: 'a', texts: noTexts }, shapeOf(data), usual);
  if (doubt === undefined) expect(judged.drift).toBeUndefined();
  else expect(judged.drift?.doubt).toContain(doubt);
});
