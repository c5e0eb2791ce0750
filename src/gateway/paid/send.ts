/**
 * Sends the one request of a row, once: not after its deadline, not for callers who have left. A doubt is resolved by the
 * idempotency key where the service took keys when the row was sent, and else said.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiError, isApiError } from '../../client/errors.ts';
import { type Span, traced } from '../../tracing/tracing.ts';
import { type Clock, elapsedSince, type Moment } from '../foundation/clock.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { PaidRow } from '../store/schema.ts';
import { submissionUnknown } from './answers.ts';
import { toJobId } from './call-identity.ts';
import type { Look, PaidKind } from './kind.ts';
import type { Order } from './order.ts';
import type { OpenStore } from './store.ts';
import type { Writes } from './writes.ts';

/** Milliseconds before a request in doubt is repeated with its key. */
const pausesMs = [200, 1_000];

/** What the service answered. */
export interface SentCall {
  readonly row: PaidRow;
  readonly end?: Look | undefined;
  /**
   * Resolves when the store knows the answer, or has failed to learn it at once; to the other submission of the same call,
   * where a person had gone past the doubt before this answer came.
   */
  readonly recorded: Promise<PaidRow | undefined>;
}

/** A request under way, which every caller of the same call in this process waits for. */
interface Sending {
  readonly sent: Promise<SentCall>;
  readonly callers: Set<AbortSignal>;
}

export interface SenderDependencies {
  readonly kinds: Readonly<Record<PaidRow['kind'], PaidKind>>;
  readonly writes: Writes;
  readonly clock: Clock;
  /**
   * A service took a request of this process: the job's id is this row's now, and the job is followed. Resolves after a look
   * that is due at once, or a moment later: where it found the end, that is written.
   */
  readonly accepted: (row: PaidRow, kind: PaidKind, jobId: string) => Promise<void>;
  /** Writes the end that came with the answer; resolves as `Writes.write` does. */
  readonly recordEnd: (row: PaidRow, kind: PaidKind, look: Look) => Promise<void> | undefined;
}

export class Sender {
  readonly #dependencies: SenderDependencies;
  readonly #underWay = new Map<string, Sending>();
  /** Answers by job id: accepted, while the store may not know it yet. */
  readonly #accepted = new Map<string, SentCall>();
  /** Ids of accepted rows of which nothing is being written yet. */
  readonly #unwritten = new Set<string>();

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Starts to send the request of a row that this process has inserted or claimed. `begunAt`: when that began.
   * `signal` is the first caller's.
   */
  start(row: PaidRow, order: Order, store: OpenStore, begunAt: Moment, signal: AbortSignal): void {
    const callers = new Set([signal]);
    const attributes = { 'svc_mcp.paid_call.id': row.id };
    const describe = (span: Span, answer: SentCall) =>
      span.setAttributes({ 'svc_mcp.job.id': answer.row.job_id ?? undefined });
    const sent = traced(`submit ${row.kind}`, { attributes, describe }, () =>
      this.#send(row, order, store, begunAt, callers),
    );
    this.#underWay.set(row.id, { sent, callers });
    void this.#forgetSettled(row.id, sent);
  }

  /** The answer is recorded even if all callers have left. */
  async #forgetSettled(rowId: string, sent: Promise<SentCall>): Promise<void> {
    let answer: SentCall | undefined;
    try {
      answer = await sent;
      await answer.recorded;
    } catch {
      // Those who wait for the answer are told.
    }
    const settled = this.#dependencies.writes.settled(rowId);
    if (settled !== undefined) await settled;
    this.#underWay.delete(rowId);
    const jobId = answer && toJobId(answer.row);
    if (jobId !== undefined && this.#accepted.get(jobId) === answer) this.#accepted.delete(jobId);
  }

  /** Whether the end of a row is the first that is written of the answer to its request. Whoever asks writes it. */
  takeUnwritten({ id }: PaidRow): boolean {
    return this.#unwritten.delete(id);
  }

