/** What lists say about rows that they left out, and what is answered where a site has less than before. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ActionRunner, Builder } from '../../src/service/foundation/ports.ts';
import {
  action,
  catalog,
  type Json,
  sourceOf,
  startTestService,
  type TestService,
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
    action({ action_id: 'search', parameters: { properties: { q: { type: 'string' } } } }),
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
    [
      { total: 43, has_more: true },
      'fixed',
      'This action reads no further pages, and has no params that could narrow it',
    ],
    [{ total: 43, has_more: true }, 'search', 'This action reads no further pages; use narrower params.'],
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

it('a list that is empty now is completed, each time', async () => {
  await start();
  answer = () => list(books(3));
  await run('list', { q: 'orders' });
  answer = () => list([]);
  for (const _time of [1, 2]) {
    expect(await run('list', { q: 'orders' })).toMatchObject({
      status: 'completed',
      credits_used: 1,
      data: { count: 0, items: [] },
    });
  }
});

it('a product without the discount that three others have is completed', async () => {
  await start();
  const product = (title: string, discount: number | null): Run => ({ data: { title, price: 12, discount } });
  for (const title of ['dune', 'ulysses', 'emma']) {
    answer = () => product(title, 10);
    await run('list', { q: title });
  }
  answer = () => product('hamlet', null);
  expect(await run('list', { q: 'hamlet' })).toMatchObject({
    status: 'completed',
    data: { title: 'hamlet', price: 12, discount: null },
  });
});
