/** What a failed job says to do next. */
import { expect, it } from 'vitest';
import { FailureReason } from '../../../src/contract/errors.ts';
import { endBody, getEnd } from '../../../src/gateway/results/job-body.ts';

const bodyOf = (error: { code: string; message: string; [member: string]: unknown }) =>
  endBody('job', { status: 'failed', credits_used: 0, error }, { budget: 20_000, textLength: 0 });

it.each([
  ...FailureReason.options.map((reason) => [reason, reason] as const),
  ['something_else', undefined] as const,
  [undefined, undefined] as const,
])('says what to do about its cause: %s', (reason, known) => {
  // The message says something else: it decides nothing.
  const message = 'The robots.txt took too long (HTTP status 404)';
  expect(bodyOf({ code: 'EXECUTION_FAILED', message, reason }).next).toEqual({
    kind: 'refunded',
    step: { kind: 'mend-run', reason: known },
  });
});

// The specification: failed runs are refunded, whatever the answer counts.
it.each([{ status: 'failed', credits_used: 0 }, { status: 'failed' }])(
  'says that the credits came back: %o',
  (job) => {
    const error = { code: 'EXECUTION_FAILED', message: 'No' };
    const body = endBody('job', { ...job, error }, { budget: 20_000, textLength: 0 });
    expect(body.status).toBe('failed');
    expect(body.next).toMatchObject({ kind: 'refunded' });
  },
);

it.each([
  ['processing', { data: 1, error: { code: 'A', message: '' } }, undefined],
  ['done', { data: [] }, undefined],
  ['done', { data: null }, undefined],
  ['done', {}, undefined],
  ['done', { error: { code: 'A', message: '' }, data: 1 }, undefined],
  ['completed', { error: { code: 'A', message: '' } }, 'completed'],
])('knows whether a job of status "%s" has ended: %o', (status, members, end) => {
  expect(getEnd({ status, ...members })).toBe(end);
});