  /** The answer to a request of this process that is under way, or is being written. */
  find(rowId: string, signal: AbortSignal): Promise<SentCall> | undefined {
    const sending = this.#underWay.get(rowId);
    sending?.callers.add(signal);
    return sending?.sent;
  }

  /** The row of a job that was accepted and is not in the store yet. */
  accepted(jobId: string): PaidRow | undefined {
    return this.#accepted.get(jobId)?.row;
  }

  /** Resolves when every request under way was answered or `graceMs` have passed. */
  async settle(graceMs: number): Promise<void> {
    if (this.#underWay.size === 0) return;
    const limit = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
    const recorded = [...this.#underWay.values()].map(async ({ sent }) => (await sent).recorded);
    await Promise.race([Promise.allSettled(recorded), limit]);
  }

  /** Rejects with a `GatewayError` where nothing was charged, or a `SubmissionUnknownError`. */
  async #send(
    row: PaidRow,
    order: Order,
    store: OpenStore,
    begunAt: Moment,
    callers: ReadonlySet<AbortSignal>,
  ): Promise<SentCall> {
    const { clock, kinds } = this.#dependencies;
    const { submitWithinMs } = order;
    const kind = kinds[row.kind];
    const isWanted = () => [...callers].some(({ aborted }) => !aborted);
    // With less than half of its time left, the request may get no answer, and a doubt costs more than a refusal.
    const isLate = elapsedSince(clock, begunAt) >= submitWithinMs / 2;
    let isInDoubt = row.state === 'unknown';
    if (!isInDoubt && (!isWanted() || isLate)) {
      const reason = isWanted() ? tooLate() : cancelled();
      await this.#refuse(row, store, reason);
      throw reason;
    }
    let endsAt = begunAt.monotonic + submitWithinMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const { jobId, end } = await order.send(row, Math.max(1, endsAt - clock.monotonic()));
        const isLate = clock.monotonic() >= endsAt;
        return end === undefined
          ? this.#accept({ row, isLate }, kind, jobId, store)
          : await this.#finish(row, kind, end);
      } catch (error) {
        if (!isApiError(error)) throw error;
        const isTaken = judge(error, kind) === 'unknown';
        if (!isTaken && (!isInDoubt || settlesDoubt(error))) {
          const refusal = await order.refusal(error);
          await this.#refuse(row, store, refusal);
          throw refusal;
        }
        isInDoubt = true;
        const pauseMs = row.keyed === 1 ? pausesMs[attempt] : undefined;
        if (pauseMs === undefined) throw await this.#doubt(row, order, store, error);
        await delay(pauseMs);
        endsAt = clock.monotonic() + submitWithinMs;
        const isOurs = await store.rows.renew(row, submitWithinMs).catch(() => false);
        if (!isOurs) throw await this.#doubt(row, order, store, error);
      }
    }
  }

  /** The answer came with the end. The service keeps no job of a sync action: our copy is the only one. */
  async #finish(row: PaidRow, kind: PaidKind, end: Look): Promise<SentCall> {
    const now = this.#dependencies.clock.now();
    await this.#dependencies.recordEnd(row, kind, end);
    const finished = { ...row, state: 'finished' as const, submitted_at: now, finished_at: now };
    return { row: finished, end, recorded: Promise.resolve(undefined) };
  }

  /** `isLate`: others may have taken the row for one in doubt by now. */
  #accept(
    { row, isLate }: { row: PaidRow; isLate: boolean },
    kind: PaidKind,
    jobId: string | undefined,
    store: OpenStore,
  ): SentCall {
    const { writes, clock } = this.#dependencies;
    const now = clock.now();
    const submitted = { ...row, state: 'submitted' as const, submitted_at: now, job_id: jobId ?? null };
    const id = toJobId(submitted);
    // The id was given to another row of this process just now: the one that was given it last keeps it.
    const other = this.#accepted.get(id);
    const earlier = other?.recorded.then(() => writes.settled(other.row.id));
    if (!isLate && earlier === undefined) this.#unwritten.add(row.id);
    const looked = this.#dependencies.accepted(submitted, kind, id);
    const sent = { row: submitted, recorded: this.#record(submitted, { looked, earlier }, store) };
    this.#accepted.set(id, sent);
    return sent;
  }

  /**
   * Writes that the service took the request, unless the end was found at once: its record says so too. Resolves as `recorded`
   * of a `SentCall`.
   */
  async #record(
    row: PaidRow,
    { looked, earlier }: { readonly looked: Promise<void>; readonly earlier: Promise<unknown> | undefined },
    store: OpenStore,
  ): Promise<PaidRow | undefined> {
    if (this.#unwritten.has(row.id)) {
      await looked;
      if (!this.#unwritten.delete(row.id)) return undefined;
    }
    const id = toJobId(row);
    let other: PaidRow | undefined;
    await this.#dependencies.writes.write(row.id, `the accepted job ${id}`, async () => {
      await earlier;
      const accepted = await store.rows.changeSent(row, () => store.rows.accept(row.id, id));
      // The row was closed meanwhile: a person resubmitted the call.
      if (accepted?.open === 0) other = await store.queries.other(accepted);
    });
    return other;
  }

  #refuse(row: PaidRow, store: OpenStore, { body }: GatewayError): Promise<void> {
    const { writes } = this.#dependencies;
    return writes.write(row.id, 'a refused submission', () => store.rows.refuse(row, body.error));
  }

  async #doubt(row: PaidRow, order: Order, store: OpenStore, error: ApiError): Promise<Error> {
    const { writes } = this.#dependencies;
    const { rows } = store;
    const doubt = () => rows.changeSent(row, () => rows.doubt(row));
    await writes.write(row.id, 'a submission in doubt', doubt);
    return submissionUnknown(row, order, error);
  }
}

