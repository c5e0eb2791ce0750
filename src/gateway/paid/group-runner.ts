/**
 * Pays the planned rows of groups, five at a time, as long as a call or a task of this process wants them. Each row is
 * claimed by itself, so other processes may do the same for the same group.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../foundation/clock.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext } from '../interface/gateway.ts';
import { type ErrorDetail, getError, type Outcome } from '../interface/outcomes.ts';
import type { GroupRow, PaidRow } from '../store/schema.ts';
import { isAskable, isPlanned, isUnderWay, plannedMs, wasCancelled } from '../store/states.ts';
import { lostGroup } from './answers.ts';
import { callHash, parseObject } from './call-identity.ts';
import type { GroupAgreement, Order } from './order.ts';
import type { PaidCalls } from './paid-calls.ts';
import type { Quotes } from './quote.ts';
import type { Runs } from './runs.ts';
import type { OpenStore } from './store.ts';

/** How many runs of one group are under way at the same time. */
const parallelRuns = 5;

/** Interval for extending the expiry of planned rows, in milliseconds. */
const keepMs = plannedMs / 6;

/** After one of these every further run would be refused too, or is not what the caller agreed to. */
const stopping =
  /^(INSUFFICIENT_CREDITS|AUTH_.*|PRICE_CHANGED|PRICE_UNAVAILABLE|BUDGET_EXCEEDED|CONFIRMATION_UNAVAILABLE|CANCELLED|STORE_UNAVAILABLE|UNAUTHORIZED|FORBIDDEN|NOT_FOUND)$/;

/** The row does not fit a limit. */
const overLimit = /^(BUDGET_EXCEEDED|CONFIRMATION_UNAVAILABLE)$/;

/** After so many submissions in a row of which nobody knows whether they were accepted, no further one is risked. */
const maxDoubts = 2;

/** Who wants the rows of a group: a call that waits, or one that was answered `processing`, perhaps with a task. */
export type Want = { readonly signal: AbortSignal } | { readonly answered: true; task?: string | undefined };

interface Dependencies {
  readonly runs: Runs;
  readonly paid: PaidCalls;
  readonly quotes: Quotes;
  readonly clock: Clock;
  readonly limits: Pick<TimeLimits, 'batchedRunMs'>;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
}

/** The rows of one group that this process pays. */
export class GroupRun {
  readonly groupId: string;
  /** Distinct rows that were under way or planned when it began. */
  readonly size: number;
  readonly wants = new Set<Want>();
  /** Resolves when this process has nothing more of it under way. Never rejects. */
  readonly end: Promise<void>;
  /** What became of the rows, by their ids: for an answer where the store fails meanwhile. */
  readonly outcomes = new Map<string, Outcome>();
  readonly #dependencies: Dependencies;
  readonly #group: GroupRow;
  readonly #queue: PaidRow[];
  readonly #store: OpenStore;
  /** Characters of data that an answer has for each row. */
  readonly #resultChars: number;
  /** Never aborts: paid runs are awaited even after every caller has left. */
  readonly #signal = new AbortController().signal;
  #isStopped = false;
  #stopReason: ErrorDetail | undefined;
  /** Resolves when the reason to stop is written. */
  #noted: Promise<void> | undefined;
  #doubts = 0;
  /** The price at which a row was refused, because the caller does not know it yet. */
  #risenTo: number | undefined;

