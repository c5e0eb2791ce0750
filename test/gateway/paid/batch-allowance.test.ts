/** The allowance of a batch: no row starts beyond what is left of it, whatever runs turn out to cost. */
import { afterEach, describe, expect, it } from 'vitest';
import type { RunBatchInput } from '../../../src/gateway/interface/gateway.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import {
  callContext,
  closeGateways,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';
import type { ActionScript } from '../../support/upstream-script.ts';

afterEach(closeGateways);

const balance = 100_000;
const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

async function start(action: Partial<ActionScript>, settings: Partial<GatewaySettings> = {}) {
  const listed = { action_id: 'shop-list', catalog_slug: 'shop', ...action };
  const upstream = await scriptedUpstream({ balance, actions: [listed] });
  // The clock by which a price is at most 10 s old; a test moves it.
  let aheadMs = 0;
  const clock = { now: () => Date.now(), monotonic: () => performance.now() + aheadMs };
  const { gateway } = openGateway(upstream, await temporaryFolder(), settings, upstream.apiKey, { clock });
  const batch = (input: Partial<RunBatchInput>, context = callContext({ waitMs: 50_000 })) =>
    gateway.runBatch({ action_id: 'shop-list', batch: inputs(2), ...input }, context);
  return {
    upstream,
    gateway,
    listed,
    batch,
    submissions: () => upstream.requestsTo('submitTask').length,
    passTime: (ms: number) => {
      aheadMs += ms;
    },
  };
}

it('rows that other calls claim count for those calls only', async () => {
  const { upstream, gateway, listed, batch } = await start({
    credits: 1,
    overrides: { credits_computed: true, credits_max: 5 },
    job: { ms: Number.POSITIVE_INFINITY, creditsUsed: 5 },
  });
  const all = batch({ batch: inputs(6), max_credits: 10 });
  await upstream.waitForRequests('submitTask', 2);
  const singles = [3, 4, 5].map((n) =>
    gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext({ waitMs: 50_000 })),
  );
  await upstream.waitForRequests('submitTask', 5);
  const job = { creditsUsed: 5 };
  upstream.service.addAction({ ...listed, overrides: { credits_computed: true, credits_max: 5 }, job });
  for (const running of upstream.service.jobs.values()) running.script = job;
  for (const single of await Promise.all(singles)) expect(single.body).toMatchObject({ credits_used: 5 });
  const { body } = await all;
  expect(body).toMatchObject({ rows_completed: 5, rows_not_sent: 1, credits_used: 10 });
  const { body: list } = await gateway.getJob({}, callContext());
  const jobs: { kind?: unknown; credits?: unknown }[] = Array.isArray(list.jobs) ? list.jobs : [];
  expect(jobs.map(({ kind, credits }) => `${kind} ${credits}`).sort()).toEqual([
    'batch 10',
    'run 5',
    'run 5',
    'run 5',
  ]);
});

/** What a batch may cost, as its call or the settings say it. */
const allowances: [string, (credits: number) => [Partial<RunBatchInput>, Partial<GatewaySettings>]][] = [
  ['max_credits', (credits) => [{ max_credits: credits }, {}]],
  ['the limit of a call', (credits) => [{}, { maxCreditsPerCall: credits }]],
];

describe.each(allowances)('a batch whose allowance is %s', (_, allow) => {
  it('stops after the run that used it up, where the price is computed without a bound', async () => {
    const [input, settings] = allow(7);
    const { batch, submissions } = await start(
      { credits: 3, overrides: { credits_computed: true }, job: { creditsUsed: 8 } },
      settings,
    );
    const { body } = await batch(input);
    expect(body).toMatchObject({
      rows_completed: 1,
      rows_not_sent: 1,
      credits_used: 8,
      stopped: { code: 'BUDGET_EXCEEDED' },
    });
    expect(submissions()).toBe(1);
  });

  it('starts no row beyond what is left when every run costs fifty times its price', async () => {
    const [input, settings] = allow(100);
    const { batch, submissions } = await start(
      { credits: 1, overrides: { credits_computed: true }, job: { creditsUsed: 50 } },
      settings,
    );
    const { body } = await batch({ batch: inputs(100), ...input });
    expect(body).toMatchObject({ stopped: { code: 'BUDGET_EXCEEDED' } });
    expect(Number(body.credits_used)).toBeLessThanOrEqual(100);
    expect(submissions()).toBeLessThanOrEqual(2);
  });

  it('is passed at most by what was under way when the runs became dearer', async () => {
    const [input, settings] = allow(100);
    const { batch, submissions } = await start(
      {
        credits: 1,
        overrides: { credits_computed: true },
        job: (params) => ({ creditsUsed: Object(params).n === 0 ? 1 : 50 }),
      },
      settings,
    );
    const { body } = await batch({ batch: inputs(100), ...input });
    expect(body).toMatchObject({ stopped: { code: 'BUDGET_EXCEEDED' } });
    // The first one, and five at a time of which each was expected to cost 1.
    expect(submissions()).toBeLessThanOrEqual(6);
  });

  it('is never passed where the price has a bound', async () => {
    const [input, settings] = allow(20);
    const { batch } = await start(
      { credits: 3, overrides: { credits_computed: true, credits_max: 15 }, job: { creditsUsed: 14 } },
      settings,
    );
    const { body } = await batch({ batch: inputs(6), ...input });
    expect(body).toMatchObject({ rows_completed: 1, credits_used: 14, stopped: { code: 'BUDGET_EXCEEDED' } });
  });

  it('gives what was reserved and not spent to the rows that follow', async () => {
    const [input, settings] = allow(45);
    // Three fit at once by their bound; all cost no more than their base price.
    const { batch, submissions } = await start(
      {
        credits: 3,
        overrides: { credits_computed: true, credits_max: 15 },
        job: { creditsUsed: 3, ms: 100 },
      },
      settings,
    );
    const { body } = await batch({ ...input, batch: inputs(10) });
    expect(body).toMatchObject({ rows_completed: 10, credits_used: 30 });
    expect(submissions()).toBe(10);
  });

  it('runs a hundred rows for exactly what they cost', async () => {
    const [input, settings] = allow(100);
    const { batch, submissions } = await start(
      { credits: 1, overrides: { credits_computed: false } },
      settings,
    );
    const { body } = await batch({ batch: inputs(100), ...input });
    expect(body).toMatchObject({ status: 'completed', rows_completed: 100, credits_used: 100 });
    expect(submissions()).toBe(100);
  });

  it('stops when the listed price rises in the middle of it', async () => {
    const [input, settings] = allow(60);
    const { upstream, gateway, listed, batch, passTime } = await start(
      { credits: 1, overrides: { credits_computed: false }, job: { ms: Number.POSITIVE_INFINITY } },
      settings,
    );
    await gateway.listing();
    const answer = batch({ batch: inputs(60), ...input });
    await upstream.waitForRequests('submitTask', 5);
    upstream.service.addAction({ ...listed, credits: 50, job: {} });
    passTime(11_000);
    for (const job of upstream.service.jobs.values()) job.script = {};
    const { body } = await answer;
    expect(body).toMatchObject({
      stopped: { code: expect.stringMatching(/^(PRICE_CHANGED|BUDGET_EXCEEDED)$/) },
    });
    expect(balance - upstream.service.balance).toBeLessThanOrEqual(60);
  });
});

