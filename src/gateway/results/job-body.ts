/** A job's end as the caller gets it, within the result budget. */
import * as z from 'zod';
import { FailureReason, toErrorCode } from '../../contract/errors.ts';
import type { Job } from '../../contract/resources.ts';
import { cleanText, quoted, toVisibleMembers } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { Completed, Failed, JsonObject, Processing, ViewRequest } from '../interface/outcomes.ts';
import type { PaidRow } from '../store/schema.ts';
import { type Cut, type ShownData, show } from './preview.ts';

/** Marks an answer that comes from an earlier run of the same call. */
export interface Attachment {
  readonly attached: true;
  /** RFC 3339 UTC. */
  readonly submitted_at: string;
  readonly next?: NextStep;
}

/** What is known of a run beside the service's answer. */
export interface RunFacts {
  /** The account's name, null for an anonymous run; undefined where the action has no accounts. */
  readonly account?: string | null | undefined;
  /** Milliseconds since the epoch. */
  readonly completedAt?: number | undefined;
  /** Whether an earlier answer told what the job cost. */
  readonly isTold?: boolean | undefined;
  readonly verdict?: RunVerdict | undefined;
}

/** Where a run departs from earlier ones, and how an action of the caller's own is mended; kept as JSON with its end. */
const RunVerdict = z.object({
  doubt: z.string().optional(),
  since: z.string().optional(),
  mend: z.object({ action_id: z.string(), by: z.enum(['edit_action', 'request_build']) }).optional(),
});
export type RunVerdict = z.infer<typeof RunVerdict>;

export function runFacts(row: Pick<PaidRow, 'account' | 'finished_at' | 'drift'> | undefined): RunFacts {
  if (row === undefined) return { completedAt: Date.now() };
  return {
    account: row.account === null ? undefined : row.account || null,
    completedAt: row.finished_at ?? Date.now(),
    verdict: row.drift === null ? undefined : RunVerdict.parse(JSON.parse(row.drift)),
  };
}

/** What an answer shows of a result. */
export interface VisibleData {
  readonly data: unknown;
  readonly truncated?: JsonObject;
  readonly page?: JsonObject;
  readonly next?: NextStep;
  readonly [member: string]: unknown;
}

interface DataSize {
  readonly budget: number;
  readonly textLength: number;
  /** For a large result whose data stayed in the worker process: what that process shows of it. */
  readonly shown?: ShownData | 'unreadable' | undefined;
}

/** Undefined while it runs: only two words are an end, whatever stands beside another (specification: GET /jobs/{id}). */
export const getEnd = ({ status }: Job): 'completed' | 'failed' | undefined =>
  status === 'completed' || status === 'failed' ? status : undefined;

/** The service's own word for an unknown status. */
export const serviceStatus = ({ status }: Job): { service_status?: string } =>
  ['completed', 'failed', 'processing'].includes(status) ? {} : { service_status: cleanText(status, 60) };

/**
 * The body of a job that ended. `textLength` is the length of the JSON text of its data, where it is known: it
 * spares encoding a large result only to measure it.
 */
export function endBody(
  jobId: string,
  job: Job,
  options: DataSize & { attachment?: Attachment | undefined } & RunFacts,
): Completed | Failed {
  if (getEnd(job) === 'failed') return { ...options.attachment, ...failedBody(jobId, job, options) };
  const { budget, textLength, shown = show(job.data ?? null, budget, textLength) } = options;
  return completedBody(jobId, job, options, toVisible(jobId, shown, textLength));
}

/** `data` comes last, because clients cut the end of long answers. */
export function completedBody(
  jobId: string,
  job: Job,
  { attachment, ...facts }: { attachment?: Attachment | undefined } & RunFacts,
  { data, ...visibleData }: VisibleData,
): Completed {
  // The result of a sync job is kept under another id than the service's.
  const { status: _status, data: _data, job_id: _id, error: _error, ...members } = withoutOurs(job);
  const { credits_used: _cost, job_credits: _credits, execution_ms, ...others } = members;
  return {
    status: 'completed',
    job_id: jobId,
    ...toAccountMember(facts),
    ...costMembers(job, facts),
    execution_ms: execution_ms ?? null,
    ...completedAt(facts),
    ...driftMember(facts),
    ...serviceStatus(job),
    ...others,
    ...attachment,
    ...visibleData,
    data,
  };
}

/** `next` only where the caller can have the action mended. */
function driftMember({ verdict }: RunFacts): { drift?: JsonObject } {
  if (verdict?.doubt === undefined) return {};
  const { mend, ...drift } = verdict;
  return { drift: { ...drift, ...(mend && { next: mendStep(mend, 'doubtful') }) } };
}

/** How an action of the caller's own is mended, where its run failed because its site changed. */
export function mendFailed(row: Pick<PaidRow, 'drift' | 'account' | 'finished_at'>): NextStep | undefined {
  const mend = runFacts(row).verdict?.mend;
  return mend && mendStep(mend, 'site-changed');
}

