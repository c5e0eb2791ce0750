/** Batches: many inputs of one action in one call, each a paid row. */
import { toExact } from '../catalog/prices.ts';
import { splitIdentity } from '../catalog/tool-arguments.ts';
import type { Clock } from '../foundation/clock.ts';
import { callCancelled, stopIfCancelled } from '../foundation/errors.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext, GetJobInput, RunBatchInput } from '../interface/gateway.ts';
import type { Outcome, ViewRequest } from '../interface/outcomes.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import type { GroupRow, PaidRow } from '../store/schema.ts';
import { isAskable, isPlanned, wasCancelled, wasDropped } from '../store/states.ts';
import { begunElsewhere, jobNotFound, maxBeginnings } from './answers.ts';
import { callHash } from './call-identity.ts';
import { GroupAnswers } from './group-answers.ts';
import { groupProcessingBody, withAttachment } from './group-body.ts';
import { eachInput } from './group-inputs.ts';
import type { Member, NewMember } from './group-rows.ts';
import { GroupRun, type Want } from './group-runner.ts';
import type { Jobs } from './jobs.ts';
import type { Offer, Order } from './order.ts';
import type { PaidCalls } from './paid-calls.ts';
import type { Quotes } from './quote.ts';
import { type Runs, withHint } from './runs.ts';
import type { GatewayStore, OpenStore } from './store.ts';
import { within } from './within.ts';

const reportMs = 2_000;

type BatchInput = Omit<RunBatchInput, 'action_id' | 'select' | 'format'>;

/** A batch whose inputs were checked. */
interface GroupRequest {
  readonly offer: Offer;
  readonly maxCredits: number | undefined;
  /** As `max_age_seconds`. */
  readonly maxAge: number | undefined;
  readonly orders: readonly Order[];
  /** The names of the accounts that act. */
  readonly account: string | undefined;
}

type GroupView = ViewRequest & Pick<GetJobInput, 'maxChars'>;

interface Dependencies {
  readonly store: GatewayStore;
  readonly runs: Runs;
  readonly paid: PaidCalls;
  readonly jobs: Jobs;
  readonly quotes: Quotes;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly limits: Pick<TimeLimits, 'batchedRunMs'>;
  /** Aborts when every wait is at its deadline. */
  readonly ending: AbortSignal;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
}

