/** Waits for the outcome of a paid row: the answer to its request, then the end of its job. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ListedBuild } from '../../contract/reading.ts';
import type { Clock } from '../foundation/clock.ts';
import { stopIfCancelled } from '../foundation/errors.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { Outcome } from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import { readAnswer } from '../results/large-answers.ts';
import type { PaidRow } from '../store/schema.ts';
import { asDropped } from '../store/states.ts';
import {
  lostJob,
  submissionUnknown,
  toAttachment,
  toEarlierRefusal,
  withExcess,
  withOther,
} from './answers.ts';
import { type PaidCall, toJobId } from './call-identity.ts';
import type { FollowedEnd, FollowedJob, Followers } from './follower.ts';
import { costOfEnd, type Look, type PaidKind } from './kind.ts';
import type { Order } from './order.ts';
import { clockToleranceMs } from './owner.ts';
import type { PaidRows } from './paid-rows.ts';
import type { Sender, SentCall } from './send.ts';
import type { GatewayStore, OpenStore } from './store.ts';
import { type Teller, ToldCosts } from './told-costs.ts';
import { within } from './within.ts';
import type { Writes } from './writes.ts';

/** Between two looks at a row that another process sends. */
const rowPollMs = 250;

/** A job's id is not given again sooner: who waits shorter needs no look at the store. */
const reusedAfterMs = 1_000;

/** How long a call waits, and what it is told. */
export interface Wait {
  /** By the monotonic clock, in milliseconds. */
  readonly deadline: number;
  /** What a further run costs, if the call joins an earlier one; else undefined. */
  readonly repeatCosts: string | undefined;
  /** What the caller would send again, if it is not known whether the service took it. */
  readonly order?: Order | undefined;
  readonly context: CallContext;
  /** Whether the answer leaves it to others to tell the cost. */
  readonly isTold?: boolean | undefined;
  /** Whether it is a wait of a group, whose own answer tells the cost later. */
  readonly isOfGroup?: boolean | undefined;
}

interface Dependencies {
  readonly store: GatewayStore;
  readonly writes: Writes;
  readonly clock: Clock;
  readonly settings: GatewaySettings;
  readonly kinds: Readonly<Record<PaidCall['kind'], PaidKind>>;
  readonly sender: Sender;
  readonly followers: Followers;
  /** Aborts when every wait is at its deadline. */
  readonly ending: AbortSignal;
}

export class Waits {
  readonly #dependencies: Dependencies;
  readonly #told = new ToldCosts();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether an answer told what the row cost. */
  isTold({ id, state }: Pick<PaidRow, 'id' | 'state'>): boolean {
    return state === 'delivered' || this.#told.has(id);
  }

