/**
 * The runs of watches that this process pays and reads: each is one planned row, claimed, sent and followed as any other, and
 * then compared with the version before. Every serving process of the principal may do the same for the same run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { FairTurns } from '../../workers/fair-turns.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Logger } from '../foundation/logger.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext } from '../interface/gateway.ts';
import { getError, type Outcome } from '../interface/outcomes.ts';
import { parseObject } from '../paid/call-identity.ts';
import type { GroupAgreement } from '../paid/order.ts';
import type { PaidCalls } from '../paid/paid-calls.ts';
import type { Runs } from '../paid/runs.ts';
import { startOfDay } from '../paid/spending-limits.ts';
import type { GatewayStore, OpenStore } from '../paid/store.ts';
import { readPart } from '../results/viewer.ts';
import type { PaidRow, WatchRow, WatchRunRow } from '../store/schema.ts';
import { isAskable, isPlanned, notSent } from '../store/states.ts';
import type { Compared, CompareTask } from './compare-versions.ts';
import {
  type Conclusion,
  concludeDoubt,
  concludeFailure,
  concludeNewFields,
  concludeReading,
  concludeSkip,
  notKept,
  toIncomparable,
} from './conclusion.ts';
import { declaredFields, newFieldsText } from './declared-fields.ts';
import { isServed, parseNames } from './stored.ts';

/** Runs of the watches of a principal that are under way in this process. */
const parallelRuns = 5;
/** A doubt is asked about by its key, and after a fault of our own a run is tried again, so long after the due time (ms). */
const settlingMs = 10 * 60_000;
const maxConclusions = 5;
const keptAttempts = 20;
const keptPauseMs = 250;
/** The age of the list of actions from which it is read anew: an action may have another version. */
const catalogMs = 5 * 60_000;
/** Characters of a result that nobody reads. */
const resultChars = 500;

const pool = new WorkerPool<CompareTask, Compared>({
  entry: '#worker/gateway/watches/compare-worker',
  // Covers three of the largest answers on a small machine under load.
  deadlineMs: 30_000,
  memoryMb: 1_024,
});

/** It does not fit a limit now. */
const overLimit = /^(?:BUDGET_EXCEEDED|CONFIRMATION_UNAVAILABLE)$/;
/** Only a person can do something about it. */
const personal =
  /^(?:PRICE_CHANGED|UNAUTHORIZED|AUTH_REQUIRED|AUTH_EXPIRED|IDENTITY_NOT_FOUND|IDENTITY_AMBIGUOUS|FORBIDDEN)$/;
export const personalError = (code: string): boolean => personal.test(code);
/** Said of this process, not of the run: it, or another one, goes on, unless the run's row was refused with it. */
const passing = /^(?:CANCELLED|STORE_UNAVAILABLE)$/;

interface Dependencies {
  readonly store: GatewayStore;
  readonly catalog: Catalog;
  readonly runs: Runs;
  readonly paid: PaidCalls;
  readonly clock: Clock;
  readonly limits: Pick<TimeLimits, 'batchedRunMs'>;
  readonly logger: Logger;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
  /** Called when something was written of a watch. */
  readonly onEnd: (watchId: string) => void;
}

type Version = Pick<Compared, 'rows' | 'wholeRows' | 'comparedBy' | 'missing' | 'whenDoubt'>;

/** What became of a run. */
interface Ran {
  readonly outcome: Outcome;
  /** The version that was read; undefined where none was. */
  readonly version: Version | undefined;
}

interface Facts {
  readonly watch: WatchRow;
  readonly run: WatchRunRow;
  /** The store's clock. */
  readonly now: number;
}

export class WatchRuns {
  readonly #dependencies: Dependencies;
  readonly #running = new Map<string, Promise<Ran | undefined>>();
  readonly #beingMade = new Set<string>();
  readonly #turns = new FairTurns(parallelRuns, Number.POSITIVE_INFINITY);
  readonly #closing = new AbortController();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Meanwhile the first run of a watch is that call's alone, which may find that there is no watch. */
  async making<Value>(watchId: string, work: () => Promise<Value>): Promise<Value> {
    this.#beingMade.add(watchId);
    try {
      return await work();
    } finally {
      this.#beingMade.delete(watchId);
    }
  }