export class Groups {
  readonly #dependencies: Dependencies;
  readonly #answers: GroupAnswers;
  readonly #running = new Set<GroupRun>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#answers = new GroupAnswers(dependencies);
  }

  /** Rejects with a `GatewayError`; then nothing was sent. */
  async run(offer: Offer, input: BatchInput, view: ViewRequest, context: CallContext): Promise<Outcome> {
    const { paid } = this.#dependencies;
    const { orders, hint } = await this.#check(offer, input, context);
    const store = await this.#dependencies.store.open();
    stopIfCancelled(context.signal);
    await paid.followRunning();
    const { max_credits: maxCredits, max_age_seconds: maxAge } = input;
    const account = namesOf(orders);
    const begun = await this.#begin({ offer, maxCredits, maxAge, orders, account }, store, context);
    if ('body' in begun) return begun;
    const { group, isJoined } = begun;
    const outcome = await this.#answer(group, { view, mayStop: true }, context, store);
    return withHint(isJoined ? withAttachment(outcome, group) : outcome, { hint });
  }

  /** What is bought for each input, each account chosen once. */
  async #check(offer: Offer, input: BatchInput, { signal }: CallContext) {
    const { runs } = this.#dependencies;
    const { action } = offer;
    const inputs = await eachInput(input.batch, async (one) => {
      const { params, identity = input.identity } = splitIdentity(one, action);
      return { identity, params: await runs.check(action, params) };
    });
    const accounts = new Map<string | undefined, Awaited<ReturnType<Runs['chooseAccount']>>>();
    for (const { identity } of inputs)
      if (!accounts.has(identity))
        accounts.set(identity, await runs.chooseAccount(action, { ...input, identity }, signal));
    const orders = inputs.flatMap((one) => {
      const account = accounts.get(one.identity);
      return account === undefined ? [] : [runs.order(offer, one, account)];
    });
    return { orders, hint: accounts.get(undefined)?.hint };
  }

  /** Waits for the rows of a group; cancelling ends only the wait. `task`: for whom. Rejects with `JOB_NOT_FOUND`. */
  async get(id: string, view: GroupView, context: CallContext, task?: string): Promise<Outcome> {
    const store = await this.#dependencies.store.open();
    const group = await store.groups.find(id);
    if (group === undefined) throw jobNotFound(id);
    return this.#answer(group, { view, mayStop: false, task }, context, store);
  }

  /** A call that was answered `processing` wants its rows as long as its task does. */
  becomeTask(groupId: string, taskId: string): void {
    for (const want of this.#findRun(groupId)?.wants ?? []) {
      if ('answered' in want && want.task === undefined) {
        want.task = taskId;
        return;
      }
    }
  }

  /** Before a shutdown: sends nothing more. What is planned is for the next process that wants it. */
  stop(): void {
    for (const run of this.#running) void run.stop(undefined);
  }

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all([...this.#running].map(({ end }) => end));
  }

  /** Joins the open group of the same inputs, or writes a new one with its planned rows. */
  async #begin(
    request: GroupRequest,
    store: OpenStore,
    context: CallContext,
  ): Promise<{ group: GroupRow; isJoined: boolean } | Outcome> {
    const hashes = request.orders.map(callHash);
    for (let attempt = 0; attempt < maxBeginnings; attempt += 1) {
      const existing = await store.groups.findOpen(hashes);
      if (existing !== undefined) {
        const joined = await this.#join(existing, request, store, context);
        if (joined === undefined) continue;
        return 'body' in joined ? joined : { group: joined, isJoined: true };
      }
      const { newMembers, count } = await this.#findRows(request, hashes, store, context);
      const admitted = await this.#dependencies.quotes.forGroup(request, { count, spent: 0 }, store, context);
      if (admitted.refusal !== undefined) return admitted.refusal;
      const group = { ...admitted, actionId: request.offer.action.action_id, hashes };
      const inserted = await store.groups.insert(group, newMembers);
      // The same batch is open by now, or its consent was used up: the next quote sees it.
      if (inserted !== undefined) return { group: inserted, isJoined: false };
    }
    throw begunElsewhere('batch');
  }

  /** For each input an earlier result that is young enough, or what to plan; and how many calls are yet to be paid. */
  async #findRows(
    { orders, maxAge }: GroupRequest,
    hashes: readonly string[],
    store: OpenStore,
    context: CallContext,
  ): Promise<{ newMembers: readonly NewMember[]; count: number }> {
    const { runs, paid } = this.#dependencies;
    const find = async (order: Order) => {
      const open = await paid.findOpen(order, store, context);
      const cached = open === undefined ? await runs.findCached(order, maxAge) : undefined;
      return { cached: cached?.id, isPaid: cached !== undefined || (open !== undefined && !isPlanned(open)) };
    };
    // Equal inputs share one row.
    const byHash = new Map(orders.map((order, position) => [hashes[position], order]));
    const found = new Map(
      await Promise.all([...byHash].map(async ([hash, order]) => [hash, await find(order)] as const)),
    );
    const newMembers = orders.map((order, position) => ({
      order,
      cached: found.get(hashes[position])?.cached,
    }));
    return { newMembers, count: [...found.values()].filter(({ isPaid }) => !isPaid).length };
  }

  /**
   * A call wants the group again: what of it was never planned, or closed unsent, is planned anew. Where nothing sends the
   * rest any more, it is admitted by what this call agrees to. Undefined where its consent has paid for something else.
   */
  async #join(
    group: GroupRow,
    request: GroupRequest,
    store: OpenStore,
    context: CallContext,
  ): Promise<GroupRow | Outcome | undefined> {
    const known = await store.groups.members(group.id);
    const unsent = new Set(known.filter(isUnsent).map(({ member, row }) => row?.id ?? member.position));
    // What is under way goes on for this call too, whatever an earlier cancel has left, or is about to write, in the store.
    // The service is asked again for rows in doubt, also where they have stopped the batch.
    if (unsent.size === 0 || this.#findRun(group.id) !== undefined) return { ...group, stopped: null };
    const { byGroup } = await store.orders.readSpent({ allowance: { groupId: group.id, credits: 0 } });
    const rest = { count: unsent.size, spent: byGroup };
    const admitted = await this.#dependencies.quotes.forGroup(request, rest, store, context);
    if (admitted.refusal !== undefined) return admitted.refusal;
    const { consent } = admitted;
    const allowance = combine(group.allowance ?? undefined, admitted.allowance, byGroup);
    const confirmed =
      admitted.confirmed === undefined ? group.confirmed : toExact(byGroup + admitted.confirmed);
    const terms = { allowance, confirmed: confirmed ?? undefined, consent };
    if (!(await store.groups.goOn(group.id, terms))) return undefined;
    const continued = { ...group, allowance: allowance ?? null, confirmed, stopped: null };
    const agreement = { ...continued, groupId: group.id };
    for (const { member, row } of known) {
      const order = request.orders[member.position];
      if (order === undefined || !isUnsent({ member, row }) || row?.state === 'planned') continue;
      const planned =
        (await this.#dependencies.paid.findOpen(order, store, context)) ??
        (await store.orders.plan({ ...order, group: agreement }));
      if (planned !== undefined) await store.groups.setRow(group.id, { position: member.position }, planned);
    }
    return continued;
  }

  /** Waits for all rows. `mayStop`: where the last call that wants it is cancelled, the rest is not sent. */
  async #answer(
    group: GroupRow,
    { view, mayStop, task }: { view: GroupView; mayStop: boolean; task?: string | undefined },
    context: CallContext,
    store: OpenStore,
  ): Promise<Outcome> {
    const { clock } = this.#dependencies;
    const waitMs = Math.min(context.waitMs, context.taskAfterMs ?? Number.POSITIVE_INFINITY);
    const deadline = clock.monotonic() + waitMs;
    const members = await store.groups.members(group.id);
    const want: Want = { signal: context.signal };
    const wanted = members.flatMap(({ row }) =>
      // What somebody else had begun and left is sent, or asked for, by a call, never by a read.
      row !== undefined && (mayStop ? row.open === 1 || wasCancelled(row) : row.open === 1 && !isAskable(row))
        ? [row]
        : [],
    );
    const resultChars = this.#answers.charsOf(members, view, context);
    const run = this.#ensureRun(group, wanted, want, resultChars, store);
    const processing = { body: groupProcessingBody(group.id, members.length), batch: group.id, view };
    try {
      const hasEnded = run === undefined || (await this.#awaitRun(run, deadline, context));
      if (!hasEnded) {
        if (run.wants.has(want) && (mayStop || !run.isWantedBy(task)))
          run.wants.add({ answered: true, task });
        return processing;
      }
      const known = { group, members, outcomes: run?.outcomes, stopReason: run?.stopReason };
      return (await this.#answers.forGroup(known, { view, deadline, context }, store)) ?? processing;
    } catch (error) {
      if (context.signal.aborted && mayStop && run?.wants.size === 1) await run.stop(callCancelled);
      throw error;
    } finally {
      run?.wants.delete(want);
      if (run?.wants.size === 0) void run.stop(undefined);
    }
  }

  /** The run of a group in this process, if anything of it is unsent and wanted. */
  #ensureRun(
    group: GroupRow,
    wanted: readonly PaidRow[],
    want: Want,
    resultChars: number,
    store: OpenStore,
  ): GroupRun | undefined {
    const existing = this.#findRun(group.id);
    if (existing !== undefined) {
      // A batch that was cancelled goes on only for a call that begins it again.
      if (group.stopped === null) existing.wants.add(want);
      return existing;
    }
    // Equal inputs share one row.
    const rows = [...new Map(wanted.map((row) => [row.id, row])).values()];
    const hasUnsent = rows.some((row) => isPlanned(row) || wasCancelled(row) || isAskable(row));
    if (!hasUnsent || group.stopped !== null || this.#dependencies.ending.aborted) return undefined;
    const run = new GroupRun(this.#dependencies, {
      group,
      rows,
      want,
      store,
      resultChars,
    });
    this.#running.add(run);
    void run.end.then(() => this.#running.delete(run));
    return run;
  }

  /** The run of the group that still sends. */
  #findRun(groupId: string): GroupRun | undefined {
    return [...this.#running].find((run) => run.groupId === groupId && !run.isStopped);
  }

  async #awaitRun(run: GroupRun, deadline: number, { signal, progress }: CallContext): Promise<boolean> {
    const { clock, ending } = this.#dependencies;
    // Also while no further run has ended: clients take a call without progress for a dead one.
    let beat = 0;
    const tick = () => {
      beat += 1;
      progress({ progress: beat, message: `${run.outcomes.size} of ${run.size} runs have ended` });
    };
    const ended = run.end.then(() => true);
    const remainingMs = deadline - clock.monotonic();
    return (await within(ended, remainingMs, signal, ending, { everyMs: reportMs, tick })) === true;
  }
}

const maxNamed = 10;

function namesOf(orders: readonly Order[]): string | undefined {
  const names = [...new Set(orders.map(({ account }) => account || undefined))].filter(
    (name) => name !== undefined,
  );
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return names.length === 0 ? undefined : names.slice(0, maxNamed).join(', ') + more;
}

const isUnsent = ({ member, row }: Member): boolean =>
  row === undefined ? member.error === null : isPlanned(row) || wasDropped(row) || wasCancelled(row);

/** The allowance after a second call agreed to `added` credits above `spent`: neither caller's cap is exceeded. */
function combine(
  allowance: number | undefined,
  added: number | undefined,
  spent: number,
): number | undefined {
  if (added === undefined) return allowance;
  return Math.min(Math.max(allowance ?? Number.POSITIVE_INFINITY, added), toExact(spent + added));
}
