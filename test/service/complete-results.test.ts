/** What lists say about rows that they left out, and runs after which the site has nothing any more. */
import { afterEach, describe, expect, it } from 'vitest';
import { RunError } from '../../src/service/foundation/errors.ts';
import type { ActionRunner, Builder } from '../../src/service/foundation/ports.ts';
import { findChange } from '../../src/service/jobs/site-change.ts';
import {
  action,
  addTestUser,
  catalog,
  type Json,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  withDatabase,
} from '../support/service.ts';

const paged = {
  type: 'object',
  properties: { q: { type: 'string' }, max_pages: { type: 'integer', minimum: 1, maximum: 5 } },
};
const shop = catalog({
  slug: 'shop',
  actions: [
    action({ action_id: 'list', parameters: paged }),
    action({ action_id: 'fixed', credits_per_call: 2 }),
    action({ action_id: 'dear', parameters: paged, credits_per_call: 3, credits_expression: 'count' }),
  ],
});

const builder: Builder = {
  preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
  build: async () => ({
    built: true,
    action: action({ action_id: 'built', recipe: {} }),
    sample: [{ a: 1 }],
  }),
};

type Run = Awaited<ReturnType<ActionRunner['run']>>;
let answer: (params: Readonly<Record<string, unknown>>) => Run = () => list([]);
let service: TestService;
afterEach(() => service.close());
const start = async () => {
  service = await startTestService({
    catalogs: sourceOf(shop),
    builder,
    runner: { run: async ({ params }) => answer(params) },
  });
};

const list = (items: readonly Json[], more: Json = {}, pages = { read: 1, most: 5 }): Run => ({
  data: { count: items.length, returned: items.length, has_more: false, ...more, items },
  pages,
});
const books = (number: number) => Array.from({ length: number }, (_, id) => ({ id, title: `Book ${id}` }));

async function run(action_id: string, params: Json = {}, headers = {}): Promise<Json> {
  const { status, body } = await service.call('POST', '/task', { action_id, params }, headers);
  expect(status).toBe(202);
  for (;;) {
    const job = await service.call('GET', `/jobs/${body.job_id}`, undefined, headers);
    if (job.body.status !== 'processing') return job.body;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a list that left rows out', () => {
  it.each([
    [
      { total: 43, has_more: true },
      'list',
      '10 of 43 rows, and there are more. The same call with max_pages 5 costs 1 credit.',
    ],
    [{ total: 18, has_more: true }, 'list', 'The same call with max_pages 2 costs 1 credit.'],
    [
      { has_more: null },
      'list',
      '10 rows, and there may be more. The same call with max_pages 5 costs 1 credit.',
    ],
    [{ total: 43, has_more: true }, 'dear', 'max_pages 5 costs 3 credits or more, depending on the result.'],
    [{ total: 43, has_more: true }, 'fixed', 'This action reads no further pages; use narrower params.'],
  ])('%j of %s names the next call and its price', async (facts, id, next) => {
    await start();
    answer = () => list(books(10), facts);
    const { data } = await run(id);
    expect(data).toMatchObject({ returned: 10, ...facts, next: expect.stringContaining(next) });
    expect(Object.keys(data as Json).at(-1)).toBe('items');
  });

  it('says nothing where all rows are there', async () => {
    await start();
    answer = () => list(books(3), { total: 3 });
    expect((await run('list')).data).not.toHaveProperty('next');
  });
});

describe('a site that has changed', () => {
  const changed = { status: 'failed', credits_used: 0, error: { code: 'SITE_CHANGED' } };

  it('costs nothing where the rows of earlier runs are gone', async () => {
    await start();
    answer = () => list(books(3));
    await run('list', { q: 'books' });
    answer = () => list([]);
    expect(await run('list', { q: 'books', max_pages: 2 })).toMatchObject(changed);
    // Nothing was ever found for these words, and that is a result.
    expect(await run('list', { q: 'nothing' })).toMatchObject({ status: 'completed', credits_used: 1 });
    expect(await run('list', { q: 'nothing' })).toMatchObject({ status: 'completed', credits_used: 1 });
    expect((await readMoney(service)).balances.default).toBe(997);
  });

  it('is not seen by one account in the rows of another one', async () => {
    await start();
    answer = () => list(books(3));
    await run('list', { q: 'orders' });
    await withDatabase(service, async ({ query }) => {
      await query.updateTable('jobs').set({ credential_id: 'one' }).execute();
      const job = await query.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
      const change = (credentialId: string | null) =>
        findChange(
          query,
          { actionId: 'list', wheelVersion: job.wheel_version, params: job.params, credentialId },
          { items: [] },
        );
      expect(await change('one')).toContain('earlier runs found some');
      expect([await change('other'), await change(null)]).toEqual([undefined, undefined]);
    });
  });

  it('costs nothing where a field is gone that was always there', async () => {
    await start();
    answer = () => list(books(3));
    await run('list');
    answer = () => list(books(3).map((book) => ({ ...book, title: null })));
    expect(await run('list')).toMatchObject({
      ...changed,
      error: { code: 'SITE_CHANGED', message: expect.stringContaining('(title)') },
    });
  });

  it('is not seen in a field that was never, or not always, there', async () => {
    await start();
    answer = () => list(books(3).map((book) => ({ ...book, title: null })));
    expect(await run('list')).toMatchObject({ status: 'completed' });
    expect(await run('list')).toMatchObject({ status: 'completed' });
    answer = () => list(books(3).map((book) => (book.id === 0 ? { ...book, note: 'new' } : book)));
    expect(await run('list')).toMatchObject({ status: 'completed' });
    answer = () => list([{ id: 1, title: 'Book', note: null }]);
    expect(await run('list')).toMatchObject({ status: 'completed' });
  });

  it('is rebuilt in place by whoever built the action, and by nobody else', async () => {
    await start();
    const wanted = { website_url: 'https://site.example/x', goal: 'List things', visibility: 'public' };
    await service.call('POST', '/build-request', wanted);
    const builds = async () => (await service.call('GET', '/build-requests')).body.build_requests as Json[];
    await expect.poll(async () => (await builds())[0]?.status).toBe('success');
    const stranger = await addTestUser(service, 'stranger');
    // The build's own test run had rows.
    answer = () => list([]);
    const mine = await run('built');
    expect(mine).toMatchObject({
      ...changed,
      error: { code: 'SITE_CHANGED', rebuild: { ...wanted, force: true, credits: 25 } },
    });
    expect((await run('built', {}, stranger.headers)).error).not.toHaveProperty('rebuild');
    answer = () => {
      throw new RunError('The page lacks a value; it may have changed', { siteChanged: true });
    };
    expect(await run('built')).toMatchObject(changed);
  });
});
