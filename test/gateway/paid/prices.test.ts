import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHttpClient } from '../../../src/client/http-client.ts';
import { priceText } from '../../../src/contract/price.ts';
import { costOf } from '../../../src/gateway/catalog/prices.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import type { RunActionInput } from '../../../src/gateway/interface/gateway.ts';
import { createPrincipal } from '../../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings, type GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { GatewayDatabase } from '../../../src/gateway/store/gateway-database.ts';
import { useDatabases } from '../../support/databases.ts';
import {
  callContext,
  closeGateways,
  deliver,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';
import { hasPostgres } from '../../support/postgres.ts';
import type { UpstreamScript } from '../../support/upstream-script.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 2, overrides: { type: 'scrape' } };

async function start(
  script: UpstreamScript,
  settings: Partial<GatewaySettings> = {},
  more: Parameters<typeof startGateway>[2] = {},
) {
  const started = await startGateway(script, settings, more);
  const { gateway } = started;
  const run = async (input: Partial<RunActionInput> = {}, context = callContext()) =>
    (await deliver(gateway.runAction({ action_id: 'shop-list', ...input }, context))).body;
  return { ...started, run };
}

describe('the price of a call with a limit', () => {
  it('is read anew before it is paid', async () => {
    const { upstream, run, gateway } = await start({ actions: [list] }, { maxCreditsPerCall: 5 });
    await gateway.listing();
    upstream.service.addAction({ ...list, credits: 9 });
    expect(await run()).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED', price: 9, limit: 5 },
      next: { kind: 'raise-limit', limit: 'SVC_MAX_CREDITS_PER_CALL', to: 9 },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('is refused once if it rose within the limit, and paid the next time', async () => {
    const { upstream, run, gateway } = await start({ actions: [list] }, { maxCreditsPerCall: 5 });
    await gateway.listing();
    upstream.service.addAction({ ...list, credits: 4 });
    expect(await run()).toMatchObject({ error: { code: 'PRICE_CHANGED', price: 4, previous_price: 2 } });
    expect(await run()).toMatchObject({ status: 'completed', credits_used: 4 });
  });

  it('comes from one request for all calls that wait, and lasts for 10 s', async () => {
    // A hundredth of the time: ten seconds are never over while the calls run.
    let aheadMs = 0;
    const clock = { now: () => Date.now(), monotonic: () => performance.now() / 100 + aheadMs };
    const settings = { maxCreditsPerDay: 1000 };
    const { upstream, gateway, run } = await start({ actions: [list] }, settings, { clock });
    await gateway.listing();
    const calls = Array.from({ length: 20 }, (_, n) => run({ params: { n } }));
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status === 'completed')).toHaveLength(20);
    await run({ params: { n: 20 } });
    expect(upstream.requestsTo('getCatalog')).toHaveLength(1);
    aheadMs = 11_000;
    await run({ params: { n: 21 } });
    expect(upstream.requestsTo('getCatalog')).toHaveLength(2);
  });

  it.each([
    ['does not answer', { kind: 'hang' as const }],
    [
      'refuses',
      { kind: 'answer' as const, status: 500, body: { status: 'error', error: { code: 'X', message: 'x' } } },
    ],
  ])(
    'that cannot be read because the service %s is PRICE_UNAVAILABLE, and nothing is sent',
    async (_, fault) => {
      const { upstream, run, gateway } = await start({ actions: [list] }, { confirmAboveCredits: 100 });
      await gateway.listing();
      upstream.fail('getCatalog', fault);
      expect(await run()).toMatchObject({
        status: 'error',
        error: { code: 'PRICE_UNAVAILABLE' },
        next: { kind: 'retry', when: 'connected' },
      });
      expect(upstream.requestsTo('submitTask')).toHaveLength(0);
      upstream.clearFaults();
      expect(await run()).toMatchObject({ status: 'completed' });
    },
  );

  it('that cannot be read because the key is refused is told as that, since waiting does not help', async () => {
    const { upstream, run, gateway } = await start({ actions: [list] }, { confirmAboveCredits: 100 });
    await gateway.listing();
    const body = { status: 'error', error: { code: 'UNAUTHORIZED', message: 'No such key' } };
    upstream.fail('getCatalog', { kind: 'answer', status: 401, body });
    expect(await run()).toMatchObject({ error: { code: 'UNAUTHORIZED' }, next: { kind: 'replace-key' } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('is not asked for by a call that joins a run already paid', async () => {
    const { upstream, gateway, run } = await start({ actions: [list] }, { maxCreditsPerDay: 2 });
    await gateway.runAction({ action_id: 'shop-list' }, callContext());
    upstream.fail('getCatalog', { kind: 'reset', carriedOut: false });
    const clock = vi.spyOn(performance, 'now');
    clock.mockImplementation(() => Date.now() + 1e9);
    try {
      expect(await run()).toMatchObject({ status: 'completed', attached: true });
    } finally {
      clock.mockRestore();
    }
  });

  it('is read again, at most once a minute, after a run cost more than expected', async () => {
    const { upstream, gateway, run } = await start({ actions: [{ ...list, job: { creditsUsed: 7 } }] });
    await gateway.listing();
    upstream.service.addAction({ ...list, credits: 7 });
    for (const n of [1, 2, 3]) await run({ params: { n } });
    await upstream.waitForRequests('getCatalog', 1);
    // The price differs from the snapshot's, so that is fetched as well.
    await upstream.waitForRequests('search', 2);
    expect(upstream.requestsTo('getCatalog')).toHaveLength(1);
  });
});

describe('max_credits', () => {
  it('refuses what costs more, before anything is sent', async () => {
    const { upstream, run } = await start({ actions: [list] });
    expect(await run({ max_credits: 1 })).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED', price: 2, limit: 1 },
      next: { kind: 'raise-limit', limit: 'max_credits', to: 2 },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
    expect(await run({ max_credits: 2 })).toMatchObject({ status: 'completed' });
  });

  it('is no part of the call: with another limit it joins the same run', async () => {
    const { upstream, gateway, run } = await start({ actions: [list] });
    await gateway.runAction({ action_id: 'shop-list' }, callContext());
    expect(await run({ max_credits: 1 })).toMatchObject({ status: 'completed', attached: true });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });
});

describe('a computed price', () => {
  /** Five runs that cost 3 to 10 at a base price of 3. */
  async function experienced(settings: Partial<GatewaySettings>) {
    const costs = [3, 4, 3, 5, 10];
    const started = await start(
      {
        actions: [
          {
            ...list,
            credits: 3,
            job: (params) => ({ creditsUsed: costs[Object(params).n] ?? 10 }),
          },
        ],
      },
      settings,
    );
    for (const n of costs.keys()) await started.run({ params: { n } });
    return started;
  }

  it('counts as what earlier runs have cost', async () => {
    const { upstream, run } = await experienced({});
    expect(await run({ params: { n: 9 }, max_credits: 9 })).toMatchObject({
      error: {
        code: 'BUDGET_EXCEEDED',
        price: 3,
        reserve: 10,
        message: expect.stringContaining('costs 3 credits or more'),
      },
      next: { kind: 'raise-limit', limit: 'max_credits', to: 10 },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(5);
  });

  it('is what a person is asked about', async () => {
    const { gateway } = await experienced({ confirmAboveCredits: 6 });
    const asked = gateway.runAction(
      { action_id: 'shop-list', params: { n: 9 } },
      callContext({ confirmation: 'unasked' }),
    );
    expect(await asked).toMatchObject({
      question: {
        confirmation: {
          credits: 10,
          cost: '3 credits or more',
        },
      },
    });
  });

  it('is reserved from the day until the run has ended', async () => {
    const { upstream, gateway } = await experienced({ maxCreditsPerDay: 40 });
    // 25 are spent. 10 is reserved for each of these, so one fits and the other does not.
    const both = await Promise.all(
      [8, 9].map((n) => gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext())),
    );
    const codes = both.map(({ body }) => Object(body.error).code ?? body.status);
    expect(codes.toSorted()).toEqual(['BUDGET_EXCEEDED', 'completed']);
    expect(upstream.requestsTo('submitTask')).toHaveLength(6);
  });

  it('starts anew with another base price', async () => {
    const { upstream, run } = await experienced({});
    upstream.service.addAction({ ...list, credits: 2 });
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 11_000);
    try {
      expect(await run({ params: { n: 9 }, max_credits: 2 })).toMatchObject({ status: 'completed' });
    } finally {
      clock.mockRestore();
    }
  });

  it('is shown with its maximum where the catalog declares it', async () => {
    const { gateway } = await start({
      actions: [
        { ...list, overrides: { credits_computed: true, credits_max: 10 } },
        { ...list, action_id: 'shop-fixed', overrides: { credits_computed: false } },
      ],
    });
    const descriptions = (await gateway.listing()).tools.map(({ description }) => description);
    expect(descriptions).toEqual([
      expect.stringContaining('Costs 2 credits.'),
      expect.stringContaining('Costs 2 credits, at most 10.'),
    ]);
  });
});

describe('what is reserved for a call', () => {
  const listed = { base: 3, computed: undefined, maximum: undefined };

  it('is the largest of the base price, the announced bound and the dearest earlier run', () => {
    const credits = fc.integer({ min: 0, max: 50 });
    const costs = fc.array(credits, { maxLength: 20 });
    fc.assert(
      fc.property(credits, fc.option(credits, { nil: undefined }), costs, (base, maximum, values) => {
        const { reserve } = costOf({ base, computed: true, maximum }, values);
        const all = [base, maximum ?? 0, ...values];
        expect(all).toContain(reserve);
        expect(all.every((one) => one <= reserve)).toBe(true);
      }),
    );
  });

  it.each([
    ['is known where the price is fixed', { ...listed, computed: false }, [], true],
    ['is known where the catalog announces a bound', { ...listed, computed: true, maximum: 9 }, [], true],
    ['is known after one run', { ...listed, computed: true }, [4], true],
    ['is not known of a computed price without a run', { ...listed, computed: true }, [], false],
    ['is not known where the catalog says nothing', listed, [], false],
  ])('%s', (_, price, costs, isKnown) => {
    expect(costOf(price, costs).isKnown).toBe(isKnown);
  });

  it.each([
    [{ ...listed, computed: false }, '3 credits'],
    [{ ...listed, computed: true, maximum: 15 }, '3 credits, at most 15'],
    [{ ...listed, computed: true, maximum: 3 }, '3 credits'],
    [{ ...listed, computed: true }, '3 credits or more'],
    [listed, '3 credits or more'],
    [{ ...listed, base: 1, computed: false }, '1 credit'],
  ])('of the price %j reads: %s', (price, text) => {
    expect(priceText(price)).toBe(text);
  });
});

describe('the daily limit of a service key', () => {
  const createDatabase = useDatabases();

  it.each(hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'])(
    'holds for all its users at once, at two replicas on %s',
    async (engine) => {
      const upstream = await scriptedUpstream({ actions: [{ ...list, credits: 3 }] });
      const target =
        engine === 'sqlite'
          ? { file: join(await temporaryFolder(), 'gateway.db') }
          : { url: await createDatabase() };
      const databases = [new GatewayDatabase(target), new GatewayDatabase(target)];
      const gateways = databases.flatMap((store) =>
        ['anna', 'bert'].map((subject) =>
          createGateway({
            api: createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey }),
            principal: createPrincipal(upstream.origin, upstream.apiKey, {
              issuer: 'https://login.example',
              subject,
            }),
            settings: { ...defaultGatewaySettings, maxCreditsPerDayPerKey: 10 },
            snapshotFile: undefined,
            store,
            logger: recordingLogger(),
          }),
        ),
      );
      const calls = gateways.flatMap((gateway, index) =>
        [0, 1, 2, 3, 4].map((n) =>
          gateway.runAction({ action_id: 'shop-list', params: { index, n } }, callContext()),
        ),
      );
      const answers = await Promise.all(calls);
      const refused = answers.filter(({ body }) => Object(body.error).code === 'BUDGET_EXCEEDED');
      expect(refused).toHaveLength(17);
      expect(upstream.requestsTo('submitTask')).toHaveLength(3);
      expect(refused[0]?.body).toMatchObject({
        error: { limit: 10, message: expect.stringContaining('SVC_MAX_CREDITS_PER_DAY_PER_KEY') },
      });
      for (const gateway of gateways) await gateway.close();
      for (const database of databases) await database.close();
    },
    60_000,
  );
});
