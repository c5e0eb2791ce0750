import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Action, CatalogEntry, SearchResult } from '../../src/contract/resources.ts';
import type { ServiceTransaction } from '../../src/service/store/schema.ts';
import {
  action,
  addTestUser,
  catalog,
  type Json,
  publish,
  sourceOf,
  startTestService,
  type TestService,
  withDatabase,
} from '../support/service.ts';

const parameters = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
const shop = catalog({
  slug: 'shop',
  name: 'The Shop',
  category: 'commerce',
  actions: [
    action({
      action_id: 'shop_books',
      name: 'List books',
      tags: ['Reading'],
      parameters,
      wheel_version: 'abc',
    }),
    action({ action_id: 'shop_quick', description: 'A fast look', mode: 'sync', credits_per_call: 0 }),
  ],
});
const members = catalog({
  slug: 'members',
  category: 'social',
  auth_types: ['credentials'],
  auth_login_url: 'https://www.members.example/login',
  login: {
    fields: [{ name: 'username', type: 'string', required: true, description: 'Name' }],
    recipe: {},
  },
  actions: [
    action({ action_id: 'members_inbox', auth_mode: 'required' }),
    action({ action_id: 'members_feed', auth_mode: 'optional' }),
  ],
});
const empty = catalog({ slug: 'empty', actions: [] });

let service: TestService;
let alice: Awaited<ReturnType<typeof addTestUser>>;
const source = sourceOf(shop, members, empty);
beforeAll(async () => {
  service = await startTestService({ catalogs: source });
  alice = await addTestUser(service, 'alice');
  await withDatabase(service, (database) =>
    database.transaction(async (transaction) => {
      const { actions: _, ...head } = catalog({ slug: 'hers', actions: [] });
      await publish(transaction, {
        catalog: head,
        action: action({ action_id: 'hers_private', name: 'Hers' }),
        ownerUserId: alice.id,
      });
      const row = await transaction
        .selectFrom('catalogs')
        .select('id')
        .where('slug', '=', 'shop')
        .executeTakeFirstOrThrow();
      await publish(transaction, {
        catalog: { id: row.id },
        action: action({ action_id: 'shop_reviewed', name: 'In review', auth_mode: 'required' }),
        ownerUserId: alice.id,
        status: 'pending_review',
      });
    }),
  );
});
afterAll(() => service.close());

async function list(path: string, key: 'catalog' | 'results', headers = {}): Promise<Json[]> {
  const { status, body } = await service.call('GET', path, undefined, headers);
  expect(status).toBe(200);
  const found = body[key];
  if (!Array.isArray(found)) throw new Error(`No ${key}`);
  return found;
}
const slugs = async (path: string, headers = {}) =>
  (await list(path, 'catalog', headers)).map((entry) => entry.slug);
const found = async (query: string, headers = {}) =>
  (await list(`/search${query}`, 'results', headers)).map((result) => result.action_id);

it('[list-catalogs.visible] [service.public-visible] catalogs with a visible action are listed, others are not', async () => {
  expect(await slugs('/catalog')).toEqual(['members', 'shop']);
});

it('[catalog.fields] [catalog.auth-types] [catalog.status] [api.timestamps] [api.uuids] an entry has every field of its table', async () => {
  const entries = await list('/catalog', 'catalog');
  expect(entries.find((entry) => entry.slug === 'shop')).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    slug: 'shop',
    name: 'The Shop',
    url: 'https://www.shop.example/',
    domain: 'shop.example',
    category: 'commerce',
    description: 'The site shop',
    logo_url: 'https://www.shop.example/logo.png',
    auth_required: false,
    auth_type: null,
    auth_types: [],
    auth_login_url: null,
    status: 'active',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: expect.stringMatching(/Z$/),
    action_count: 2,
  });
  expect(entries.find((entry) => entry.slug === 'members')).toMatchObject({
    auth_type: 'credentials',
    auth_types: ['credentials'],
    auth_login_url: 'https://www.members.example/login',
  });
  for (const entry of entries) expect(() => CatalogEntry.parse(entry)).not.toThrow();
});

