/**
 * Delivery: what must happen once an answer reached a client that had neither cancelled nor gone. A transport owns one
 * of these for each stream of request ids and reports what it writes. Over a pipe "written" is only the pipe's buffer,
 * which dies with its client: there a later message, or some time connected, shows that the answer was read.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { type Clock, systemClock } from '../../gateway/foundation/clock.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';

type RequestId = string | number;

/** Of an outcome. */
export interface Delivery {
  readonly delivered?: (() => Promise<void>) | undefined;
  readonly unconfirmed?: () => Promise<void>;
}

interface Expected {
  readonly delivery: Delivery;
  /** Resolves to false when the request is cancelled or its connection closes. */
  readonly cancelled: Promise<false>;
}

/** An answer that was written to a pipe and may not have been read. */
interface Unconfirmed {
  readonly delivery: Delivery;
  /** By the monotonic clock, in milliseconds. */
  readonly writtenAt: number;
}

/** A message that comes this long after an answer shows that the client has read the answer. */
const reactionMs = 100;
/** A client that is still connected this long after an answer has read it. */
const connectedMs = 5_000;

export class Deliveries {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #needsConfirmation: boolean;
  /** In the order in which they were written. */
  readonly #unconfirmed: Unconfirmed[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  readonly #expected = new Map<RequestId, Expected>();
  readonly #inProgress = new Set<Promise<void>>();
  readonly #recording: Set<Promise<void>>;

  /**
   * `recording` may be shared by the streams of one principal, whose clients may use several. `needsConfirmation` for a
   * pipe: its transport calls `received` and `ended`.
   */
  constructor(
    logger: Logger,
    {
      recording = new Set(),
      needsConfirmation = false,
      clock = systemClock,
    }: { recording?: Set<Promise<void>>; needsConfirmation?: boolean; clock?: Clock } = {},
  ) {
    this.#logger = logger;
    this.#recording = recording;
    this.#needsConfirmation = needsConfirmation;
    this.#clock = clock;
  }

  /** A message came from the client. */
  received(): void {
    if (this.#unconfirmed.length > 0) this.#confirmUntil(this.#clock.monotonic() - reactionMs);
  }

  /** The client has left. */
  ended(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    for (const { delivery } of this.#unconfirmed.splice(0)) void this.#record(delivery.unconfirmed);
  }

  /** To be called right before a handler answers; `signal` is the request's and aborts on cancel or close. */
  expect(id: RequestId, signal: AbortSignal, delivery: Delivery): void {
    if (signal.aborted || delivery.delivered === undefined) return;
    const cancelled = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => {
        // An aborted request gets no answer, so nothing else would remove it.
        if (this.#expected.get(id)?.delivery === delivery) this.#expected.delete(id);
        resolve(false);
      });
    });
    this.#expected.set(id, { delivery, cancelled });
  }

  /**
   * Follows a message on its way out. `written` settles when the bytes left the process, or never will.
   * `cancellable` is false where the request's signal aborts with every answer, also with one that arrives.
   */
  follow(message: JSONRPCMessage, written: Promise<unknown>, cancellable = true): void {
    if ('error' in message) {
      // The answer was not the outcome.
      if (message.id !== undefined) this.#expected.delete(message.id);
      return;
    }
    if (!('result' in message)) return;
    const expected = this.#expected.get(message.id);
    if (expected === undefined) return;
    const delivery = this.#deliver(message.id, expected, written, cancellable)
      .catch((error: unknown) => this.#logger.error({ err: error }, 'A delivery could not be recorded'))
      .finally(() => this.#inProgress.delete(delivery));
    this.#inProgress.add(delivery);
  }

  /** Resolves when every answer that is being written has arrived and its delivery is recorded, or has failed to be. */
  async whenSettled(): Promise<void> {
    await Promise.all(this.#inProgress);
    await Promise.all(this.#recording);
  }

  /**
   * Resolves when every answer that has left is recorded, or could not be. Nobody can have acted upon one that is
   * still being written.
   */
  async whenRecorded(): Promise<void> {
    await Promise.allSettled(this.#recording);
  }

  async #deliver(
    id: RequestId,
    expected: Expected,
    written: Promise<unknown>,
    cancellable: boolean,
  ): Promise<void> {
    const whenWritten = written.then(
      () => true,
      () => false,
    );
    const hasArrived = await (cancellable ? Promise.race([expected.cancelled, whenWritten]) : whenWritten);
    if (this.#expected.get(id) === expected) this.#expected.delete(id);
    if (!hasArrived) return;
    if (!this.#needsConfirmation) {
      await this.#record(expected.delivery.delivered);
      return;
    }
    if (this.#hasEnded) {
      await this.#record(expected.delivery.unconfirmed);
      return;
    }
    this.#unconfirmed.push({ delivery: expected.delivery, writtenAt: this.#clock.monotonic() });
    this.#schedule();
  }

  #schedule(): void {
    const [first] = this.#unconfirmed;
    if (first === undefined || this.#timer !== undefined) return;
    const whenWritten = first.writtenAt + connectedMs - this.#clock.monotonic();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#confirmUntil(this.#clock.monotonic() - connectedMs);
        this.#schedule();
      },
      Math.max(1, whenWritten),
    ).unref();
  }

  #confirmUntil(time: number): void {
    const open = this.#unconfirmed.findIndex(({ writtenAt }) => writtenAt > time);
    for (const { delivery } of this.#unconfirmed.splice(0, open === -1 ? this.#unconfirmed.length : open)) {
      void this.#record(delivery.delivered);
    }
  }

  async #record(work: (() => Promise<void>) | undefined): Promise<void> {
    if (work === undefined) return;
    const recording = work()
      .catch((error: unknown) => this.#logger.error({ err: error }, 'A delivery could not be recorded'))
      .finally(() => this.#recording.delete(recording));
    this.#recording.add(recording);
    await recording;
  }
}
