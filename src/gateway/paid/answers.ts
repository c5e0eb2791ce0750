/** What answers say of a paid row beside its result, and the errors of calls that were not carried out. */

import * as z from 'zod';
import type { ApiError } from '../../client/errors.ts';
import { creditsText } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { GatewayError, SubmissionUnknownError, toRefusal } from '../foundation/errors.ts';
import { toServiceAddress } from '../foundation/links.ts';
import { cleanText } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject, Outcome, Refused } from '../interface/outcomes.ts';
import type { Attachment } from '../results/job-body.ts';
import type { PaidRow } from '../store/schema.ts';
import { unknownBlockMs } from '../store/states.ts';
import { toJobId } from './call-identity.ts';

/** Marks an answer from an earlier run of the same call. With `repeatCosts` it says that a further run is paid again. */
export const toAttachment = (row: PaidRow, repeatCosts?: string): Attachment => ({
  attached: true,
  submitted_at: new Date(row.submitted_at ?? row.created_at).toISOString(),
  ...(repeatCosts !== undefined &&
    row.kind === 'run' && {
      next: { kind: 'run-again', earlierFor: repeatCosts },
    }),
});

/** States of a row that the service has taken. */
const takenStates: readonly string[] = ['submitted', 'finished', 'delivered', 'lost'];

/** Adds a note that the service accepted two submissions of the call, because a person resubmitted one in doubt. */
export function withOther(outcome: Outcome, other: PaidRow | undefined): Outcome {
  if (other === undefined || !takenStates.includes(other.state)) return outcome;
  const job_id = toJobId(other);
  const also_submitted = {
    job_id,
    credits: other.charged,
    message: `This call was submitted twice, because it was repeated while it was not known whether the service had accepted it. Both were charged; the other one is ${job_id}.`,
  };
  return { ...outcome, body: { also_submitted, ...outcome.body } };
}

/** Adds a note if a run cost more than was reserved for it. `charged` is undefined if an earlier answer said so. */
export function withExcess(
  body: JsonObject,
  { charged: reserved }: PaidRow,
  charged: number | undefined,
): JsonObject {
  if (charged === undefined || charged <= reserved) return body;
  const note = `It cost ${creditsText(charged)}, more than the ${reserved} that were reserved for it.`;
  const { data, ...facts } = body;
  const notes = typeof facts.note === 'string' ? `${facts.note} ${note}` : note;
  return { ...facts, note: notes, ...('data' in body && { data }) };
}

/** Nobody knows whether the service took the request. `call` is the caller's, so that `next` can name it. */
export function submissionUnknown(
  row: PaidRow,
  call: { readonly params: JsonObject; readonly identity?: string | undefined } | undefined,
  cause?: ApiError,
): SubmissionUnknownError {
  const subject = cleanText(row.subject, 120);
  const until = new Date(row.created_at + unknownBlockMs).toISOString();
  const reason = cause === undefined ? 'its answer never arrived' : describe(cause);
  const message = `It is not known whether the service accepted ${subject}: ${reason}. ${creditsText(row.price)} may have been spent. It is not sent again by itself.`;
  const { params, identity } = call ?? {};
  const repeat = { action_id: row.subject, params, identity, resubmit: true };
  const isShown = call !== undefined && JSON.stringify(repeat).length <= 600;
  const again: NextStep =
    row.keyed === 1
      ? { kind: 'retry', when: 'same-key' }
      : row.kind === 'build'
        ? { kind: 'resubmit', of: 'build' }
        : { kind: 'resubmit', of: 'run', call: isShown ? repeat : undefined };
  return new SubmissionUnknownError(
    message,
    again,
    { credits_at_stake: row.price, blocked_until: until },
    { cause },
  );
}

