/**
 * Waiting for a job: one poller for each job however many callers wait, and none once nobody does. The job runs
 * on at the service either way.
 */
import { type ApiError, isApiError } from '../../client/errors.ts';
import type { Answer, Api, StopSignal } from '../../contract/api.ts';
import type { Job } from '../../contract/resources.ts';
import { traced } from '../../tracing/tracing.ts';
import type { Clock } from '../foundation/clock.ts';
import { Stop } from '../foundation/stop.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import { within } from '../paid-calls/within.ts';
import { getEnd } from '../results/job-end.ts';
import { type PollSchedule, pollSchedule } from './poll-schedule.ts';

export type JobEnd =
  | { readonly kind: 'ended'; readonly answer: Answer<Job>; readonly durationMs: number | null }
  /** The service does not know the job, and went on not knowing it for the grace period. */
  | { readonly kind: 'lost' }
  /** The service refuses to answer, or answers unreadably again and again. */
  | { readonly kind: 'error'; readonly error: ApiError };

/** Still running when the wait ended; `job` as it was seen last, undefined where no look came through. */
export interface JobRunning {
  readonly kind: 'running';
  readonly job: Job | undefined;
}

type WatchLimits = Pick<TimeLimits, 'pollMs' | 'lostAfterMs'>;

const unreadableInARow = 3;
/** A poll that took longer does not delay the next one by more. */
const slowestLookMs = 1_000;
/** The time for the poll at the end of a wait in which no poll was due. */
const lastLookMs = 3_000;

export class JobWatches {
  readonly #api: Api;
  readonly #limits: WatchLimits;
  readonly #ending: StopSignal;
  readonly #clock: Clock;
  readonly #watches = new Map<string, JobWatch>();

  /** When `ending` aborts, every wait is at its deadline. */
  constructor(api: Api, limits: WatchLimits, ending: StopSignal, clock: Clock) {
    this.#api = api;
    this.#limits = limits;
    this.#ending = ending;
    this.#clock = clock;
  }

