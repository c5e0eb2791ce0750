/** Which refusals say that a request was not taken: of the first one, and of its repeats by key. */
import { afterEach, describe, expect, it } from 'vitest';
import { callContext, closeGateways, deliver, startGateway } from '../../support/gateway.ts';
import { envelope, type Fault } from '../../support/upstream-faults.ts';

afterEach(closeGateways);

async function start(extensions?: string) {
  const actions = [{ action_id: 'shop-list', credits: 3 }];
  const started = await startGateway({ actions, ...(extensions !== undefined && { extensions }) });
  const { gateway, upstream } = started;
  const run = async () =>
    (await deliver(gateway.runAction({ action_id: 'shop-list', params: { q: 1 } }, callContext()))).body;
  const keys = () =>
    new Set(upstream.requestsTo('submitTask').map(({ headers }) => headers['idempotency-key']));
  return { ...started, run, keys };
}

describe('a request whose connection broke, and whose repeats by key are answered with', () => {
  it.each([
    [402, 'INSUFFICIENT_CREDITS'],
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [408, 'REQUEST_TIMEOUT'],
    [409, 'REQUEST_IN_PROGRESS'],
    [410, 'GONE'],
    [422, 'IDEMPOTENCY_KEY_REUSED'],
    [422, 'INVALID_PARAMS'],
    [400, 'BAD_REQUEST'],
    [425, 'TOO_EARLY'],
    [429, 'RATE_LIMITED'],
    [500, 'EXECUTION_FAILED'],
    [503, 'BUSY'],
    [200, 'INSUFFICIENT_CREDITS'],
  ])('%d %s stays in doubt with its key, and is paid once', async (status, code) => {
    const { upstream, run, keys } = await start('idempotency');
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
    upstream.fail('submitTask', envelope(status, code, 'No'), { times: 2 });
    expect(await run()).toMatchObject({
      status: 'unknown',
      error: { message: expect.stringContaining(code) },
      next: { kind: 'retry', when: 'same-key' },
    });
    expect(await run()).toMatchObject({ status: 'completed', attached: true });
    expect(keys().size).toBe(1);
    expect(upstream.service.jobs.size).toBe(1);
  });

  it('404 without an envelope, as of a proxy, stays in doubt', async () => {
    const { upstream, run, keys } = await start('idempotency');
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
    upstream.fail('submitTask', { kind: 'html', status: 404 }, { times: 2 });
    expect(await run()).toMatchObject({ status: 'unknown' });
    expect(await run()).toMatchObject({ status: 'completed', attached: true });
    expect(keys().size).toBe(1);
  });

  it.each([
    [400, 'INVALID_PARAMS'],
    [400, 'INVALID_INPUT'],
    [404, 'NOT_FOUND'],
  ])('%d %s was not taken, and the same call is a new one', async (status, code) => {
    const { upstream, run, keys } = await start('idempotency');
    upstream.fail('submitTask', { kind: 'reset' }, { times: 1 });
    upstream.fail('submitTask', envelope(status, code, 'No'), { times: 1 });
    expect(await run()).toMatchObject({ status: 'error', error: { code } });
    expect(await run()).toMatchObject({ status: 'completed' });
    expect(keys().size).toBe(2);
    expect(upstream.service.jobs.size).toBe(1);
  });
});

