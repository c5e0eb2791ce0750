/** A catalog that contradicts itself, or changed after it was read. */
import { afterEach, describe, expect, it } from 'vitest';
import type { EndpointName } from '../../../src/contract/endpoints.ts';
import type { RunActionInput } from '../../../src/gateway/interface/gateway.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { callContext, closeGateways, deliver, startGateway } from '../../support/gateway.ts';
import type { Upstream } from '../../support/upstream.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', overrides: { credits_computed: false } };

/** Every listing names the action once for each price. */
function listTwice({ service, fail }: Upstream, prices: readonly number[]): void {
  const answer = (endpoint: EndpointName, parameter: string) =>
    Object(service.answer(endpoint, { parameter, query: new URLSearchParams(), body: undefined }).body);
  const search = answer('search', '');
  const results = prices.map((credits) => ({ ...search.results[0], credits }));
  fail('search', { kind: 'answer', body: { ...search, results } });
  const catalog = answer('getCatalog', 'shop');
  const actions = prices.map((credits_per_call) => ({ ...catalog.actions[0], credits_per_call }));
  fail('getCatalog', { kind: 'answer', body: { ...catalog, actions } });
}

const limits: [string, Partial<RunActionInput>, Partial<GatewaySettings>][] = [
  ['the limit of the day', {}, { maxCreditsPerDay: 5 }],
  ['the limit of a call', {}, { maxCreditsPerCall: 5 }],
  ['max_credits', { max_credits: 5 }, {}],
];

/** In the order of the listing. */
const dearerLast = [1, 90];
const dearerFirst = [90, 1];

describe('an action that is listed twice, for 1 and for 90 credits,', () => {
  async function expectRefusal(
    prices: readonly number[],
    input: Partial<RunActionInput>,
    settings: Partial<GatewaySettings>,
  ) {
    const { gateway, upstream } = await startGateway({ actions: [list] }, settings);
    listTwice(upstream, prices);
    const { body } = await gateway.runAction({ action_id: 'shop-list', ...input }, callContext());
    expect(body).toMatchObject({ status: 'error', error: { code: 'BUDGET_EXCEEDED', price: 90 } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  }

  async function expectListed(prices: readonly number[]) {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    listTwice(upstream, prices);
    expect((await gateway.listing()).tools).toMatchObject([
      { actionId: 'shop-list', description: expect.stringContaining('90 credits') },
    ]);
  }

  it.each(limits)('counts with the dearer price against %s, if that comes last', (_, input, settings) =>
    expectRefusal(dearerLast, input, settings),
  );

  it.each(limits)('counts with the dearer price against %s, if that comes first', (_, input, settings) =>
    expectRefusal(dearerFirst, input, settings),
  );

  it('is one tool with the dearer price, if that comes last', () => expectListed(dearerLast));

  it('is one tool with the dearer price, if that comes first', () => expectListed(dearerFirst));
});

describe('an action that became sync after it was listed, and answers bare data,', () => {
  const data = { rows: [{ n: 1 }, { n: 2 }] };

  async function start() {
    const started = await startGateway({ actions: [{ ...list, credits: 3 }] });
    const { gateway, upstream } = started;
    await gateway.listing();
    upstream.fail('submitTask', { kind: 'answer', status: 200, body: data, carriedOut: true });
    return started;
  }
  const kept = { status: 'completed', job_id: expect.any(String), note: expect.any(String), data };

  it('keeps the data that was paid for, with a note', async () => {
    const { gateway, upstream } = await start();
    const { body } = await deliver(gateway.runAction({ action_id: 'shop-list' }, callContext()));
    expect(body).toMatchObject(kept);
    const read = await gateway.getJob({ job_id: String(body.job_id) }, callContext());
    expect(read.body).toMatchObject({ status: 'completed', data, credits_used: 0 });
    expect((await gateway.getUsage(callContext())).body).toMatchObject({ today: { spent: 3 } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('keeps the data of every row of a batch', async () => {
    const { gateway } = await start();
    const input = { action_id: 'shop-list', batch: [{ n: 0 }, { n: 1 }, { n: 2 }] };
    const { body } = await deliver(gateway.runBatch(input, callContext()));
    const row = { status: 'completed', job_id: expect.any(String), data };
    expect(body).toMatchObject({ rows_completed: 3, credits_used: 9, rows: [row, row, row] });
  });
});
