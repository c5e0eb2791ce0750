import { afterEach, describe, expect, it } from 'vitest';
import type { SearchActionsInput } from '../../src/gateway/interface/gateway.ts';
import { callContext, closeGateways, startGateway } from '../support/gateway.ts';

afterEach(closeGateways);

const catalogs = [
  { slug: 'shop', name: 'Shop\u202e', category: 'commerce' },
  { slug: 'trip', name: 'Trip', category: 'travel' },
];
const actions = [
  {
    action_id: 'shop-list',
    catalog_slug: 'shop',
    name: 'List books',
    description: '<b>Lists</b> books\u200b',
    credits: 3,
  },
  { action_id: 'shop-buy', catalog_slug: 'shop', name: 'Buy a book', auth_mode: 'required' },
  {
    action_id: 'trip-find',
    catalog_slug: 'trip',
    name: 'Find flights',
    description: 'Flights between airports',
  },
];
it('a higher price in a search replaces the listed one, and the catalog is fetched again', async () => {
  const { gateway, upstream } = await startGateway({ catalogs, actions }, { maxCreditsPerCall: 5 });
  await gateway.listing();
  upstream.service.addAction({
    action_id: 'shop-list',
    catalog_slug: 'shop',
    name: 'List books',
    credits: 9,
  });
  const { body } = await gateway.searchActions({ q: 'list' }, callContext());
  expect(body).toMatchObject({ results: [{ action_id: 'shop-list', credits: 9 }] });
  const refused = await gateway.runAction({ action_id: 'shop-list' }, callContext());
  expect(refused.body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', price: 9 } });
  const descriptionOf = async () =>
    (await gateway.listing()).tools.find(({ actionId }) => actionId === 'shop-list')?.description;
  await expect.poll(descriptionOf).toContain('Costs 9 credits');
});

const search = async (input: SearchActionsInput) => {
  const started = await startGateway({ catalogs, actions });
  await started.gateway.listing();
  const { body } = await started.gateway.searchActions(input, callContext());
  const results: { action_id: string }[] = Array.isArray(body.results) ? body.results : [];
  return { ...started, body, ids: results.map((hit) => hit.action_id) };
};

describe('search_actions', () => {
  it('asks with exactly the filters given', async () => {
    const { upstream, ids } = await search({
      q: ' book ',
      catalog: 'shop',
      category: 'commerce',
      auth: false,
    });
    expect(Object.fromEntries(upstream.requestsTo('search')[1]?.query ?? [])).toEqual({
      q: 'book',
      catalog: 'shop',
      category: 'commerce',
      auth: 'false',
    });
    expect(ids).toEqual(['shop-list']);
  });

  it('shows of each hit what a call needs, in clean words', async () => {
    const { body } = await search({ q: 'list' });
    expect(body).toMatchObject({ total: 1 });
    expect(Array.isArray(body.results) && body.results[0]).toEqual({
      tool: 'shop-list',
      action_id: 'shop-list',
      catalog_slug: 'shop',
      catalog_name: 'Shop',
      name: 'List books',
      description: 'Lists books',
      mode: 'async',
      auth_mode: 'none',
      credits: 3,
      cost: '3 credits or more',
      params: { type: 'object', properties: {} },
    });
  });

  it('ranks the nearest actions if several words find nothing, and says so', async () => {
    const { ids, body } = await search({ q: 'cheap flight to airport' });
    expect(ids[0]).toBe('trip-find');
    expect(body.note).toMatch(/nearest/);
    const filtered = await search({ q: 'cheap flight to airport', catalog: 'shop' });
    expect(filtered.ids).not.toContain('trip-find');
    const category = await search({ q: 'cheap books flights', category: 'travel' });
    expect(category.ids).toEqual(['trip-find']);
  });

  it('names request_build where there is nothing at all', async () => {
    expect((await search({ q: 'xyzzy' })).body).toMatchObject({
      results: [],
      next: { kind: 'nothing-found' },
    });
  });

  it('turns pages, and takes its own cursors only', async () => {
    const { gateway, body, ids, upstream } = await search({ limit: 2 });
    expect(body).toMatchObject({ total: 3, next_cursor: expect.any(String) });
    const rest = await gateway.searchActions({ limit: 2, cursor: String(body.next_cursor) }, callContext());
    expect(rest.body).toMatchObject({ results: [{}] });
    expect(rest.body).not.toHaveProperty('next_cursor');
    expect(ids).toHaveLength(2);
    expect(upstream.requestsTo('search')).toHaveLength(1);
    const foreign = await gateway.searchActions({ cursor: 'nonsense' }, callContext());
    expect(foreign.body).toMatchObject({ error: { code: 'INVALID_PARAMS' } });
  });
});

describe('browse_catalogs', () => {
  it('[client.unknown-fields] lists catalogs and keeps fields it does not know', async () => {
    const { gateway, upstream } = await startGateway({ catalogs, actions });
    const entry = { id: 'c', slug: 'shop', name: '\u001b[1mShop', rating: 5, url: 'https://shop.example/' };
    upstream.fail('listCatalogs', { kind: 'answer', body: { catalog: [entry] } });
    const { body } = await gateway.browseCatalogs({}, callContext());
    expect(body).toMatchObject({ catalogs: [{ slug: 'shop', name: 'Shop', rating: 5 }] });
  });

  it('with a slug shows the actions with their tools and the fields of the login', async () => {
    const login_input_schema = [
      { name: 'email', type: 'string', required: true, description: 'E\u200bmail' },
    ];
    const { gateway } = await startGateway({
      catalogs: [{ slug: 'shop', auth_types: ['credentials'], login_input_schema }],
      actions,
    });
    const { body } = await gateway.browseCatalogs({ catalog: 'shop' }, callContext());
    expect(body).toMatchObject({
      catalog: { slug: 'shop' },
      actions: [{ tool: 'shop-list', action_id: 'shop-list' }, { tool: 'shop-buy' }],
      login_input_schema: [{ name: 'email', description: 'Email' }],
    });
    const none = await gateway.browseCatalogs({ catalog: 'none' }, callContext());
    expect(none.body).toMatchObject({ status: 'error', error: { code: 'NOT_FOUND' } });
  });

  it('with scope my asks for it', async () => {
    const { gateway, upstream } = await startGateway({ catalogs, actions });
    expect((await gateway.browseCatalogs({ scope: 'my' }, callContext())).body).toMatchObject({
      catalogs: [],
      next: { kind: 'nothing-yet', of: 'own-catalogs' },
    });
    expect(upstream.requestsTo('listCatalogs').at(-1)?.query.get('scope')).toBe('my');
  });
});

it.each(['client', 'server', 'subject', undefined] as const)(
  'a refused key of the %s is explained to who can replace it',
  async (keyHolder) => {
    const more = keyHolder === undefined ? {} : { keyHolder };
    const { gateway, upstream } = await startGateway({ catalogs, actions }, {}, more);
    await gateway.listing();
    upstream.fail('listCatalogs', {
      kind: 'answer',
      status: 401,
      body: { status: 'error', error: { code: 'UNAUTHORIZED', message: 'Wrong key' } },
    });
    const { body } = await gateway.browseCatalogs({}, callContext());
    const next = { kind: 'replace-key', holder: keyHolder ?? 'user' };
    expect(body).toMatchObject({ error: { code: 'UNAUTHORIZED' }, next });
  },
);
