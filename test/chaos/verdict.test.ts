/** What the chaos test finds wrong in the answers to a call, and in what it cost. */
import { expect, it } from 'vitest';
import type { PaidRow } from '../../src/gateway/store/schema.ts';
import type { PaidRequest } from '../support/fault-proxy.ts';
import type { ScriptedJob } from '../support/upstream-service.ts';
import type { Asked } from './asked.ts';
import { type CallName, costOf } from './calls.ts';
import { checkAnswersInDoubt } from './doubts.ts';
import { checkAllowances, checkBudget, checkConsents, checkLowered } from './money.ts';
import { type Story, tellsTheEnd } from './story.ts';
import { checkCharges, checkStayers } from './verdict.ts';

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

const intent = (id: string, more: Partial<PaidRow>): PaidRow => ({
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
  input: null,
  paid_for: null,
  version: null,
  drift: null,
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
  expect(charges(posts)).toThrow('2 requests for 1 rows');
});

it('a planned row is no excuse for a request', () => {
  const intents = [intent('1', { state: 'unknown' }), intent('2', { state: 'planned', charged: 0 })];
  const run = { jumps: [], lane: { standstills: { during: () => 0 }, crossed: 0 } };
  const posts = [post(5, 'reset-after'), post(8)];
  expect(() => checkCharges({ call, intents, posts, accepted: [], asked: [] }, run)).toThrow(
    '2 requests for 1 rows',
  );
});

it('what a client that died unread was written is paid once', () => {
  const intents = [
    intent('1', { state: 'delivered', job_id: 'first' }),
    intent('2', { state: 'delivered', job_id: 'second', created_at: 1 }),
  ];
  const accepted = [job('first', 5), job('second', 30)];
  const run = { jumps: [], lane: { standstills: { during: () => 0 }, crossed: 0 } };
  const charges = (asked: Asked[]) => () => checkCharges({ call, intents, posts: [], accepted, asked }, run);
  expect(charges([ask(0, 20, undefined)])).not.toThrow();
  expect(charges([ask(0, 20, undefined, { isUnread: true })])).toThrow('double charge');
});

it('the same answer of a person pays once', () => {
  const paid =
    (count: number, consents: (string | undefined)[], isNeeded = true) =>
    () =>
      checkConsents(
        {
          call,
          accepted: Array.from({ length: count }, (_, index) => job(String(index), index)),
          asked: consents.map((consent) => ask(0, 10, 'completed', { consent })),
        },
        isNeeded,
      );
  expect(paid(2, ['a', 'b', 'b'])).not.toThrow();
  expect(paid(2, ['a', 'a'])).toThrow('2 paid by 1 consents');
  expect(paid(2, ['a', undefined])).toThrow('2 paid by 1 consents');
  // Where nobody is asked, a call pays without one.
  expect(paid(2, ['a', undefined], false)).not.toThrow();
  expect(paid(2, ['a', 'a'], false)).toThrow('2 paid by 1 consents');
});

it('an answer of a person pays only while it is asked with', () => {
  const paid = (asked: Asked[]) => () =>
    checkConsents({ call, accepted: [job('0', 5), job('1', 25)], asked }, true);
  const first = ask(0, 10, 'completed', { consent: 'a' });
  const rest = ask(12, 14, 'completed', { consent: 'b' });
  // The first answer once more, after another one continued what it had begun.
  expect(paid([first, rest, ask(20, 30, 'completed', { consent: 'a' })])).toThrow('none of its own');
  expect(paid([first, ask(20, 30, 'completed', { consent: 'b' })])).not.toThrow();
  // A handle: it is sent later.
  expect(paid([first, ask(12, 14, 'processing', { consent: 'b' })])).not.toThrow();
});

