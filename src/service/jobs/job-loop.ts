/** Leases jobs and runs them, as many at a time as the limits allow, until it is stopped. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Span, traced } from '../../tracing/tracing.ts';
import type { JobKind, ServiceDatabase } from '../database/schema.ts';
import type { CrashHook } from '../foundation/crash-points.ts';
import { finishJob, type JobEnd } from './finishing.ts';
import type { JobLoopSettings } from './job-loop-settings.ts';
import { type LeasedJob, LeasedJobs } from './leased-jobs.ts';
import { type Lease, leaseJobs, releaseLease, renewLeases } from './leases.ts';
import { WakeablePause } from './wakeable-pause.ts';

/** How a run ended: with the job's end, or with a transient failure of an action that only reads, which may be tried again. */
export type RunOutcome = JobEnd | { readonly status: 'transient'; readonly end: JobEnd };

/** Never rejects because of the job itself. Aborted: the lease is lost, or the service stops. */
export type JobHandler = (lease: Lease, signal: AbortSignal) => Promise<RunOutcome>;

/** Milliseconds between polls for jobs of other processes and jobs whose lease ended, for which nobody wakes the loop. */
const pollInterval = 1_000;
/** Transient failures are tried again less often than lost leases, which say nothing about the job. */
const maxTransientAttempts = 3;

export class JobLoop {
  readonly #owner = randomUUID();
  readonly #database: ServiceDatabase;
  readonly #handlers: Readonly<Record<JobKind, JobHandler>>;
  readonly #settings: JobLoopSettings;
  readonly #logger: Logger;
  readonly #crashPoint: CrashHook;
  readonly #leased: LeasedJobs;
  /** The lease that is under way. */
  #leasing: Promise<unknown> | undefined;
  #stopping = false;
  readonly #pause = new WakeablePause();
  #loop: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  /** A database that does not answer is asked once. */
  #renewing = false;

  constructor(options: {
    database: ServiceDatabase;
    handlers: Readonly<Record<JobKind, JobHandler>>;
    settings: JobLoopSettings;
    logger: Logger;
    crashPoint: CrashHook;
  }) {
    this.#database = options.database;
    this.#handlers = options.handlers;
    this.#settings = options.settings;
    this.#leased = new LeasedJobs(options.settings);
    this.#logger = options.logger;
    this.#crashPoint = options.crashPoint;
  }

  /** The name under which this process leases. */
  get owner(): string {
    return this.#owner;
  }

