/** Built actions whose stored recipe this version cannot read: they are listed with the reason, and built again for nothing. */
import { afterEach, expect, it } from 'vitest';
import type { BuildOutcome } from '../../src/service/foundation/ports.ts';
import { findRecipeProblem } from '../../src/service/recipes/recipe-problem.ts';
import { action, echoRunner, type Json, readMoney, startTestService } from '../support/service.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const recipeWith = (title: unknown) => ({
  request: { url: 'https://shop.example/' },
  extract: { kind: 'html', list: 'li', fields: { title } },
});
const builtWith = (title: unknown): BuildOutcome => ({
  built: true,
  action: action({
    action_id: 'list_books',
    wheel_version: JSON.stringify(title),
    recipe: recipeWith(title),
  }),
});

/** A service with one built action, whose recipe has an option that is gone. */
async function start() {
  let outcome = builtWith({ select: 'h1', times: 2 });
  const service = await startTestService({
    runner: { ...echoRunner, findProblem: findRecipeProblem },
    builder: {
      preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
      build: async () => outcome,
    },
  });
  closers.push(() => service.close());
  const listBuilds = async () => (await service.call('GET', '/build-requests')).body.build_requests as Json[];
  const build = async (more: Json = {}) => {
    const body = { website_url: 'https://shop.example/', goal: 'List books', ...more };
    const { status, body: answer } = await service.call('POST', '/build-request', body);
    expect(status, JSON.stringify(answer)).toBe(201);
    await expect.poll(async () => (await listBuilds())[0]?.status).not.toBe('pending');
    return (await listBuilds())[0];
  };
  expect(await build()).toMatchObject({ status: 'success', credits_charged: 25 });
  const balance = async () => (await readMoney(service)).balances.default;
  expect(await balance()).toBe(975);
  return {
    ...{ service, build, balance },
    setOutcome: (next: BuildOutcome) => {
      outcome = next;
    },
    list: async () => (await service.call('GET', '/catalog/shop-example')).body.actions as Json[],
    searched: async () => (await service.call('GET', '/search')).body.results,
  };
}

it('it is listed with the reason, not found by a search, and not run', async () => {
  const { service, list, searched, balance } = await start();
  expect(await list()).toMatchObject([
    {
      action_id: 'list_books',
      status: 'unavailable',
      unavailable_reason:
        'this version cannot read its recipe (extract.fields.title.times: is not a known member)',
    },
  ]);
  expect(await searched()).toEqual([]);
  const { status, body } = await service.call('POST', '/task', { action_id: 'list_books' });
  expect(status).toBe(500);
  expect(body.error).toMatchObject({
    code: 'EXECUTION_FAILED',
    message: expect.stringMatching(/unavailable: .* no credits were deducted/),
  });
  expect(await balance()).toBe(975);
});

it('a build for the same goal replaces it under its id for nothing, whether or not it succeeds', async () => {
  const { service, build, balance, list, searched, setOutcome } = await start();
  setOutcome({ built: false, errorType: 'NO_DATA_FOUND', message: 'Nothing there' });
  expect(await build()).toMatchObject({ status: 'failed', credits_charged: 0 });
  setOutcome(builtWith({ select: 'h1' }));
  expect(await build()).toMatchObject({
    ...{ status: 'success', action_id: 'list_books', credits_charged: 0 },
  });
  expect(await list()).toMatchObject([{ action_id: 'list_books', status: 'active' }]);
  expect(await searched()).toHaveLength(1);
  expect(await balance()).toBe(975);
  // Once it can be run, a further build is paid.
  expect(await build({ force: true })).toMatchObject({ status: 'success', credits_charged: 25 });
  expect(await readMoney(service)).toEqual({
    ...{ balances: { default: 950 }, mismatches: 0, doubleRefunds: 0 },
  });
});

it('a build for another goal is paid', async () => {
  const { build, balance } = await start();
  expect(await build({ goal: 'List lamps' })).toMatchObject({ status: 'success', credits_charged: 25 });
  expect(await balance()).toBe(950);
});
