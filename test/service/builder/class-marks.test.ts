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
  ['a look', (change, isUp) => `<td class="${isUp ? '' : 'drop-shadow no-wrap list-none'}">${change}</td>`],
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

it('nothing is told of a text with a class of a look', async () => {
  const page = pageOf((_, isUp) => `<td class="${isUp ? '' : 'no-underline'}">Phone</td>`, 'Support');
  expect(await missingOf(page, 'share and support')).toEqual([]);
});

it('a cell of icons has the names of all of them', async () => {
  const names = { W: 'Win', L: 'Loss' };
  const iconsOf = (isUp: boolean) =>
    [isUp ? names.W : names.L, names.W, names.L]
      .map((name) => `<i class="form form-${name.toLowerCase()}" title="${name}"></i>`)
      .join('');
  const page = pageOf((_, isUp) => `<td>${iconsOf(isUp)}</td>`, 'Form');
  const { build, run } = await serve(() => page);
  const { items } = await run(await build('/', 'List all shares with share and form'), {});
  expect(items).toMatchObject([
    { form: 'Win Win Loss' },
    { form: 'Loss Win Loss' },
    { form: 'Win Win Loss' },
    { form: 'Loss Win Loss' },
  ]);
});

it('a value that stands in a further element of some rows is told where it is not given', async () => {
  const platforms = ['7', '3', '<s>4</s> <b>16</b>', '11'];
  const page = `<!doctype html><html lang="en"><title>Trains</title><body><main><h1>Trains</h1><ul>${platforms
    .map(
      (platform, at) =>
        `<li class="train"><b class="line">Line ${'ABCD'[at]}</b><div class="platform"><span class="sr">Platform </span>${platform}</div></li>`,
    )
    .join('')}</ul></main></body></html>`;
  const { preview, build, run } = await serve(() => page);
  const shown = await preview('/', 'r1');
  const columns = shown.ok ? (shown.candidates[0]?.columns ?? []) : [];
  const line = columns.find(({ label, kind }) => label === 'line' && kind === 'text')?.id ?? '';
  const own =
    columns.find(({ kind, samples }) => kind.startsWith('number') && samples?.[0] === '7')?.id ?? '';
  const built = await build('/', 'List all trains', {
    candidate: 'r1',
    fields: { line, platform: own },
  });
  expect(await run(built, {})).toMatchObject({
    items: [{ platform: 7 }, { platform: 3 }, { platform: null }, { platform: 11 }],
    missing: ['platform: null in 1 of 4 rows whose text stands in a further element, such as "Platform 16".'],
  });
});

it('a number of the digits of several equal elements is told', async () => {
  const page = pageOf((change) => {
    const digits = [change.length, 7];
    return `<td><span class="fact">${digits.join('</span><span class="fact">')}</span></td>`;
  }, 'Facts');
  expect(await missingOf(page, 'share and facts')).toEqual([
    'facts: its numbers are the digits of several elements (4 and 7), which may be numbers of their own.',
  ]);
});
