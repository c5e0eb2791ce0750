/** Credits with fractions: what fits exactly is paid, and a limit is never compared for ever. */
import { afterEach, expect, it } from 'vitest';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';
import { watchStore } from '../../support/watched-store.ts';

afterEach(closeGateways);

/** More than a call needs. */
const mostUses = 60;

/** Runs that cost what is listed here; each is a call of its own. Prices are whole, as the interface has them. */
async function pay(limit: number, costs: readonly { readonly price: number; readonly used: number }[]) {
  const actions = costs.map(({ price, used }, n) => ({
    action_id: `cost-${n}`,
    catalog_slug: 'shop',
    credits: price,
    overrides: { credits_computed: false },
    job: { creditsUsed: used },
  }));
  const upstream = await scriptedUpstream({ actions });
  const folder = await temporaryFolder();
  const store = watchStore(folder);
  const settings = { maxCreditsPerDay: limit };
  const { gateway } = openGateway(upstream, folder, settings, upstream.apiKey, { store });
  const bodies = [];
  for (const { action_id } of actions) {
    // A loop without an end would use the store for ever.
    store.breaksAfter = store.uses + mostUses;
    bodies.push((await deliver(gateway.runAction({ action_id }, callContext()))).body);
  }
  return { upstream, gateway, bodies };
}

const completed = { status: 'completed' };

it.each([
  ['0.2 and 0.8', 1, [0.2, 0.8]],
  ['0.1 and 0.2', 0.3, [0.1, 0.2]],
  ['0.1, 0.1 and 0.1', 0.3, [0.1, 0.1, 0.1]],
])('calls that cost %s fit exactly into a limit of %d for the day', async (_, limit, prices) => {
  const { upstream, bodies } = await pay(
    limit,
    prices.map((price) => ({ price, used: price })),
  );
  expect(bodies).toMatchObject(prices.map(() => completed));
  expect(upstream.requestsTo('submitTask')).toHaveLength(prices.length);
});

it('a whole price fits exactly into the day after a run that cost a fraction', async () => {
  const { bodies } = await pay(1.2, [
    { price: 1, used: 0.2 },
    { price: 1, used: 1 },
  ]);
  expect(bodies).toMatchObject([completed, completed]);
});

it('a price that is a thousandth above what is left is refused, with what was spent as it is', async () => {
  const { upstream, gateway, bodies } = await pay(0.3, [
    { price: 0.1, used: 0.1 },
    { price: 0.1, used: 0.101 },
    { price: 0.1, used: 0.1 },
  ]);
  expect(bodies).toMatchObject([
    completed,
    completed,
    { status: 'error', error: { code: 'BUDGET_EXCEEDED', limit: 0.3, spent: 0.201 } },
  ]);
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  const { body } = await gateway.getUsage(callContext());
  expect(body).toMatchObject({ today: { spent: 0.201, budget_left: 0.099 } });
});

it('runs of a batch that cost what needs no confirmation are not refused for a binary fraction', async () => {
  const actions = [{ action_id: 'shop-list', catalog_slug: 'shop', credits: 0.1 }];
  const settings = { confirmAboveCredits: 0.3 };
  const upstream = await scriptedUpstream({ actions });
  const { gateway } = openGateway(upstream, await temporaryFolder(), settings);
  const batch = (count: number, more = {}) =>
    gateway.runBatch(
      { action_id: 'shop-list', batch: Array.from({ length: count }, (_, n) => ({ count, n })) },
      callContext(more),
    );
  expect((await batch(3)).body).toMatchObject({ rows_completed: 3, credits_used: 0.3 });
  const { question, body } = await batch(6, { confirmation: 'unasked' });
  expect(question).toMatchObject({ confirmation: { credits: 0.6, spentToday: 0.3 } });
  expect(JSON.stringify([question, body])).not.toMatch(/00000|99999/);
});

it('what was spent is told without the dust of binary fractions', async () => {
  const { gateway } = await pay(1, [
    { price: 0.1, used: 0.1 },
    { price: 0.2, used: 0.2 },
  ]);
  const { body } = await gateway.getUsage(callContext());
  expect(body).toMatchObject({ today: { spent: 0.3, budget_left: 0.7 }, by_day: [{ spent: 0.3 }] });
});
