/** What the chaos test finds wrong in the answers to a call that was submitted into a doubt. */
import { expect, it } from 'vitest';
import type { PaidRequest } from '../support/fault-proxy.ts';
import type { Asked } from './run.ts';
import { checkAnswersInDoubt } from './verdict.ts';

const call = 'quick 0';

function ask(from: number, to: number, status: string | undefined, more: Partial<Asked> = {}): Asked {
  return {
    call,
    jobId: undefined,
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
});
