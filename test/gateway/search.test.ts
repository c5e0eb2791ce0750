import { afterEach, describe, expect, it } from 'vitest';
import type { SearchActionsInput } from '../../src/gateway/interface/gateway.ts';
import { callContext, closeGateways, startGateway } from '../support/gateway.ts';
import type { ActionScript } from '../support/upstream-script.ts';

afterEach(closeGateways);

const catalogs = [
  { slug: 'homes', name: 'Homes', category: 'housing' },
  { slug: 'shop', name: 'Shop', category: 'commerce' },
];
const actions: readonly ActionScript[] = [
  { action_id: 'homes-list', catalog_slug: 'homes', name: 'Offers', description: 'What is on the market' },
  {
    action_id: 'shop-list',
    catalog_slug: 'shop',
    name: 'List books',
    description: 'Lists stories of all kinds',
    parameters: {
      type: 'object',
      properties: {
        maxPages: { type: 'integer' },
        binding: { type: 'string', description: 'How it is made', enum: ['hardcover', 'paperback'] },
      },
    },
  },
];

async function search(input: SearchActionsInput, more: readonly ActionScript[] = []) {
  const started = await startGateway({ catalogs, actions: [...actions, ...more] });
  await started.gateway.listing();
  const { body } = await started.gateway.searchActions(input, callContext());
  const results: Record<string, unknown>[] = Array.isArray(body.results) ? body.results : [];
  return { ...started, body, results, ids: results.map((hit) => hit.action_id) };
}

describe('a search', () => {
  it.each([
    ['another word form', 'story'],
    ['words that every question has', 'where can I find the stories'],
    ['the name of a param', 'max pages'],
    ['the description of a param', 'how made'],
    ['an enum value', 'paperback'],
    ['the name of the website', 'shop books'],
  ])('finds an action by %s', async (_, q) => {
    const { ids, results, body } = await search({ q });
    expect(ids).toEqual(['shop-list']);
    expect(results[0]).not.toHaveProperty('match');
    expect(body).toMatchObject({ returned: 1, total: 1, has_more: false });
  });

  it('finds a built action by the goal that it was built for', async () => {
    const { gateway, upstream } = await startGateway({ catalogs, actions });
    await gateway.listing();
    const goal = 'List all flats with rent and size';
    const build = await gateway.requestBuild(
      { website_url: 'https://homes.example/', goal, force: true },
      callContext({ waitMs: 0 }),
    );
    const { id = '' } = upstream.service.builds[0] ?? {};
    expect(build.body).toMatchObject({ status: 'pending' });
    upstream.service.finishBuild(id, { action_id: 'homes-offers', catalog_slug: 'homes', name: 'Overview' });
    await gateway.listBuildRequests({ id }, callContext({ waitMs: 0 }));
    const find = async (q: string) => (await gateway.searchActions({ q }, callContext())).body;
    await expect
      .poll(() => find('flats'), { timeout: 15_000 })
      .toMatchObject({ results: [{ action_id: 'homes-offers' }] });
    expect(await find('flat')).toMatchObject({ results: [{ action_id: 'homes-offers' }] });
    expect(await find('apartments rent')).toMatchObject({
      results: [{ action_id: 'homes-offers', match: 'weak' }],
    });
  });

  it('marks the nearest matches as weak where not every word occurs, and knows misspellings', async () => {
    const some = await search({ q: 'cheap paperback' });
    expect(some.results).toMatchObject([{ action_id: 'shop-list', match: 'weak' }]);
    expect(some.body.note).toMatch(/nearest/);
    expect((await search({ q: 'paperbak' })).results).toMatchObject([{ match: 'weak' }]);
  });

  it('shows three weak matches at most, without their params', async () => {
    const many = Array.from({ length: 6 }, (_, n) => ({
      action_id: `shop-cheap-${n}`,
      catalog_slug: 'shop',
      name: `Cheap things ${n}`,
    }));
    const { results, body } = await search({ q: 'cheap zebra' }, many);
    expect(results).toHaveLength(3);
    expect(body).toMatchObject({
      total: 3,
      has_more: false,
      note: expect.stringContaining('without their params'),
      next: { kind: 'find', what: 'params' },
    });
    for (const hit of results) {
      expect(hit).toMatchObject({ match: 'weak' });
      expect(hit).not.toHaveProperty('params');
    }
  });

  it('says whether an account is connected where there is a sign-in, and knows of one that was just made', async () => {
    const login_input_schema = [{ name: 'email', type: 'string', required: true, description: 'Email' }];
    const { gateway } = await startGateway({
      catalogs: [{ slug: 'shop', auth_types: ['credentials'], login_input_schema }],
      actions: [
        { action_id: 'shop-orders', catalog_slug: 'shop', name: 'Orders of a member', auth_mode: 'required' },
        { action_id: 'shop-list', catalog_slug: 'shop', name: 'List of a member' },
      ],
    });
    await gateway.listing();
    const hits = async (q: string) => {
      const { body } = await gateway.searchActions({ q }, callContext());
      const results: Record<string, unknown>[] = Array.isArray(body.results) ? body.results : [];
      return Object.fromEntries(results.map(({ action_id, connected }) => [action_id, connected]));
    };
    expect(await hits('member')).toEqual({ 'shop-orders': false, 'shop-list': undefined });
    const params = { email: 'a@b.example' };
    const { body } = await gateway.login({ catalog: 'shop', params }, callContext());
    expect(body).toMatchObject({ status: 'verified' });
    // Weak matches come from the snapshot, which was fetched before.
    expect(await hits('member zebra')).toEqual({ 'shop-orders': true, 'shop-list': undefined });
    expect(await hits('member')).toEqual({ 'shop-orders': true, 'shop-list': undefined });
  });

  it("puts the service's own matches behind those that it ranks itself", async () => {
    const tagged = { action_id: 'homes-x', catalog_slug: 'homes', name: 'X', tags: ['stories'] };
    const { ids, results } = await search({ q: 'stories' }, [tagged]);
    expect(ids).toEqual(['shop-list', 'homes-x']);
    expect(results.map(({ match }) => match)).toEqual([undefined, undefined]);
  });

  it('says which websites and categories there are where nothing matches, and what a build costs', async () => {
    const { next } = (await search({ q: 'xyzzy' })).body;
    const websites = { names: ['homes', 'shop'], more: 0 };
    expect(next).toEqual({ kind: 'nothing-found', isWithoutSignIn: false, websites });
    const slug = (await search({ q: 'xyzzy', catalog: 'Shopp' })).body;
    expect(slug.next).toMatchObject({ catalog: { name: 'Shopp', isKnown: false, nearest: 'shop' } });
    const category = (await search({ q: 'xyzzy', category: 'comerce' })).body;
    expect(category.next).toMatchObject({
      category: { name: 'comerce', known: { names: ['commerce', 'housing'], more: 0 } },
    });
  });

  it('answers from the snapshot while the service is too busy for it', async () => {
    const { gateway, upstream } = await startGateway({ catalogs, actions });
    await gateway.listing();
    upstream.fail('search', { kind: 'too-many-requests', retryAfter: '60' });
    const { body } = await gateway.searchActions({ q: 'stories' }, callContext());
    expect(body).toMatchObject({
      results: [{ action_id: 'shop-list' }],
      note: expect.stringMatching(/busy/),
    });
    const all = await gateway.searchActions({ catalog: 'shop' }, callContext());
    expect(all.body).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });

  it('says how to go on, for free', async () => {
    const { body } = await search({ limit: 1, auth: false });
    expect(body).toMatchObject({ returned: 1, total: 2, has_more: true });
    const args = { auth: false, limit: 1, cursor: body.next_cursor };
    expect(body.next).toEqual({ kind: 'search', args, why: 'more' });
  });

  it('shows the fields of the result where the catalog declares them', async () => {
    const returns = { items: ['title', 'price\u200b'] };
    const { results } = await search({ q: 'declared' }, [
      { action_id: 'shop-d', catalog_slug: 'shop', name: 'Declared', overrides: { returns } },
    ]);
    expect(results).toMatchObject([{ returns: { items: ['title', 'price'] } }]);
  });
});

