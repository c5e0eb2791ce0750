/** Leases jobs and runs them, as many at a time as the limits allow, until it is stopped. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Span, traced } from '../../tracing/tracing.ts';
import type { JobKind, ServiceDatabase } from '../database/schema.ts';
import type { CrashHook } from '../foundation/crash-points.ts';
import { finishJob, type JobEnd } from './finishing.ts';
import type { JobLoopSettings } from './job-loop-settings.ts';
import { type Lease, leaseJobs, releaseLease, renewLeases } from './leases.ts';

/** The end of a job, or that it may be tried again: a failure that passes, of something that only reads. */
export type RunOutcome = JobEnd | { readonly status: 'transient'; readonly end: JobEnd };

/** Never rejects because of the job itself. Aborted: the lease is lost, or the service stops. */
export type JobHandler = (lease: Lease, signal: AbortSignal) => Promise<RunOutcome>;

/** Milliseconds between looks for jobs that nobody woke us for: of other processes, or whose lease ended. */
const pollInterval = 1_000;
/** Transient failures are tried again less often than lost leases, which say nothing about the job. */
const maxTransientAttempts = 3;

interface LeasedJob {
  readonly lease: Lease;
  readonly abort: AbortController;
  readonly ended: (finished: boolean) => void;
  started: boolean;
}