  /** Rejects with a `GatewayError` or a `SubmissionUnknownError`. */
  async forRow(beginning: PaidRow, wait: Wait): Promise<Outcome> {
    const { sender, kinds, clock, store } = this.#dependencies;
    const { context, deadline, isTold = false, isOfGroup = false } = wait;
    const { id: paidCall } = beginning;
    const kind = kinds[beginning.kind];
    const answerBy = Math.max(deadline, clock.monotonic() + kind.leastAnswerMs);
    const teller = isTold || isOfGroup ? undefined : this.#told.begin(paidCall);
    let recorded: SentCall['recorded'] | undefined;
    try {
      const sending = sender.find(paidCall, context.signal);
      const sent = sending && (await this.#within(sending, answerBy, context.signal));
      const row = sending === undefined ? await this.#awaitAnswer(beginning, answerBy, context) : sent?.row;
      if (row === undefined) return { body: kind.unanswered(beginning), paidCall };
      if (row.state === 'unknown') throw submissionUnknown(row, wait.order);
      if (row.state === 'refused') throw toEarlierRefusal(row);
      recorded = sent?.recorded;
      const outcome = await this.#conclude(row, sent?.end, { ...wait, teller }, await store.open());
      // An accepted job is in the store before a caller learns of it, unless the store fails.
      return { ...withOther(outcome, await recorded), paidCall };
    } catch (error) {
      await recorded;
      throw error;
    } finally {
      if (teller !== undefined) this.#told.end(paidCall, teller);
    }
  }

  /** A job without a row here, submitted elsewhere with the same key. Undefined if the service does not know it. */
  async forJob(jobId: string, deadline: number, context: CallContext): Promise<Outcome | undefined> {
    const { kinds, writes, store } = this.#dependencies;
    const kind = kinds.run;
    const end = await this.#awaitEnd({ jobId, kind, row: undefined }, deadline, context);
    if (end.kind === 'lost') return undefined;
    if (end.kind === 'running') return { body: await kind.running(jobId, end.look, undefined) };
    if (end.kind === 'error') throw kind.lookError(end.error, jobId);
    const { results } = await store.open();
    const result = kind.getEnding(end.look)?.result;
    if (result !== undefined) {
      await writes.write(jobId, 'the result', () => results.keep(jobId, result.text), 1);
    }
    const facts = { row: undefined, attachment: undefined, budget: this.#budget(context), isTold: false };
    return { body: await kind.ended(jobId, end.look, facts) };
  }

  /** A build once it ended, or as it was seen last; undefined where the service does not list it. */
  async forBuild(
    jobId: string,
    row: PaidRow | undefined,
    deadline: number,
    context: CallContext,
  ): Promise<ListedBuild | undefined> {
    const kind = this.#dependencies.kinds.build;
    const end = await this.#awaitEnd({ jobId, kind, row }, deadline, context);
    if (end.kind === 'error') throw kind.lookError(end.error, jobId);
    const look = end.kind === 'lost' ? undefined : end.look;
    return look?.kind === 'build' ? look.build : undefined;
  }

  /** Pauses until a row of another process may have changed. False at the deadline. */
  async pause(deadline: number, signal: AbortSignal): Promise<boolean> {
    const { clock, ending } = this.#dependencies;
    const remainingMs = deadline - clock.monotonic();
    if (remainingMs <= 0 || ending.aborted) return false;
    await delay(Math.min(rowPollMs, remainingMs), undefined, { signal }).catch(() => undefined);
    stopIfCancelled(signal);
    return true;
  }

  /** Resolves to undefined at the deadline. */
  #within<Value>(work: Promise<Value>, deadline: number, signal: AbortSignal): Promise<Value | undefined> {
    const { clock, ending } = this.#dependencies;
    return within(work, deadline - clock.monotonic(), signal, ending);
  }

  /** The row once its request was answered, by another process or long ago; undefined at the deadline. */
  async #awaitAnswer(
    beginning: PaidRow,
    answerBy: number,
    { signal }: CallContext,
  ): Promise<PaidRow | undefined> {
    const { store, clock } = this.#dependencies;
    const { rows } = await store.open();
    const isOpen = ({ state }: PaidRow) => state === 'intended' || state === 'planned';
    const beganAt = clock.monotonic();
    let row = beginning;
    while (isOpen(row)) {
      row = (await rows.get(beginning.id)) ?? (await this.#afterLoss(row, clock.monotonic() - beganAt, rows));
      if (isOpen(row) && !(await this.pause(answerBy, signal))) return undefined;
    }
    return row;
  }

  /** A row that the database has lost. Its sender puts it back, unless that one is gone too. */
  async #afterLoss(row: PaidRow, waitedMs: number, rows: PaidRows): Promise<PaidRow> {
    if (row.state === 'planned') return asDropped(row);
    const isLate = waitedMs > row.deadline - row.created_at + clockToleranceMs;
    return (isLate ? await rows.changeSent(row, () => rows.doubt(row)) : undefined) ?? row;
  }

