/** The messages of handles, by what stands behind them. */

import { GatewayError } from '../errors/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { Handle } from '../interface/gateway.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Intent } from '../store/intents.ts';
import { ownJobId } from '../store/job-ids.ts';
import type { BatchProgress } from '../store/kept-batches.ts';

/** What stands behind a handle: a paid call, a batch of them, or an answer that cost nothing. */
export type HandleSource =
  | { readonly kind: 'call'; readonly intent: Intent }
  | { readonly kind: 'batch'; readonly progress: BatchProgress }
  | { readonly kind: 'answer'; readonly answer: JsonObject };

export function describeState(state: Handle['state'], source: HandleSource): string {
  switch (source.kind) {
    case 'answer':
      return 'The call has been answered.';
    case 'batch':
      return batchMessage(state, source.progress);
    case 'call':
      return callMessage(state, source.intent);
  }
}

function batchMessage(state: Handle['state'], { batch, rows, ended, completed }: BatchProgress): string {
  const subject = `The batch of ${rows.length} runs of ${cleanText(batch.action_id, 120)} (job ${batch.id})`;
  if (state === 'under-way') return `${subject} is under way: ${ended} of them have ended.`;
  if (state === 'given-up') {
    return `Waiting was cancelled. ${subject} sends nothing more; the paid jobs keep running and stay readable: ${describeReadingBatch(batch.id)}`;
  }
  return `${subject} has ended: ${completed} of them completed.`;
}

function callMessage(state: Handle['state'], intent: Intent): string {
  const description = `${intent.kind === 'build' ? 'The build for' : 'The run of'} ${cleanText(intent.subject, 120)}`;
  const job = intent.job_id === null ? '' : ` (job ${cleanText(intent.job_id, 120)})`;
  switch (state) {
    case 'under-way':
      return `${description}${job} is under way and paid for; it goes on by itself.`;
    case 'completed':
      return `${description}${job} has completed.`;
    case 'failed':
      return intent.state === 'unknown'
        ? `It is not known whether the service accepted ${cleanText(intent.subject, 120)}; it is not sent again by itself.`
        : `${description}${job} has failed.`;
    case 'given-up':
      return `Waiting was cancelled. ${description}${job} is paid for, keeps running and stays readable: ${describeReadingCall(intent)}`;
  }
}

const describeReadingBatch = (id: string) => `get_job ${JSON.stringify({ job_id: id })}.`;

function describeReadingCall(intent: Intent): string {
  return intent.kind === 'build'
    ? `list_build_requests ${JSON.stringify({ id: intent.job_id ?? undefined })}.`
    : `get_job ${JSON.stringify({ job_id: intent.job_id ?? ownJobId(intent.id) })}.`;
}

/** How to read it without the handle, and the id of the job. */
function describeReading(source: Exclude<HandleSource, { kind: 'answer' }>) {
  if (source.kind === 'batch') {
    const { id } = source.progress.batch;
    return { reading: describeReadingBatch(id), extra: { job_id: id } };
  }
  const { job_id } = source.intent;
  return { reading: describeReadingCall(source.intent), extra: job_id === null ? {} : { job_id } };
}

export function handleGivenUp(source: HandleSource): GatewayError {
  if (source.kind === 'answer') {
    return new GatewayError('CANCELLED', 'It was cancelled.', 'Call again if it is still wanted.');
  }
  const { reading, extra } = describeReading(source);
  return new GatewayError('CANCELLED', describeState('given-up', source), `Call ${reading}`, extra);
}

/** The answer for a paid call that has ended but whose result the service does not return at the moment. */
export function resultUnavailable(source: Exclude<HandleSource, { kind: 'answer' }>): GatewayError {
  const { reading, extra } = describeReading(source);
  return new GatewayError(
    'SERVICE_UNREACHABLE',
    'The call has ended, but its result is temporarily unavailable. It is not lost.',
    `Ask again in a moment, or call ${reading}`,
    extra,
  );
}
