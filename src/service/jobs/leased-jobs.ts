/** The jobs that this process has leased: running, or waiting for their turn. */
import type { JobLoopSettings } from './job-loop-settings.ts';
import type { Lease } from './leases.ts';

export interface LeasedJob {
  /** The newest lease of this process. */
  lease: Lease;
  readonly abort: AbortController;
  /** True when the job has ended; false if it was handed back and will end elsewhere or later. */
  readonly end: Promise<boolean>;
  readonly resolveEnd: (finished: boolean) => void;
  started: boolean;
  /** Its run is over, and its lease is being given back. */
  released: boolean;
  /** `performance.now()` of the last moment from which its lease surely counts. */
  heldSince: number;
}

export class LeasedJobs {
  readonly #jobs = new Map<string, LeasedJob>();
  #reserved = 0;
  readonly #settings: JobLoopSettings;

  constructor(settings: JobLoopSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** How many more could start at once. */
  get free(): number {
    return this.#settings.concurrency - this.#jobs.size - this.#reserved;
  }

  list(): LeasedJob[] {
    return [...this.#jobs.values()];
  }

  /**
   * A job that this process holds already is not started a second time, because what it does at a site would be done
   * twice: its lease had ended before it could be renewed, and this process was the first to lease it anew. The run that
   * exists goes on and writes its end with the higher fencing number, the only one that the database still accepts. An
   * answer that comes after that of a newer lease changes nothing. A job whose run is over, and whose lease is being given
   * back, is another matter: the new lease starts it anew.
   */
  add(lease: Lease, heldSince: number): LeasedJob {
    const held = this.#jobs.get(lease.id);
    if (held !== undefined && lease.fence <= held.lease.fence) return held;
    if (held !== undefined && !held.released) {
      held.lease = lease;
      held.heldSince = heldSince;
      return held;
    }
    let resolveEnd: LeasedJob['resolveEnd'] = () => undefined;
    const end = new Promise<boolean>((resolve) => {
      resolveEnd = resolve;
    });
    const abort = new AbortController();
    const job = { lease, abort, end, resolveEnd, started: false, released: false, heldSince };
    this.#jobs.set(lease.id, job);
    return job;
  }

  /** Keeps room for a job that is being created, to be leased by the same transaction; returns how to give it up. */
  reserve(): (() => void) | undefined {
    if (this.free <= 0) return undefined;
    this.#reserved += 1;
    return () => {
      this.#reserved -= 1;
    };
  }

  /** Aborts the jobs whose leases may have ended because they could not be renewed. */
  abortEnded(): void {
    for (const { abort, heldSince } of this.#jobs.values()) {
      if (performance.now() - heldSince >= this.#settings.leaseDuration)
        abort.abort(new Error('The lease ended'));
    }
  }

  /** Does nothing where a newer lease has taken its place. */
  remove(job: LeasedJob): void {
    if (this.#jobs.get(job.lease.id) === job) this.#jobs.delete(job.lease.id);
  }

  /** The jobs that the limits allow to start now, the oldest first. */
  startable(): LeasedJob[] {
    const { concurrency, concurrencyPerSite } = this.#settings;
    const perSite = new Map<string, number>();
    let free = concurrency;
    for (const { started, lease } of this.#jobs.values()) {
      if (!started) continue;
      free -= 1;
      perSite.set(lease.site, (perSite.get(lease.site) ?? 0) + 1);
    }
    const startable: LeasedJob[] = [];
    for (const job of this.#jobs.values()) {
      const onSite = perSite.get(job.lease.site) ?? 0;
      if (startable.length >= free || job.started || onSite >= concurrencyPerSite) continue;
      perSite.set(job.lease.site, onSite + 1);
      startable.push(job);
    }
    return startable;
  }
}