export class JobLoop {
  readonly #owner = randomUUID();
  readonly #database: ServiceDatabase;
  readonly #handlers: Readonly<Record<JobKind, JobHandler>>;
  readonly #settings: JobLoopSettings;
  readonly #logger: Logger;
  readonly #crashPoint: CrashHook;
  /** Everything leased: running, or waiting for its turn in this process. */
  readonly #leased = new Map<string, LeasedJob>();
  #stopping = false;
  #wake: (() => void) | undefined;
  #woken = false;
  #loop: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #renewedAt = performance.now();
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
    this.#logger = options.logger;
    this.#crashPoint = options.crashPoint;
  }

  /** The name under which this process leases. */
  get owner(): string {
    return this.#owner;
  }

  get leaseDuration(): number {
    return this.#settings.leaseDuration;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  start(): void {
    this.#loop = this.#run();
    this.#renewal = setInterval(() => void this.#renew(), this.#settings.leaseDuration / 3);
    this.#renewal.unref();
  }

  /** There may be something to lease. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /**
   * Runs a job that the caller leased for this process when it created it.
   * True when it has ended; false if it was handed back and will end elsewhere or later.
   */
  runLeased(lease: Lease): Promise<boolean> {
    const ended = new Promise<boolean>((resolve) => {
      this.#leased.set(lease.id, { lease, abort: new AbortController(), ended: resolve, started: false });
    });
    this.#startLeased();
    return ended;
  }

  /** Leases nothing more, lets running jobs end within the grace, and hands the others back. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#loop;
    const deadline = performance.now() + this.#settings.stopGrace;
    for (const leasedJob of this.#leased.values()) if (!leasedJob.started) await this.#handBack(leasedJob);
    while (this.#leased.size > 0) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0)
        for (const leasedJob of this.#leased.values()) leasedJob.abort.abort(new Error('The service stops'));
      await this.#sleep(remainingMs > 0 ? remainingMs : 50);
    }
    clearInterval(this.#renewal);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      let leased = 0;
      try {
        leased = await this.#lease();
      } catch (error) {
        this.#logger.error({ err: error }, 'Jobs cannot be leased; trying again');
      }
      if (leased === 0) await this.#sleep(pollInterval);
    }
  }

  async #lease(): Promise<number> {
    const free = this.#settings.concurrency - this.#leased.size;
    if (free <= 0) return 0;
    const leases = await leaseJobs(this.#database, this.#owner, {
      free,
      perSite: this.#settings.concurrencyPerSite,
      leaseDuration: this.#settings.leaseDuration,
    });
    if (leases.length > 0) this.#crashPoint('lease.after-commit');
    for (const lease of leases) void this.runLeased(lease);
    return leases.length;
  }

  /** Starts what is held as far as the limits allow; the oldest first. */
  #startLeased(): void {
    const perSite = new Map<string, number>();
    let free = this.#settings.concurrency;
    for (const { started, lease } of this.#leased.values()) {
      if (!started) continue;
      free -= 1;
      perSite.set(lease.site, (perSite.get(lease.site) ?? 0) + 1);
    }
    for (const leasedJob of this.#leased.values()) {
      if (free <= 0) return;
      const onSite = perSite.get(leasedJob.lease.site) ?? 0;
      if (leasedJob.started || onSite >= this.#settings.concurrencyPerSite) continue;
      free -= 1;
      perSite.set(leasedJob.lease.site, onSite + 1);
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
    const { lease } = leasedJob;
    const log = this.#logger.child({ job: lease.id, attempt: lease.attempts });
    try {
      const outcome = await this.#runHandler(leasedJob);
      const ended = outcome.status === 'transient' ? outcome.end : outcome;
      if (ended.status === 'failed') span.fail(ended.code);
      this.#crashPoint('run.after');
      if (leasedJob.abort.signal.aborted) {
        await this.#handBack(leasedJob);
        return;
      }
      if (outcome.status === 'transient' && lease.attempts < maxTransientAttempts) {
        const spread = 2 ** (lease.attempts - 1) * (0.5 + Math.random());
        const delayMs = Math.round(this.#settings.retryDelay * spread);
        await releaseLease(this.#database, lease, { delayMs });
        log.info({ delayMs }, 'The job failed for now and is tried again');
        this.#forget(leasedJob, false);
        setTimeout(() => this.wake(), delayMs).unref();
        return;
      }
      const end = outcome.status === 'transient' ? outcome.end : outcome;
      const finished = await finishJob(this.#database, lease, end, this.#crashPoint);
      if (finished) log.info({ status: end.status, executionMs: end.executionMs }, 'The job has ended');
      else log.warn('The job was leased by another process meanwhile; this result is dropped');
      this.#forget(leasedJob, finished);
    } catch (error) {
      // The database refused. The lease ends by itself, and the job is run again.
      log.error({ err: error }, "The job's end could not be written");
      this.#forget(leasedJob, false);
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
      // A handler that does not mind the signal must not hold up a shutdown.
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
      await releaseLease(this.#database, leasedJob.lease, { uncounted: true });
    } catch (error) {
      this.#logger.warn(
        { err: error, job: leasedJob.lease.id },
        'A job could not be handed back; its lease ends soon',
      );
    }
    this.#forget(leasedJob, false);
  }

  #forget(leasedJob: LeasedJob, finished: boolean): void {
    this.#leased.delete(leasedJob.lease.id);
    leasedJob.ended(finished);
    this.#startLeased();
    this.wake();
  }

  async #renew(): Promise<void> {
    const leasedJobs = [...this.#leased.values()];
    if (leasedJobs.length === 0) {
      this.#renewedAt = performance.now();
      return;
    }
    if (this.#renewing) {
      this.#abortEnded(leasedJobs);
      return;
    }
    this.#renewing = true;
    try {
      const leases = leasedJobs.map(({ lease }) => lease);
      const renewed = await renewLeases(this.#database, this.#owner, leases, this.#settings.leaseDuration);
      this.#renewedAt = performance.now();
      for (const { lease, abort } of leasedJobs) {
        if (this.#leased.has(lease.id) && !renewed.has(lease.id))
          abort.abort(new Error('The lease was lost'));
      }
    } catch (error) {
      this.#logger.warn({ err: error }, 'Leases cannot be renewed');
      this.#abortEnded(leasedJobs);
    } finally {
      this.#renewing = false;
    }
  }

  #abortEnded(leasedJobs: readonly LeasedJob[]): void {
    if (performance.now() - this.#renewedAt < this.#settings.leaseDuration) return;
    for (const { abort } of leasedJobs) abort.abort(new Error('The lease ended'));
  }

  /** Until `wake`, or the time has passed. */
  async #sleep(milliseconds: number): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#woken = false;
    this.#wake = undefined;
  }
}
