/** The first answer that is delivered tells what a job cost in `credits_used`, every later one 0; `job_credits` always. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/gateway/interface/outcomes.ts';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const actions = [
  { action_id: 'list', credits: 3 },
  { action_id: 'sync', credits: 3, mode: 'sync' },
  { action_id: 'slow', credits: 3, job: { polls: 2 } },
];
const start = () => startGateway({ actions });

const told = ({ body }: Outcome) => ({ credits_used: body.credits_used, job_credits: body.job_credits });
const first = { credits_used: 3, job_credits: 3 };
const later = { credits_used: 0, job_credits: 3 };

type Started = Awaited<ReturnType<typeof start>>;
type Kind = readonly [name: string, call: (started: Started) => Promise<Outcome>, cost: number];

const run =
  (more: object): Kind[1] =>
  ({ gateway }) =>
    gateway.runAction({ action_id: 'list', params: { q: 1 }, ...more }, callContext());

const kinds: readonly Kind[] = [
  ['a run', run({}), 3],
  ['a sync run', run({ action_id: 'sync' }), 3],
  ['a part of a run', run({ select: 'params' }), 3],
  [
    'a batch',
    ({ gateway }) =>
      gateway.runBatch({ action_id: 'list', batch: [{ q: 1 }, { q: 2 }, { q: 1 }] }, callContext()),
    6,
  ],
  [
    'a build',
    async ({ gateway, upstream }) => {
      const call = gateway.requestBuild({ website_url: 'https://example.com', goal: 'List' }, callContext());
      await expect.poll(() => upstream.service.builds).toHaveLength(1);
      const [build] = upstream.service.builds;
      upstream.service.finishBuild(build?.id ?? '', { action_id: 'new', catalog_slug: 'new' });
      return call;
    },
    25,
  ],
];

describe.each(kinds)('%s', (_, call, cost) => {
  it('says its cost once, to whoever repeats it after the answer was written', async () => {
    const started = await start();
    const one = await call(started);
    expect(told(one)).toEqual({ credits_used: cost, job_credits: cost });
    const takeBack = one.written?.();
    const two = await call(started);
    expect(two.body).toMatchObject({ attached: true, credits_used: 0, job_credits: cost });
    // An answer that tells no cost has nothing to take back.
    two.written?.()();
    expect(told(await call(started))).toEqual({ credits_used: 0, job_credits: cost });
    // The first one was not read.
    takeBack?.();
    const three = await call(started);
    expect(told(three)).toEqual({ credits_used: cost, job_credits: cost });
    await deliver(three);
    const id = String(three.body.job_id ?? Object(three.body.build_request).id);
    for (let time = 0; time < 2; time += 1) {
      const read = await deliver(started.gateway.getJob({ job_id: id }, callContext()));
      expect(told(read)).toEqual({ credits_used: 0, job_credits: cost });
    }
  });
});

describe('many calls', () => {
  it.each(['list', 'slow', 'sync'])('of %s at once tell the cost once', async (action_id) => {
    const { gateway } = await start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => gateway.runAction({ action_id }, callContext())),
    );
    expect(answers.map(told).filter(({ credits_used }) => credits_used === 3)).toHaveLength(1);
    expect(answers.map(told).filter(({ credits_used }) => credits_used === 0)).toHaveLength(19);
    expect(answers.every(({ body }) => body.job_credits === 3)).toBe(true);
  });

  it('tell the cost also where the one that paid gave up', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ action_id: 'list', credits: 3, job: { ms: Number.POSITIVE_INFINITY } }],
    });
    const gaveUp = new AbortController();
    const run = { action_id: 'list' };
    const paying = gateway.runAction(run, callContext({ signal: gaveUp.signal }));
    const job = await expect
      .poll(() => [...upstream.service.jobs.values()][0])
      .toBeDefined()
      .then(() => [...upstream.service.jobs.values()][0]);
    const joined = gateway.runAction(run, callContext());
    gaveUp.abort();
    await paying;
    if (job !== undefined) job.script = { data: 1 };
    expect(told(await joined)).toEqual(first);
  });
});

it('a cached result, and one that another process delivered, cost nothing more', async () => {
  const { gateway, upstream, folder } = await start();
  const run = { action_id: 'list', params: {} };
  await deliver(gateway.runAction(run, callContext()));
  const cached = await gateway.runAction({ ...run, max_age_seconds: 60 }, callContext());
  expect(cached.body).toMatchObject({ cached: true, ...later });
  const { gateway: other } = openGateway(upstream, folder);
  const { body } = await other.runAction({ ...run, max_age_seconds: 60 }, callContext());
  expect(body).toMatchObject({ cached: true, ...later });
  expect(told(await other.getJob({ job_id: String(body.job_id) }, callContext()))).toEqual(later);
});

it('a failed run costs 0 in both', async () => {
  const failing = {
    action_id: 'bad',
    credits: 3,
    job: { error: { code: 'EXECUTION_FAILED', message: 'no' } },
  };
  const { gateway } = await startGateway({ actions: [failing] });
  const { body } = await gateway.runAction({ action_id: 'bad' }, callContext());
  expect(body).toMatchObject({ status: 'failed', credits_used: 0, job_credits: 0 });
});
