/** Reads of results and checks of params that take long, by several keys of one process. Needs `dist/`, where the workers are. */
import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';
import { expectBuilt } from '../../support/program.ts';
import { longestStall, processorTime } from '../../support/stalls.ts';

beforeEach(expectBuilt);
afterEach(closeGateways);

const books = Array.from({ length: 43 }, (_, id) => ({ title: `Book ${id}` }));
/** Unpacked and shown in this process: a result of more than a megabyte is not. */
const long = Array.from({ length: 9_000 }, () => 'x'.repeat(100));
const units = Array.from({ length: 3_000 }, (_, id) => ({ [`a${id}_unit`]: 'g' }));
/** Each is ended after two seconds. */
const slow = 'map(&map(&map(&map(&map(&@, $.books), $.books), $.books), $.books), books)';
/** A schema with such a pattern is checked in a worker, also where the text is checked at once. */
const matching = (pattern: string) => ({ type: 'object', properties: { a: { type: 'string', pattern } } });
/** Reads or checks of one key that run, and that may wait. */
const most = 3 + 100;

async function twoKeys() {
  const upstream = await scriptedUpstream({
    actions: [
      { action_id: 'books', job: { data: { books } } },
      { action_id: 'units', job: { data: units } },
      { action_id: 'long', job: { data: long } },
      { action_id: 'stalling', parameters: matching('^(a+)+$') },
      { action_id: 'checked', parameters: matching('^(a+)+b$') },
    ],
    otherKeys: ['key-of-bob'],
  });
  const { gateway: alice } = openGateway(upstream, await temporaryFolder());
  const { gateway: bob } = openGateway(upstream, await temporaryFolder(), {}, 'key-of-bob');
  return { alice, bob, upstream };
}

async function run(gateway: Gateway, action_id: string): Promise<string> {
  const { body } = await deliver(gateway.runAction({ action_id }, callContext()));
  expect(body).toMatchObject({ status: 'completed' });
  return String(body.job_id);
}

/** Starts every process that reads results, so that nobody waits for one of them. */
async function warmUp(readers: readonly (readonly [gateway: Gateway, job_id: string])[]): Promise<void> {
  const read = ([gateway, job_id]: readonly [Gateway, string]) =>
    gateway.getJob({ job_id, select: 'sort_by(books, &title)[0]' }, callContext());
  await Promise.all(readers.map(read));
}

/** What this process itself takes until others have their answer: at most a second, and never long at a time. */
async function expectQuick<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const before = processorTime();
  const answers: Answer[] = [];
  const stall = await longestStall(async () => answers.push(await work()));
  expect(stall).toBeLessThan(100);
  expect(processorTime() - before).toBeLessThan(1_000);
  const [answer] = answers;
  if (answer === undefined) return expect.fail('No answer');
  return answer;
}

it('slow reads of one key do not hold up another key, and are refused where too many wait', async () => {
  const { alice, bob } = await twoKeys();
  const [ofAlice, ofBob] = [await run(alice, 'books'), await run(bob, 'books')];
  await warmUp([...Array(3).fill([alice, ofAlice]), [bob, ofBob]]);
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const codes: unknown[] = [];
  const reads = Array.from({ length: most + 3 }, async () => {
    const { body } = await alice.getJob(
      { job_id: ofAlice, select: slow },
      callContext({ signal: leaving.signal }),
    );
    codes.push(Object(body.error).code);
    return body;
  });
  const refused = await Promise.race(reads);
  expect(refused).toMatchObject({
    status: 'error',
    error: { code: 'TOO_MANY_CALLS' },
    next: { kind: 'retry', when: 'one-ended' },
  });
  const { body } = await expectQuick(() =>
    bob.getJob({ job_id: ofBob, select: "books[?title=='Book 7']" }, callContext()),
  );
  expect(body).toMatchObject({ status: 'completed', data: [{ title: 'Book 7' }] });
  expect(codes.filter((code) => code === 'TOO_MANY_CALLS')).toHaveLength(3);
  // It waited for none of theirs. On a busy machine the time of the first three may be over by then.
  expect(codes.length).toBeLessThanOrEqual(3 + 3);
  const waiting = callContext({ signal: leaving.signal });
  const more = Array.from({ length: 30 }, () => alice.getJob({ job_id: ofAlice, select: slow }, waiting));
  expect((await Promise.race(more)).body).toMatchObject({ error: { code: 'TOO_MANY_CALLS' } });
  // After payment it is no error. On a busy machine some places are free again by now: the others are refused.
  const runs = Array.from({ length: 30 }, (_, n) =>
    alice.runAction({ action_id: 'books', params: { n }, select: slow }, waiting),
  );
  expect((await Promise.race(runs)).body).toMatchObject({
    status: 'completed',
    credits_used: 1,
    note: expect.stringContaining('are waiting'),
    next: { kind: 'read', what: 'kept' },
    data: null,
  });
  leaving.abort();
  await Promise.all([...reads, ...more, ...runs]);
});

it('slow checks of params of one key hold up another key for one of them at most', async () => {
  const { alice, bob } = await twoKeys();
  // What is only loaded and compiled once holds up nobody later.
  await bob.runAction({ action_id: 'checked', params: { a: 'ab', n: 1 } }, callContext());
  let ended = 0;
  const calls = Array.from({ length: 16 }, async (_, n) => {
    const params = { a: `${'a'.repeat(40)}!`, n };
    await alice.runAction({ action_id: 'stalling', params }, callContext());
    ended += 1;
  });
  const { body } = await expectQuick(() =>
    bob.runAction({ action_id: 'checked', params: { a: 'ab' } }, callContext()),
  );
  expect(body).toMatchObject({ status: 'completed' });
  expect(ended).toBeLessThanOrEqual(8);
  await Promise.all(calls);
});

it('calls of one key are refused, and not sent, where too many wait for a check of their params', async () => {
  const { alice, upstream } = await twoKeys();
  await run(alice, 'books');
  // Some may have been checked before the last ones ask.
  const asked = 2 * most;
  const answers = await Promise.all(
    Array.from({ length: asked }, async (_, n) => {
      const input = { action_id: 'checked', params: { a: 'ab', n } };
      return { n, body: (await alice.runAction(input, callContext())).body };
    }),
  );
  const refused = answers.filter(({ body }) => body.status === 'error');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(asked - most);
  for (const { body } of refused) {
    expect(body).toMatchObject({
      error: { code: 'TOO_MANY_CALLS', message: expect.stringContaining('Nothing was sent') },
      next: { kind: 'retry', when: 'one-ended' },
    });
  }
  const sent = upstream.requestsTo('submitTask').map(({ body }) => Object(body).params?.n);
  for (const { n } of refused) expect(sent).not.toContain(n);
});

it('many whole results that are read at once hold up others for a few of them at most', async () => {
  const { alice } = await twoKeys();
  const job_id = await run(alice, 'long');
  const read = () => alice.getJob({ job_id, maxChars: 1_000_000 }, callContext());
  await read();
  const stall = await longestStall(() => Promise.all(Array.from({ length: 400 }, read)));
  expect(stall).toBeLessThan(500);
});

it('CSV of many columns blocks the process for no time that others notice', async () => {
  const { alice } = await twoKeys();
  const job_id = await run(alice, 'units');
  const stall = await longestStall(async () => {
    const { body } = await alice.getJob({ job_id, format: 'csv' }, callContext());
    expect(body).toMatchObject({ status: 'completed' });
  });
  expect(stall).toBeLessThan(100);
});
