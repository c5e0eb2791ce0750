/**
 * Follows accepted jobs until they end: one follower for each job of this process, however many calls wait for it. It
 * writes the end, and stops two minutes after the last call that waited; where others need the end, a day after. The job
 * runs on at the service either way.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiError, isApiError } from '../../client/errors.ts';
import { traced } from '../../tracing/tracing.ts';
import type { Clock } from '../foundation/clock.ts';
import { stopIfCancelled } from '../foundation/errors.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { PaidRow } from '../store/schema.ts';
import { unansweredMs } from '../store/states.ts';
import type { Look, PaidKind, Report } from './kind.ts';
import { type Durations, firstDelay, getDuration, nextDelay } from './pace.ts';
import { within } from './within.ts';

export interface FollowedJob {
  readonly jobId: string;
  readonly kind: PaidKind;
  /** Undefined for a job of which only the id is known. */
  readonly row: PaidRow | undefined;
}

export type FollowedEnd =
  | { readonly kind: 'ended'; readonly look: Look; readonly durationMs: number | null }
  /** The service does not know the job, and went on not knowing it for the grace period. */
  | { readonly kind: 'lost' }
  /** The service refuses to answer, or answers unreadably again and again. */
  | { readonly kind: 'error'; readonly error: ApiError };

/** Still running when the wait ended; `look` as it was seen last, undefined where no look came through. */
export interface JobRunning {
  readonly kind: 'running';
  readonly look: Look | undefined;
}

export interface FollowerDependencies {
  readonly clock: Clock;
  readonly limits: Pick<TimeLimits, 'pollMs' | 'lostAfterMs' | 'unwatchedMs'>;
  /** Aborts when every wait is at its deadline. */
  readonly ending: AbortSignal;
  /** Milliseconds between looks at a run that nobody waits for, so that its cost is learned; undefined: none. */
  readonly costLookMs: (row: PaidRow) => number | undefined;
  readonly durations: Durations;
  /** Writes the end of a job; never rejects. Until it is written the job can be looked at again. */
  readonly record: (followed: FollowedJob, end: FollowedEnd) => Promise<void> | undefined;
}

/** Upper bound for the pause added after a slow look. */
const slowestLookMs = 1_000;
/** The time for the look at the end of a wait in which none was due. */
const lastLookMs = 3_000;
const tickMs = 2_000;

export class Followers {
  readonly #dependencies: FollowerDependencies;
  readonly #followers = new Map<string, Follower>();

