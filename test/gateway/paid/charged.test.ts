/** What counts as spent where the service says something impossible. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { callContext, closeGateways, deliver, startGateway } from '../../support/gateway.ts';
import type { JobScript } from '../../support/upstream-script.ts';

afterEach(closeGateways);

async function start(job: JobScript, settings: Partial<GatewaySettings> = {}) {
  const actions = [
    { action_id: 'shop-list', catalog_slug: 'shop', credits: 3, overrides: { credits_computed: false }, job },
  ];
  const started = await startGateway({ actions }, settings);
  const { gateway } = started;
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

describe('a negative credits_used', () => {
  it('counts as the listed price', async () => {
    const { run, expectSpent } = await start({ creditsUsed: -1_000_000 });
    expect(await run(0)).toMatchObject({ status: 'completed', credits_used: 3 });
    await expectSpent(3);
  });

  it('lifts no limit of the day', async () => {
    const { upstream, run, expectSpent } = await start({ creditsUsed: -1_000_000 }, { maxCreditsPerDay: 5 });
    await run(0);
    await expectSpent(3);
    expect(await run(1)).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', spent: 3 } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('counts as the listed price in a batch', async () => {
    const { gateway, expectSpent } = await start({ creditsUsed: -1 });
    const batch = [{ n: 0 }, { n: 1 }];
    const { body } = await deliver(gateway.runBatch({ action_id: 'shop-list', batch }, callContext()));
    expect(body).toMatchObject({ rows_completed: 2, credits_used: 6 });
    await expectSpent(6);
  });

  it('is no earlier cost of the action', async () => {
    const { run } = await start({ creditsUsed: -1_000_000 }, { maxCreditsPerCall: 2 });
    expect(await run(0)).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', price: 3 } });
  });
});

it('a failed job counts as nothing, whatever credits_used it names', async () => {
  const { run, upstream, expectSpent } = await start({ ms: Number.POSITIVE_INFINITY });
  const body = { status: 'failed', error: { code: 'EXECUTION_FAILED', message: 'No' }, credits_used: -7 };
  upstream.fail('getJob', { kind: 'answer', body });
  expect(await run(0)).toMatchObject({ status: 'failed', credits_used: 0 });
  await expectSpent(0);
});