  /** Pays, follows and reads a run, unless this process does already. Never rejects. */
  async pursue(watch: WatchRow, run: WatchRunRow): Promise<void> {
    if (this.#beingMade.has(watch.id)) return;
    await this.#once(run, () => this.#pursue(watch, run));
  }

  /**
   * The first run of a watch, for the call that makes it. Resolves to the run's outcome; where it is a failure, nothing of it
   * was written to the watch.
   */
  first(watch: WatchRow, run: WatchRunRow, context: CallContext): Promise<Ran | undefined> {
    return this.#once(run, async () => {
      const store = await this.#dependencies.store.open();
      const outcome = await this.#pay(watch, run, context, store);
      const isRead = outcome.body.status === 'completed';
      return { outcome, version: isRead ? await this.#conclude(watch.id, run, outcome, store) : undefined };
    });
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Resolves when nothing more is begun; what is under way is left to the next process. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running.values());
  }

  async #once(run: WatchRunRow, work: () => Promise<Ran | undefined>): Promise<Ran | undefined> {
    const name = `${run.watch_id} ${run.due_at}`;
    const running = this.#running.get(name);
    if (running !== undefined) return running;
    const begun = this.#inTurn(work)
      .catch((error: unknown) => {
        this.#dependencies.logger.error({ err: error, watch: run.watch_id }, 'A run of a watch stopped');
        return undefined;
      })
      .finally(() => this.#running.delete(name));
    this.#running.set(name, begun);
    return begun;
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    // All are the principal's own: they share all places.
    await this.#turns.enter('', undefined);
    try {
      return await work();
    } finally {
      this.#turns.leave('');
    }
  }

  async #pursue(watch: WatchRow, run: WatchRunRow): Promise<Ran | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    const store = await this.#dependencies.store.open();
    const context: CallContext = {
      signal: this.#closing.signal,
      waitMs: this.#dependencies.limits.batchedRunMs,
      progress: () => undefined,
      confirmation: 'cannot-ask',
      resultChars,
      mayConnect: false,
    };
    const outcome = await this.#pay(watch, run, context, store);
    return { outcome, version: await this.#conclude(watch.id, run, outcome, store) };
  }

  /** Claims and sends the row of a run, or waits for whoever has. */
  #pay(watch: WatchRow, run: WatchRunRow, context: CallContext, store: OpenStore): Promise<Outcome> {
    const { runs, paid, clock, answering } = this.#dependencies;
    return answering(async () => {
      const row = run.row_id === null ? undefined : await store.rows.get(run.row_id);
      if (row === undefined) return { body: { status: 'error', error: notSent } };
      if (!isPlanned(row) && !isAskable(row)) return paid.follow(row, context, true);
      const isWanted = () => this.#isStillDue(run, store);
      if (isPlanned(row) && !(await isWanted())) return { body: { status: 'error', error: notSent } };
      const again = isPlanned(row) ? undefined : parseObject(watch.params);
      const order = await runs.orderOf(row, agreementOf(watch, run), context.signal, again);
      return paid.payRow(
        { row, isJoined: false, isWanted },
        order,
        clock.monotonic() + context.waitMs,
        context,
      );
    });
  }

  /** Whether a planned run is still to be sent: its watch may have been paused or ended while it waited. */
  async #isStillDue({ watch_id, reason }: WatchRunRow, store: OpenStore): Promise<boolean> {
    const watch = await store.watchQueries.get(watch_id);
    if (watch === undefined) return false;
    return reason === 'asked' ? watch.state !== 'ended' : isServed(watch);
  }

  /** Resolves to the version that was read. */
  async #conclude(
    watchId: string,
    run: WatchRunRow,
    outcome: Outcome,
    store: OpenStore,
  ): Promise<Version | undefined> {
    for (let attempt = 0; attempt < maxConclusions; attempt += 1) {
      const [watch, row] = await Promise.all([
        store.watchQueries.get(watchId),
        run.row_id === null ? undefined : store.rows.get(run.row_id),
      ]);
      if (watch === undefined) return undefined;
      const now = await store.watchQueries.now();
      const conclusion = await this.#conclusionOf({ watch, run, now }, outcome, row, store);
      if (conclusion === undefined) return undefined;
      if (await store.watches.conclude(watch, run.due_at, conclusion.end, conclusion.change)) {
        // The row is the watch's own: nobody else waits for its answer.
        if (run.row_id !== null) await store.rows.deliver(run.row_id);
        this.#dependencies.onEnd(watchId);
        return conclusion.version;
      }
      const current = await store.watchQueries.run(watchId, run.due_at);
      if (current === undefined || current.outcome !== null) return conclusion.version;
    }
    return undefined;
  }

  /** Undefined: it is still under way. */
  async #conclusionOf(
    facts: Facts,
    { body }: Outcome,
    row: PaidRow | undefined,
    store: OpenStore,
  ): Promise<(Conclusion & { readonly version?: Version }) | undefined> {
    if (body.status === 'completed') return row && this.#read(facts, row, store);
    const error = getError(body);
    if (error === undefined) return undefined;
    const { run, now, watch } = facts;
    const mayBeSettled = now < run.due_at + settlingMs;
    if (body.status === 'unknown')
      return mayBeSettled && row !== undefined && isAskable(row) ? undefined : concludeDoubt(facts, error);
    if (error.code === 'INTERNAL_ERROR' && mayBeSettled) return undefined;
    const isPassing = passing.test(error.code);
    if (isPassing && row?.state !== 'refused') return undefined;
    // Refused before it was sent. Where another process has claimed the row meanwhile, its outcome counts.
    if (row?.state === 'planned' && (await store.rows.drop(row.id, error)) === undefined) return undefined;
    if (isPassing || overLimit.test(error.code) || error.code === notSent.code)
      return concludeSkip(
        error.message,
        await store.watchQueries.wasTold(watch.id, 'skipped', startOfDay(now)),
      );
    return concludeFailure(facts, error, personal.test(error.code));
  }

  /** Compares what was read with the version before. Undefined where the end is not written yet. */
  async #read(facts: Facts, row: PaidRow, { results, rows: paidRows }: OpenStore) {
    const { watch, run } = facts;
    // The end is written behind the answer.
    let data = await results.readBytes(row.id);
    for (let attempt = 0; data === undefined && attempt < keptAttempts; attempt += 1) {
      await delay(keptPauseMs);
      data = await results.readBytes(row.id);
    }
    if (data === undefined) {
      const hasEnded = (await paidRows.get(row.id))?.outcome === 'completed';
      return hasEnded ? concludeFailure(facts, notKept, false) : undefined;
    }
    const versionOf = async (id: string | null) => (id === null ? undefined : results.readBytes(id));
    const [base, suspect] = await Promise.all([versionOf(watch.base_row), versionOf(watch.suspect_row)]);
    const task = toTask(watch, { base, data, suspect, reason: run.reason });
    const compared = await pool.run(task, { signal: this.#closing.signal }).catch(toIncomparable);
    if ('code' in compared) return concludeFailure(facts, compared, false);
    const { comparedBy, news } = compared;
    const fields = await this.#declaredFields(watch);
    const newFields = base === undefined ? undefined : newFieldsText(watch.fields, fields);
    const { end, change } =
      newFields === undefined
        ? concludeReading(facts, compared, await this.#isWanted(watch, news?.whole))
        : concludeNewFields(facts, comparedBy, newFields);
    // Those of the base: a version that is read once more is none yet.
    const isBase = change.base_row !== undefined && fields !== null;
    return { end, change: { ...change, ...(isBase && { fields }) }, version: compared };
  }

  /** What the version that is compared next has of what the watch names; undefined where it cannot be read any more. */
  async seenIn(watch: WatchRow, { results }: OpenStore): Promise<Version | undefined> {
    const data = watch.base_row === null ? undefined : await results.readBytes(watch.base_row);
    if (data === undefined) return undefined;
    const task = toTask(watch, { base: undefined, data, suspect: undefined, reason: 'asked' });
    return pool.run(task, { signal: this.#closing.signal }).catch(() => undefined);
  }

  /** As the action declares them now. Where that cannot be read, the rows alone are compared. */
  async #declaredFields({ action_id: id }: WatchRow): Promise<string | null> {
    const current = await this.#dependencies.catalog.snapshotOfAge(catalogMs).catch(() => undefined);
    return declaredFields(current?.snapshot.action(id)?.returns);
  }

  /** Whether `when` finds something in a difference. Where it cannot be evaluated, the difference is told. */
  async #isWanted({ told_when: path, principal }: WatchRow, kept: Uint8Array | undefined): Promise<boolean> {
    if (path === null || kept === undefined) return true;
    const options = { key: principal, signal: this.#closing.signal };
    const found = await readPart({ kept, select: path, budget: resultChars, format: 'json' }, options).catch(
      () => undefined,
    );
    return found === undefined || isTrue(found.data);
  }
}

const toTask = (
  watch: WatchRow,
  reading: Pick<CompareTask, 'base' | 'data' | 'suspect' | 'reason'>,
): CompareTask => ({
  ...reading,
  key: watch.key_field ?? undefined,
  ignore: watch.ignore === null ? undefined : parseNames(watch.ignore),
  unsteady: parseNames(watch.unsteady),
  isFirstComparison: watch.base_row === watch.first_row,
  when: watch.told_when ?? undefined,
});

export const agreementOf = (watch: WatchRow, { reason }: Pick<WatchRunRow, 'reason'>): GroupAgreement => ({
  groupId: watch.id,
  allowance: watch.allowance,
  confirmed: watch.confirmed,
  // Who orders a run agrees to its price.
  watch: { price: reason === 'asked' ? undefined : watch.price },
});

/** As JMESPath has it: an empty list, object or text is as good as none. */
const isTrue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0
    : value !== undefined && value !== null && value !== false && value !== '';