  constructor(dependencies: FollowerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Waits until the job ended, at most until `deadline` (monotonic). Rejects with `CANCELLED` when the signal aborts. */
  wait(
    followed: FollowedJob,
    { deadline, signal, report }: { deadline: number; signal: AbortSignal; report: Report },
  ): Promise<FollowedEnd | JobRunning> {
    return this.#follow(followed).wait(deadline, signal, report);
  }

  /**
   * Follows a job that was accepted just now. Resolves after a look that is due at once, or after `ms` milliseconds: where it
   * found the end, that is written.
   */
  begin(followed: FollowedJob, ms: number): Promise<void> {
    return this.#follow(followed).awaitFirstLook(ms);
  }

  /** Follows a job without a waiter, for as long as after its last waiter. */
  start(followed: FollowedJob): void {
    this.#follow(followed).want();
  }

  /** The service has given a job's id to another row: who waits for the earlier one hears of its loss. */
  forget(jobId: string, keptRowId: string): void {
    for (const [key, follower] of this.#followers) if (key !== keptRowId) follower.forget(jobId);
  }

  close(): void {
    for (const follower of this.#followers.values()) follower.stop();
  }

  #follow(followed: FollowedJob): Follower {
    const key = followed.row?.id ?? followed.jobId;
    const existing = this.#followers.get(key);
    if (existing !== undefined) return existing;
    const follower = new Follower(followed, this.#dependencies);
    this.#followers.set(key, follower);
    void follower.stopped.then(() => {
      if (this.#followers.get(key) === follower) this.#followers.delete(key);
    });
    return follower;
  }
}

/** Failed looks since the last good one. */
interface Faults {
  kind: ApiError['kind'] | undefined;
  inARow: number;
  missingSince: number | undefined;
}

class Follower {
  readonly #followed: FollowedJob;
  readonly #dependencies: FollowerDependencies;
  readonly #stop = new AbortController();
  readonly #end: Promise<FollowedEnd | undefined>;
  readonly #reports = new Set<Report>();
  /** Undefined for a job without a row and for one that has ended: those are polled once. */
  readonly #submittedAt: number | undefined;
  #resolveEnd: (end: FollowedEnd | undefined) => void = () => undefined;
  #isSettled = false;
  /** Called after the first look, or where none is due at once. */
  #firstLooked: (() => void) | undefined;
  #recorded: Promise<void> | undefined;
  #pause: AbortController | undefined;
  /** Whether the pause is a long one, because nobody waits. */
  #isIdle = false;
  #wantedAt: number;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #seen: Look | undefined;

  constructor(followed: FollowedJob, dependencies: FollowerDependencies) {
    const { row } = followed;
    this.#followed = followed;
    this.#dependencies = dependencies;
    this.#submittedAt = row?.finished_at === null ? (row.submitted_at ?? undefined) : undefined;
    this.#wantedAt = dependencies.clock.monotonic();
    this.#end = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
    // A failure of our own ends this follower; the next call that waits begins another.
    const end = (found?: FollowedEnd) => {
      this.#firstLooked?.();
      this.#resolveEnd(found);
    };
    void this.#poll().then(end, () => end());
  }

  get stopped(): Promise<unknown> {
    return this.#end;
  }

  awaitFirstLook(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#firstLooked?.(), ms);
      this.#firstLooked = () => {
        this.#firstLooked = undefined;
        clearTimeout(timer);
        resolve(this.#recorded);
      };
    });
  }

  stop(): void {
    this.#stop.abort();
    this.#pause?.abort();
  }

  /** Ends it where it looks at that id. */
  forget(jobId: string): void {
    if (this.#followed.jobId === jobId && this.#followed.row !== undefined) this.#settle({ kind: 'lost' });
  }

  /** Restarts the time after which an unwatched job is no longer polled. */
  want(): void {
    this.#wantedAt = this.#dependencies.clock.monotonic();
  }

  async wait(deadline: number, signal: AbortSignal, report: Report): Promise<FollowedEnd | JobRunning> {
    const { clock, ending } = this.#dependencies;
    const began = clock.monotonic();
    const { row } = this.#followed;
    const since = row?.submitted_at ?? clock.now();
    const tick = () => report.tick(Math.max(0, Math.round((clock.now() - since) / 1000)));
    this.#reports.add(report);
    if (this.#isIdle) this.#pause?.abort();
    try {
      const end = await within(this.#end, deadline - began, signal, ending, { everyMs: tickMs, tick });
      if (end !== undefined) return end;
      if (this.#answeredAt < began) await this.#lookOnce(signal);
      // That last look may have seen the end.
      return (await Promise.race([this.#end, undefined])) ?? { kind: 'running', look: this.#seen };
    } catch (error) {
      stopIfCancelled(signal);
      throw error;
    } finally {
      this.#reports.delete(report);
      this.#wantedAt = clock.monotonic();
    }
  }

  /** Looks once at the end of the wait: "still running" is never answered without a look during the call. */
  async #lookOnce(signal: AbortSignal): Promise<void> {
    try {
      const look = await this.#look(signal, lastLookMs);
      if (this.#followed.kind.getEnding(look) !== undefined) {
        this.#settle({ kind: 'ended', look, durationMs: null });
        this.stop();
      }
    } catch (error) {
      if (!isApiError(error)) throw error;
      // A job of which nothing but an id is known cannot be said to run.
      if (this.#submittedAt === undefined) {
        this.#settle(isMissing(error) ? { kind: 'lost' } : { kind: 'error', error });
        this.stop();
      }
    }
  }

  async #look(signal: AbortSignal, timeoutMs: number): Promise<Look> {
    const { jobId, kind } = this.#followed;
    const attributes = { 'svc_mcp.job.id': jobId };
    const look = await traced('poll job', { attributes }, () => kind.look(jobId, { signal, timeoutMs }));
    this.#seen = look;
    this.#answeredAt = this.#dependencies.clock.monotonic();
    for (const report of this.#reports) report.look(look);
    return look;
  }

  /** Writes the end, and tells everybody who waits. */
  #settle(end: FollowedEnd): FollowedEnd {
    if (this.#isSettled || this.#stop.signal.aborted) return end;
    this.#isSettled = true;
    this.#recorded = this.#dependencies.record(this.#followed, end);
    this.#firstLooked?.();
    this.#resolveEnd(end);
    return end;
  }

  /** Undefined once nobody waited for long, or it was stopped. */
  async #poll(): Promise<FollowedEnd | undefined> {
    const { clock, limits, durations } = this.#dependencies;
    const { kind, row } = this.#followed;
    // From here on no correction of the wall clock matters.
    const startedAt = clock.monotonic() - Math.max(0, clock.now() - (this.#submittedAt ?? clock.now()));
    const earlier =
      row === undefined || this.#submittedAt === undefined
        ? []
        : (durations.get(row.subject) ?? (await durations.read(row.subject)));
    const faults: Faults = { kind: undefined, inARow: 0, missingSince: undefined };
    let lastRunning = startedAt;
    /** How long the last look took: where the service or this machine is busy, more looks would make it busier. */
    let lookMs = 0;
    let pauseMs = firstDelay(earlier, clock.monotonic() - startedAt);
    if (pauseMs > 0) this.#firstLooked?.();
    for (;;) {
      if (this.#mustStop()) return undefined;
      const sleepMs = this.#getPause(Math.max(pauseMs, Math.min(lookMs, slowestLookMs)));
      // The shortest timer of Node takes a millisecond.
      if (sleepMs > 0) {
        this.#pause = new AbortController();
        await delay(sleepMs, undefined, { signal: this.#pause.signal }).catch(() => undefined);
        if (this.#mustStop()) return undefined;
      }
      const lookedAt = clock.monotonic();
      pauseMs = nextDelay(kind.pace, lookedAt - startedAt);
      try {
        const look = await this.#look(this.#stop.signal, limits.pollMs);
        lookMs = clock.monotonic() - lookedAt;
        if (kind.getEnding(look) !== undefined) {
          const age = clock.monotonic() - startedAt;
          const durationMs =
            this.#submittedAt === undefined ? null : getDuration(look, age, lastRunning - startedAt);
          return this.#settle({ kind: 'ended', look, durationMs });
        }
        this.#firstLooked?.();
        lastRunning = clock.monotonic();
        Object.assign(faults, { kind: undefined, inARow: 0, missingSince: undefined });
        pauseMs = Math.max(pauseMs, getRetryAfter(look));
      } catch (error) {
        this.#firstLooked?.();
        if (!isApiError(error) || this.#stop.signal.aborted) throw error;
        const end = this.#judge(error, faults);
        if (end !== undefined) return this.#settle(end);
        if ('retryAfterMs' in error) pauseMs = Math.max(pauseMs, error.retryAfterMs ?? 0);
      }
    }
  }

  /** What a failed look means; undefined: look again. */
  #judge(error: ApiError, faults: Faults): FollowedEnd | undefined {
    const { clock, limits } = this.#dependencies;
    if (isMissing(error)) {
      faults.missingSince ??= clock.monotonic();
      const graceMs = this.#submittedAt === undefined ? 0 : limits.lostAfterMs;
      return clock.monotonic() - faults.missingSince >= graceMs ? { kind: 'lost' } : undefined;
    }
    faults.inARow = faults.kind === error.kind ? faults.inARow + 1 : 1;
    faults.kind = error.kind;
    return this.#followed.kind.isFatal(error, faults.inARow) ? { kind: 'error', error } : undefined;
  }

  /** Between two looks while nobody waits; undefined: no such looks. */
  get #idleMs(): number | undefined {
    const { kind, row } = this.#followed;
    return kind.backgroundMs ?? (row && this.#dependencies.costLookMs(row));
  }

  #isUnwatched(ms: number): boolean {
    return this.#reports.size === 0 && this.#dependencies.clock.monotonic() - this.#wantedAt >= ms;
  }

  /** Whether it was stopped, or has had no waiter for too long. */
  #mustStop(): boolean {
    const { unwatchedMs } = this.#dependencies.limits;
    return (
      this.#stop.signal.aborted || this.#isUnwatched(this.#idleMs === undefined ? unwatchedMs : unansweredMs)
    );
  }

  #getPause(ms: number): number {
    this.#isIdle = this.#isUnwatched(Math.min(this.#dependencies.limits.unwatchedMs, 5_000));
    return this.#isIdle ? Math.max(ms, this.#idleMs ?? 0) : ms;
  }
}

function getRetryAfter(look: Look): number {
  if (look.kind !== 'run') return 0;
  const { retry_after_ms: ms } = look.answer.body;
  return typeof ms === 'number' && ms > 0 ? Math.min(ms, 60_000) : 0;
}

const isMissing = (error: ApiError): boolean =>
  (error.kind === 'service' || error.kind === 'contract') && error.httpStatus === 404;