it('[catalog.action-count] [catalog.auth-required] counts and flags speak of the visible actions only', async () => {
  const mine = (await list('/catalog', 'catalog')).find((entry) => entry.slug === 'shop');
  const hers = (await list('/catalog', 'catalog', alice.headers)).find((entry) => entry.slug === 'shop');
  expect(mine).toMatchObject({ action_count: 2, auth_required: false });
  expect(hers).toMatchObject({ action_count: 3, auth_required: true });
});

it('[list-catalogs.scope-my] scope=my shows only catalogs with an action of mine', async () => {
  expect(await slugs('/catalog?scope=my')).toEqual([]);
  expect(await slugs('/catalog?scope=my', alice.headers)).toEqual(['hers', 'shop']);
  expect(await slugs('/catalog?scope=all')).toEqual(await slugs('/catalog'));
  const wrong = await service.call('GET', '/catalog?scope=yours');
  expect([wrong.status, wrong.body.error]).toMatchObject([400, { code: 'INVALID_INPUT' }]);
});

describe('GET /catalog/{slug}', () => {
  it('[get-catalog.answer] [action.fields] [version.wheel-version] it answers with the catalog and its actions, field by field', async () => {
    const { body } = await service.call('GET', '/catalog/shop');
    expect(body.catalog).toMatchObject({ slug: 'shop', action_count: 2 });
    expect(body.actions).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        action_id: 'shop_books',
        catalog_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'List books',
        description: null,
        tags: ['Reading'],
        type: 'scrape',
        mode: 'async',
        auth_mode: 'none',
        auth_required: false,
        parameters,
        credits_per_call: 1,
        credits_computed: false,
        wheel_version: 'abc',
        status: 'active',
        owner_user_id: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({ action_id: 'shop_quick', mode: 'sync', credits_per_call: 0 }),
    ]);
    for (const each of Array.isArray(body.actions) ? body.actions : []) Action.parse(each);
    expect(body).not.toHaveProperty('login_input_schema');
  });

  it('[catalog.login-schema] a credentials-mode catalog describes its login', async () => {
    const { body } = await service.call('GET', '/catalog/members');
    expect(body.login_input_schema).toEqual([
      { name: 'username', type: 'string', required: true, description: 'Name' },
    ]);
  });

  it('[get-catalog.not-found] unknown, empty and forbidden catalogs answer with the same bytes', async () => {
    const answers = await Promise.all(
      ['nope', 'empty', 'hers', '..%2f..%2fetc', '%00', '__proto__'].map((slug) =>
        service.call('GET', `/catalog/${slug}`),
      ),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.text).toBe(answers[0]?.text);
    }
    expect(answers[0]?.body).toEqual({
      status: 'error',
      error: { code: 'NOT_FOUND', message: 'No such catalog' },
    });
  });

  it('[service.private-owner-only] [action.owner] the owner sees private actions and those in review, nobody else does', async () => {
    const hers = await service.call('GET', '/catalog/hers', undefined, alice.headers);
    expect(hers.body.actions).toEqual([
      expect.objectContaining({ action_id: 'hers_private', owner_user_id: alice.id }),
    ]);
    const inReview = await service.call('GET', '/catalog/shop', undefined, alice.headers);
    expect(inReview.body.actions).toContainEqual(
      expect.objectContaining({ action_id: 'shop_reviewed', status: 'pending_review' }),
    );
    const forbidden = await service.call('POST', '/task', { action_id: 'hers_private' });
    const unknown = await service.call('POST', '/task', { action_id: 'nothing_like_it' });
    expect([forbidden.status, forbidden.text]).toEqual([404, unknown.text]);
  });
});