/** `drift` of a run; absent where it is as usual. */
export const driftOf = (row: Pick<PaidRow, 'drift' | 'account' | 'finished_at'>): { drift?: JsonObject } =>
  driftMember(runFacts(row));

function mendStep(
  { action_id, by }: NonNullable<RunVerdict['mend']>,
  state: 'doubtful' | 'site-changed',
): NextStep {
  return by === 'request_build'
    ? { kind: 'build-anew', by: 'goal' }
    : { kind: 'own-action', action_id: cleanText(action_id, 200), state };
}

/** Without members that only we say: a next step, and where one may stand. */
const withoutOurs = ({ next: _next, truncated: _truncated, batch_id: _batch, ...job }: Job): Job => job;

/** The first answer that is delivered tells the cost in `credits_used`; `job_credits` is always there. */
export function costMembers(
  { credits_used: cost = null }: { readonly credits_used?: number | null | undefined },
  { isTold = false }: Pick<RunFacts, 'isTold'>,
): { credits_used: number | null; job_credits: number | null } {
  return { credits_used: isTold ? 0 : cost, job_credits: cost };
}

const toAccountMember = ({ account }: RunFacts) => (account === undefined ? {} : { account });
const completedAt = (facts: RunFacts) =>
  facts.completedAt === undefined ? {} : { completed_at: new Date(facts.completedAt).toISOString() };

/** `shown`: `unreadable` where a large result could not be shown. It is kept all the same. */
function toVisible(jobId: string, shown: ShownData | 'unreadable', textLength: number): VisibleData {
  if (shown === 'unreadable') return { truncated: truncation(jobId, textLength, undefined), data: null };
  const { data, cut, totalChars, alsoCut } = shown;
  return cut === undefined ? { data } : { truncated: truncation(jobId, totalChars, cut, alsoCut), data };
}

/** What a preview left out, and the call that reads on where it stops. */
function truncation(
  jobId: string,
  totalChars: number,
  cut: Cut | undefined,
  alsoCut?: readonly string[],
): JsonObject {
  const rows = cut?.kind === 'array' ? { rows_shown: cut.shownCount, rows_total: cut.total } : {};
  const also = alsoCut === undefined ? {} : { also_cut: alsoCut };
  return { total_chars: totalChars, ...rows, ...also, next: nextPart(jobId, cut) };
}

function nextPart(jobId: string, cut: Cut | undefined): NextStep {
  const path = cut?.kind === 'object' ? `items(${cut.path === '' ? '@' : cut.path})` : (cut?.path ?? '');
  const select = path === '' ? {} : { select: path };
  const offset = cut?.kind === 'object' ? 0 : (cut?.shownCount ?? 0);
  return { kind: 'read', call: { job_id: jobId, ...select, offset }, what: 'rest' };
}

function failedBody(jobId: string, job: Job, facts: RunFacts): Failed {
  const { status: _status, data: _data, job_id: _id, credits_used = 0, error, ...members } = withoutOurs(job);
  const { job_credits: _credits, execution_ms, ...others } = members;
  const { code: said, message, ...details } = error ?? { code: '', message: '' };
  const code = toErrorCode(said) ?? 'EXECUTION_FAILED';
  return {
    status: 'failed',
    job_id: jobId,
    ...toAccountMember(facts),
    error: {
      code,
      message: `The service says: ${quoted(message)}`,
      ...toVisibleMembers(details),
    },
    credits_used: facts.isTold === true ? 0 : credits_used,
    job_credits: credits_used,
    ...(execution_ms === undefined ? {} : { execution_ms }),
    ...completedAt(facts),
    ...serviceStatus(job),
    ...others,
    next: { kind: 'refunded', step: afterFailure(code, details, facts) },
  };
}

/** The next step after a failed job: the account may be signed out by now, or the site may have changed. */
function afterFailure(code: string, { reason }: JsonObject, { verdict }: RunFacts): NextStep {
  if (code === 'AUTH_REQUIRED') return { kind: 'sign-in', account: {}, why: 'perhaps' };
  if (code === 'PAGE_BLOCKED') return { kind: 'mend-run', reason: 'blocked' };
  if (code === 'AUTH_EXPIRED') return { kind: 'sign-in', account: {}, why: 'needed' };
  if (verdict?.mend !== undefined) return mendStep(verdict.mend, 'site-changed');
  const cause = FailureReason.safeParse(code === 'SITE_CHANGED' ? 'page_unfit' : reason);
  return { kind: 'mend-run', reason: cause.data };
}

/** `view`: the part of the result that was asked for. */
export function processingBody(
  jobId: string,
  {
    attached,
    submitted_at,
    service_status,
  }: { attached?: unknown; submitted_at?: unknown; service_status?: unknown } = {},
  { select, format }: ViewRequest = {},
): Processing {
  const call = {
    job_id: jobId,
    wait_seconds: 45,
    select,
    format: format === 'csv' ? format : undefined,
  };
  return {
    status: 'processing',
    job_id: jobId,
    ...(attached === true ? { attached, submitted_at } : {}),
    ...(service_status === undefined ? {} : { service_status }),
    next: { kind: 'wait', for: 'job', call },
  };
}