const cancelled = () =>
  new GatewayError('CANCELLED', 'The call was cancelled. Nothing was sent.', {
    kind: 'retry',
    when: 'if-wanted',
  });

const tooLate = () =>
  new GatewayError(
    'STORE_UNAVAILABLE',
    'The store of paid calls took so long that the time to send this call had passed. Nothing was sent or charged.',
    { kind: 'retry', when: 'stored' },
  );

type Judgement = 'not-taken' | 'unknown';

/**
 * What an answer to the first request says: `not-taken` where nothing left this machine, or the service said no. A 4xx is a
 * no, with or without an envelope, because HTTP says that the request was not carried out; 408 speaks of time, not of that. An
 * envelope with a success is a no only by a code that the specification names for the request, a 5xx only by one that says
 * that nothing was deducted.
 */
function judge(error: ApiError, { refusals, notDeducted }: PaidKind): Judgement {
  if (error.sent === 'no' || error.kind === 'rate-limit') return 'not-taken';
  if (error.kind !== 'service' && error.kind !== 'contract') return 'unknown';
  const { httpStatus: status } = error;
  if (status === 408) return 'unknown';
  if (status >= 400 && status < 500) return 'not-taken';
  if (error.kind === 'contract') return 'unknown';
  return (status < 400 ? refusals : notDeducted).includes(error.code) ? 'not-taken' : 'unknown';
}

/** Refusals for what was asked: the first request, which asked for the same, was refused too. */
const settlingCodes: readonly string[] = ['INVALID_PARAMS', 'INVALID_INPUT'];

/**
 * Whether a refusal of a request with the same idempotency key tells that the earlier one was not taken. All others speak of
 * the moment, not of the first request: it may be under way (409, 425), have used up the balance (402) or the right (401, 403).
 * 404 settles because only services that take keys are asked again, and such a one looks for the key first.
 */
function settlesDoubt(error: ApiError): boolean {
  if (error.kind !== 'service') return false;
  return error.httpStatus === 404 || (error.httpStatus === 400 && settlingCodes.includes(error.code));
}
