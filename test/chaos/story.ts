/** Everything known of one call at the end of a record. */
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import type { PaidRow } from '../../src/gateway/store/schema.ts';
import type { PaidRequest } from '../support/fault-proxy.ts';
import { type Asked, isEnd, jobIdOf } from './asked.ts';
import type { CallName } from './calls.ts';
import type { Accepted, RunRecord } from './run-record.ts';

export interface Story {
  readonly call: CallName;
  readonly intents: readonly PaidRow[];
  readonly posts: readonly PaidRequest[];
  readonly accepted: readonly Accepted[];
  readonly asked: readonly Asked[];
}

export async function tell(record: RunRecord, call: CallName): Promise<Story> {
  return {
    call,
    intents: await record.intents(call),
    posts: record.posts(call),
    accepted: record.accepted(call),
    asked: record.asked.filter((asked) => asked.call === call || asked.jobId !== undefined),
  };
}

/** In the order of time: a failure that depends on it may not come again. Milliseconds since the first request. */
export function describeStory({ intents, posts, accepted, asked }: Story): string {
  const start = asked[0]?.from ?? 0;
  const at = (time: number | undefined) => (time === undefined ? '' : Math.round(time - start));
  const lines = [
    ...asked.map(({ call, jobId, resubmit, from, to, body, failure }) => ({
      time: from,
      text: `asked ${call ?? `for ${jobId}`}${resubmit ? ' with resubmit' : ''} until ${at(to)}: ${failure ?? JSON.stringify({ ...body, data: undefined, next: undefined })}`,
    })),
    ...posts.map(({ at, key, fault, forwarded, answered }) => ({
      time: at,
      text: `request ${JSON.stringify({ key, fault, forwarded, answered })}`,
    })),
    ...accepted.map(({ startedAt, id }) => ({ time: startedAt, text: `the service accepted ${id}` })),
  ].sort((one, other) => one.time - other.time);
  return [
    ...lines.map(({ time, text }) => `    ${at(time)} ${text}`),
    ...intents.map((intent) => `    ${JSON.stringify(intent)}`),
  ].join('\n');
}

/** Whether the answer, or a row of the batch that was asked for, says how the job ended. */
export function tellsTheEnd({ body }: Pick<Asked, 'body'>, job: Accepted): boolean {
  if (body === undefined) return false;
  const { error, rows } = body;
  if (Array.isArray(rows)) return rows.some((row) => tellsTheEnd({ body: { ...Object(row) } }, job));
  if (body.status === 'error') {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'JOB_LOST'
      ? 'job_id' in error && error.job_id === job.id
      : false;
  }
  if (!isEnd(body)) return false;
  const jobId = jobIdOf(body);
  // A sync action's job has an id of the gateway's.
  return jobId === job.id || String(jobId).startsWith('local-');
}

export function jobsOf(listed: JsonObject | undefined): { job_id?: unknown; status?: unknown }[] {
  return Array.isArray(listed?.jobs) ? listed.jobs : [];
}

/** The posts of each request: with an idempotency key the same request may be sent again. */
export function requestsOf(posts: readonly PaidRequest[]): PaidRequest[][] {
  const byKey = new Map<unknown, PaidRequest[]>();
  for (const post of posts) {
    const key = post.key ?? post;
    byKey.set(key, [...(byKey.get(key) ?? []), post]);
  }
  return [...byKey.values()];
}
