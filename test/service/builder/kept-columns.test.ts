/** A choice means the same columns on a later page, or nothing: it is never kept by position. */
import { describe, expect, it } from 'vitest';
import type { BuildChoice, BuildOutcome, PreviewOutcome } from '../../../src/service/foundation/ports.ts';
import { serve } from './serve-pages.ts';

const boats = [
  ['Albatross', '7 m', '£10'],
  ['Bittern', '9 m', '£12'],
  ['Curlew', '6 m', '£8'],
  ['Dunlin', '11 m', '£21'],
  ['Egret', '8 m', '£17'],
] as const;
const item = (inner: string) => `<li class="boat">${inner}</li>`;
const pageOf = (rows: readonly string[]) =>
  `<html lang="en"><title>Boats</title><body><main><h1>Boats for hire</h1><ul>\n${rows.join('\n')}</ul></main>`;
const cells = (row: readonly string[]) => row.map((text) => `<em>${text}</em>`).join(' ');
const plain = pageOf(boats.map((row) => item(cells(row))));
const withDeposit = pageOf(boats.map((row, at) => item(cells([`£${30 + at}`, ...row]))));

const holding = (shown: PreviewOutcome, wanted: Record<string, string>): BuildChoice => {
  if (!shown.ok) throw new Error(shown.message);
  for (const { id, columns } of shown.candidates) {
    const fields = Object.entries(wanted).flatMap(([name, sample]) => {
      const column = columns.find(({ samples, part_of }) => samples[0] === sample && part_of === undefined);
      return column === undefined ? [] : [[name, column.id] as const];
    });
    if (fields.length === Object.keys(wanted).length)
      return { candidate: id, fields: Object.fromEntries(fields) };
  }
  throw new Error(`no such columns: ${JSON.stringify(shown.candidates)}`);
};
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
    ['all rows are new and one more column stands in front', pageOf(others.map((row) => item(cells(row))))],
    ['two columns are one', pageOf(boats.map(([a, b, c]) => item(`<em>${a} ${b}</em> <em>${c}</em>`)))],
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
    page = pageOf(boats.map(([name, , price]) => item(cells([name, price]))));
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
  page = pageOf(boats.map(([name], at) => item(cells([`Old ${name}`, `${at + 30} m`, `£${at + 60}`]))));
  await expect(site.build('/', 'Boats', choose, kept)).resolves.toMatchObject({
    built: true,
    sample: [{ name: 'Old Albatross', length: 30, price: 60 }, {}, {}],
  });
});
