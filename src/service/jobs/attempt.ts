/** One attempt of a job: it runs within its deadline; then the job ends, is retried, or is released. */
import type { Logger } from 'pino';
import type { FailureReason } from '../../contract/errors.ts';
import { startDeadline, withAbort } from '../foundation/time-limit.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import { end, type JobEnd } from './end.ts';
import type { JobSettings } from './job-settings.ts';
import { type Lease, release } from './leases.ts';

/** How a run ended: with the job's end, or with a transient failure of an action that only reads, which may be tried again. */
export type RunOutcome = JobEnd | { readonly status: 'transient'; readonly end: JobEnd };

/** Aborted: the time of the attempt is over, the lease is lost, or the service stops. */
export type JobHandler = (lease: Lease, signal: AbortSignal) => Promise<RunOutcome>;

/** Transient failures are retried less often than lost leases, which say nothing about the job. */
const maxTransientAttempts = 3;

interface AttemptTools {
  readonly database: ServiceDatabase;
  readonly handler: JobHandler;
  readonly settings: JobSettings;
  /** Aborted when the lease is lost, or the service stops. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

export interface AttemptResult {
  readonly hasEnded: boolean;
  /** The code of its end, if that is a failure. */
  readonly failure?: string | undefined;
  /** Milliseconds until it may be tried again. */
  readonly retryMs?: number | undefined;
}

/** Rejects if the database fails: the lease then expires, and the job runs again. */
export async function runAttempt(lease: Lease, tools: AttemptTools): Promise<AttemptResult> {
  const { database, settings, signal, log } = tools;
  const outcome = await runHandler(lease, tools);
  if (signal.aborted) {
    await release(database, lease, { uncounted: true });
    log.info({ reason: String(signal.reason) }, 'The job was handed back');
    return { hasEnded: false };
  }
  const jobEnd = outcome.status === 'transient' ? outcome.end : outcome;
  const failure = jobEnd.status === 'failed' ? jobEnd.code : undefined;
  if (outcome.status === 'transient' && lease.attempts < maxTransientAttempts) {
    const spread = 2 ** (lease.attempts - 1) * (0.5 + Math.random());
    const retryMs = Math.round(settings.retryDelay * spread);
    await release(database, lease, { delayMs: retryMs });
    log.info({ retryMs }, 'The job failed and will be tried again');
    return { hasEnded: false, failure, retryMs };
  }
  const hasEnded = await end(database, lease, jobEnd);
  if (hasEnded) log.info({ status: jobEnd.status, executionMs: jobEnd.executionMs }, 'The job has ended');
  else log.warn('The job was claimed by another process meanwhile; this result is discarded');
  return { hasEnded, failure };
}

/** Starts the attempt's deadline. A handler that ignores it delays nothing. */
async function runHandler(
  lease: Lease,
  { handler, settings, signal, log }: AttemptTools,
): Promise<RunOutcome> {
  const { maxAttempts, timeLimit } = settings;
  const started = performance.now();
  const failed = (code: string, message: string, reason?: FailureReason): JobEnd => ({
    status: 'failed',
    code,
    message,
    reason,
    executionMs: Math.round(performance.now() - started),
  });
  if (lease.attempts > maxAttempts)
    return failed(
      'EXECUTION_FAILED',
      `The job was given up after ${maxAttempts} attempts that did not finish`,
    );
  const [subject, timeout] = lease.kind === 'build' ? ['build', 'TIMEOUT'] : ['action', 'EXECUTION_FAILED'];
  const deadline = startDeadline(timeLimit, signal);
  try {
    signal.throwIfAborted();
    const outcome = await withAbort(handler(lease, deadline.signal), deadline.signal);
    if (!deadline.isOver()) return outcome;
  } catch (error) {
    if (!deadline.signal.aborted) log.error({ err: error }, 'A job failed unexpectedly');
    if (!deadline.isOver()) return failed('EXECUTION_FAILED', `The ${subject} failed unexpectedly`);
  } finally {
    deadline.clear();
  }
  return failed(timeout, `The ${subject} took longer than ${timeLimit / 1000} s`, 'site_unavailable');
}
