/** What a limit does with an action whose cost is computed from its result: the bound counts, or one run goes first. */
import { afterEach, describe, expect, it } from 'vitest';
import type { RunActionInput } from '../../../src/gateway/interface/gateway.ts';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';
import type { JobScript } from '../../support/upstream-script.ts';

afterEach(closeGateways);

const endless = { ms: Number.POSITIVE_INFINITY };
const bounded = { credits_computed: true, credits_max: 15 };

interface Options {
  readonly overrides?: Readonly<Record<string, unknown>>;
  readonly job?: JobScript;
  readonly settings?: Partial<GatewaySettings>;
}

/** An action with a base price of 3 credits. */
async function start({ overrides = { credits_computed: true }, job = {}, settings = {} }: Options) {
  const actions = [{ action_id: 'shop-list', catalog_slug: 'shop', credits: 3, overrides, job }];
  const started = await startGateway({ actions }, settings);
  const { upstream, folder } = started;
  const run = async (
    n: number,
    input: Partial<RunActionInput> = {},
    { gateway = started.gateway, waitMs = 30_000 } = {},
  ) => {
    const call = { action_id: 'shop-list', params: { n }, ...input };
    return (await deliver(gateway.runAction(call, callContext({ waitMs })))).body;
  };
  const submissions = () => upstream.requestsTo('submitTask').length;
  /** Ends every job that runs. */
  const endJobs = (script: JobScript) => {
    for (const running of upstream.service.jobs.values()) running.script = script;
  };
  /** From now on jobs end at once. */
  const quickJobs = (script: JobScript) =>
    upstream.service.addAction({ ...actions[0], action_id: 'shop-list', job: script });
  const openOther = () => openGateway(upstream, folder, settings).gateway;
  return { ...started, run, submissions, endJobs, quickJobs, openOther };
}

const refusal = { status: 'error', error: { code: 'BUDGET_EXCEEDED' } };
const byStatus = (bodies: readonly JsonObject[], status: string) =>
  bodies.filter((body) => body.status === status);

