/** A job's end as the caller gets it, within the result budget. */
import type { Job } from '../../contract/resources.ts';
import type { Completed, Failed, JsonObject, Processing } from '../outcomes.ts';
import { cleanText, quoted } from '../text.ts';
import { type Cut, isDeep, preview } from './preview.ts';

export interface Attachment {
  readonly attached: true;
  /** RFC 3339 UTC. */
  readonly submitted_at: string;
}

/**
 * The body of a job that ended. `textLength` is the length of the JSON text of its data, where it is known: it
 * spares encoding a large result only to measure it.
 */
export function endBody(
  jobId: string,
  job: Job,
  options: { budget: number; textLength: number; attachment?: Attachment | undefined },
): Completed | Failed {
  const attachment = options.attachment ?? {};
  if (job.status === 'failed') return { ...failedBody(jobId, job), ...attachment };
  const { status: _status, data = null, credits_used, execution_ms, error: _error, ...others } = job;
  return {
    status: 'completed',
    job_id: jobId,
    ...fitted(jobId, data, options),
    credits_used: credits_used ?? null,
    execution_ms: execution_ms ?? null,
    ...others,
    ...attachment,
  };
}

/** How long the JSON text of an answer's data is, from the text of the whole answer. */
export function dataLength(job: Job, text: string): number {
  return text.length - JSON.stringify({ ...job, data: null }).length + 'null'.length;
}

function fitted(
  jobId: string,
  data: unknown,
  { budget, textLength }: { budget: number; textLength: number },
): { data: unknown; truncated?: JsonObject } {
  // A text much longer than the budget is not only white space: its length will do, and spares encoding it.
  const encodes = textLength > budget && textLength <= 8 * budget && !isDeep(data);
  const totalChars = encodes ? JSON.stringify(data).length : textLength;
  if (totalChars <= budget && !isDeep(data)) return { data };
  const shown = preview(data, budget);
  return { data: shown.data, truncated: { total_chars: totalChars, next: nextPart(jobId, shown.cut) } };
}

/** The call that reads on where the preview stops. */
export function nextPart(jobId: string, cut: Cut | undefined): string {
  const path = cut?.kind === 'object' ? `items(${cut.path === '' ? '@' : cut.path})` : (cut?.path ?? '');
  const request: JsonObject = { job_id: jobId };
  if (path !== '') request.path = path;
  request.offset = cut?.kind === 'object' ? 0 : (cut?.shown ?? 0);
  return `Call get_job ${JSON.stringify(request)} for the rest; it costs nothing.`;
}

function failedBody(jobId: string, job: Job): Failed {
  const { status: _status, data: _data, credits_used, execution_ms: _ms, error, ...others } = job;
  return {
    status: 'failed',
    job_id: jobId,
    error: {
      code: cleanText(error?.code ?? 'EXECUTION_FAILED', 60),
      message: `The service says: ${quoted(error?.message ?? '')}`,
    },
    credits_used: credits_used ?? 0,
    ...others,
    next: `The credits were refunded; ${afterFailure(error?.code)}`,
  };
}

/** A job can find the account signed out that it was started with. */
const afterFailure = (code: string | undefined): string =>
  code === 'AUTH_EXPIRED' || code === 'AUTH_REQUIRED'
    ? "call login with this action's catalog and the account's name, then repeat the call."
    : 'check the params, and run it again only if something about them or the site changed.';

export function processingBody(jobId: string, attachment?: Attachment): Processing {
  return {
    status: 'processing',
    job_id: jobId,
    ...attachment,
    next: `Call get_job ${JSON.stringify({ job_id: jobId, wait_seconds: 45 })} to go on waiting; the job runs on and is not charged again.`,
  };
}
