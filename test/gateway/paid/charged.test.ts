/** What an end counts where the service states its cost oddly, for runs and builds, on both engines. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { useDatabases } from '../../support/databases.ts';
import { callContext, closeGateways, deliver, startGateway } from '../../support/gateway.ts';
import { engines } from '../../support/postgres.ts';
import type { Fault } from '../../support/upstream-faults.ts';

afterEach(closeGateways);
const createDatabase = useDatabases();

const large = 'x'.repeat(1_100_000);

const oddCosts: [string, Record<string, unknown>][] = [
  ['one above a thousand million', { credits_used: 9.3e15 }],
  ['none', {}],
  ['null', { credits_used: null }],
  ['text', { credits_used: 'free' }],
  ['a negative one', { credits_used: -1_000_000 }],
  ['an object', { credits_used: { amount: 1 } }],
  ['an endless one', { credits_used: 'HUGE' }],
  ['none in a large answer', { data: large }],
  ['a negative one in a large answer', { data: large, credits_used: -5 }],
];
const oddBuildCosts: [string, unknown, number][] = [
  ['a negative one', -1000, 25],
  ['none', undefined, 25],
  ['text', 'gratis', 25],
  ['too large a one', 1e12, 25],
  ['a decimal text', '30', 30],
  ['a fraction of a thousandth', 0.0001, 0.001],
];

describe.each(engines)('on %s', (engine) => {
  /** What the store takes no part in is tried on one engine. */
  const every = <Case>(cases: readonly Case[]): readonly Case[] =>
    engine === 'sqlite' ? cases : cases.slice(0, 1);

  /** An action of 3 credits whose job ends with `answer`. */
  async function start(
    answer: Record<string, unknown>,
    settings: Partial<GatewaySettings> = {},
    price: Record<string, unknown> = { credits_computed: false },
  ) {
    const actions = [{ action_id: 'shop-list', catalog_slug: 'shop', credits: 3, overrides: price }];
    const more = engine === 'postgres' ? { store: { url: await createDatabase() } } : {};
    const started = await startGateway({ actions }, settings, more);
    const { gateway, upstream } = started;
    const fault: Fault = {
      kind: 'answer',
      body: JSON.stringify({ status: 'completed', data: 1, ...answer }).replace('"HUGE"', '1e400'),
    };
    upstream.fail('getJob', fault);
    const run = async (n: number) =>
      (await deliver(gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext()))).body;
    // The end is written behind the answer.
    const expectSpent = (credits: number) =>
      vi.waitFor(async () => {
        const { body } = await gateway.getUsage(callContext());
        expect(body).toMatchObject({ today: { spent: credits } });
      }, 20_000);
    return { ...started, run, expectSpent };
  }

  it.each(every(oddCosts))(
    'a run whose answer names %s for its cost counts as the reserve',
    async (_, answer) => {
      const price = { credits_computed: true, credits_max: 15 };
      const { run, expectSpent, upstream, gateway } = await start(answer, { maxCreditsPerDay: 20 }, price);
      const first = await run(0);
      expect(first).toMatchObject({ status: 'completed', credits_used: 15 });
      await expectSpent(15);
      expect(await run(1)).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', spent: 15 } });
      expect(upstream.requestsTo('submitTask')).toHaveLength(1);
      // Read again, it costs nothing, whatever the kept answer says.
      const again = await gateway.getJob({ job_id: String(first.job_id) }, callContext());
      expect(again.body).toMatchObject({ status: 'completed', credits_used: 0 });
    },
  );

  it.each([
    ['"4"', '4', 4],
    ['"2.5"', '2.5', 2.5],
    ['0.0004', 0.0004, 0.001],
    ['3.00001', 3.00001, 3.001],
  ])('a cost of %s counts as %d credits', async (_, credits_used, counted) => {
    const { run, expectSpent } = await start({ credits_used });
    expect(await run(0)).toMatchObject({ credits_used: counted });
    await expectSpent(counted);
  });

  it('costs below a thousandth reach a limit', async () => {
    const { run, upstream } = await start({ credits_used: 0.0004 }, { maxCreditsPerDay: 3.001 });
    await run(0);
    await expect.poll(() => run(1)).toMatchObject({ status: 'completed' });
    await vi.waitFor(
      async () => expect(await run(2)).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', spent: 0.002 } }),
      20_000,
    );
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('no cost of a service breaks the sums of the day', async () => {
    const { run, gateway, upstream } = await start({ credits_used: 1e308 }, { maxCreditsPerDay: 10 });
    await run(0);
    upstream.clearFaults();
    expect(await run(1)).toMatchObject({ status: 'completed' });
    expect((await gateway.getUsage(callContext())).body).toMatchObject({ today: { spent: 6 } });
  });

  it('an impossible cost counts as the reserve in a batch', async () => {
    const { gateway, expectSpent } = await start({ credits_used: -1 });
    const batch = [{ n: 0 }, { n: 1 }];
    const { body } = await deliver(gateway.runBatch({ action_id: 'shop-list', batch }, callContext()));
    expect(body).toMatchObject({ rows_completed: 2, credits_used: 6 });
    await expectSpent(6);
  });

  it('a failed job counts as nothing, whatever it names', async () => {
    const error = { code: 'EXECUTION_FAILED', message: 'No' };
    const { run, expectSpent } = await start({ status: 'failed', error, credits_used: '7' });
    expect(await run(0)).toMatchObject({ status: 'failed', credits_used: 0 });
    await expectSpent(0);
  });

  it.each(every(oddBuildCosts))('a build whose cost is %s', async (_, credits_charged, counted) => {
    const { gateway, upstream, expectSpent } = await start({}, { maxCreditsPerDay: 60 });
    const website_url = 'https://new.example/';
    const asking = gateway.requestBuild(
      { website_url, goal: 'List the prices' },
      callContext({ waitMs: 30_000 }),
    );
    await upstream.waitForRequests('listBuildRequests', 1);
    const [build] = upstream.service.builds;
    upstream.fail('listBuildRequests', {
      kind: 'answer',
      body: { build_requests: [{ ...build, status: 'success', action_id: 'new', credits_charged }] },
    });
    const { body } = await deliver(asking);
    expect(body).toMatchObject({ status: 'success', credits_used: counted });
    await expectSpent(counted);
  });
});

