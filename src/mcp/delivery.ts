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
type Delivered = () => Promise<void>;

export class Deliveries {
  readonly #logger: Logger;
  readonly #expected = new Map<RequestId, Delivered>();
  readonly #running = new Set<Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** To be called right before a handler answers; `signal` is the request's and aborts on cancel or close. */
  expect(id: RequestId, signal: AbortSignal, delivered: Delivered): void {
    if (signal.aborted) return;
    this.#expected.set(id, delivered);
    signal.addEventListener('abort', () => {
      if (this.#expected.get(id) === delivered) this.#expected.delete(id);
    });
  }

  /** Follows a message on its way out. `written` settles when the bytes left the process, or never will. */
  async follow(message: JSONRPCMessage, written: Promise<void>): Promise<void> {
    if (isJSONRPCErrorResponse(message)) {
      // Something else than the outcome was answered.
      if (message.id !== undefined) this.#expected.delete(message.id);
      return;
    }
    if (!isJSONRPCResultResponse(message) || !this.#expected.has(message.id)) return;
    const arrived = await written.then(
      () => true,
      () => false,
    );
    // Looked up only now: a cancel may have come while it was being written.
    const delivered = this.#expected.get(message.id);
    this.#expected.delete(message.id);
    if (arrived && delivered !== undefined) this.#run(delivered);
  }

  /** Resolves when every delivery that was begun is recorded, or could not be. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #run(delivered: Delivered): void {
    const running = delivered()
      .catch((error: unknown) => this.#logger.error({ err: error }, 'A delivery could not be recorded'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
