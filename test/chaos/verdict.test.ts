/** What the chaos test finds wrong in the answers to a call, and in what it cost. */
import { expect, it } from 'vitest';
import type { IntentRow } from '../../src/gateway/store/schema.ts';
import type { PaidRequest } from '../support/fault-proxy.ts';
import type { ScriptedJob } from '../support/upstream-service.ts';
import type { Asked } from './asked.ts';
import { checkAnswersInDoubt } from './doubts.ts';
import { tellsTheEnd } from './story.ts';
import { checkCharges } from './verdict.ts';

const call = 'quick 0';

function ask(from: number, to: number, status: string | undefined, more: Partial<Asked> = {}): Asked {
  return {
    call,
    jobId: undefined,
    inBatch: false,
    resubmit: false,
    from,
    to,
    body: status === undefined ? undefined : { status },
    failure: undefined,
    alone: false,
    postsBefore: 0,
    ...more,
  };
}

const post = (at: number, fault?: PaidRequest['fault']): PaidRequest => ({
  body: {},
  fault,
  forwarded: true,
  answered: true,
  at,
});

const check = (posts: PaidRequest[], asked: Asked[]) => () => checkAnswersInDoubt({ call, posts, asked });

it('a lone call must be told its own doubt', () => {
  const doubt = [post(5, 'bad-gateway-after')];
  expect(check(doubt, [ask(0, 10, 'unknown', { alone: true })])).not.toThrow();
  expect(check(doubt, [ask(0, 10, 'completed', { alone: true })])).toThrow('unreported doubt');
});

it('of calls at the same time one must be told, and the others may get the answer of an earlier job', () => {
  const posts = [post(5), post(25, 'bad-gateway-after')];
  const earlier = ask(0, 10, 'completed');
  expect(check(posts, [earlier, ask(20, 30, 'completed'), ask(20, 30, 'unknown')])).not.toThrow();
  expect(check(posts, [earlier, ask(20, 30, 'completed'), ask(20, 30, 'completed')])).toThrow(
    'said to nobody',
  );
});

it('a caller that left or took a handle before the doubt arose may have sent the request', () => {
  const doubt = [post(25, 'reset-after')];
  expect(check(doubt, [ask(0, 10, undefined), ask(20, 30, 'completed')])).not.toThrow();
  expect(check(doubt, [ask(0, 10, 'processing'), ask(20, 30, 'completed')])).not.toThrow();
});

it('a handle that was taken before the previous request does not excuse a doubt that nobody was told', () => {
  const posts = [post(15), post(25, 'reset-after')];
  expect(check(posts, [ask(0, 10, 'processing'), ask(20, 30, 'completed')])).toThrow('said to nobody');
  // Both are one request where they have the same key.
  const sameKey = [post(15, 'undocumented-500'), post(25, 'reset-before')].map((one) => ({
    ...one,
    key: 'a',
  }));
  expect(check(sameKey, [ask(0, 10, 'processing'), ask(20, 30, 'unknown')])).not.toThrow();
  expect(check(sameKey, [ask(0, 10, 'completed'), ask(20, 30, 'completed')])).toThrow('said to nobody');
});

const intent = (id: string, more: Partial<IntentRow>): IntentRow => ({
  id,
  principal: 'p',
  service_key: 'k',
  kind: 'run',
  subject: 'quick',
  call_hash: 'hash',
  open: 0,
  state: 'unknown',
  price: 3,
  charged: 3,
  owner: 'host:1:x',
  deadline: 0,
  keyed: 0,
  job_id: null,
  duration_ms: null,
  outcome: null,
  created_at: 0,
  submitted_at: null,
  finished_at: null,
  answered_at: null,
  delivered_at: null,
  account: null,
  params: null,
  refusal: null,
  ...more,
});
const job = (id: string, startedAt: number): ScriptedJob => ({
  id,
  actionId: 'quick',
  params: {},
  credentialId: undefined,
  startedAt,
  price: 3,
  script: {},
  polls: 0,
  refunded: false,
});

it('a second job has a reason where a call with resubmit got the handle of just its intent', () => {
  const intents = [
    intent('1', { state: 'unknown' }),
    intent('2', { state: 'delivered', job_id: 'second', created_at: 1 }),
  ];
  const accepted = [job('first', 5), job('second', 30)];
  const run = { jumps: [], lane: { standstills: { during: () => 0 }, crossed: 0 } };
  const charges = (asked: Asked[]) => () => checkCharges({ call, intents, posts: [], accepted, asked }, run);
  const handle = (id: string, resubmit: boolean) =>
    ask(10, 20, 'processing', { resubmit, body: { status: 'processing', job_id: `local-${id}` } });
  expect(charges([handle('2', true)])).not.toThrow();
  expect(charges([handle('2', false)])).toThrow('double charge');
  expect(charges([handle('1', true)])).toThrow('double charge');
});

it('the end of a job is told by the row of its batch', () => {
  const lost = { status: 'error', error: { code: 'JOB_LOST', job_id: 'first' } };
  const done = { status: 'completed', job_id: 'second' };
  const read = ask(0, 10, undefined, {
    jobId: 'batch-1',
    body: { status: 'completed', job_id: 'batch-1', rows: [lost, done] },
  });
  expect(['first', 'second', 'third'].map((id) => tellsTheEnd(read, job(id, 0)))).toEqual([
    true,
    true,
    false,
  ]);
});

it('a doubt that a repeat with the same key has settled need not be said, another must be', () => {
  const settled = [
    { ...post(5, 'reset-after'), key: 'one' },
    { ...post(8), key: 'one' },
  ];
  expect(check(settled, [ask(0, 10, 'completed')])).not.toThrow();
  const open = [
    { ...post(5, 'reset-after'), key: 'one' },
    { ...post(8, 'hang-after'), key: 'one' },
  ];
  expect(check(open, [ask(0, 10, 'unknown')])).not.toThrow();
  expect(check(open, [ask(0, 10, 'completed')])).toThrow('said to nobody');
});

it('a repeat is of one intent by its key only', () => {
  const intents = [intent('1', { state: 'delivered', job_id: 'first', keyed: 1 })];
  const run = { jumps: [], lane: { standstills: { during: () => 0 }, crossed: 0 } };
  const charges = (posts: PaidRequest[]) => () =>
    checkCharges({ call, intents, posts, accepted: [job('first', 5)], asked: [] }, run);
  const posts = [post(5, 'reset-after'), post(8)];
  expect(charges(posts.map((one) => ({ ...one, key: '1' })))).not.toThrow();
  expect(charges(posts)).toThrow('2 requests for 1 intents');
});