  constructor(
    dependencies: Dependencies,
    run: { group: GroupRow; rows: readonly PaidRow[]; want: Want; store: OpenStore; resultChars: number },
  ) {
    this.#dependencies = dependencies;
    this.groupId = run.group.id;
    this.#group = run.group;
    // Rows that another process sends come first, so that both processes together keep to five.
    const isBegun = (row: PaidRow) => isUnderWay(row) || isAskable(row) || wasCancelled(row);
    this.#queue = [...run.rows.filter(isBegun), ...run.rows.filter(isPlanned)];
    this.size = this.#queue.length;
    this.#store = run.store;
    this.wants.add(run.want);
    this.#resultChars = run.resultChars;
    setMaxListeners(0, this.#signal);
    this.end = this.#work();
  }

  /** Whether it sends nothing more. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Why it stopped, even if a later call continues the group. */
  get stopReason(): ErrorDetail | undefined {
    return this.#stopReason;
  }

  /** Whether an earlier answered call, or this task, already wants the group. */
  isWantedBy(task: string | undefined): boolean {
    return [...this.wants].some((want) => 'answered' in want && want.task === task);
  }

  /** Sends nothing more; what is under way goes on. Resolves when `reason` is kept for those who read the group. */
  async stop(reason: ErrorDetail | undefined): Promise<void> {
    this.#queue.length = 0;
    if (!this.#isStopped && reason !== undefined) {
      this.#stopReason = reason;
      // If the write fails, the rows still are not sent.
      this.#noted = this.#store.groups.stop(this.#group.id, reason).catch(() => undefined);
    }
    this.#isStopped = true;
    await this.#noted;
  }

  async #work(): Promise<void> {
    let workers = parallelRuns;
    const work = async () => {
      try {
        for (let row = this.#queue.shift(); row !== undefined; row = this.#queue.shift()) {
          if (!(await this.#isWanted())) return void this.stop(undefined);
          const error = await this.#pay(row);
          // The ends of other runs may free a part of their reserves, so another worker tries the row again.
          if (error !== undefined && overLimit.test(error.code) && workers > 1)
            return void this.#queue.unshift(row);
          if (error !== undefined) await this.#noteError(row, error);
        }
      } finally {
        // In the same moment: of two that are over a limit together, one must know that it is the last.
        workers -= 1;
      }
    };
    // A store that fails is tried again at the next beat; until then the rows stay planned.
    const keeping = setInterval(
      () => void this.#store.groups.keepPlanned(this.#group.id).catch(() => undefined),
      keepMs,
    ).unref();
    try {
      await Promise.all(Array.from({ length: parallelRuns }, work));
      await this.#noted;
    } catch {
      // The store failed: what is planned stays so, for the next call that wants it.
      this.#queue.length = 0;
    } finally {
      clearInterval(keeping);
      if (this.#risenTo !== undefined) this.#dependencies.quotes.shown(this.#group.action_id, this.#risenTo);
    }
  }

  async #isWanted(): Promise<boolean> {
    const tasks: string[] = [];
    for (const want of this.wants) {
      if ('signal' in want ? !want.signal.aborted : want.task === undefined) return true;
      if ('answered' in want && want.task !== undefined) tasks.push(want.task);
    }
    return tasks.length > 0 && (await this.#store.tasks.areWanted(tasks));
  }

  /** Resolves to why the row was not completed. */
  async #pay(row: PaidRow): Promise<ErrorDetail | undefined> {
    const { runs, limits, answering } = this.#dependencies;
    const context: CallContext = {
      signal: this.#signal,
      waitMs: limits.batchedRunMs,
      progress: () => undefined,
      confirmation: 'cannot-ask',
      resultChars: this.#resultChars,
    };
    const outcome = await answering(async () => {
      if (!isPlanned(row)) return this.#follow(row, context);
      return this.#send(row, await runs.orderOf(row, this.#agreement, context.signal), context);
    });
    this.outcomes.set(row.id, outcome);
    const error = getError(outcome.body);
    const { price }: { price?: unknown } = Object(outcome.body.error);
    if (error?.code === 'PRICE_CHANGED' && typeof price === 'number') this.#risenTo = price;
    this.#doubts = error?.code === 'SUBMISSION_UNKNOWN' ? this.#doubts + 1 : 0;
    return error;
  }

  get #agreement(): GroupAgreement {
    const { id, allowance, confirmed } = this.#group;
    return { groupId: id, allowance, confirmed };
  }

  #send(row: PaidRow, order: Order, context: CallContext): Promise<Outcome> {
    const { paid, clock } = this.#dependencies;
    const deadline = clock.monotonic() + context.waitMs;
    const isWanted = async () => !this.#isStopped && (await this.#isWanted());
    return paid.payRow({ row, isJoined: !isPlanned(row), isWanted }, order, deadline, context, async () =>
      this.#send(await this.#planAgain(row, order), order, context),
    );
  }

  /**
   * Waits for a row that another call has begun. Of one in doubt the service is asked by its key. Where that call was cancelled
   * unsent, the row is paid by this group.
   */
  async #follow(row: PaidRow, context: CallContext): Promise<Outcome> {
    const { paid, answering } = this.#dependencies;
    const order = () => this.#orderAgain(row, context);
    if (isAskable(row)) {
      const asking = await order();
      if (asking !== undefined) return this.#send(row, asking, context);
    }
    const outcome = await answering(() => paid.follow(row, context, true));
    if (getError(outcome.body)?.code !== 'CANCELLED' || this.#isStopped) return outcome;
    const again = await order();
    // Of another user by now, it is another call.
    return again === undefined || callHash(again) !== row.call_hash
      ? outcome
      : this.#send(await this.#planAgain(row, again), again, context);
  }

  /** How a row that is not planned is sent, from the group's own input. Undefined where the group has none. */
  async #orderAgain(row: PaidRow, { signal }: CallContext): Promise<Order | undefined> {
    const members = await this.#store.groups.members(this.#group.id);
    const params = members.find(({ member }) => member.row_id === row.id)?.member.params;
    if (params === undefined) return undefined;
    return this.#dependencies.runs.orderOf(row, this.#agreement, signal, parseObject(params));
  }

  /** The row that another call has closed is planned anew, or joined where it is open again. */
  async #planAgain(closed: PaidRow, order: Order): Promise<PaidRow> {
    const { orders, groups } = this.#store;
    // Without it nobody could tell what its rows have cost.
    if ((await groups.find(this.#group.id)) === undefined) throw lostGroup();
    const row = await orders.plan(order);
    // Undefined where the same call was opened and closed meanwhile: then this is tried again.
    if (row === undefined) return closed;
    await groups.setRow(this.#group.id, { closed: closed.id }, row);
    return row;
  }

  async #noteError(row: PaidRow, error: ErrorDetail): Promise<void> {
    if (stopping.test(error.code) || this.#doubts >= maxDoubts) return void this.stop(error);
    // A refusal after the claim is kept with the row.
    const current = await this.#store.rows.get(row.id).catch(() => undefined);
    if (current?.state === 'planned') await this.#store.groups.refuse(this.#group.id, row.id, error);
  }
}