describe('a name that does not exist is answered with the nearest one', () => {
  it('of a catalog', async () => {
    const { gateway } = await startGateway({ catalogs, actions });
    for (const call of [
      gateway.browseCatalogs({ catalog: 'home' }, callContext()),
      gateway.listIdentities({ catalog: 'HOMES' }, callContext()),
      gateway.login({ catalog: 'homess', params: { a: 'b' } }, callContext()),
    ]) {
      expect((await call).body).toMatchObject({
        error: { code: 'NOT_FOUND' },
        next: { kind: 'find', what: 'catalog', nearest: 'homes' },
      });
    }
  });

  it('of an action', async () => {
    const { gateway } = await startGateway({ catalogs, actions });
    const near = await gateway.runAction({ action_id: 'shop_list' }, callContext());
    expect(near.body).toMatchObject({
      error: { code: 'ACTION_NOT_FOUND' },
      next: { kind: 'find', what: 'action', nearest: 'shop-list' },
    });
    const far = await gateway.runAction({ action_id: 'weather' }, callContext());
    expect(far.body.next).toEqual({ kind: 'find', what: 'action' });
  });

  it('of a tool', async () => {
    const { gateway } = await startGateway(
      { catalogs, actions },
      { reserved: { names: ['search_actions'], chars: 0, runArguments: [] } },
    );
    expect(await gateway.nearestTool('shop_list')).toBe('shop-list');
    expect(await gateway.nearestTool('search_action')).toBe('search_actions');
    expect(await gateway.nearestTool('weather')).toBeUndefined();
  });
});

describe('browse_catalogs', () => {
  it('leaves out what no tool takes, and says whether the list is complete', async () => {
    const { gateway } = await startGateway({ catalogs, actions });
    const all = (await gateway.browseCatalogs({}, callContext())).body;
    expect(all).toMatchObject({ returned: 2, total: 2, has_more: false });
    const one = (await gateway.browseCatalogs({ catalog: 'shop' }, callContext())).body;
    expect(one).toMatchObject({ returned: 1, total: 1, has_more: false, actions: [{ tool: 'shop-list' }] });
    const keys = new Set([...JSON.stringify([all, one]).matchAll(/"(\w+)":/g)].map(([, key]) => key));
    for (const key of ['id', 'catalog_id', 'logo_url', 'created_at', 'updated_at', 'wheel_version']) {
      expect(keys).not.toContain(key);
    }
    const cut = (await gateway.browseCatalogs({ maxChars: 10 }, callContext())).body;
    expect(cut).toMatchObject({ returned: 1, total: 2, has_more: true, next: { kind: 'search' } });
  });
});
