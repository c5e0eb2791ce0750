/**
 * Delivery: what must happen once an answer was written to a client that had neither cancelled nor gone.
 * A transport owns one of these for each stream of request ids and reports what it writes.
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';
import type { Logger } from '../gateway/logger.ts';

type RequestId = string | number;

interface Expected {
  readonly delivered: () => Promise<void>;
  /** Resolves to false when the request is cancelled or its connection closes. */
  readonly cancelled: Promise<false>;
}

export class Deliveries {
  readonly #logger: Logger;
  readonly #expected = new Map<RequestId, Expected>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #recording: Set<Promise<void>>;

  /** `recording` may be shared by the streams of one principal, whose clients may use several. */
  constructor(logger: Logger, recording = new Set<Promise<void>>()) {
    this.#logger = logger;
    this.#recording = recording;
  }

  /** To be called right before a handler answers; `signal` is the request's and aborts on cancel or close. */
  expect(id: RequestId, signal: AbortSignal, delivered: Expected['delivered']): void {
    if (signal.aborted) return;
    const cancelled = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => {
        // It is not answered any more, so nothing else would take it out.
        if (this.#expected.get(id)?.delivered === delivered) this.#expected.delete(id);
        resolve(false);
      });
    });
    this.#expected.set(id, { delivered, cancelled });
  }

  /**
   * Follows a message on its way out. `written` settles when the bytes left the process, or never will.
   * `cancellable` is false where the request's signal aborts with every answer, also with one that arrives.
   */
  follow(message: JSONRPCMessage, written: Promise<unknown>, cancellable = true): void {
    if (isJSONRPCErrorResponse(message)) {
      // Something else than the outcome was answered.
      if (message.id !== undefined) this.#expected.delete(message.id);
      return;
    }
    if (!isJSONRPCResultResponse(message)) return;
    const expected = this.#expected.get(message.id);
    if (expected === undefined) return;
    const delivery = this.#deliver(message.id, expected, written, cancellable)
      .catch((error: unknown) => this.#logger.error({ err: error }, 'A delivery could not be recorded'))
      .finally(() => this.#underWay.delete(delivery));
    this.#underWay.add(delivery);
  }

  /** Resolves when every answer that is being written has arrived and that is recorded, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /**
   * Resolves when every answer that has left is recorded, or could not be. Nobody can have acted upon one that is
   * still being written.
   */
  async recorded(): Promise<void> {
    await Promise.allSettled(this.#recording);
  }

  async #deliver(
    id: RequestId,
    expected: Expected,
    written: Promise<unknown>,
    cancellable: boolean,
  ): Promise<void> {
    const left = written.then(
      () => true,
      () => false,
    );
    const arrived = await (cancellable ? Promise.race([expected.cancelled, left]) : left);
    if (this.#expected.get(id) === expected) this.#expected.delete(id);
    if (!arrived) return;
    const recording = expected.delivered().finally(() => this.#recording.delete(recording));
    this.#recording.add(recording);
    await recording;
  }
}
