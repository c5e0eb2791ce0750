/** What a process may spend is checked when it claims: limits that came with a restart hold for what was planned before. */
import { afterEach, describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import {
  callContext,
  closeGateways,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';

afterEach(closeGateways);

const batch = Array.from({ length: 12 }, (_, n) => ({ n }));

/** A batch without limits whose process has gone after five of its twelve runs, which have ended since. */
async function restart(settings: Partial<GatewaySettings>) {
  const action = { action_id: 'shop-list', catalog_slug: 'shop', credits: 5 };
  const overrides = { credits_computed: false };
  const upstream = await scriptedUpstream({
    balance: 100_000,
    actions: [{ ...action, overrides, job: { ms: Number.POSITIVE_INFINITY } }],
  });
  const folder = await temporaryFolder();
  const { gateway: earlier } = openGateway(upstream, folder);
  const begun = await earlier.runBatch({ action_id: 'shop-list', batch }, callContext({ waitMs: 500 }));
  await upstream.waitForRequests('submitTask', 5);
  await earlier.close();
  upstream.service.addAction({ ...action, overrides, job: {} });
  for (const job of upstream.service.jobs.values()) job.script = {};
  const { gateway } = openGateway(upstream, folder, settings);
  return {
    upstream,
    getJob: () => gateway.getJob({ job_id: String(begun.body.job_id) }, callContext({ waitMs: 40_000 })),
    again: (more = {}) =>
      gateway.runBatch({ action_id: 'shop-list', batch }, callContext({ waitMs: 40_000, ...more })),
    sent: () => upstream.requestsTo('submitTask').length,
  };
}

it('a limit of a call that is lower than what its batch has cost: the rest is not sent', async () => {
  const { getJob, again, sent } = await restart({ maxCreditsPerCall: 3 });
  for (const { body } of [await getJob(), await getJob()]) {
    expect(body).toMatchObject({
      rows_completed: 5,
      rows_not_sent: 7,
      stopped: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('SVC_MAX_CREDITS_PER_CALL') },
    });
  }
  expect((await again()).body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  expect(sent()).toBe(5);
});

it('a limit of a call that a part of the rest fits into: that part is sent', async () => {
  const { getJob, again, sent } = await restart({ maxCreditsPerCall: 36 });
  expect((await getJob()).body).toMatchObject({
    rows_completed: 7,
    rows_not_sent: 5,
    credits_used: 35,
    stopped: { code: 'BUDGET_EXCEEDED' },
  });
  expect((await again()).body).toMatchObject({
    error: {
      code: 'BUDGET_EXCEEDED',
      message: expect.stringContaining('35 credits that the batch has cost'),
    },
  });
  expect(sent()).toBe(7);
});

it('a confirmation: the rest is sent once a person has confirmed it', async () => {
  const { getJob, again, sent } = await restart({ confirmAboveCredits: 1 });
  const { body } = await getJob();
  expect(body).toMatchObject({
    rows_completed: 5,
    rows_not_sent: 7,
    stopped: {
      code: 'CONFIRMATION_UNAVAILABLE',
      message: expect.stringContaining('SVC_CONFIRM_ABOVE_CREDITS'),
    },
    next: { kind: 'run-rest', condition: 'confirmed' },
  });
  expect((await again()).body).toMatchObject({ error: { code: 'CONFIRMATION_UNAVAILABLE' } });
  expect((await again({ confirmation: 'unasked' })).question).toMatchObject({
    confirmation: { credits: 35 },
  });
  expect(sent()).toBe(5);
  const confirmation = { credits: 35, answer: 'accepted', consent: 'of a person' };
  expect((await again({ confirmation })).body).toMatchObject({ rows_completed: 12, credits_used: 60 });
  expect(sent()).toBe(12);
});

it('a confirmation for a batch that goes on by parts, each of which would need none: the person is asked', async () => {
  const { getJob, again, sent } = await restart({ confirmAboveCredits: 36 });
  expect((await getJob()).body).toMatchObject({ rows_completed: 7, stopped: expect.anything() });
  expect((await again({ confirmation: 'unasked' })).question).toMatchObject({
    confirmation: { credits: 25 },
  });
  expect(sent()).toBe(7);
});

it('limits that leave room change nothing', async () => {
  const { getJob, sent } = await restart({ maxCreditsPerCall: 60, confirmAboveCredits: 60 });
  expect((await getJob()).body).toMatchObject({ rows_completed: 12, credits_used: 60 });
  expect(sent()).toBe(12);
});

describe('a doubt whose request may never have arrived', () => {
  /** Asks again, with the limits of a new process, for a call whose request was lost on its way. */
  async function askAgain(settings: Partial<GatewaySettings>, maxCredits?: number) {
    const upstream = await scriptedUpstream({
      extensions: 'idempotency',
      actions: [{ action_id: 'shop-list', credits: 5 }],
    });
    const folder = await temporaryFolder();
    const input = { action_id: 'shop-list', params: { q: 1 } };
    const { gateway: earlier } = openGateway(upstream, folder);
    upstream.fail('submitTask', { kind: 'reset' }, { times: 3 });
    expect((await earlier.runAction(input, callContext())).body).toMatchObject({ status: 'unknown' });
    await earlier.close();
    const before = upstream.requestsTo('submitTask').length;
    const { gateway } = openGateway(upstream, folder, settings);
    const more = maxCredits === undefined ? {} : { max_credits: maxCredits };
    const { body } = await gateway.runAction({ ...input, ...more }, callContext());
    return { body, asked: upstream.requestsTo('submitTask').length - before };
  }

  it.each<[string, Partial<GatewaySettings>, number | undefined]>([
    ['SVC_MAX_CREDITS_PER_CALL', { maxCreditsPerCall: 4 }, undefined],
    ['SVC_MAX_CREDITS_PER_DAY', { maxCreditsPerDay: 4 }, undefined],
    ['SVC_MAX_CREDITS_PER_DAY_PER_KEY', { maxCreditsPerDayPerKey: 4 }, undefined],
    ['max_credits', {}, 4],
  ])('is not asked for where %s allows less than it would cost now', async (limit, settings, maxCredits) => {
    const { body, asked } = await askAgain(settings, maxCredits);
    expect(body).toMatchObject({
      status: 'unknown',
      error: { code: 'SUBMISSION_UNKNOWN', credits_at_stake: 5 },
      next: { kind: 'raise-limit', limit, to: 5 },
    });
    expect(asked).toBe(0);
  });

  it('is asked for where the limits allow just that, because it counts already', async () => {
    const limits = { maxCreditsPerCall: 5, maxCreditsPerDay: 5, maxCreditsPerDayPerKey: 5 };
    const { body, asked } = await askAgain(limits, 5);
    expect(body).toMatchObject({ status: 'completed', attached: true });
    expect(asked).toBe(1);
  });
});
