import { expect, it } from 'vitest';
import type { SearchResult } from '../../../src/contract/resources.ts';
import { actionTool } from '../../../src/gateway/catalog/action-tool.ts';
import { quoted } from '../../../src/gateway/foundation/text.ts';

function describe(more: Partial<SearchResult>): string {
  const action = {
    action_id: 'shop-list',
    catalog_name: 'The Shop of X',
    catalog_slug: 'shop',
    name: 'List',
    description: 'Lists things',
    mode: 'async',
    auth_mode: 'none',
    auth_required: false,
    connected: false,
    params: {},
    credits: 2,
    credits_computed: false,
    ...more,
  };
  return actionTool('shop_list', action, 'reads', quoted).description;
}

it.each([
  [{ items: ['title', 'price'] }, 'Returns items[]: title, price.'],
  [['title', 'price'], 'Returns title, price.'],
  [{ days: ['date'], totals: ['sum'] }, 'Returns days[]: date; totals[]: sum.'],
  [['a\u200bb', '<b>c</b>'], 'Returns ab, c.'],
  [
    Array.from({ length: 17 }, (_, n) => `f${n}`),
    'Returns f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, ….',
  ],
])('a tool names the fields of its result where the catalog declares them: %j', (returns, fields) => {
  expect(describe({ returns })).toBe(`"The Shop of X: Lists things" ${fields} Costs 2 credits.`);
});

it('a tool whose description names all fields of its result names them once', () => {
  const description = 'Lists things. Gives items of title and price.';
  expect(describe({ returns: { items: ['title', 'price'] }, description })).toBe(
    `"The Shop of X: ${description}" Costs 2 credits.`,
  );
});

it.each([
  ['none', 'Costs 2 credits.'],
  ['required', 'Costs 2 credits. Needs a sign-in: see login.'],
  ['optional', 'Costs 2 credits. Sign-in optional: anonymous unless identity names an account.'],
])('a tool says for which account it runs where a sign-in is %s', (auth_mode, text) => {
  expect(describe({ auth_mode })).toBe(`"The Shop of X: Lists things" ${text}`);
});

it.each([
  ['The Shop', 'the-shop', '"The Shop: Lists things" Costs 2 credits.'],
  ['The Shop', 'theshop', '"Lists things" Costs 2 credits.'],
  ['shop', 'shop', '"Lists things" Costs 2 credits.'],
])(
  'a tool names its website %s unless its slug %s, which its name has, says the same',
  (catalog_name, catalog_slug, text) => {
    expect(describe({ catalog_name, catalog_slug })).toBe(text);
  },
);