describe('a declared bound', () => {
  it.each([
    ['true', true],
    ['a negative number', -5],
    ['a number below the base price', 2],
    ['a text', '15'],
    ['an object', {}],
    ['a number above a thousand million', 2e9],
  ])('that is %s bounds nothing: one run shows the cost', async (_, credits_max) => {
    const actions = [{ action_id: 'shop-list', credits: 3, overrides: { credits_max } }];
    const { gateway, upstream } = await startGateway({ actions }, { maxCreditsPerDay: 20 });
    const calls = [0, 1, 2].map((n) =>
      gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext()),
    );
    await upstream.waitForRequests('getJob', 1);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    expect((await Promise.all(calls)).map(({ body }) => body.status)).toEqual(Array(3).fill('completed'));
  });

  it.each(['false', 1, {}])(
    '`credits_computed` %j does not say that the price is fixed',
    async (credits_computed) => {
      const actions = [{ action_id: 'shop-list', credits: 3, overrides: { credits_computed } }];
      const { gateway } = await startGateway({ actions });
      const { body } = await gateway.searchActions({}, callContext());
      expect(body).toMatchObject({ total: 1, results: [{ cost: '3 credits or more' }] });
    },
  );

  it('or a price above a thousand million makes an action unavailable, not a limit', async () => {
    const actions = [
      { action_id: 'dear', credits: 1e16 },
      { action_id: 'shop-list', credits: 3 },
    ];
    const { gateway } = await startGateway({ actions }, { maxCreditsPerDay: 20 });
    const run = (action_id: string) => gateway.runAction({ action_id }, callContext());
    expect((await run('dear')).body).toMatchObject({ error: { code: 'ACTION_NOT_FOUND' } });
    expect((await run('shop-list')).body).toMatchObject({ status: 'completed' });
  });
});