  /** Waits for the end of an accepted row, or reads the end that was kept. */
  async #conclude(
    row: PaidRow,
    sentEnd: Look | undefined,
    waiting: Wait & { readonly teller: Teller | undefined },
    store: OpenStore,
  ): Promise<Outcome> {
    const { clock, kinds } = this.#dependencies;
    const { deadline, repeatCosts, context, teller, isOfGroup = false } = waiting;
    const kind = kinds[row.kind];
    const jobId = toJobId(row);
    if (isGivenAway(row)) return this.#lostOutcome(row, store);
    const handleAt = clock.monotonic() + (context.taskAfterMs ?? Number.POSITIVE_INFINITY);
    const kept: FollowedEnd | undefined =
      sentEnd !== undefined
        ? { kind: 'ended', look: sentEnd, durationMs: null }
        : row.kind === 'run' && row.state !== 'submitted'
          ? await readKept(row, store)
          : undefined;
    const end = kept ?? (await this.#awaitEnd({ jobId, kind, row }, Math.min(deadline, handleAt), context));
    const attachment = repeatCosts === undefined ? undefined : toAttachment(row);
    if (end.kind === 'running') return { body: await kind.running(jobId, end.look, attachment) };
    if (end.kind === 'lost') return this.#lostOutcome(row, store);
    const mayBeReused = sentEnd === undefined && this.#mayBeReused(row);
    // Another process may have told the cost of a call that joined the row.
    const mayBeTold = teller !== undefined && repeatCosts !== undefined;
    const current =
      mayBeReused || mayBeTold ? await store.rows.get(row.id).catch(() => undefined) : undefined;
    // Where the id is another call's by now, so is what was seen.
    if (mayBeReused && current !== undefined && isGivenAway(current)) return this.#lostOutcome(row, store);
    if (end.kind === 'error') throw kind.lookError(end.error, jobId);
    const ended = { ...row, finished_at: row.outcome === null ? clock.now() : row.finished_at };
    const wasTold = row.state === 'delivered' || (mayBeTold && current?.state === 'delivered');
    const isTold = teller === undefined ? !isOfGroup : wasTold || !this.#told.tells(row.id, teller);
    const body = await kind.ended(jobId, end.look, {
      row: ended,
      attachment: attachment && toAttachment(row, repeatCosts),
      budget: this.#budget(context),
      isTold,
    });
    const ending = kind.getEnding(end.look);
    const charged = ending && costOfEnd(ending, row);
    return { body: withExcess(body, row, charged), ...this.deliveryOf(row, store, isTold) };
  }

  /** One more look for a job whose loss was told. Rejects with a `GatewayError` where the service does not answer. */
  async isStillLost(row: PaidRow, context: CallContext): Promise<boolean> {
    const { clock, kinds } = this.#dependencies;
    if (isGivenAway(row)) return true;
    const kind = kinds[row.kind];
    const jobId = toJobId(row);
    const end = await this.#awaitEnd({ jobId, kind, row }, clock.monotonic(), context);
    if (end.kind === 'error') throw kind.lookError(end.error, jobId);
    return end.kind === 'lost';
  }

  /** Whether another call may have been given the id of this job meanwhile. */
  #mayBeReused({ outcome, job_id, submitted_at }: PaidRow): boolean {
    const { clock } = this.#dependencies;
    const age = clock.now() - (submitted_at ?? clock.now());
    return outcome === null && job_id !== null && age >= reusedAfterMs;
  }

  async #awaitEnd(followed: FollowedJob, deadline: number, context: CallContext) {
    const { followers, writes, store } = this.#dependencies;
    let updates = 0;
    const report = followed.kind.createReport((message) => {
      updates += 1;
      context.progress({ progress: updates, message });
    });
    const end = await followers.wait(followed, { deadline, signal: context.signal, report });
    const { row } = followed;
    if (row?.state === 'lost' && end.kind === 'running' && end.look !== undefined) {
      const recover = async () => (await store.open()).rows.recover(row.id);
      void writes.write(row.id, 'that a lost job is there again', recover);
    }
    return end;
  }

  /** A lost job is delivered like a result: until then the same call gets this answer and is not sent again. */
  #lostOutcome(row: PaidRow, store: OpenStore): Outcome {
    return { body: lostJob(toJobId(row), row.price), paidCall: row.id, ...this.deliveryOf(row, store, true) };
  }

  /**
   * Writes that the end of a row reached its caller (`delivered`), or may not have been read (`unconfirmed`), which
   * takes this delivery back. `isTold`: the answer leaves it to others to tell the cost.
   */
  deliveryOf(
    { id }: PaidRow,
    { rows }: OpenStore,
    isTold: boolean,
  ): Pick<Outcome, 'delivered' | 'unconfirmed' | 'written'> {
    const { writes } = this.#dependencies;
    let takeBack = () => {};
    let isDelivered = false;
    const deliver = async () => {
      isDelivered = (await rows.deliver(id)) || isDelivered;
    };
    let delivering: Promise<void> | undefined;
    return {
      ...(!isTold && {
        written: () => {
          takeBack = this.#told.write(id);
          return takeBack;
        },
      }),
      delivered: async () => {
        const later = () => {
          // A write whose answer was lost may have landed: it would not say so again.
          isDelivered = true;
          return writes.write(id, 'the delivery', deliver);
        };
        // Behind what is still being written of the row; else with the next batch.
        delivering = writes.settled(id) === undefined ? deliver().catch(later) : later();
        await delivering;
        takeBack();
      },
      unconfirmed: async () => {
        await delivering;
        await writes.write(id, 'the answer', () => (isDelivered ? rows.takeBack(id) : rows.answered(id)));
      },
    };
  }

  #budget(context: CallContext): number {
    return resultBudget(this.#dependencies.settings, context);
  }
}

/** A lost job whose id the service has given to another call: no look would find it. */
const isGivenAway = ({ state, job_id }: PaidRow): boolean => state === 'lost' && job_id === null;

/** The end that was kept, where this store has it. */
async function readKept({ id }: PaidRow, { results }: OpenStore): Promise<FollowedEnd | undefined> {
  const kept = await results.read(id);
  return kept && { kind: 'ended', look: { kind: 'run', answer: await readAnswer(kept) }, durationMs: null };
}
