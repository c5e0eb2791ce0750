import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { getHashTag, slugOfDomain } from '../../src/service/catalog/catalogs-of-builds.ts';
import { approveAction, rejectAction } from '../../src/service/catalog/publish-build.ts';
import type { Builder } from '../../src/service/foundation/ports.ts';
import {
  action,
  addTestUser,
  type Json,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../support/service.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Builds an action whose id follows from the catalog and the first word of the goal. */
const builder: Builder = {
  preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
  build: async ({ catalog: head, goal, websiteUrl }) => ({
    built: true,
    action: action({
      action_id: `${head?.slug}_${goal.split(' ')[0]}`,
      name: goal,
      recipe: { request: { url: websiteUrl } },
    }),
  }),
};

async function start(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService({ builder, ...options });
  closers.push(() => service.close());
  return service;
}

type Headers = Record<string, string>;

async function build(service: TestService, headers: Headers, url: string, goal: string, more: Json = {}) {
  const body = { website_url: url, goal, force: true, ...more };
  const asked = await service.call('POST', '/build-request', body, headers);
  expect(asked.status, JSON.stringify(asked.body)).toBe(201);
  const { id } = asked.body.build_request as Json;
  const find = async () => {
    const { body: answer } = await service.call('GET', '/build-requests', undefined, headers);
    return (answer.build_requests as Json[]).find((one) => one.id === id);
  };
  await expect.poll(async () => (await find())?.status).toBe('success');
  return String((await find())?.action_id);
}

/** Slugs with the ids of their actions, as this user sees them. */
async function seenBy(service: TestService, headers: Headers): Promise<Record<string, string[]>> {
  const { body } = await service.call('GET', '/search', undefined, headers);
  const seen: Record<string, string[]> = {};
  for (const { catalog_slug, action_id } of body.results as Json[])
    seen[String(catalog_slug)] = [...(seen[String(catalog_slug)] ?? []), String(action_id)];
  return seen;
}

const catalogOf = async (service: TestService, slug: string, headers: Headers) =>
  (await service.call('GET', `/catalog/${slug}`, undefined, headers)).body.catalog as Json;

describe('private builds of two users for one domain', () => {
  it('are in catalogs of their own, named by the domain, and neither tells of the other', async () => {
    const service = await start();
    const [alice, bob] = [await addTestUser(service, 'alice'), await addTestUser(service, 'bob')];
    const hers = await build(service, alice.headers, 'https://www.site.example/a', 'flats with rent');
    const lone = await seenBy(service, alice.headers);
    const his = await build(service, bob.headers, 'https://site.example/b', 'flats with rent');
    expect(await seenBy(service, alice.headers)).toEqual(lone);
    const [aliceSlug, bobSlug] = [Object.keys(lone)[0], Object.keys(await seenBy(service, bob.headers))[0]];
    expect(aliceSlug).not.toBe(bobSlug);
    expect(hers).not.toBe(his);
    // Nobody's number is counted up by what another one has.
    expect([hers, his].join()).not.toMatch(/_2\b/);
    expect(await catalogOf(service, String(aliceSlug), alice.headers)).toMatchObject({
      name: 'site.example',
      url: 'https://www.site.example/',
      action_count: 1,
    });
    expect((await service.call('GET', `/catalog/${aliceSlug}`, undefined, bob.headers)).status).toBe(404);
  });

  it('have the slug that they would have without the other', async () => {
    const service = await start();
    const [alice, bob] = [await addTestUser(service, 'alice'), await addTestUser(service, 'bob')];
    const url = 'https://site.example/';
    await build(service, bob.headers, url, 'flats with rent');
    const alone = Object.keys(await seenBy(service, bob.headers));
    await withDatabase(service, async ({ query }) => {
      await query.deleteFrom('actions').where('owner', '=', bob.id).execute();
      await query.deleteFrom('catalogs').where('owner', '=', bob.id).execute();
    });
    await build(service, alice.headers, url, 'flats with rent');
    await build(service, bob.headers, url, 'flats with rent');
    expect(Object.keys(await seenBy(service, bob.headers))).toEqual(alone);
  });

  it('of which one becomes public: the others stay private beside it, also in the same catalog', async () => {
    const service = await start();
    const mine = await build(service, {}, 'https://site.example/', 'first things');
    const shared = await build(service, {}, 'https://site.example/', 'second things', {
      visibility: 'public',
    });
    const alice = await addTestUser(service, 'alice');
    expect(await seenBy(service, {})).toEqual({ 'site-example': [mine, shared] });
    expect(await seenBy(service, alice.headers)).toEqual({ 'site-example': [shared] });
    const hers = await build(service, alice.headers, 'https://site.example/', 'third things');
    expect(await seenBy(service, alice.headers)).toEqual({ 'site-example': [shared, hers].sort() });
    expect(await seenBy(service, {})).toEqual({ 'site-example': [mine, shared] });
  });
});

it('domains that look alike have catalogs of their own', async () => {
  const service = await start();
  await build(service, {}, 'https://my-bank.t.com/', 'accounts there');
  await build(service, {}, 'https://my.bank.t.com/', 'accounts here');
  expect(Object.keys(await seenBy(service, {})).sort()).toEqual(['my--bank-t-com', 'my-bank-t-com']);
  const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,8}[a-z0-9])?$/);
  const domain = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'));
  fc.assert(
    fc.property(domain, domain, (one, other) => one === other || slugOfDomain(one) !== slugOfDomain(other)),
  );
  fc.assert(fc.property(domain, (one) => /^[a-z0-9][a-z0-9-]{0,62}$/.test(slugOfDomain(one))));
});