it('nothing is paid once the limits allow nothing', () => {
  const posts = [{ ...post(10), key: 'one' }, post(20)];
  expect(() => checkLowered({ call, posts }, { loweredAt: undefined })).not.toThrow();
  expect(() => checkLowered({ call, posts }, { loweredAt: 25 })).not.toThrow();
  expect(() => checkLowered({ call, posts }, { loweredAt: 15 })).toThrow('the limits allow nothing');
  // A repeat by its key pays nothing.
  const repeats = [
    { ...post(10), key: 'one' },
    { ...post(20), key: 'one' },
  ];
  expect(() => checkLowered({ call, posts: repeats }, { loweredAt: 15 })).not.toThrow();
});

it('who stays is neither told of the cancellation of another nor left without a reason', () => {
  const told =
    (body: Asked['body'], more: Partial<Asked> = {}, hadStoreFault = false) =>
    () =>
      checkStayers(
        { call, asked: [ask(0, 10, undefined, { hasStayed: true, ...more, body })] },
        { hadStoreFault },
      );
  const cancelled = { status: 'not_sent', stopped: { code: 'CANCELLED' } };
  expect(told(cancelled)).toThrow('to one that stayed');
  expect(told(cancelled, { hasStayed: false })).not.toThrow();
  expect(told({ status: 'not_sent' })).toThrow('to one that stayed');
  expect(told({ status: 'not_sent' }, {}, true)).not.toThrow();
  expect(told({ status: 'not_sent', stopped: { code: 'BUDGET_EXCEEDED' } })).not.toThrow();
});

/** What is known at the end of a call of which nothing else was asked. */
const storyOf = (call: CallName, rows: readonly PaidRow[], asked: readonly Asked[] = []): Story => ({
  call,
  intents: rows,
  posts: [],
  accepted: rows.map(({ job_id }) => job(job_id ?? '', 0)),
  asked,
});
const done = (id: string, charged: number, more: Partial<PaidRow> = {}) =>
  intent(id, { state: 'delivered', job_id: id, charged, created_at: Date.now(), ...more });

it('a daily limit is passed by the first run of an action that nothing bounds, and by nothing else', () => {
  const check = (stories: Story[], spent: number, maxCreditsPerDay: number) => () =>
    checkBudget(stories, { jumps: [], place: { maxCreditsPerDay } }, { credits_spent_today: spent });
  const metered = storyOf('metered 0', [done('a', 8)]);
  expect(check([metered], 8, 3)).not.toThrow();
  expect(check([metered, storyOf('metered 1', [done('b', 8)])], 16, 6)).toThrow('16 spent, 6 allowed');
  expect(check([storyOf('bounded 0', [done('a', 6)])], 6, 5)).toThrow('6 spent, 5 allowed');
  expect(check([metered], 7, 60)).toThrow('7 instead of 8');
  const doubt = storyOf('bounded 0', [done('a', 5, { state: 'unknown', job_id: null })]);
  expect(check([doubt], 5, 60)).toThrow('counts as 5');
});

it('a batch costs no more than it may, by the rows that it pays, unless nothing bounds the first', () => {
  const check =
    (names: readonly CallName[], allowance: number, paidByOthers: readonly CallName[] = []) =>
    () => {
      const stories = names.map((name, index) => storyOf(name, [done(String(index), costOf(name))]));
      const rows = names.map((name, index) => ({
        id: String(index),
        job_id: String(index),
        state: 'delivered' as const,
        charged: costOf(name),
        group_id: 'batch-1',
        paid_for: paidByOthers.includes(name) ? null : 'batch-1',
        allowance,
      }));
      checkAllowances(stories, rows);
    };
  const bounded = ['bounded 0', 'bounded 1'] as const;
  expect(check(bounded, 12)).not.toThrow();
  expect(check(bounded, 11)).toThrow('cost 12, 11 were allowed');
  expect(check(bounded, 11, ['bounded 0'])).not.toThrow();
  expect(check(['metered 0'], 3)).not.toThrow();
  expect(check(['metered 0', 'metered 1'], 8)).toThrow('cost 16');
});