it('a batch that a higher price stops has told it: the next one is not refused for it', async () => {
  const { upstream, gateway, listed, batch, passTime } = await start(
    { credits: 1, overrides: { credits_computed: false }, job: { ms: Number.POSITIVE_INFINITY } },
    { maxCreditsPerDay: 10_000 },
  );
  await gateway.listing();
  const answer = batch({ batch: inputs(20) });
  await upstream.waitForRequests('submitTask', 5);
  upstream.service.addAction({ ...listed, credits: 2, job: {} });
  passTime(11_000);
  for (const job of upstream.service.jobs.values()) job.script = {};
  expect((await answer).body).toMatchObject({ stopped: { code: 'PRICE_CHANGED' } });
  expect((await batch({ batch: [{ n: 100 }] })).body).toMatchObject({ rows_completed: 1 });
});

describe('a batch whose total a person confirmed', () => {
  it('costs no more than that, where the price is computed without a bound', async () => {
    const { batch, submissions } = await start(
      { credits: 3, overrides: { credits_computed: true }, job: { creditsUsed: 8 } },
      { confirmAboveCredits: 5 },
    );
    const confirmation = { credits: 9, answer: 'accepted', consent: 'one' } as const;
    const { body } = await batch({ batch: inputs(3) }, callContext({ confirmation, waitMs: 50_000 }));
    expect(body).toMatchObject({
      rows_completed: 1,
      rows_not_sent: 2,
      credits_used: 8,
      stopped: { code: 'BUDGET_EXCEEDED' },
    });
    expect(submissions()).toBe(1);
  });
});

it('a batch that is refused names what all its runs may cost', async () => {
  const { batch, submissions } = await start({
    credits: 3,
    overrides: { credits_computed: true, credits_max: 15 },
  });
  const { body } = await batch({ max_credits: 5 });
  expect(body).toMatchObject({
    error: { code: 'BUDGET_EXCEEDED', price: 6, reserve: 30, limit: 5 },
    next: { kind: 'raise-limit', limit: 'max_credits', to: 30 },
  });
  expect(submissions()).toBe(0);
});

it('a batch that a limit stopped says when its rest can run, and is listed with what was not sent', async () => {
  const computed = await start(
    { credits: 3, overrides: { credits_computed: true }, job: { creditsUsed: 8 } },
    { maxCreditsPerDay: 9 },
  );
  const stopped = await computed.batch({ batch: inputs(3) });
  const { resets_at } = Object(stopped.body.stopped);
  expect(stopped.body).toMatchObject({
    rows_not_sent: 2,
    next: { kind: 'run-rest', inputs: 2, condition: 'limit', until: resets_at },
  });
  const [listed] = Object((await computed.gateway.getJob({}, callContext())).body).jobs;
  expect(listed).toMatchObject({ kind: 'batch', rows_total: 3, rows_completed: 1, rows_not_sent: 2 });
});

it('tells how far it has come also while no further run ends', async () => {
  const { upstream, batch } = await start({ credits: 1, job: { ms: Number.POSITIVE_INFINITY } });
  const seen: { progress: number; message: string }[] = [];
  let heard = () => {};
  const twice = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const progress = (update: { progress: number; message: string }) => {
    if (seen.push(update) === 2) heard();
  };
  const answer = batch({ batch: inputs(2) }, callContext({ waitMs: 50_000, progress }));
  await twice;
  for (const job of upstream.service.jobs.values()) job.script = {};
  await answer;
  expect(seen.map(({ message }) => message)).toContain('0 of 2 runs have ended');
  expect(seen[1]?.progress).toBeGreaterThan(seen[0]?.progress ?? 0);
});