it.each([
  ['127.0.0.1', 'site-127-0-0-1'],
  ['[::1]', `site-1-${getHashTag('[::1]', 8)}`],
  ['123.example', '123-example'],
])('the catalog of %s is called %s', (domain, slug) => {
  expect(slugOfDomain(domain)).toBe(slug);
});

describe('a public build where there are several users', () => {
  async function waiting() {
    const service = await start();
    const [alice, bob] = [await addTestUser(service, 'alice'), await addTestUser(service, 'bob')];
    const url = 'https://site.example/';
    const id = await build(service, alice.headers, url, 'things of theirs', { visibility: 'public' });
    const review = (decide: typeof approveAction) =>
      withDatabase(service, (database) => database.transaction((transaction) => decide(transaction, id)));
    const statusFor = async ({ headers }: { headers: Headers }) => {
      const [slug] = Object.keys(await seenBy(service, headers));
      if (slug === undefined) return undefined;
      const { body } = await service.call('GET', `/catalog/${slug}`, undefined, headers);
      const [first] = body.actions as Json[];
      return { slug, status: first?.status, owner: first?.owner_user_id };
    };
    return { service, alice, bob, id, review, statusFor };
  }

  it('waits for its review, seen by its owner only', async () => {
    const { alice, bob, statusFor } = await waiting();
    expect(await statusFor(alice)).toMatchObject({ status: 'pending_review', owner: alice.id });
    expect(await statusFor(bob)).toBeUndefined();
  });

  it('is public once it is approved, in the catalog of its domain', async () => {
    const { service, alice, bob, id, review, statusFor } = await waiting();
    expect(await review(approveAction)).toBe(true);
    const expected = { status: 'active', owner: null };
    await expect.poll(() => statusFor(bob)).toMatchObject(expected);
    expect(await statusFor(alice)).toMatchObject(expected);
    expect((await seenBy(service, bob.headers))[String((await statusFor(bob))?.slug)]).toEqual([id]);
    expect(await review(approveAction)).toBe(false);
  });

  it('is private once it is rejected', async () => {
    const { service, alice, bob, review, statusFor } = await waiting();
    expect(await review(rejectAction)).toBe(true);
    await expect.poll(() => statusFor(alice)).toMatchObject({ status: 'active', owner: alice.id });
    expect(await statusFor(bob)).toBeUndefined();
    const { body } = await service.call('GET', '/build-requests', undefined, alice.headers);
    expect(body.build_requests).toMatchObject([{ visibility: 'private', status: 'success' }]);
  });
});

it('a forced build for the same goal rebuilds the own action in place; another goal makes another one', async () => {
  const service = await start();
  const [url, goal] = ['https://site.example/', 'things with price'];
  const first = await build(service, {}, url, goal);
  const versionOf = async () => {
    const { body } = await service.call('GET', '/catalog/site-example');
    return (body.actions as Json[]).map(({ action_id, id, updated_at }) => ({ action_id, id, updated_at }));
  };
  const before = await versionOf();
  expect(await build(service, {}, `${url}moved`, ' Things  with price')).toBe(first);
  const { body: list } = await service.call('GET', '/build-requests');
  const [rebuilt, original] = list.build_requests as Json[];
  expect(rebuilt).toMatchObject({ action_id: first, replaces: first });
  expect(original).not.toHaveProperty('replaces');
  const after = await versionOf();
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after).not.toEqual(before);
  expect(await build(service, {}, url, 'things without price')).toBe(`${first}_2`);
});

it('a rebuild with other fields has their name, and a name that a person gave stays', async () => {
  const kept = (fields: readonly string[]) => ({
    candidate: { id: 'r1', kind: 'repeated records', layout: 'a' },
    fields: Object.fromEntries(
      fields.map((name) => [name, { label: name, kind: 'text', path: name, samples: [] }]),
    ),
  });
  let fields = ['title', 'price'];
  const service = await start({
    builder: {
      ...builder,
      build: async ({ catalog: head }) => ({
        built: true,
        action: action({
          action_id: `${head?.slug}_list`,
          name: `List books: ${fields.join(', ')}`,
          columns: kept(fields),
        }),
      }),
    },
  });
  const rebuild = async (...names: string[]) => {
    fields = names;
    const id = await build(service, {}, 'https://site.example/', 'books');
    const { body } = await service.call('GET', '/catalog/site-example');
    return { id, name: (body.actions as Json[])[0]?.name };
  };
  expect(await rebuild('title', 'price')).toMatchObject({ name: 'List books: title, price' });
  const { id, name } = await rebuild('title', 'stock');
  expect(name).toBe('List books: title, stock');
  await service.call('PATCH', `/actions/${id}`, { name: 'My shelf' });
  expect(await rebuild('title')).toMatchObject({ id, name: 'My shelf' });
});
