/** A choice means the same columns on a later page, or nothing: it is never kept by position. */
import { describe, expect, it } from 'vitest';
import type { BuildOutcome } from '../../../src/service/foundation/ports.ts';
import { boatPage, boats, cells, holding, plain, withDeposit } from './boats.ts';
import { serve } from './serve-pages.ts';

const keptOf = (outcome: BuildOutcome) => {
  if (!outcome.built || outcome.action.columns === undefined) throw new Error('not built');
  return outcome.action.columns;
};
const first = { name: 'Albatross', length: '7', price: '10' };

describe('columns that stand elsewhere when a page is read again', () => {
  it('give the values of the action that is built again', async () => {
    let page = plain;
    const site = await serve(() => page);
    const choose = holding(await site.preview('/'), first);
    const built = await site.build('/', 'Boats', choose);
    page = withDeposit;
    const again = await site.build('/', 'Boats', choose, keptOf(built));
    expect(again).toMatchObject({
      built: true,
      sample: [{ name: 'Albatross', length: 7, price: 10 }, {}, {}],
    });
  });
});

describe('columns that are not what they were', () => {
  const others = boats.map(([name, length, price], at) => [
    `£${50 + at}`,
    `New ${name}`,
    `${length.replace(' m', '')}5 m`,
    `${price}9`,
  ]);
  it.each([
    ['all rows are new and one more column stands in front', boatPage(others.map((row) => cells(row)))],
    ['two columns are one', boatPage(boats.map(([a, b, c]) => `<em>${a} ${b}</em> <em>${c}</em>`))],
  ])('need a choice: %s', async (_what, later) => {
    let page = plain;
    const site = await serve(() => page);
    const choose = holding(await site.preview('/'), first);
    const built = await site.build('/', 'Boats', choose);
    page = later;
    const again = await site.build('/', 'Boats', choose, keptOf(built));
    expect(again).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED', candidates: expect.any(Array) });
  });

  it('leave those that are still there in the guess', async () => {
    let page = plain;
    const site = await serve(() => page);
    const choose = holding(await site.preview('/'), first);
    const kept = keptOf(await site.build('/', 'Boats', choose));
    page = boatPage(boats.map(([name, , price]) => cells([name, price])));
    const again = await site.build('/', 'Boats', choose, kept);
    expect(again).toMatchObject({ built: false, message: expect.stringContaining('surely length') });
    if (again.built || again.choose === undefined) throw new Error('no guess');
    expect(Object.keys(again.choose.fields)).toEqual(['name', 'price']);
    expect(await site.build('/', 'Boats', again.choose)).toMatchObject({
      sample: [{ name: 'Albatross', price: 10 }, {}, {}],
    });
  });
});

it('rows that all are new in the same places are read as before', async () => {
  let page = plain;
  const site = await serve(() => page);
  const choose = holding(await site.preview('/'), first);
  const kept = keptOf(await site.build('/', 'Boats', choose));
  page = boatPage(boats.map(([name], at) => cells([`Old ${name}`, `${at + 30} m`, `£${at + 60}`])));
  await expect(site.build('/', 'Boats', choose, kept)).resolves.toMatchObject({
    built: true,
    sample: [{ name: 'Old Albatross', length: 30, price: 60 }, {}, {}],
  });
});