describe('GET /search', () => {
  it('[search.all] without parameters it lists every visible action', async () => {
    const all = ['members_feed', 'members_inbox', 'shop_books', 'shop_quick'];
    expect(await found('')).toEqual(all);
    expect(await found('?q=&catalog=')).toEqual(all);
    expect((await found('', alice.headers)).sort()).toEqual([...all, 'hers_private', 'shop_reviewed'].sort());
  });

  it('[search-result.fields] [action.auth-required-mirror] a result has every field of its table', async () => {
    const results = await list('/search?q=books', 'results');
    expect(results).toEqual([
      {
        action_id: 'shop_books',
        catalog_name: 'The Shop',
        catalog_slug: 'shop',
        name: 'List books',
        description: '',
        type: 'scrape',
        wheel_version: 'abc',
        mode: 'async',
        auth_mode: 'none',
        auth_required: false,
        connected: false,
        params: parameters,
        credits: 1,
        credits_computed: false,
      },
    ]);
    for (const result of await list('/search', 'results')) {
      SearchResult.parse(result);
      expect(result.auth_required).toBe(result.auth_mode === 'required');
    }
  });

  it.each([
    ['?q=LIST', ['shop_books']],
    ['?q=fast', ['shop_quick']],
    ['?q=reading', ['shop_books']],
    ['?q=books%20list', ['shop_books']],
    ['?q=books%20nothing', []],
    ['?q=.*', []],
  ])('[search.q] %s is matched against name, description and tags', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  it('[search.catalog] [search.category] [search.auth-false] each filter restricts', async () => {
    expect(await found('?catalog=shop')).toEqual(['shop_books', 'shop_quick']);
    expect(await found('?category=social')).toEqual(['members_feed', 'members_inbox']);
    expect(await found('?auth=true')).toEqual(await found(''));
    expect(await found('?auth=false')).toEqual(['members_feed', 'shop_books', 'shop_quick']);
    expect(await found('?catalog=hers')).toEqual([]);
  });

  it('[search.and] filters combine', async () => {
    expect(await found('?category=social&auth=false')).toEqual(['members_feed']);
    expect(await found('?category=social&catalog=shop')).toEqual([]);
    expect(await found('?q=books&category=commerce&catalog=shop&auth=false')).toEqual(['shop_books']);
  });
});

it('a changed definition keeps its ids and has a new updated_at; a removed one is gone', async () => {
  const own = sourceOf(shop, members);
  const other = await startTestService({ catalogs: own });
  const before = await other.call('GET', '/catalog/shop');
  const renamed = action({ action_id: 'shop_books', name: 'Show books', wheel_version: 'abd' });
  own.set({ ...shop, actions: [renamed] });
  const after = await other.call('GET', '/catalog/shop');
  const first = (body: Json) => (Array.isArray(body.actions) ? body.actions[0] : undefined);
  expect(first(after.body)).toMatchObject({
    id: first(before.body).id,
    name: 'Show books',
    wheel_version: 'abd',
  });
  expect(Date.parse(first(after.body).updated_at)).toBeGreaterThanOrEqual(
    Date.parse(first(before.body).updated_at),
  );
  expect(after.body.catalog).toMatchObject({ action_count: 1 });
  expect((await other.call('GET', '/catalog/members')).status).toBe(404);
  await other.close();
});

it('a change of the files, of this process and of another one is announced', async () => {
  const files = sourceOf(shop);
  const one = await startTestService({ catalogs: files });
  const other = await startTestService({ catalogs: files, dataDir: one.dataDir });
  try {
    for (const change of [
      async () => files.set(shop, members),
      () => withDatabase(one, (database) => database.transaction((transaction) => publishOne(transaction))),
    ]) {
      const announced = Promise.all(
        [one, other].map(
          (running) =>
            new Promise<void>((resolve) => {
              const stop = running.onCatalogChange(() => {
                stop();
                resolve();
              });
            }),
        ),
      );
      await change();
      await announced;
    }
  } finally {
    await other.close();
    await one.close();
  }
});

async function publishOne(transaction: ServiceTransaction): Promise<void> {
  const { actions: _, ...head } = catalog({ slug: 'announced', actions: [] });
  await publish(transaction, {
    catalog: head,
    action: action({ action_id: 'announced_one' }),
    ownerUserId: null,
  });
}