describe('a batch with rows in doubt', () => {
  const count = 4;
  async function startBatch(extensions: string) {
    const started = await start(extensions);
    const { gateway, upstream } = started;
    const batch = () =>
      gateway.runBatch(
        { action_id: 'shop-list', batch: Array.from({ length: count }, (_, q) => ({ q })) },
        callContext({ waitMs: 20_000 }),
      );
    /** The answer to the first request and to its repeats by key is lost. */
    const loseAnswers = () =>
      upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 3 * count });
    return { ...started, batch, loseAnswers };
  }

  it.each([['before it was delivered'], ['after it was delivered']])(
    'asks by their keys when it is repeated %s, and pays once',
    async (when) => {
      const { upstream, batch, loseAnswers, keys, gateway } = await startBatch('idempotency');
      loseAnswers();
      const doubtful = await batch();
      const { rows }: { rows?: unknown } = doubtful.body;
      const unknown = { status: 'unknown', next: { kind: 'retry', when: 'same-key' } };
      expect(rows).toEqual(expect.arrayContaining([expect.objectContaining(unknown)]));
      if (when.startsWith('after')) await doubtful.delivered?.();
      upstream.clearFaults();
      const sent = upstream.requestsTo('submitTask').length;
      // A read asks nothing.
      await gateway.getJob({ job_id: String(doubtful.body.job_id) }, callContext());
      expect(upstream.requestsTo('submitTask')).toHaveLength(sent);
      expect((await batch()).body).toMatchObject({ rows_completed: count });
      expect(keys().size).toBe(count);
      expect(upstream.service.jobs.size).toBe(count);
    },
  );

  it('asks nothing where the service takes no keys', async () => {
    const { upstream, batch, loseAnswers } = await startBatch('');
    loseAnswers();
    await batch();
    const sent = upstream.requestsTo('submitTask').length;
    upstream.clearFaults();
    const { body } = await batch();
    const call = expect.objectContaining({ resubmit: true });
    const next = { kind: 'resubmit', of: 'run', call };
    expect(body.rows).toEqual(expect.arrayContaining([expect.objectContaining({ status: 'unknown', next })]));
    expect(upstream.requestsTo('submitTask')).toHaveLength(sent);
  });
});

const doubts: [string, Fault][] = [
  ['408', envelope(408, 'REQUEST_TIMEOUT', 'Late')],
  ['408 with a documented code', envelope(408, 'INSUFFICIENT_CREDITS', 'Late')],
  ['408 without an envelope', { kind: 'html', status: 408 }],
  ['200 and a code of another endpoint', envelope(200, 'INTERNAL_ERROR', 'Oops')],
  ['200 and an unknown code', envelope(200, 'BUSY', 'Later')],
  ['202 and an unknown code', envelope(202, 'QUEUE_UNSURE', 'Later')],
  ['200 and no code', { kind: 'answer', body: { status: 'error' } }],
  ['302 and an envelope', envelope(302, 'MOVED', 'Elsewhere')],
];

describe('a first request that is answered with', () => {
  it.each(doubts)('%s is in doubt, and is not sent again by itself', async (_, fault) => {
    const { upstream, run } = await start();
    upstream.fail('submitTask', fault, { times: 1 });
    expect(await run()).toMatchObject({ status: 'unknown' });
    expect(await run()).toMatchObject({ status: 'unknown' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it.each([
    [200, 'INSUFFICIENT_CREDITS'],
    [200, 'EXECUTION_FAILED'],
    [202, 'AUTH_REQUIRED'],
    [409, 'CONFLICT'],
    [500, 'EXECUTION_FAILED'],
  ])('%d %s was refused', async (status, code) => {
    const { upstream, run } = await start();
    upstream.fail('submitTask', envelope(status, code, 'No'), { times: 1 });
    expect(await run()).toMatchObject({ status: 'error', error: { code } });
    expect(await run()).toMatchObject({ status: 'completed' });
  });
});

it('a build request that is answered with 200 and an undocumented code is in doubt', async () => {
  const { gateway, upstream } = await start();
  upstream.fail('requestBuild', envelope(200, 'EXECUTION_FAILED', 'Oops'), { times: 1 });
  const request = { website_url: 'https://new.example/', goal: 'List the prices' };
  expect((await gateway.requestBuild(request, callContext())).body).toMatchObject({ status: 'unknown' });
  expect((await gateway.requestBuild(request, callContext())).body).toMatchObject({ status: 'unknown' });
  expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
});