/** A doubt that is not asked by its key, because a limit allows less than that may cost. */
export function doubtAboveLimit(
  { subject, charged, created_at }: PaidRow,
  limit: NextStep<'raise-limit'>['limit'],
): SubmissionUnknownError {
  const message = `It is not known whether the service accepted ${cleanText(subject, 120)}, for which ${creditsText(charged)} are reserved. It is not asked again: if it did not, the call would be paid now, and ${limit} allows less.`;
  return new SubmissionUnknownError(
    message,
    { kind: 'raise-limit', limit, to: charged, or: 'stay-in-doubt' },
    { credits_at_stake: charged, blocked_until: new Date(created_at + unknownBlockMs).toISOString() },
  );
}

function describe(error: ApiError): string {
  switch (error.kind) {
    case 'timeout':
      return `no answer within ${Math.ceil(error.timeoutMs / 1000)} s`;
    case 'service':
      return `it answered with HTTP ${error.httpStatus} (${cleanText(error.code, 60)})`;
    case 'contract':
      return `its answer could not be read (HTTP ${error.httpStatus})`;
    default:
      return 'the connection broke';
  }
}

const Refusal = z.object({ code: z.string(), message: z.string() });

/** The call was refused earlier, or in another process; nothing was charged. The reason is the one kept then. */
export function toEarlierRefusal(row: PaidRow | undefined): GatewayError {
  const refusal = Refusal.safeParse(JSON.parse(row?.refusal ?? 'null'));
  const subject = cleanText(row?.subject ?? 'this call', 120);
  return new GatewayError(
    refusal.success ? { service: refusal.data.code } : 'EXECUTION_FAILED',
    refusal.success ? refusal.data.message : `The service refused ${subject}. Nothing was charged.`,
    { kind: 'correct', named: 'message', isUncharged: true },
  );
}

/** Other processes began and ended the same work each time that it was to be written. */
export const begunElsewhere = (what: 'call' | 'batch'): GatewayError =>
  new GatewayError(
    'STORE_UNAVAILABLE',
    `Other processes began and ended the same ${what} several times meanwhile. Nothing was sent.`,
    { kind: 'retry', when: 'now' },
  );

/** The database was restored from a backup that is older than the batch. */
export const lostGroup = (): GatewayError =>
  new GatewayError(
    'STORE_UNAVAILABLE',
    'The database has lost this batch meanwhile. What was not sent by then is not sent.',
    { kind: 'run-rest' },
  );

/** Attempts to begin a call or a batch that other processes begin and end meanwhile. */
export const maxBeginnings = 4;

/** Neither this store nor the service has a job of the caller with that id. */
export function jobNotFound(jobId: string): GatewayError {
  return new GatewayError(
    'JOB_NOT_FOUND',
    `There is no job ${cleanText(jobId, 120)}.`,
    { kind: 'list', of: 'jobs', why: 'all' },
    { job_id: jobId },
  );
}

/** The service accepted the job and does not know it any more. */
export function lostJob(jobId: string, price: number): Refused {
  return toRefusal(
    'JOB_LOST',
    `The service accepted job ${cleanText(jobId, 120)} (${creditsText(price)}) but does not know it any more. It is not run again by itself.`,
    { kind: 'ask', about: 'lost-job' },
    { job_id: jobId, credits_at_stake: price },
  );
}

/** The next step if the service wants a sign-in; `connect_url` is made absolute (specification: POST /task errors). */
export function signInStep(
  error: ApiError,
  action: SearchResult,
  origin: string,
): { next?: NextStep; extra?: JsonObject } {
  if (error.kind !== 'service' || (error.code !== 'AUTH_REQUIRED' && error.code !== 'AUTH_EXPIRED'))
    return {};
  const connectUrl = toServiceAddress(error.extra.connect_url, origin);
  return {
    next:
      connectUrl === undefined
        ? { kind: 'sign-in', account: { catalog: cleanText(action.catalog_slug, 80) }, why: 'needed' }
        : { kind: 'open-page', why: 'connect-url' },
    ...(connectUrl === undefined ? {} : { extra: { connect_url: connectUrl } }),
  };
}
