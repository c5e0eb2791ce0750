/** What only a class or an icon says of a value is told with the rows. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const shares: readonly (readonly [name: string, change: string, isUp: boolean])[] = [
  ['Arden Steel', '1.35', true],
  ['Berk Mills', '0.44', false],
  ['Clee Foods', '0.20', true],
  ['Dun Rail', '20.10', false],
];

const pageOf = (cellOf: (change: string, isUp: boolean) => string, head = 'Change') =>
  `<!doctype html><html lang="en"><title>Market</title><body><main><h1>Market</h1><table><tr><th>Share</th><th>${head}</th></tr>${shares
    .map(([name, change, isUp]) => `<tr><td>${name}</td>${cellOf(change, isUp)}</tr>`)
    .join('')}</table></main></body></html>`;

async function missingOf(page: string, fields = 'share and change') {
  const { build, run } = await serve(() => page);
  const built = await build('/', `List all shares with ${fields}`);
  expect(built).toMatchObject({ built: true });
  const { missing = [] } = await run(built, {});
  return missing;
}

const toldAs = (mark: string) => [
  `change: the page marks some values by a class or an icon alone ("${mark}"): "0.44" may be a fall, without its sign.`,
];

it.each<[string, (change: string, isUp: boolean) => string, string]>([
  [
    'the class of its cell',
    (change, isUp) => `<td class="num ${isUp ? 'up' : 'down'}">${change}%</td>`,
    'down',
  ],
  [
    'the class of an element in it',
    (change, isUp) => `<td><b class="${isUp ? 'is-positive' : 'is-negative'}">${change}</b></td>`,
    'negative',
  ],
  [
    'an icon',
    (change, isUp) => `<td><i class="fa fa-caret-${isUp ? 'up' : 'down'}"></i> ${change}</td>`,
    'down',
  ],
  [
    'the name of a picture',
    (change, isUp) => `<td><svg role="img" aria-label="${isUp ? 'up' : 'down'}"></svg>${change}</td>`,
    'down',
  ],
  [
    'a class that those which rise do not have',
    (change, isUp) => `<td${isUp ? '' : ' class="loss"'}>${change}</td>`,
    'loss',
  ],
  [
    'two colours',
    (change, isUp) => `<td><span class="text-${isUp ? 'success' : 'danger'}">${change}</span></td>`,
    'danger',
  ],
])('a fall that is said by %s is told', async (_, cellOf, mark) => {
  expect(await missingOf(pageOf(cellOf))).toEqual(toldAs(mark));
});

it.each<[string, (change: string, isUp: boolean) => string]>([
  ['its sign', (change, isUp) => `<td class="${isUp ? 'up' : 'down'}">${isUp ? '+' : '-'}${change}</td>`],
  ['no class that differs', (change) => `<td class="down">${change}</td>`],
  ['a class of another kind', (change, isUp) => `<td class="${isUp ? 'odd' : 'even'}">${change}</td>`],
  ['one colour', (change, isUp) => `<td${isUp ? '' : ' class="red"'}>${change}</td>`],
])('nothing is told of a value with %s', async (_, cellOf) => {
  expect(await missingOf(pageOf(cellOf))).toEqual([]);
});

it('a fall that is said by the class of a row is told', async () => {
  const page = pageOf((change) => `<td>${change}</td>`).replace(
    '<tr><td>Berk',
    '<tr class="falling"><td>Berk',
  );
  expect(await missingOf(page)).toEqual([
    '1 of 4 rows are marked by a class alone ("falling"): some number of theirs may be a fall, without its sign.',
  ]);
});

it('a text that a class denies is told', async () => {
  const page = pageOf((_, isUp) => `<td class="${isUp ? 'yes' : 'no'}">Phone</td>`, 'Support');
  expect(await missingOf(page, 'share and support')).toEqual([
    'support: the page marks some values by a class or an icon alone ("no"): "Phone" may be what is not so.',
  ]);
});
