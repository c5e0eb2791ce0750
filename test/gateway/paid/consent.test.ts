/** A person's consent pays once, at whichever gateway of a store it comes back. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import type { Outcome } from '../../../src/gateway/interface/outcomes.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  startGateway,
} from '../../support/gateway.ts';

afterEach(closeGateways);

/** The answer of a person to one question; the transport makes a new `consent` for every question. */
const accepted = (credits: number, consent: string) => ({ credits, answer: 'accepted' as const, consent });

const settings = { confirmAboveCredits: 3 };
const batch = [{ n: 0 }, { n: 1 }];

const calls: [
  string,
  number,
  (gateway: Gateway, context: ReturnType<typeof callContext>) => Promise<Outcome>,
][] = [
  [
    'a run',
    1,
    (gateway, context) => gateway.runAction({ action_id: 'shop-list', params: { n: 0 } }, context),
  ],
  ['a batch', 2, (gateway, context) => gateway.runBatch({ action_id: 'shop-list', batch }, context)],
];

describe.each(calls)('the consent to %s', (_, count, call) => {
  async function start() {
    const actions = [
      { action_id: 'shop-list', catalog_slug: 'shop', credits: 5, overrides: { credits_computed: false } },
    ];
    const { upstream, folder, gateway } = await startGateway({ actions }, settings);
    const submit = (consent: string, at = gateway) =>
      call(at, callContext({ confirmation: accepted(5 * count, consent) }));
    const submissions = () => upstream.requestsTo('submitTask').length;
    const submitDelivered = async (consent: string) => {
      await deliver(submit(consent));
      // Other gateways see the delivery once it is in the file.
      const { query } = await openStore(folder);
      const open = () => query.selectFrom('gateway_intent').select('id').where('open', '=', 1).execute();
      await expect.poll(() => open()).toEqual([]);
    };
    return {
      upstream,
      gateway,
      submit,
      submitDelivered,
      submissions,
      openOther: () => openGateway(upstream, folder, settings).gateway,
    };
  }

  const question = { kind: 'confirmation', confirmation: { credits: 5 * count } };

  it('is asked for, and pays', async () => {
    const { gateway, submit, submissions } = await start();
    const asked = await call(gateway, callContext({ confirmation: 'unasked' }));
    expect(asked.question).toMatchObject(question);
    expect(submissions()).toBe(0);
    expect((await submit('abc')).body).toMatchObject({ status: 'completed' });
    expect(submissions()).toBe(count);
  });

  it('joins the paid call while its answer was not delivered', async () => {
    const { submit, submissions, openOther } = await start();
    await submit('abc');
    for (const again of [await submit('abc'), await submit('abc', openOther())]) {
      expect(again.body).toMatchObject({ status: 'completed' });
      expect(again.question).toBeUndefined();
    }
    expect(submissions()).toBe(count);
  });

  it('does not pay again after the answer was delivered: the person is asked again', async () => {
    const { submit, submitDelivered, submissions } = await start();
    await submitDelivered('abc');
    const again = await submit('abc');
    expect(again.question).toMatchObject(question);
    expect(submissions()).toBe(count);
    expect((await submit('def')).body).toMatchObject({ status: 'completed' });
    expect(submissions()).toBe(2 * count);
  });

  it('does not pay again at another gateway either', async () => {
    const { submit, submitDelivered, submissions, openOther } = await start();
    await submitDelivered('abc');
    expect((await submit('abc', openOther())).question).toMatchObject(question);
    expect(submissions()).toBe(count);
  });

  it('pays once when it comes to two gateways at the same time', async () => {
    const { submit, submissions, openOther } = await start();
    const answers = await Promise.all([submit('abc'), submit('abc', openOther())]);
    expect(answers.filter(({ body }) => body.status === 'completed').length).toBeGreaterThan(0);
    expect(submissions()).toBe(count);
  });
});
