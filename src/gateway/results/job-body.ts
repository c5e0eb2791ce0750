/** A job's end as the caller gets it, within the result budget. */
import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { FailureReason } from '../../contract/errors.ts';
import type { Job } from '../../contract/resources.ts';
import { buildCostText, cleanText, quoted, toVisibleMembers } from '../foundation/text.ts';
import type { Completed, Failed, JsonObject, Processing, ViewRequest } from '../interface/outcomes.ts';
import type { PaidRow } from '../store/schema.ts';
import { type Cut, type ShownData, show } from './preview.ts';

/** Marks an answer that comes from an earlier run of the same call. */
export interface Attachment {
  readonly attached: true;
  /** RFC 3339 UTC. */
  readonly submitted_at: string;
  readonly next?: string;
}

/** What is known of a run beside the service's answer. */
export interface RunFacts {
  /** The account's name, null for an anonymous run; undefined where the action has no accounts. */
  readonly account?: string | null | undefined;
  /** Milliseconds since the epoch. */
  readonly completedAt?: number | undefined;
  /** Whether an earlier answer told what the job cost. */
  readonly isTold?: boolean | undefined;
}

export function runFacts(row: Pick<PaidRow, 'account' | 'finished_at'> | undefined): RunFacts {
  if (row === undefined) return { completedAt: Date.now() };
  return {
    account: row.account === null ? undefined : row.account || null,
    completedAt: row.finished_at ?? Date.now(),
  };
}

/** What an answer shows of a result. */
export interface VisibleData {
  readonly data: unknown;
  readonly truncated?: JsonObject;
  readonly page?: JsonObject;
  readonly next?: string;
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
  const { status: _status, data: _data, job_id: _id, error: _error, ...members } = job;
  const { credits_used: _cost, job_credits: _credits, execution_ms, ...others } = members;
  return {
    status: 'completed',
    job_id: jobId,
    ...toAccountMember(facts),
    ...costMembers(job, facts),
    execution_ms: execution_ms ?? null,
    ...completedAt(facts),
    ...serviceStatus(job),
    ...others,
    ...attachment,
    ...visibleData,
    data,
  };
}

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
  const { data, cut, totalChars } = shown;
  return cut === undefined ? { data } : { truncated: truncation(jobId, totalChars, cut), data };
}

/** What a preview left out, and the call that reads on where it stops. */
function truncation(jobId: string, totalChars: number, cut: Cut | undefined): JsonObject {
  const rows = cut?.kind === 'array' ? { rows_shown: cut.shownCount, rows_total: cut.total } : {};
  return { total_chars: totalChars, ...rows, next: nextPart(jobId, cut) };
}

function nextPart(jobId: string, cut: Cut | undefined): string {
  const path = cut?.kind === 'object' ? `items(${cut.path === '' ? '@' : cut.path})` : (cut?.path ?? '');
  const request: JsonObject = { job_id: jobId };
  if (path !== '') request.select = path;
  request.offset = cut?.kind === 'object' ? 0 : (cut?.shownCount ?? 0);
  return `Call get_job ${JSON.stringify(request)} for the rest; it costs nothing.`;
}

function failedBody(jobId: string, job: Job, facts: RunFacts): Failed {
  const { status: _status, data: _data, job_id: _id, credits_used = 0, error, ...members } = job;
  const { job_credits: _credits, execution_ms, ...others } = members;
  const { code, message, ...details } = error ?? { code: 'EXECUTION_FAILED', message: '' };
  return {
    status: 'failed',
    job_id: jobId,
    ...toAccountMember(facts),
    error: {
      code: cleanText(code, 60),
      message: `The service says: ${quoted(message)}`,
      ...toVisibleMembers(details),
    },
    credits_used: facts.isTold === true ? 0 : credits_used,
    job_credits: credits_used,
    ...(execution_ms === undefined ? {} : { execution_ms }),
    ...completedAt(facts),
    ...serviceStatus(job),
    ...others,
    next: `The credits were refunded; ${afterFailure(code, details)}`,
  };
}

/** How the service says that an own action can be built again in place. */
const Rebuild = z.object({
  website_url: z.string(),
  goal: z.string(),
  choose: BuildChoice.optional(),
  visibility: z.string(),
  force: z.literal(true),
});

/** The next step after a failed job: the account may be signed out by now, or the site may have changed. */
function afterFailure(code: string, { reason, rebuild }: JsonObject): string {
  if (code === 'AUTH_REQUIRED')
    return "if this action's catalog has a sign-in, call login with it, then repeat the call; else no tool can sign in there: ask for a public page.";
  if (code === 'PAGE_BLOCKED')
    return 'ask for another page, or read this one in a browser: running the action again ends the same way.';
  if (code === 'AUTH_EXPIRED')
    return "sign in again: call login with this action's catalog and the identity's name as identity_name, then repeat the call.";
  const { data: request } = Rebuild.safeParse(rebuild);
  if (code === 'SITE_CHANGED' && request !== undefined) {
    const call = {
      ...request,
      website_url: cleanText(request.website_url, 500),
      goal: cleanText(request.goal, 1_000),
    };
    return `to rebuild the action in place under the same name, ask the user and call request_build ${JSON.stringify(call)} (${buildCostText}).`;
  }
  const { data: cause } = FailureReason.safeParse(code === 'SITE_CHANGED' ? 'page_unfit' : reason);
  return cause === undefined ? generalAdvice : advices[cause];
}

/** `view`: the part of the result that was asked for. */
export function processingBody(
  jobId: string,
  {
    attached,
    submitted_at,
    service_status,
  }: { attached?: unknown; submitted_at?: unknown; service_status?: unknown } = {},
  { path, format }: ViewRequest = {},
): Processing {
  const call = {
    job_id: jobId,
    wait_seconds: 45,
    select: path,
    format: format === 'csv' ? format : undefined,
  };
  return {
    status: 'processing',
    job_id: jobId,
    ...(attached === true ? { attached, submitted_at } : {}),
    ...(service_status === undefined ? {} : { service_status }),
    next: `Call get_job ${JSON.stringify(call)} to continue waiting; the job keeps running and is not charged again.`,
  };
}

/** The next step after a failed run, by the reason that the service gives. */
const advices: Readonly<Record<FailureReason, string>> = {
  site_unavailable:
    'the website was not available: run the action again in some minutes. A failed run costs nothing.',
  page_missing:
    'check the param that names the page. Another action of this website may list what exists: search_actions finds it; free.',
  address_refused: 'give the address of a public http or https page.',
  origin_not_allowed:
    'the message names the setting that opens the address: ask the person who runs this program, or give a public page.',
  site_unreadable:
    'the message says what is wrong with the website, or with the way to it: running the action again changes nothing before that.',
  robots_disallowed: 'the website does not allow programs on this page: use another page or another source.',
  too_large: 'use params that return less.',
  page_unfit:
    'this page does not have what the action reads: give another page, or find another action with search_actions; free.',
};
const generalAdvice =
  'check the params, and run the action again only after you changed them or the site changed.';
