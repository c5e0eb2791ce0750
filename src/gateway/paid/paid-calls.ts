/**
 * The way of every paid call: find the open row or write one, claim it if it is planned, send it once, and wait. Runs,
 * builds and the rows of groups take it.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Api } from '../../contract/api.ts';
import { priceText } from '../../contract/price.ts';
import { StoreError } from '../../store/errors.ts';
import { type Span, traced } from '../../tracing/tracing.ts';
import { type Clock, elapsedSince, getMoment, type Moment } from '../foundation/clock.ts';
import { GatewayError, stopIfCancelled, toRefusal } from '../foundation/errors.ts';
import { takesIdempotencyKeys } from '../foundation/extensions.ts';
import type { Logger } from '../foundation/logger.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { Outcome } from '../interface/outcomes.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import { toStoreUnavailable } from '../store/gateway-database.ts';
import type { PaidRow } from '../store/schema.ts';
import { asDropped, isAskable, isPlanned, notSent, wasDropped } from '../store/states.ts';
import { begunElsewhere, doubtAboveLimit, maxBeginnings, withOther } from './answers.ts';
import { type PaidCall, toJobId } from './call-identity.ts';
import type { Drifts } from './drifts.ts';
import { EndRecords } from './end-records.ts';
import { Followers } from './follower.ts';
import type { PaidKind } from './kind.ts';
import { costUnknown, refuseOver } from './limit-refusals.ts';
import type { Order, Quote } from './order.ts';
import type { Insertion, InsertResult } from './order-rows.ts';
import { clockToleranceMs, createOwner, thisProcess } from './owner.ts';
import { Durations } from './pace.ts';
import type { Reason } from './paid-rows.ts';
import type { Quotes } from './quote.ts';
import { Sender } from './send.ts';
import type { GatewayStore, OpenStore } from './store.ts';
import { Waits } from './waits.ts';
import type { Writes } from './writes.ts';

/** So long, in milliseconds, the record of an accepted job waits for its end, to be written with it. */
const firstLookMs = 5;
/** Between two looks at a run that nobody waits for, while a daily limit applies or others wait to learn its cost. */
const costLookMs = 60_000;

interface PaidCallsDependencies {
  readonly api: Api;
  readonly store: GatewayStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: TimeLimits;
  readonly settings: GatewaySettings;
  readonly kinds: Readonly<Record<PaidCall['kind'], PaidKind>>;
  readonly drifts: Drifts;
  readonly quotes: Quotes;
}

/** The row of a call. `isJoined`: an earlier call wrote it. */
interface CallRow {
  readonly row: PaidRow;
  readonly isJoined: boolean;
  /** Whether a planned row is still wanted when it is about to be claimed: it may have waited long. Absent: it is. */
  readonly isWanted?: (() => Promise<boolean>) | undefined;
  /** The row in doubt that `resubmit` overrides. */
  readonly replaces?: string | undefined;
  /** Sends the request; absent if this call must not send it. */
  readonly send?: (() => void) | undefined;
}

type Joined = { joined: CallRow; row?: never } | { joined?: never; row: PaidRow | undefined };

export class PaidCalls {
  readonly waits: Waits;
  readonly #dependencies: PaidCallsDependencies;
  readonly #sender: Sender;
  readonly #followers: Followers;
  readonly #ending = new AbortController();
  /** Runs of this process that show what their actions cost: others wait for their ends. */
  readonly #probes = new Set<string>();

