/** A repair is published only where rows of an earlier run prove it. */
import { describe, expect, it } from 'vitest';
import { findRepair } from '../../../src/service/builder/matching/prove-repair.ts';
import type { BuildChoice } from '../../../src/service/foundation/ports.ts';
import { serve } from './serve-pages.ts';

interface Boat {
  readonly name: string;
  readonly length: number;
  readonly price: number;
}
const boats: readonly Boat[] = [
  'Albatross',
  'Bittern',
  'Curlew',
  'Dunlin',
  'Egret',
  'Fulmar',
  'Gannet',
  'Heron',
].map((name, at) => ({ name, length: 6 + at, price: 10 + at * 3 }));
const page = (body: string) =>
  `<html lang="en"><title>Boats</title><body><main><h1>Boats for hire</h1>${body}</main></body></html>`;
const oldPage = (rows: readonly Boat[]) =>
  page(
    `<ul>${rows
      .map(
        ({ name, length, price }) =>
          `<li class="boat"><h3>${name}</h3> <span class="len">${length} m</span> <b class="price">£${price}</b></li>`,
      )
      .join('\n')}</ul>`,
  );
const newPage = (rows: readonly Boat[], deposit: (boat: Boat) => number) =>
  page(
    `<div class="grid">${rows
      .map(
        (boat) =>
          `<article class="tile"><i class="d">£${deposit(boat)}</i><h2>${boat.name}</h2><p class="facts">${boat.length} m</p><strong class="cost">£${boat.price}</strong></article>`,
      )
      .join('\n')}</div>`,
  );

async function builtOn(rows = boats) {
  const served = { body: oldPage(rows) };
  const site = await serve(() => served.body);
  const shown = await site.preview('/');
  if (!shown.ok) throw new Error(shown.message);
  const candidate = shown.candidates.find(({ rows: count }) => count === rows.length);
  const idOf = (sample: string) => candidate?.columns.find(({ samples }) => samples[0] === sample)?.id ?? '';
  const choose: BuildChoice = {
    candidate: candidate?.id ?? '',
    fields: { name: idOf('Albatross'), length: idOf('6'), price: idOf('10') },
  };
  const built = await site.build('/', 'Boats', choose);
  if (!built.built) throw new Error(built.message);
  const good = { params: {}, data: await site.run(built, {}) };
  return { site, served, action: built.action, good };
}

it('what an action gives in its test, and in that of its repair, is kept with it', async () => {
  const { site, served, action, good } = await builtOn();
  const field = { fill: 1, values: 3 };
  const usual = {
    rows: boats.length,
    fields: { name: { ...field, kinds: ['text'] }, price: { ...field, kinds: ['number'] } },
  };
  expect(action).toMatchObject({ usual });
  served.body = newPage([...boats, { name: 'Ibis', length: 20, price: 50 }], () => 5);
  expect(await site.repair(action, good)).toMatchObject({
    repaired: true,
    action: { usual: { ...usual, rows: boats.length + 1 } },
  });
});

describe('a page in a new layout', () => {
  it('is read for the same fields, with the proof', async () => {
    const { site, served, action, good } = await builtOn();
    const later = [...boats.slice(2), { name: 'Ibis', length: 20, price: 99 }];
    served.body = newPage(later, () => 40);
    const outcome = await site.repair(action, good);
    expect(outcome).toMatchObject({
      repaired: true,
      proof: { rows_before: 8, rows_found: 6, rows_equal: 6 },
      action: { action_id: action.action_id, name: action.name },
    });
    if (outcome?.repaired !== true) return;
    expect(outcome.action.wheel_version).not.toBe(action.wheel_version);
    const data = await site.run({ built: true, action: outcome.action }, {});
    expect(data.items).toEqual(later.map((boat) => ({ ...boat, length_unit: 'm', price_currency: 'GBP' })));
  });
});

