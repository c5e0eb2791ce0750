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

  constructor(logger: Logger) {
    this.#logger = logger;
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

  /** Follows a message on its way out. `written` settles when the bytes left the process, or never will. */
  follow(message: JSONRPCMessage, written: Promise<void>): void {
    if (isJSONRPCErrorResponse(message)) {
      // Something else than the outcome was answered.
      if (message.id !== undefined) this.#expected.delete(message.id);
      return;
    }
    if (!isJSONRPCResultResponse(message)) return;
    const expected = this.#expected.get(message.id);
    if (expected === undefined) return;
    const delivery = this.#deliver(message.id, expected, written)
      .catch((error: unknown) => this.#logger.error({ err: error }, 'A delivery could not be recorded'))
      .finally(() => this.#underWay.delete(delivery));
    this.#underWay.add(delivery);
  }

  /** Resolves when every answer that is being written has arrived and that is recorded, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #deliver(id: RequestId, expected: Expected, written: Promise<void>): Promise<void> {
    const arrived = await Promise.race([
      expected.cancelled,
      written.then(
        () => true,
        () => false,
      ),
    ]);
    this.#expected.delete(id);
    if (arrived) await expected.delivered();
  }
}