  /**
   * Waits until the job ended, at most until `deadline` (monotonic). `submittedAt` is milliseconds
   * since the epoch, `earlier` are durations of earlier runs. Rejects with the signal's reason when it is aborted.
   */
  async wait(
    job: { id: string; submittedAt: number | undefined; earlier: () => Promise<readonly number[]> },
    options: { signal: AbortSignal; deadline: number },
  ): Promise<JobEnd | JobRunning> {
    const existing = this.#watches.get(job.id);
    const watch = existing ?? new JobWatch(this.#api, this.#limits, job, this.#clock);
    if (existing === undefined) this.#watches.set(job.id, watch);
    try {
      return await watch.wait({ ...options, ending: this.#ending });
    } finally {
      if (watch.idle && this.#watches.get(job.id) === watch) this.#watches.delete(job.id);
    }
  }
}

class JobWatch {
  readonly #api: Api;
  readonly #limits: WatchLimits;
  readonly #jobId: string;
  readonly #clock: Clock;
  /** Undefined for a job of which only the id is known. */
  readonly #submittedAt: number | undefined;
  readonly #earlier: () => Promise<readonly number[]>;
  #waiters = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #seen: Job | undefined;
  #polling: { readonly end: Promise<JobEnd | undefined>; readonly stop: Stop } | undefined;

  constructor(
    api: Api,
    limits: WatchLimits,
    job: { id: string; submittedAt: number | undefined; earlier: () => Promise<readonly number[]> },
    clock: Clock,
  ) {
    this.#api = api;
    this.#limits = limits;
    this.#jobId = job.id;
    this.#submittedAt = job.submittedAt;
    this.#earlier = job.earlier;
    this.#clock = clock;
  }

  get idle(): boolean {
    return this.#waiters === 0;
  }

  async wait({
    signal,
    deadline,
    ending,
  }: {
    signal: AbortSignal;
    deadline: number;
    ending: StopSignal;
  }): Promise<JobEnd | JobRunning> {
    const began = this.#clock.monotonic();
    this.#waiters += 1;
    this.#polling ??= this.#start();
    try {
      const end = await within(this.#polling.end, deadline - began, signal, ending);
      if (end === undefined && this.#answeredAt >= began) return this.#running();
      return end ?? (await this.#lookOnce(signal)) ?? this.#running();
    } finally {
      this.#waiters -= 1;
      if (this.#waiters === 0) {
        this.#polling.stop.now();
        this.#polling = undefined;
      }
    }
  }

  #running(): JobRunning {
    return { kind: 'running', job: this.#seen };
  }

  /** Polls once at the end of the wait: "still running" is never answered without a poll during the call. */
  async #lookOnce(signal: AbortSignal): Promise<JobEnd | undefined> {
    try {
      const answer = await this.#look(signal, lastLookMs);
      this.#seen = answer.body;
      return isEnd(answer.body) ? { kind: 'ended', answer, durationMs: null } : undefined;
    } catch (error) {
      if (!isApiError(error)) throw error;
      // A job of which nothing but an id is known cannot be said to run.
      if (this.#submittedAt === undefined)
        return isMissing(error) ? { kind: 'lost' } : { kind: 'error', error };
      return undefined;
    }
  }

  /** One poll. */
  #look(signal: StopSignal, timeoutMs: number): Promise<Answer<Job>> {
    const attributes = { 'svc_mcp.job.id': this.#jobId };
    return traced('poll job', { attributes }, () => this.#api.getJob(this.#jobId, { signal, timeoutMs }));
  }

  #start(): { end: Promise<JobEnd | undefined>; stop: Stop } {
    const stop = new Stop();
    // Stopped means that nobody waits for this promise any more.
    const end = this.#poll(stop).catch(() => undefined);
    return { end, stop };
  }

  /** Undefined once it is stopped. */
  async #poll(stop: Stop): Promise<JobEnd | undefined> {
    const { now, monotonic } = this.#clock;
    // From here on no correction of the wall clock matters.
    const startedAt = monotonic() - Math.max(0, now() - (this.#submittedAt ?? now()));
    let schedule: PollSchedule | undefined;
    let unreadable = 0;
    let missingSince: number | undefined;
    let lastRunning = startedAt;
    /** How long the last poll took: where the service or this machine is busy, more polls would make it busier. */
    let lookMs = 0;
    for (let first = true; ; first = false) {
      schedule ??= pollSchedule(this.#submittedAt === undefined ? [] : await this.#earlier());
      const elapsed = monotonic() - startedAt;
      const pause = first ? schedule.firstDelay(elapsed) : schedule.nextDelay(elapsed);
      await stop.sleep(Math.max(pause, Math.min(lookMs, slowestLookMs)));
      if (stop.aborted) return undefined;
      const lookedAt = monotonic();
      try {
        const answer = await this.#look(stop, this.#limits.pollMs);
        lookMs = monotonic() - lookedAt;
        if (isEnd(answer.body)) {
          const durationMs =
            this.#submittedAt === undefined
              ? null
              : getDuration(answer.body, monotonic() - startedAt, lastRunning - startedAt);
          return { kind: 'ended', answer, durationMs };
        }
        this.#seen = answer.body;
        lastRunning = monotonic();
        this.#answeredAt = lastRunning;
        unreadable = 0;
        missingSince = undefined;
      } catch (error) {
        if (!isApiError(error) || stop.aborted) throw error;
        if (isMissing(error)) {
          missingSince ??= monotonic();
          const graceMs = this.#submittedAt === undefined ? 0 : this.#limits.lostAfterMs;
          if (monotonic() - missingSince >= graceMs) return { kind: 'lost' };
        } else if (error.kind === 'contract') {
          unreadable += 1;
          if (unreadable >= unreadableInARow) return { kind: 'error', error };
        } else if (error.kind === 'service' && error.httpStatus < 500 && error.httpStatus !== 429) {
          return { kind: 'error', error };
        }
        const retryAfterMs = 'retryAfterMs' in error ? (error.retryAfterMs ?? 0) : 0;
        await stop.sleep(retryAfterMs);
      }
    }
  }
}

const isEnd = (job: Job): boolean => getEnd(job) !== undefined;

const isMissing = (error: ApiError): boolean =>
  (error.kind === 'service' || error.kind === 'contract') && error.httpStatus === 404;

/** A duration that is less exact than this, in milliseconds, is not recorded. */
const vagueMs = 60_000;

/**
 * The job ended between two polls, at the age of `running` (seen running last) and of `noticed`; the service's own
 * figure counts where it lies there. Null where nobody looked for long: such a figure would spoil the poll schedule.
 */
function getDuration(job: Job, noticed: number, running: number): number | null {
  const own = job.execution_ms;
  if (own !== undefined && own >= running && own <= noticed) return Math.max(1, own);
  if (noticed - running > Math.max(vagueMs, running)) return null;
  return Math.max(1, (running + noticed) / 2);
}