  get settings(): JobLoopSettings {
    return this.#settings;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Keeps room for one more job to start at once; returns how to give it up, or undefined where there is none. */
  reserveRoom(): (() => void) | undefined {
    return this.#stopping ? undefined : this.#leased.reserve();
  }

  start(): void {
    this.#loop = this.#run();
    this.#renewal = setInterval(() => void this.#renew(), this.#settings.leaseDuration / 3);
    this.#renewal.unref();
  }

  /** There may be something to lease. */
  wake(): void {
    this.#pause.wake();
  }

  /**
   * Runs a job that the caller leased for this process when it created it; `heldSince`: `performance.now()` before that.
   * True when it has ended; false if it was handed back and will end elsewhere or later.
   */
  runLeased(lease: Lease, heldSince: number): Promise<boolean> {
    const leasedJob = this.#leased.add(lease, heldSince);
    if (this.#stopping && !leasedJob.started) void this.#handBack(leasedJob);
    else this.#startLeased();
    return leasedJob.end;
  }

  /** Leases nothing more, lets running jobs end within the grace, and hands the others back. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#loop;
    const deadline = performance.now() + this.#settings.stopGrace;
    for (const leasedJob of this.#leased.list()) if (!leasedJob.started) await this.#handBack(leasedJob);
    while (this.#leased.size > 0) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0)
        for (const leasedJob of this.#leased.list()) leasedJob.abort.abort(new Error('The service stops'));
      await this.#pause.wait(remainingMs > 0 ? remainingMs : 50);
    }
    clearInterval(this.#renewal);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      let leased = 0;
      try {
        const leasing = this.#lease();
        this.#leasing = leasing.catch(() => undefined);
        leased = await leasing;
      } catch (error) {
        this.#logger.error({ err: error }, 'Jobs cannot be leased; trying again');
      }
      if (leased === 0) await this.#pause.wait(pollInterval);
    }
  }

  async #lease(): Promise<number> {
    const { free } = this.#leased;
    if (free <= 0) return 0;
    const heldSince = performance.now();
    const leases = await leaseJobs(this.#database, this.#owner, {
      free,
      perSite: this.#settings.concurrencyPerSite,
      builds: this.#settings.concurrentBuilds,
      leaseDuration: this.#settings.leaseDuration,
    });
    if (leases.length > 0) this.#crashPoint('lease.after-commit');
    for (const lease of leases) void this.runLeased(lease, heldSince);
    return leases.length;
  }

  /** Starts what is held as far as the limits allow. */
  #startLeased(): void {
    // During a stop, jobs that have not started are handed back, and another process may start them.
    if (this.#stopping) return;
    for (const leasedJob of this.#leased.startable()) {
      leasedJob.started = true;
      void this.#execute(leasedJob);
    }
  }

  /** Within the trace of the request that created the job. */
  #execute(leasedJob: LeasedJob): Promise<void> {
    const { id, kind, actionId, attempts, traceparent } = leasedJob.lease;
    const attributes = {
      'svc_mcp.job.id': id,
      'svc_mcp.job.attempt': attempts,
      'svc_mcp.action.id': actionId ?? undefined,
    };
    const parent = traceparent === null ? undefined : { traceparent };
    return traced(`run ${kind}`, { kind: 'consumer', attributes, parent }, (span) =>
      this.#attempt(leasedJob, span),
    );
  }

  async #attempt(leasedJob: LeasedJob, span: Span): Promise<void> {
    const { id, attempts } = leasedJob.lease;
    const log = this.#logger.child({ job: id, attempt: attempts });
    try {
      if (!(await this.#isHeld(leasedJob))) {
        log.warn('The lease ended before the job could be started; whoever leases it next runs it');
        this.#forget(leasedJob, false);
        return;
      }
      const outcome = await this.#runHandler(leasedJob);
      const ended = outcome.status === 'transient' ? outcome.end : outcome;
      if (ended.status === 'failed') span.fail(ended.code);
      this.#crashPoint('run.after');
      if (leasedJob.abort.signal.aborted) {
        await this.#handBack(leasedJob);
        return;
      }
      if (outcome.status === 'transient' && attempts < maxTransientAttempts) {
        const spread = 2 ** (attempts - 1) * (0.5 + Math.random());
        const delayMs = Math.round(this.#settings.retryDelay * spread);
        await this.#release(leasedJob, { delayMs });
        log.info({ delayMs }, 'The job failed and will be tried again');
        this.#forget(leasedJob, false);
        setTimeout(() => this.wake(), delayMs).unref();
        return;
      }
      const finished = await this.#finish(leasedJob, ended);
      if (finished) log.info({ status: ended.status, executionMs: ended.executionMs }, 'The job has ended');
      else log.warn('The job was leased by another process meanwhile; this result is discarded');
      this.#forget(leasedJob, finished);
    } catch (error) {
      // Nothing could be written: the lease ends by itself, and the job runs again.
      log.error({ err: error }, "The job's start or end could not be written");
      this.#forget(leasedJob, false);
    }
  }

  /**
   * False if another process may have run the job since it was leased, because the answer, or the job's turn, came after
   * the lease had ended.
   */
  async #isHeld(leasedJob: LeasedJob): Promise<boolean> {
    if (performance.now() - leasedJob.heldSince < this.#settings.leaseDuration) return true;
    return (await this.#prolong([leasedJob])).length === 0;
  }

  /** False, and nothing is written, if another process has leased the job meanwhile. */
  async #finish(leasedJob: LeasedJob, end: JobEnd): Promise<boolean> {
    for (;;) {
      const { lease } = leasedJob;
      if (await finishJob(this.#database, lease, end, this.#crashPoint)) return true;
      // This process may have leased it anew, which it hears with the answer.
      await this.#leasing;
      if (leasedJob.lease === lease) return false;
    }
  }

  async #runHandler({ lease, abort }: LeasedJob): Promise<RunOutcome> {
    if (lease.attempts > this.#settings.maxAttempts) {
      return {
        status: 'failed',
        code: 'EXECUTION_FAILED',
        message: `The job was given up after ${this.#settings.maxAttempts} attempts that did not finish`,
        executionMs: 0,
      };
    }
    const started = performance.now();
    try {
      abort.signal.throwIfAborted();
      // A handler that ignores the signal must not delay a shutdown.
      const aborted = new Promise<never>((_resolve, reject) => {
        abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true });
      });
      return await Promise.race([this.#handlers[lease.kind](lease, abort.signal), aborted]);
    } catch (error) {
      if (!abort.signal.aborted)
        this.#logger.error({ err: error, job: lease.id }, 'A job failed unexpectedly');
      return {
        status: 'failed',
        code: 'EXECUTION_FAILED',
        message: 'The action failed unexpectedly',
        executionMs: Math.round(performance.now() - started),
      };
    }
  }

  async #handBack(leasedJob: LeasedJob): Promise<void> {
    try {
      await this.#release(leasedJob, { uncounted: true });
    } catch (error) {
      this.#logger.warn(
        { err: error, job: leasedJob.lease.id },
        'A job could not be released; its lease expires soon',
      );
    }
    this.#forget(leasedJob, false);
  }

  /** From now on a new lease of the job, also one that is under way in this process, starts it anew. */
  #release(leasedJob: LeasedJob, options: Parameters<typeof releaseLease>[2]): Promise<void> {
    leasedJob.released = true;
    return releaseLease(this.#database, leasedJob.lease, options);
  }

  #forget(leasedJob: LeasedJob, finished: boolean): void {
    this.#leased.remove(leasedJob);
    leasedJob.resolveEnd(finished);
    this.#startLeased();
    this.wake();
  }

  /** Prolongs the leases of the jobs; returns those that this process has lost. */
  async #prolong(leasedJobs: readonly LeasedJob[]): Promise<LeasedJob[]> {
    const heldSince = performance.now();
    const leases = leasedJobs.map(({ lease }) => lease);
    const renewed = await renewLeases(this.#database, this.#owner, leases, this.#settings.leaseDuration);
    for (const leasedJob of leasedJobs) if (renewed.has(leasedJob.lease.id)) leasedJob.heldSince = heldSince;
    return leasedJobs.filter(({ lease }) => !renewed.has(lease.id));
  }

  async #renew(): Promise<void> {
    const leasedJobs = this.#leased.list();
    if (leasedJobs.length === 0) return;
    if (this.#renewing) return this.#leased.abortEnded();
    this.#renewing = true;
    try {
      for (const { abort } of await this.#prolong(leasedJobs)) abort.abort(new Error('The lease was lost'));
    } catch (error) {
      this.#logger.warn({ err: error }, 'Leases cannot be renewed');
      this.#leased.abortEnded();
    } finally {
      this.#renewing = false;
    }
  }
}
