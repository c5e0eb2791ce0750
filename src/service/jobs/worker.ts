/** Claims jobs and runs them, as many at a time as the limits allow, until it is stopped. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { failSpan, traced } from '../../tracing/tracing.ts';
import type { JobKind, ServiceDatabase } from '../store/schema.ts';
import { type JobHandler, runAttempt } from './attempt.ts';
import type { JobSettings } from './job-settings.ts';
import { claim, claimOne, type Lease, renew } from './leases.ts';

/** Milliseconds between polls for jobs of other processes and jobs with an expired lease, which wake no worker. */
const pollInterval = 1_000;

interface Attempt {
  readonly lease: Lease;
  readonly abort: AbortController;
  readonly takesPlace: boolean;
  /** `performance.now()` of the last moment at which the lease was certainly held. */
  heldSince: number;
}

interface WorkerOptions {
  readonly database: ServiceDatabase;
  readonly handlers: Readonly<Record<JobKind, JobHandler>>;
  readonly settings: JobSettings;
  readonly logger: Logger;
}

export class Worker {
  readonly settings: JobSettings;
  readonly #owner = randomUUID();
  readonly #options: WorkerOptions;
  readonly #attempts = new Map<string, Attempt>();
  readonly #pause = new WakeablePause();
  #loop: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  /** While a renewal is pending no other one is sent. */
  #renewing = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.settings = options.settings;
  }

  get stopping(): boolean {
    return this.#stopped !== undefined;
  }

  start(): void {
    this.#loop = this.#run();
    this.#renewal = setInterval(() => void this.#renew(), this.settings.leaseDuration / 3);
    this.#renewal.unref();
  }

  /** There may be something to claim. */
  wake(): void {
    this.#pause.wake();
  }

  /**
   * Runs a job for a waiting caller, beside the limited places. True when it has ended; false if it was released or
   * another process has it, so that it ends later.
   */
  async runNow(id: string): Promise<boolean> {
    if (this.stopping) return false;
    const heldSince = performance.now();
    const { leaseDuration } = this.settings;
    const lease = await claimOne(this.#options.database, this.#owner, { id, leaseDuration });
    return lease !== undefined && this.#attempt(lease, heldSince, false);
  }

  /** Stops claiming, lets running jobs end within the grace period, and releases the others. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#finishAll();
    return this.#stopped;
  }

  async #finishAll(): Promise<void> {
    this.wake();
    await this.#loop;
    const deadline = performance.now() + this.settings.stopGrace;
    while (this.#attempts.size > 0) {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) this.#abort(new Error('The service stops'), this.#attempts.values());
      await this.#pause.wait(remainingMs > 0 ? remainingMs : 50);
    }
    clearInterval(this.#renewal);
  }

  async #run(): Promise<void> {
    while (!this.stopping) {
      let claimed = 0;
      try {
        claimed = await this.#claim();
      } catch (error) {
        this.#options.logger.error({ err: error }, 'Jobs cannot be claimed; trying again');
      }
      if (claimed === 0) await this.#pause.wait(pollInterval);
    }
  }

  async #claim(): Promise<number> {
    const { concurrency, concurrencyPerSite, concurrentBuilds, leaseDuration } = this.settings;
    const placed = [...this.#attempts.values()].filter(({ takesPlace }) => takesPlace);
    if (placed.length >= concurrency) return 0;
    const heldSince = performance.now();
    const leases = await claim(this.#options.database, this.#owner, {
      free: concurrency - placed.length,
      perSite: concurrencyPerSite,
      builds: concurrentBuilds,
      perUser: Math.max(1, concurrency - 1),
      leaseDuration,
      held: [...this.#attempts.keys()],
      placed: placed.map(({ lease }) => lease.id),
    });
    for (const lease of leases) void this.#attempt(lease, heldSince, true);
    return leases.length;
  }

  /** True when the job has ended. Runs within the trace of the request that created it. */
  async #attempt(lease: Lease, heldSince: number, takesPlace: boolean): Promise<boolean> {
    const { id, kind, actionId, attempts, traceparent } = lease;
    const attempt: Attempt = { lease, abort: new AbortController(), takesPlace, heldSince };
    this.#attempts.set(id, attempt);
    const attributes = {
      'svc_mcp.job.id': id,
      'svc_mcp.job.attempt': attempts,
      'svc_mcp.action.id': actionId ?? undefined,
    };
    const parent = traceparent === null ? undefined : { traceparent };
    const { database, handlers, settings, logger } = this.#options;
    const log = logger.child({ job: id, attempt: attempts });
    const tools = { database, handler: handlers[kind], settings, signal: attempt.abort.signal, log };
    try {
      return await traced(`run ${kind}`, { kind: 'CONSUMER', attributes, parent }, async (span) => {
        // If the claim's answer arrived after the lease's end, another process may have claimed the job.
        if (this.#mayHaveEnded(attempt)) await this.#prolong([attempt]);
        const { hasEnded, failure, retryMs } = await runAttempt(lease, tools);
        if (failure !== undefined) failSpan(span, failure);
        if (retryMs !== undefined) setTimeout(() => this.wake(), retryMs).unref();
        return hasEnded;
      });
    } catch (error) {
      log.error(
        { err: error },
        'The database failed; the lease of the job ends by itself, and it runs again',
      );
      return false;
    } finally {
      this.#attempts.delete(id);
      this.wake();
    }
  }

  #abort(reason: Error, attempts: Iterable<Attempt>): void {
    for (const { abort } of attempts) abort.abort(reason);
  }

  #mayHaveEnded({ heldSince }: Attempt): boolean {
    return performance.now() - heldSince >= this.settings.leaseDuration;
  }

  /** Prolongs the leases, and aborts the attempts whose jobs another process has claimed. */
  async #prolong(attempts: readonly Attempt[]): Promise<void> {
    const heldSince = performance.now();
    const leases = attempts.map(({ lease }) => lease);
    const kept = await renew(this.#options.database, this.#owner, leases, this.settings.leaseDuration);
    for (const attempt of attempts) if (kept.has(attempt.lease.id)) attempt.heldSince = heldSince;
    this.#abort(
      new Error('The lease was lost'),
      attempts.filter(({ lease }) => !kept.has(lease.id)),
    );
  }

  async #renew(): Promise<void> {
    const attempts = [...this.#attempts.values()];
    if (attempts.length === 0) return;
    const abortEnded = () =>
      this.#abort(
        new Error('The lease ended'),
        attempts.filter((attempt) => this.#mayHaveEnded(attempt)),
      );
    if (this.#renewing) return abortEnded();
    this.#renewing = true;
    try {
      await this.#prolong(attempts);
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'Leases cannot be renewed');
      abortEnded();
    } finally {
      this.#renewing = false;
    }
  }
}

/** A pause that ends early when it is woken, also when it was woken before it began. */
class WakeablePause {
  #wake: (() => void) | undefined;
  #woken = false;

  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  async wait(milliseconds: number): Promise<void> {
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
