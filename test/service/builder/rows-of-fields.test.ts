/** Elements of one class that are the fields of a record, as in the lists of a common software for sites, are no rows of their own. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const grants = ['Rural buses', 'Reed beds', 'Village halls', 'Harbour wall', 'Seed bank', 'Youth choir'];
const field = (name: string, content: string) =>
  `<div class="views-field views-field-${name}">${content}</div>`;
const labelled = (label: string, value: string) =>
  `<span class="views-label">${label}: </span><span class="field-content">${value}</span>`;
const row = (name: string, at: number) =>
  `<div class="views-row">${field('title', `<span class="field-content"><a href="/g/${at}">${name}</a></span>`)}${field('amount', labelled('Amount', `£${(at + 2) * 1500}`))}${field('year', labelled('Year', `${2018 + at}`))}</div>`;
const page = `<!doctype html><html lang="en"><title>Grants</title><main><h1>Grants awarded</h1><div class="view-content">${grants.map(row).join('')}</div></main></html>`;

it('a goal for the records gives one row for each', async () => {
  const { build, run } = await serve(() => page);
  const { items } = await run(await build('/', 'List all grants with title, amount and year'), {});
  expect(items).toEqual(
    grants.map((title, at) => ({
      title,
      amount: (at + 2) * 1500,
      amount_currency: 'GBP',
      year: 2018 + at,
    })),
  );
});