describe('nothing is repaired where the proof is not complete', () => {
  it.each([
    [
      'two columns hold the earlier values, and differ in the new rows',
      boats,
      (boat: Boat) => (boat.name === 'Ibis' ? 1 : boat.price),
      1,
    ],
    ['too few earlier rows are left', boats.slice(4), () => 40, 6],
    ['the values have changed', boats.map((boat) => ({ ...boat, price: boat.price + 1 })), () => 40, 0],
  ])('%s', async (_what, rows, deposit, others) => {
    const { site, served, action, good } = await builtOn();
    const names = ['Ibis', 'Jacana', 'Kestrel', 'Lapwing', 'Merlin', 'Noddy'].slice(0, others);
    served.body = newPage(
      [...rows, ...names.map((name, at) => ({ name, length: 30 + at, price: 70 + at }))],
      deposit,
    );
    await expect(site.repair(action, good)).resolves.toMatchObject({ repaired: false });
  });

  it('the earlier values are what another column was before some of them changed', async () => {
    const dear = boats.map((boat, at) => ({ ...boat, price: 10 + (at % 4) * 3 }));
    const { site, served, action, good } = await builtOn(dear);
    // A sale: three of eight prices fell, and the earlier ones are crossed out beside all.
    served.body = newPage(
      dear.map((boat, at) => (at < 3 ? { ...boat, price: boat.price - 5 } : boat)),
      (boat) => dear.find(({ name }) => name === boat.name)?.price ?? 0,
    );
    await expect(site.repair(action, good)).resolves.toMatchObject({
      repaired: false,
      reason: expect.stringContaining('most of what price was'),
    });
  });

  it('only places in a list tell the rows apart', () => {
    const kept = { label: 'rank', kind: 'number', path: 'td', samples: [] };
    const rows = [1, 2, 3, 4, 5, 6].map((rank) => ({ rank }));
    const candidate = { id: 't1', kind: 'table', layout: '' };
    expect(findRepair([], { candidate, fields: { rank: kept } }, rows)).toEqual({
      reason: expect.stringContaining('tells at least three rows apart'),
    });
  });

  it('a field is missing', async () => {
    const { site, served, action, good } = await builtOn();
    served.body = newPage(boats, () => 40).replaceAll(/<p class="facts">[^<]*<\/p>/g, '');
    await expect(site.repair(action, good)).resolves.toMatchObject({ repaired: false });
  });

  it('the page is as it was', async () => {
    const { site, action, good } = await builtOn();
    await expect(site.repair(action, good)).resolves.toMatchObject({
      repaired: false,
      reason: expect.stringContaining('still returns'),
    });
  });

  it('no earlier result is kept, or the page is gone', async () => {
    const { site, served, action, good } = await builtOn();
    served.body = newPage(boats, () => 40);
    await expect(site.repair(action, undefined)).resolves.toMatchObject({ repaired: false });
    served.body = page('<p>We moved.</p>');
    await expect(site.repair(action, good)).resolves.toMatchObject({ repaired: false });
  });
});

it('the reason names the fields that are missing, where the others are found', async () => {
  const boxes = (open: (kind: string) => string) =>
    page(
      boats
        .map(
          ({ name, price }, at) =>
            `<div ${open('row')}><div ${open('name')}>${name}</div><div ${open('price')}>£${price}</div><div ${open('stock')}>${at % 2 === 0 ? 'yes' : 'no'}</div></div>`,
        )
        .join(''),
    );
  const served = { body: boxes((kind) => `class="${kind}"`) };
  const { build, run, repair } = await serve(() => served.body);
  const choose = { candidate: 'r1', fields: { name: 'c1', price: 'c2', stock: 'c3' } };
  const built = await build('/', 'Boats', choose);
  if (!built.built) throw new Error(built.message);
  const good = { id: 'good', params: {}, data: await run(built, {}) };
  served.body = boxes(() => '').replaceAll('<div ><div >', '<div><i>New</i><div>');
  const outcome = await repair(built.action, good);
  expect(outcome?.repaired === false && outcome.reason).toBe(
    '8 of 8 earlier rows are on the page, but no column surely holds stock; stock had fewer than 3 different values, which do not tell a column without its label',
  );
});

it('a part of the texts that a field still has is no rival of theirs', async () => {
  const names = ['Ash (T1)', 'Beech (T2)', 'Cedar', 'Elm', 'Fir', 'Oak', 'Yew'];
  const rows = (head: string) =>
    page(
      `<table><tr><th>Tree<th>${head}</tr>${names.map((name, at) => `<tr><td>${name}<td>${at + 3} m</tr>`).join('')}</table>`,
    );
  const served = { body: rows('Height') };
  const { build, run, repair } = await serve(() => served.body);
  const built = await build('/', 'List all trees with tree and height');
  if (!built.built) throw new Error(built.message);
  const good = { id: 'good', params: {}, data: await run(built, {}) };
  served.body = rows('Size');
  await expect(repair(built.action, good)).resolves.toMatchObject({ repaired: true });
});
