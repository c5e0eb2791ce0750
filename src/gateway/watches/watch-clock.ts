/**
 * The clock of the watches of one principal: looks at least once a minute what is due by the store's time, writes it down as
 * planned, and has it paid and read. However many processes look, each due time is planned once.
 */
import type { Logger } from '../foundation/logger.ts';
import { getError, type Outcome } from '../interface/outcomes.ts';
import { startOfDay } from '../paid/spending-limits.ts';
import type { GatewayStore, OpenStore } from '../paid/store.ts';
import type { WatchRow, WatchRunRow } from '../store/schema.ts';
import { concludeFailure, concludeSkip, endOf } from './conclusion.ts';
import { type Clockwork, duesBetween, nextDue } from './schedule.ts';
import { failingFrom, isServed } from './stored.ts';
import { clockworkOf } from './watch-input.ts';
import { personalError, type WatchRuns } from './watch-runs.ts';
import { ended, type Watches } from './watches.ts';

/** A laptop that slept is noticed within a minute. */
const lookMs = 60_000;
const leastPauseMs = 1_000;
const dayMs = 24 * 60 * 60_000;
/** What falls due while the service cannot be reached, or this program fails, waits so long for it. */
const patienceMs = 10 * 60_000;
const mayPass = /^(?:SERVICE_UNREACHABLE|SERVICE_TIMEOUT|RATE_LIMITED|INTERNAL_ERROR)$/;

interface Dependencies {
  readonly store: GatewayStore;
  readonly watches: Watches;
  readonly watchRuns: WatchRuns;
  readonly logger: Logger;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
}

export class WatchClock {
  readonly #dependencies: Dependencies;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** When the next look is, by `performance.now()`; while one goes on, the one after it is not known. */
  #lookAt = 0;
  #looking: Promise<void> | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#schedule(0);
  }

  /** Something of a watch was written: its next due time may be another. */
  notice(): void {
    // Each news in turn must not put the look off.
    if (this.#timer !== undefined && this.#lookAt > performance.now() + leastPauseMs)
      this.#schedule(leastPauseMs);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#lookAt = performance.now() + ms;
    this.#timer = setTimeout(() => {
      this.#looking = this.look()
        .catch((error: unknown) => {
          this.#dependencies.logger.warn({ err: error }, 'The watches could not be looked at');
          return lookMs;
        })
        .then((pauseMs) => this.#schedule(pauseMs));
    }, ms).unref();
  }

  /** Plans what is due, and goes on with what runs. Resolves to the milliseconds until the next look. */
  async look(): Promise<number> {
    const { store, watchRuns, logger } = this.#dependencies;
    const opened = await store.open();
    const before = await opened.watchQueries.readAll();
    const busy = new Set(before.running.map(({ watch_id }) => watch_id));
    for (const watch of before.watches) {
      // One that cannot be planned must not hold up the others.
      await this.#advance(watch, busy.has(watch.id), before.now, opened).catch((error: unknown) =>
        logger.error({ err: error, watch: watch.id }, 'A watch could not be planned'),
      );
    }
    const { watches, running, now } = await opened.watchQueries.readAll();
    for (const run of running) {
      const watch =
        watches.find(({ id }) => id === run.watch_id) ?? (await opened.watchQueries.get(run.watch_id));
      if (watch !== undefined) void watchRuns.pursue(watch, run);
    }
    const dues = watches
      .filter(isServed)
      .map(({ next_at, extra_at }) => Math.min(next_at, extra_at ?? next_at));
    return Math.max(leastPauseMs, Math.min(lookMs, ...dues.map((due) => due - now)));
  }

  async #advance(watch: WatchRow, isBusy: boolean, now: number, store: OpenStore): Promise<void> {
    if (watch.until_at <= now) {
      await store.watches.tell(watch, endOf('Its time is over.'), ended);
      return;
    }
    if (!isServed(watch)) return;
    const { extra_at: extraAt, next_at: nextAt, extra_reason: reason } = watch;
    if (extraAt !== null && extraAt <= now) {
      const run = { due_at: extraAt, reason: reason ?? 'recheck', missed: 0 } as const;
      const change = { extra_at: null, extra_reason: null };
      await this.#plan(watch, { of: 'extra_at', expected: extraAt, run, change }, isBusy, now, store);
      return;
    }
    const clockwork = clockworkOf(watch);
    const next = afterFailures(clockwork, watch.failures, now);
    if (nextAt > now) {
      // The clock was ahead, and came back.
      if (nextAt > next.at) await store.watches.change(watch, { next_at: next.at });
      return;
    }
    const { count, last = nextAt } = duesBetween(clockwork, nextAt, now);
    const run = { due_at: last, reason: 'due', missed: count } as const;
    const change = { next_at: next.at, missed: watch.missed + count + next.skipped };
    await this.#plan(watch, { of: 'next_at', expected: nextAt, run, change }, isBusy, now, store);
  }

  async #plan(
    watch: WatchRow,
    due: Parameters<OpenStore['watches']['planDue']>[1] & {
      readonly run: Pick<WatchRunRow, 'due_at' | 'reason'>;
    },
    isBusy: boolean,
    now: number,
    store: OpenStore,
  ): Promise<void> {
    const { watches, answering } = this.#dependencies;
    const wasSkipped = () => store.watchQueries.wasTold(watch.id, 'skipped', startOfDay(now));
    if (isBusy) {
      const { end } = concludeSkip(stillRunning, await wasSkipped());
      await store.watches.planDue(watch, due, { skipped: end });
      return;
    }
    const { body } = await answering(async () => {
      const order = await watches.orderFor(watch, due.run.due_at, due.run.reason, this.#closing.signal);
      await store.watches.planDue(watch, due, store.orders.paymentOf(order));
      return { body: {} };
    });
    const error = getError(body);
    // The store's own failure is nothing that can be written: the next look tries again.
    if (error === undefined || error.code === 'CANCELLED' || error.code === 'STORE_UNAVAILABLE') return;
    if (mayPass.test(error.code) && now - due.run.due_at < patienceMs) return;
    const run = { ...emptyRun, watch_id: watch.id, ...due.run };
    const { end, change } = concludeFailure({ watch, run, now }, error, personalError(error.code));
    await store.watches.planDue(watch, { ...due, change: { ...due.change, ...change } }, { skipped: end });
  }
}

const stillRunning = 'The run before still went on.';

const emptyRun = {
  seq: null,
  row_id: null,
  missed: 0,
  outcome: null,
  told: null,
  summary: null,
  difference: null,
  previous_row: null,
  ended_at: null,
};

/**
 * The next due time. Where a watch fails, every second one, then every fourth and eighth, but one a day at least; `skipped`:
 * those in between.
 */
function afterFailures(
  clockwork: Clockwork,
  failures: number,
  now: number,
): { readonly at: number; readonly skipped: number } {
  let at = nextDue(clockwork, now);
  const most = failures < failingFrom ? 0 : 2 ** Math.min(failures - failingFrom + 1, 3) - 1;
  let skipped = 0;
  for (; skipped < most; skipped += 1) {
    const later = nextDue(clockwork, at);
    if (later > now + dayMs) break;
    at = later;
  }
  return { at, skipped };
}