describe('a computed price without a bound, under a limit of the day,', () => {
  it('lets one run go first; the others wait for it, and are refused if they do not fit then', async () => {
    const { upstream, run, submissions, endJobs } = await start({
      job: endless,
      settings: { maxCreditsPerDay: 10 },
    });
    const calls = [0, 1, 2].map((n) => run(n));
    await upstream.waitForRequests('getJob', 2);
    expect(submissions()).toBe(1);
    endJobs({ creditsUsed: 12 });
    const bodies = await Promise.all(calls);
    expect(byStatus(bodies, 'completed')).toMatchObject([{ credits_used: 12 }]);
    const spent = { code: 'BUDGET_EXCEEDED', limit: 10, spent: 12 };
    expect(byStatus(bodies, 'error')).toMatchObject([{ error: spent }, { error: spent }]);
    expect(submissions()).toBe(1);
  });

  it('lets the others run once the first one has shown what a run costs', async () => {
    const { upstream, run, submissions, endJobs, quickJobs } = await start({
      job: endless,
      settings: { maxCreditsPerDay: 5 },
    });
    const calls = [0, 1].map((n) => run(n));
    await upstream.waitForRequests('getJob', 2);
    expect(submissions()).toBe(1);
    quickJobs({ creditsUsed: 1 });
    endJobs({ creditsUsed: 1 });
    expect(await Promise.all(calls)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect(submissions()).toBe(2);
  });

  it('lets one run go first at all gateways of a store together', async () => {
    const { upstream, run, submissions, endJobs, openOther } = await start({
      job: endless,
      settings: { maxCreditsPerDay: 10 },
    });
    const calls = [run(0), run(1, {}, { gateway: openOther() })];
    await upstream.waitForRequests('getJob', 2);
    expect(submissions()).toBe(1);
    endJobs({ creditsUsed: 12 });
    const bodies = await Promise.all(calls);
    expect(byStatus(bodies, 'completed')).toHaveLength(1);
    expect(byStatus(bodies, 'error')).toMatchObject([refusal]);
    expect(submissions()).toBe(1);
  });

  it('lets the next run go first where the first one failed, which proves nothing', async () => {
    const { upstream, run, submissions, endJobs, quickJobs } = await start({
      job: endless,
      settings: { maxCreditsPerDay: 10 },
    });
    const calls = [0, 1].map((n) => run(n));
    await upstream.waitForRequests('getJob', 2);
    expect(submissions()).toBe(1);
    quickJobs({ creditsUsed: 4 });
    endJobs({ error: { code: 'EXECUTION_FAILED', message: 'No' } });
    const bodies = await Promise.all(calls);
    expect(byStatus(bodies, 'failed')).toHaveLength(1);
    expect(byStatus(bodies, 'completed')).toMatchObject([{ credits_used: 4 }]);
  });

  it('lets the next run go first where nobody knows whether the first one was accepted', async () => {
    const { upstream, run, submissions } = await start({ settings: { maxCreditsPerDay: 10 } });
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
    const bodies = await Promise.all([run(0), run(1)]);
    expect(byStatus(bodies, 'unknown')).toHaveLength(1);
    expect(byStatus(bodies, 'completed')).toHaveLength(1);
    expect(submissions()).toBe(2);
  });

  it('lets one run go first where the catalog does not say whether the price is computed', async () => {
    const { upstream, run, submissions, endJobs } = await start({
      overrides: {},
      job: endless,
      settings: { maxCreditsPerDay: 10 },
    });
    const calls = [0, 1].map((n) => run(n));
    await upstream.waitForRequests('getJob', 2);
    expect(submissions()).toBe(1);
    endJobs({ creditsUsed: 12 });
    expect(byStatus(await Promise.all(calls), 'error')).toMatchObject([refusal]);
  });
});

describe('a computed price with a bound', () => {
  it('is refused where the bound does not fit into the day, and nothing is sent', async () => {
    const { run, submissions } = await start({ overrides: bounded, settings: { maxCreditsPerDay: 10 } });
    const body = await run(0);
    expect(body).toMatchObject({
      ...refusal,
      error: { limit: 10, message: expect.stringContaining('3 credits, at most 15') },
    });
    expect(submissions()).toBe(0);
  });

  it('reserves its bound until the run has ended', async () => {
    const { upstream, run, submissions, endJobs } = await start({
      overrides: bounded,
      job: endless,
      settings: { maxCreditsPerDay: 20 },
    });
    const first = run(0);
    await upstream.waitForRequests('getJob', 1);
    expect(await run(1, {}, { waitMs: 2_000 })).toMatchObject(refusal);
    endJobs({ creditsUsed: 4 });
    expect(await first).toMatchObject({ status: 'completed', credits_used: 4 });
    const third = run(2);
    await upstream.waitForRequests('submitTask', 2);
    endJobs({ creditsUsed: 4 });
    expect(await third).toMatchObject({ status: 'completed' });
    expect(submissions()).toBe(2);
  });

  it('is refused where the bound is above max_credits', async () => {
    const { run, submissions } = await start({ overrides: bounded });
    expect(await run(0, { max_credits: 5 })).toMatchObject({
      ...refusal,
      error: { limit: 5, message: expect.stringContaining('3 credits, at most 15') },
    });
    expect(submissions()).toBe(0);
    expect(await run(0, { max_credits: 15 })).toMatchObject({ status: 'completed' });
  });

  it('is refused where the bound is above the limit of a call', async () => {
    const { run, submissions } = await start({ overrides: bounded, settings: { maxCreditsPerCall: 5 } });
    expect(await run(0)).toMatchObject(refusal);
    expect(submissions()).toBe(0);
  });
});

describe('a computed price without a bound, under max_credits,', () => {
  it('lets one run go first, and refuses what is dearer than allowed from then on', async () => {
    const { upstream, run, submissions, endJobs } = await start({ job: endless });
    const calls = [0, 1].map((n) => run(n, { max_credits: 5 }));
    await upstream.waitForRequests('getJob', 2);
    expect(submissions()).toBe(1);
    endJobs({ creditsUsed: 12 });
    const bodies = await Promise.all(calls);
    expect(byStatus(bodies, 'completed')).toMatchObject([{ credits_used: 12 }]);
    expect(byStatus(bodies, 'error')).toMatchObject([refusal]);
    expect(submissions()).toBe(1);
  });

  it('counts as the dearest earlier run, after a single one too', async () => {
    const { run, submissions } = await start({ job: { creditsUsed: 12 } });
    expect(await run(0)).toMatchObject({ status: 'completed', credits_used: 12 });
    expect(await run(1, { max_credits: 11 })).toMatchObject(refusal);
    expect(submissions()).toBe(1);
    expect(await run(1, { max_credits: 12 })).toMatchObject({ status: 'completed' });
  });

  it('is told as "3 credits or more" by a refusal', async () => {
    const { run } = await start({});
    const body = await run(0, { max_credits: 2 });
    expect(body).toMatchObject({
      ...refusal,
      error: { message: expect.stringContaining('3 credits or more') },
    });
  });
});

describe('a computed price with a bound, without any limit,', () => {
  it.each([
    [12, undefined],
    [20, 'It cost 20 credits, more than the 15 that were reserved for it.'],
  ])('is reserved by its bound: a run of %i credits is told as %s', async (creditsUsed, note) => {
    const { run } = await start({ overrides: bounded, job: { creditsUsed } });
    const body = await run(1);
    expect(body).toMatchObject({ status: 'completed', credits_used: creditsUsed });
    expect(body.note).toBe(note);
  });
});