  constructor(dependencies: PaidCallsDependencies) {
    const { clock, limits, writes, store } = dependencies;
    this.#dependencies = dependencies;
    // Every wait adds a listener.
    setMaxListeners(0, this.#ending.signal);
    const durations = new Durations(store);
    const isFirst = (row: PaidRow) => this.#sender.takeUnwritten(row);
    const ends = new EndRecords({ ...dependencies, durations, isFirst });
    this.#sender = new Sender({
      kinds: dependencies.kinds,
      writes,
      clock,
      accepted: (row, kind, jobId) => {
        this.#followers.forget(jobId, row.id);
        return this.#followers.begin({ jobId, kind, row }, firstLookMs);
      },
      recordEnd: (row, kind, look) =>
        ends.write(row, kind, look, { durationMs: null, isFirst: true, hasJob: false }),
    });
    this.#followers = new Followers({
      clock,
      limits,
      ending: this.#ending.signal,
      costLookMs: ({ id }) => (this.hasDayLimit || this.#probes.has(id) ? costLookMs : undefined),
      durations,
      record: (followed, end) => {
        if (followed.row !== undefined) this.#probes.delete(followed.row.id);
        return ends.follow(followed, end);
      },
    });
    this.waits = new Waits({
      ...dependencies,
      sender: this.#sender,
      followers: this.#followers,
      ending: this.#ending.signal,
    });
  }

  /** Pays once and waits until `deadline` (monotonic). Rejects with a `GatewayError` or a `SubmissionUnknownError`. */
  async pay(order: Order, deadline: number, context: CallContext): Promise<Outcome> {
    const store = await this.#dependencies.store.open();
    stopIfCancelled(context.signal);
    const describe = (span: Span, written: CallRow | { outcome: Outcome }) =>
      span.setAttributes({
        'svc_mcp.action.id': order.kind === 'run' ? order.subject : undefined,
        'svc_mcp.paid_call.outcome': 'outcome' in written ? 'refused' : written.isJoined ? 'attached' : 'new',
      });
    const begun = await traced('write paid call', { describe }, () =>
      this.#begin(order, deadline, store, context),
    );
    if ('outcome' in begun) return begun.outcome;
    const payAgain = () => this.pay(order, deadline, context);
    const outcome = await this.payRow(begun, order, deadline, context, payAgain);
    const { replaces } = begun;
    if (replaces === undefined) return outcome;
    return withOther(outcome, await store.rows.get(replaces).catch(() => undefined));
  }

  /**
   * Claims and sends a row that is planned, unless another process does, or asks by its key for one in doubt, and waits for it.
   * `payAgain`: goes on where another
   * call has closed the row unsent, because it was refused or cancelled; absent: that is the answer.
   */
  async payRow(
    { row, isJoined, isWanted, send }: CallRow,
    order: Order,
    deadline: number,
    context: CallContext,
    payAgain?: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const { store } = this.#dependencies;
    const claimed = isPlanned(row)
      ? await this.#claim({ row, isWanted }, order, deadline, context, await store.open())
      : isAskable(row) && (await this.#takesKeys(context))
        ? await this.#askAgain(row, order, await store.open(), context)
        : { row, isJoined, send };
    if ('outcome' in claimed) return claimed.outcome;
    claimed.send?.();
    if (payAgain !== undefined && wasDropped(claimed.row)) return payAgain();
    const repeatCosts = claimed.isJoined ? priceText(order.listed) : undefined;
    // The answer of a group tells the cost of its rows.
    const isOfGroup = order.group !== undefined;
    try {
      return await this.waits.forRow(claimed.row, { deadline, repeatCosts, order, context, isOfGroup });
    } catch (error) {
      const isOthersCancel = error instanceof GatewayError && error.body.error.code === 'CANCELLED';
      if (!isOthersCancel || context.signal.aborted || !claimed.isJoined || payAgain === undefined)
        throw error;
      return payAgain();
    }
  }

  /** The open row of a call. A job whose loss was told is looked for once more before the call is a new one. */
  async findOpen(call: PaidCall, { rows }: OpenStore, context: CallContext): Promise<PaidRow | undefined> {
    const open = await rows.findOpen(call).catch(throwStoreFailure);
    if (open === undefined || !(await rows.wasLossTold(open))) return open;
    if (!(await this.waits.isStillLost(open, context))) return (await rows.get(open.id)) ?? open;
    await rows.closeLoss(open.id);
    return undefined;
  }

  /** Waits for a row that was sent, or is being sent. `isTold`: the answer leaves it to others to tell the cost. */
  follow(row: PaidRow, context: CallContext, isTold = false): Promise<Outcome> {
    const deadline = this.#dependencies.clock.monotonic() + context.waitMs;
    return this.waits.forRow(row, { deadline, repeatCosts: undefined, context, isTold });
  }

  /** Under a daily limit: follows what earlier processes left running, so that its cost is learned. */
  async followRunning(): Promise<void> {
    if (!this.hasDayLimit) return;
    const { queries } = await this.#dependencies.store.open();
    for (const row of await queries.runningToday()) this.followOn(row);
  }

  /** Follows an accepted row that nobody waits for just now. */
  followOn(row: PaidRow): void {
    if (row.state !== 'submitted') return;
    this.#followers.start({ jobId: toJobId(row), kind: this.#dependencies.kinds[row.kind], row });
  }

  /** The row of a job that was accepted and is not in the store yet. */
  accepted(jobId: string): PaidRow | undefined {
    return this.#sender.accepted(jobId);
  }

  /** Aborts when every wait is at its deadline. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  endWaits(): void {
    this.#ending.abort();
  }

  /** Waits at most `graceMs` for the answers to requests under way. */
  settle(graceMs: number): Promise<void> {
    return this.#sender.settle(graceMs);
  }

  close(): void {
    this.#followers.close();
  }

  /** Whether a limit of the day applies, so that costs of runs that nobody waits for count. */
  get hasDayLimit(): boolean {
    const { maxCreditsPerDay, maxCreditsPerDayPerKey } = this.#dependencies.settings;
    return maxCreditsPerDay !== undefined || maxCreditsPerDayPerKey !== undefined;
  }

  /** Finds the open row of the call; else gets a quote and writes a row. */
  async #begin(
    order: Order,
    deadline: number,
    store: OpenStore,
    context: CallContext,
  ): Promise<CallRow | { outcome: Outcome }> {
    const { quotes } = this.#dependencies;
    const isAnswered = typeof context.confirmation === 'object';
    // The insert finds out whether the same call is open, too: only what costs more than it is looked up before.
    const looksFirst = order.resubmit || quotes.isLimited(order) || isAnswered;
    let isFirst = true;
    for (let attempt = 0; attempt < maxBeginnings; attempt += 1) {
      const open: Joined =
        looksFirst || attempt > 0 ? await this.#join(order, store, context) : { row: undefined };
      if (open.joined !== undefined) return open.joined;
      const quoted = await quotes.forOrder(order, store, context);
      if (quoted.refusal !== undefined) {
        const { joined } = looksFirst ? open : await this.#join(order, store, context);
        if (joined !== undefined) return joined;
        quoted.told?.();
        return { outcome: quoted.refusal };
      }
      const { quote } = quoted;
      const mayWait = looksFirst || attempt > 0;
      const begun = await this.#insert(order, { quote, replaced: open.row, mayWait }, store, context);
      if (begun === 'cost-unknown') {
        // Nothing is written for a call that waits.
        if (isFirst) context.progress({ progress: 0, message: waitsForCost });
        if (!(await this.waits.pause(deadline, context.signal)))
          return { outcome: { body: costUnknown(quote.priced) } };
        isFirst = false;
        attempt = 0;
      } else if (begun !== undefined) return begun;
      // Another process has begun the same call, or has used its consent up: the next quote sees it.
    }
    throw begunElsewhere('call');
  }

  /** Joins the open row of the call. `row`: one in doubt that nobody can ask about, which the caller resubmits. */
  async #join(order: Order, store: OpenStore, context: CallContext): Promise<Joined> {
    const row = await this.findOpen(order, store, context);
    if (row === undefined) return { row };
    // With its idempotency key the service can be asked again for free, which is better than to resubmit.
    const isResubmitted =
      order.resubmit && row.state === 'unknown' && !(isAskable(row) && (await this.#takesKeys(context)));
    return isResubmitted ? { row } : { joined: joined(row) };
  }

  /**
   * Writes the row and starts to send it; undefined where the same call is open by now, or its consent was used up. Unless it
   * `mayWait`, also where another process has the lock: a repeat of an open call needs none.
   */
  async #insert(
    order: Order,
    { quote, replaced, mayWait }: { quote: Quote } & Pick<Insertion, 'replaced' | 'mayWait'>,
    store: OpenStore,
    context: CallContext,
  ): Promise<CallRow | { outcome: Outcome } | 'cost-unknown' | undefined> {
    const id = randomUUID();
    const keyed = await this.#takesKeys(context);
    if (this.#ending.signal.aborted)
      throw new GatewayError('CANCELLED', 'svc-mcp is ending. Nothing was sent.', {
        kind: 'retry',
        when: 'now',
      });
    const begunAt = getMoment(this.#dependencies.clock);
    let inserted: InsertResult;
    try {
      inserted = await store.orders.insert(order, quote, { id, keyed, replaced, mayWait });
    } catch (error) {
      // If the write fails, nothing is sent. The row may exist, so it is marked as refused.
      const abandon = (reason: Reason, mayStillCome: boolean) =>
        store.orders.abandon({ id, owner: thisProcess }, reason, mayStillCome);
      return this.#abandon(id, abandon, begunAt, order.submitWithinMs, error);
    }
    if (inserted.kind === 'exists' || inserted.kind === 'locked') return undefined;
    if (inserted.kind === 'over') return { outcome: { body: refuseOver(quote, inserted.spent) } };
    if (inserted.kind === 'probe') return this.#awaitCost(inserted.probes);
    const { row } = inserted;
    const send = () => this.#send(row, order, quote, begunAt, store, context);
    return { row, isJoined: false, replaces: replaced?.id, send };
  }

  #send(
    row: PaidRow,
    order: Order,
    { priced, isCostKnown }: Quote,
    begunAt: Moment,
    store: OpenStore,
    context: CallContext,
  ): void {
    if (!isCostKnown) this.#probes.add(row.id);
    context.progress({ progress: 0, message: `${order.announcement} (${priceText(priced.cost)})` });
    this.#sender.start(row, order, store, begunAt, context.signal);
  }

  /** Nobody else may look at the runs that show the cost any more. */
  #awaitCost(probes: readonly PaidRow[]): 'cost-unknown' {
    for (const probe of probes) this.followOn(probe);
    return 'cost-unknown';
  }

  #takesKeys({ signal }: CallContext): Promise<boolean> {
    return takesIdempotencyKeys(this.#dependencies.api, signal);
  }

  /** Resolves a doubt by asking the service again by the key. */
  async #askAgain(open: PaidRow, order: Order, store: OpenStore, { signal }: CallContext): Promise<CallRow> {
    const limit = await this.#dependencies.quotes.findDoubtLimit(open, order, store);
    if (limit !== undefined) throw doubtAboveLimit(open, limit);
    const begunAt = getMoment(this.#dependencies.clock);
    const row = await store.rows.askAgain(open.id, order.submitWithinMs);
    if (row === undefined) return { row: (await store.rows.get(open.id)) ?? open, isJoined: true };
    // The sender must know that the row was in doubt.
    const doubt = { ...row, state: open.state };
    const send = () => this.#sender.start(doubt, order, store, begunAt, signal);
    return { row, isJoined: true, send };
  }

  /** Repeats `abandon` until the failed write can no longer arrive. Throws the error for the caller. */
  #abandon(
    key: string,
    abandon: (reason: Reason, mayStillCome: boolean) => Promise<void>,
    begunAt: Moment,
    submitWithinMs: number,
    error: unknown,
  ): never {
    if (!(error instanceof StoreError)) throw error;
    const { writes, clock } = this.#dependencies;
    const failure = toStoreUnavailable(error);
    const mayStillCome = () => elapsedSince(clock, begunAt) < submitWithinMs + clockToleranceMs;
    void writes.write(key, 'that nothing was sent', () => abandon(failure.body.error, mayStillCome()));
    throw failure;
  }

  /** Waits while another run shows what the action costs; then one process claims the row and sends it. */
  async #claim(
    { row: planned, isWanted }: Pick<CallRow, 'row' | 'isWanted'>,
    order: Order,
    deadline: number,
    context: CallContext,
    store: OpenStore,
  ): Promise<CallRow | { outcome: Outcome }> {
    const { clock, kinds, quotes } = this.#dependencies;
    const keyed = await this.#takesKeys(context);
    for (let isFirst = true; ; isFirst = false) {
      stopIfCancelled(context.signal);
      if (isWanted !== undefined && !(await isWanted())) return { outcome: { body: notWanted } };
      const quoted = await quotes.forOrder(order, store, context);
      if (quoted.refusal !== undefined) {
        quoted.told?.();
        return { outcome: quoted.refusal };
      }
      const { quote } = quoted;
      const begunAt = getMoment(clock);
      const owner = createOwner();
      const claim = store.orders.claim(planned, order, quote, { owner, keyed });
      const claimed = await claim.catch((error: unknown) => {
        const abandon = (reason: Reason, mayStillCome: boolean) =>
          store.orders.abandon({ id: planned.id, owner }, reason, mayStillCome);
        // Not queued behind the row's own writes: another claim of the row may succeed meanwhile.
        return this.#abandon(owner, abandon, begunAt, order.submitWithinMs, error);
      });
      switch (claimed.kind) {
        case 'claimed':
          this.#send(claimed.row, order, quote, begunAt, store, context);
          return { row: claimed.row, isJoined: false };
        case 'gone': {
          const row = (await store.rows.get(planned.id)) ?? asDropped(planned);
          // Planned rows expire.
          const closed = row.state === 'planned' ? await store.rows.drop(row.id, notSent) : row;
          return { row: closed ?? row, isJoined: true };
        }
        case 'over':
          return { outcome: { body: refuseOver(quote, claimed.spent) } };
        case 'consent-used':
          continue;
        case 'probe':
          this.#awaitCost(claimed.probes);
      }
      if (isFirst) context.progress({ progress: 0, message: waitsForCost });
      if (!(await this.waits.pause(deadline, context.signal))) {
        return { outcome: { body: kinds[planned.kind].unanswered(planned), paidCall: planned.id } };
      }
    }
  }
}

const waitsForCost = 'Waiting for a run that shows the cost';

const notWanted = toRefusal('CANCELLED', 'The batch was cancelled. Nothing was sent.', {
  kind: 'retry',
  when: 'if-wanted',
});

const joined = (row: PaidRow): CallRow => ({ row, isJoined: !isPlanned(row) });

function throwStoreFailure(error: unknown): never {
  throw error instanceof StoreError ? toStoreUnavailable(error) : error;
}
