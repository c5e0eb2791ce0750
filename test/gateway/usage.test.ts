import { afterEach, describe, expect, it } from 'vitest';
import { callContext, closeGateways, deliver, openStore, startGateway } from '../support/gateway.ts';
import { withWrongClock } from '../support/wrong-clock.ts';

afterEach(closeGateways);

const actions = [
  { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 },
  { action_id: 'shop-dear', catalog_slug: 'shop', credits: 500 },
];

/** The header of a service that has the extension, on every answer. */
const usage = { kind: 'answer', headers: { 'svc-extensions': 'idempotency, usage' } } as const;

describe('get_usage', () => {
  it('shows the dearest actions, and counts and sums the others', async () => {
    const many = Array.from({ length: 23 }, (_, id) => ({
      action_id: `shop-${id}`,
      catalog_slug: 'shop',
      credits: 1 + id,
    }));
    const { gateway } = await startGateway({ actions: many });
    for (const { action_id } of many) await deliver(gateway.runAction({ action_id }, callContext()));
    const { body } = await gateway.getUsage(callContext());
    expect(body.by_action).toHaveLength(20);
    // 1, 2 and 3 credits.
    expect(body).toMatchObject({ others: { actions: 3, spent: 6 } });
    expect(body.by_day).toMatchObject([
      {
        ...{ runs: 23, spent: 276 },
        by_action: [23, 22, 21, 20, 19].map((spent) => ({ action_id: `shop-${spent - 1}`, runs: 1, spent })),
        others: { actions: 18, spent: 171 },
      },
    ]);
  });

  it('says what was spent, on what and on which day, and what is left', async () => {
    const { gateway, upstream } = await startGateway({ actions, balance: 100 }, { maxCreditsPerDay: 20 });
    for (const n of [1, 2]) {
      await deliver(gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext()));
    }
    await gateway.runAction({ action_id: 'shop-dear' }, callContext());
    const before = upstream.requestsTo('submitTask').length;
    const { body } = await gateway.getUsage(callContext());
    const today = new Date().toISOString().slice(0, 10);
    expect(body).toMatchObject({
      today: { spent: 6, budget_left: 14, resets_at: expect.stringMatching(/T00:00:00.000Z$/) },
      since: new Date(Date.parse(today) - 29 * 86_400_000).toISOString().slice(0, 10),
      by_action: [{ action_id: 'shop-list', runs: 2, spent: 6, spent_today: 6, last_costs: [3, 3] }],
      by_day: [{ day: today, runs: 2, spent: 6, by_action: [{ action_id: 'shop-list', runs: 2, spent: 6 }] }],
      balance: null,
      balance_at: null,
      note: expect.stringContaining('not known'),
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(before);
    expect(upstream.requestsTo('getUsage')).toHaveLength(0);
  });

  it.each([24, -24])(
    'counts days by the store, also for a process whose clock is %i h wrong',
    async (hours) => {
      const { gateway } = await startGateway({ actions }, { maxCreditsPerDay: 5 });
      const now = new Date();
      const day = now.toISOString().slice(0, 10);
      const tomorrow = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
      await deliver(gateway.runAction({ action_id: 'shop-list' }, callContext()));
      await withWrongClock(hours * 3_600_000, async () => {
        const { body } = await gateway.getUsage(callContext());
        expect(body).toMatchObject({
          today: { spent: 3, budget_left: 2, resets_at: tomorrow.toISOString() },
          by_action: [{ spent: 3, spent_today: 3 }],
          by_day: [{ day, spent: 3 }],
        });
        const refused = await gateway.runAction({ action_id: 'shop-dear' }, callContext());
        expect(refused.body).toMatchObject({
          error: { code: 'BUDGET_EXCEEDED', resets_at: tomorrow.toISOString() },
        });
      });
    },
  );

  it('takes a result that nobody fetched for given up by the clock of the store', async () => {
    const { gateway } = await startGateway({ actions });
    await gateway.runAction({ action_id: 'shop-list' }, callContext());
    await withWrongClock(2 * 3_600_000, async () => {
      expect((await gateway.getJob({}, callContext())).body).toMatchObject({ jobs: [{ delivered: false }] });
    });
  });

  it('counts nothing today that was written while the clock was ahead', async () => {
    const { gateway, folder } = await startGateway({ actions }, { maxCreditsPerDay: 4 });
    const run = (n: number) =>
      deliver(gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext()));
    await run(1);
    const { query } = await openStore(folder);
    const ahead = Date.now() + 4 * 365 * 86_400_000;
    await query.updateTable('gateway_intent').set({ created_at: ahead, finished_at: ahead }).execute();
    expect((await gateway.getUsage(callContext())).body).toMatchObject({
      today: { spent: 0, budget_left: 4 },
      by_action: [],
      by_day: [],
    });
    expect((await run(2)).body).toMatchObject({ status: 'completed' });
    expect((await run(3)).body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', spent: 3 } });
  });

  it('has no budget left to name where none is set', async () => {
    const { gateway } = await startGateway({ actions });
    expect((await gateway.getUsage(callContext())).body).toMatchObject({
      today: { spent: 0, budget_left: null },
      by_action: [],
      by_day: [],
    });
  });

  it('names the last balance that the service named in a refusal, with its time', async () => {
    const { gateway } = await startGateway({ actions, balance: 100 });
    await gateway.runAction({ action_id: 'shop-dear' }, callContext());
    const { body } = await gateway.getUsage(callContext());
    expect(body).toMatchObject({ balance: 100, note: expect.stringContaining('last one') });
    expect(Math.abs(Date.parse(String(body.balance_at)) - Date.now())).toBeLessThan(60_000);
    // What was refused is not spent and no run.
    expect(body).toMatchObject({ today: { spent: 0 }, by_action: [] });
  });

  it('asks a service that has the extension', async () => {
    const { gateway, upstream } = await startGateway({ actions, balance: 77 });
    upstream.fail('listIdentities', { ...usage, body: { status: 'ok', identities: [] } });
    expect((await gateway.getUsage(callContext())).body).toMatchObject({ balance: 77 });
    expect(upstream.requestsTo('getUsage')).toHaveLength(1);
  });

  it('says UNAUTHORIZED where the service refuses the key, and who can replace it', async () => {
    const { gateway, upstream } = await startGateway({ actions }, {}, { keyHolder: 'client' });
    upstream.fail('listIdentities', {
      ...usage,
      status: 401,
      body: { status: 'error', error: { code: 'UNAUTHORIZED', message: 'No' } },
    });
    expect((await gateway.getUsage(callContext())).body).toMatchObject({
      status: 'error',
      error: { code: 'UNAUTHORIZED' },
      next: { kind: 'replace-key', holder: 'client' },
    });
  });
});
