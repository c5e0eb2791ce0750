/**
 * Delivery: what must happen once a client has read an answer. That the answer was written proves nothing: its bytes may
 * lie in a buffer that dies with the client. The connection that carried the answer decides:
 *
 *     a later message of the client, or still connected after a while ──▶ delivered
 *     the client left before, or cancelled what was answered          ──▶ unconfirmed
 *     never written in full, or the connection was reset              ──▶ neither: nobody has read it
 *
 * A client that was busy sends what it has to send before it reads: a later message may come right before the cancel that
 * proves the answer unread. So `unconfirmed` may follow `delivered`, for as long as a silent client must stay connected.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type Clock, systemClock } from '../../gateway/foundation/clock.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';

const Cancelled = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});
export type RequestId = z.infer<typeof Cancelled>['params']['requestId'];

/** The id of the request that a message cancels; undefined for every other message. */
export const cancelledRequest = (message: unknown): RequestId | undefined =>
  // A check that fails costs more than the rest of what is done with a message.
  Object(message).method === 'notifications/cancelled'
    ? Cancelled.safeParse(message).data?.params.requestId
    : undefined;

/** The callbacks of an outcome. */
export interface Delivery {
  readonly delivered?: (() => Promise<void>) | undefined;
  readonly written?: (() => () => void) | undefined;
  readonly unconfirmed?: (() => Promise<void>) | undefined;
}

/** A message that comes this long after an answer shows that the client has read the answer. */
const reactionMs = 100;
/** A client that is still connected this long after an answer has read it. */
const connectedMs = 5_000;
/** Between two looks for such answers: under load one comes each millisecond. */
const leastPauseMs = 100;

/** Records the deliveries of one principal, whatever connections and streams of ids its clients use. */
export class DeliveryRecords {
  readonly clock: Clock;
  /** The connections that carried answers which may not have been read, or may yet be cancelled. */
  readonly carriers = new Set<Connection>();
  readonly #logger: Logger;
  readonly #recording = new Set<Promise<void>>();

  constructor(logger: Logger, clock = systemClock) {
    this.#logger = logger;
    this.clock = clock;
  }

  record(work: (() => Promise<void>) | undefined): void {
    if (work === undefined) return;
    const recording = work()
      .catch((error: unknown) => this.#logger.error({ err: error }, 'A delivery could not be recorded'))
      .then(() => void this.#recording.delete(recording));
    this.#recording.add(recording);
  }

  /** Resolves when everything under way is recorded, or could not be. Undefined: nothing is. */
  whenRecorded(): Promise<unknown> | undefined {
    return this.#recording.size === 0 ? undefined : Promise.all(this.#recording);
  }

  /** At shutdown, answers without a sign that they were read stay unconfirmed. */
  async close(): Promise<void> {
    for (const connection of [...this.carriers]) connection.end('left');
    await this.whenRecorded();
  }
}

interface WrittenAnswer {
  readonly id: RequestId;
  /** The stream of ids that `id` is of. */
  readonly stream: Deliveries;
  readonly delivery: Delivery;
  /** By the monotonic clock. */
  readonly writtenAt: number;
  /** To be called where it was not read. */
  readonly takeBack: (() => void) | undefined;
}

/** What carries answers to one client: a pipe, or the socket of HTTP requests. */
export class Connection {
  readonly #records: DeliveryRecords;
  /** In the order in which they were written. */
  #unread: WrittenAnswer[] = [];
  /** Those of the last seconds that count as read, unless they are cancelled. */
  #read: WrittenAnswer[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended: 'left' | 'reset' | undefined;

  constructor(records: DeliveryRecords) {
    this.#records = records;
  }

  /** An answer was written in full. */
  carried(answer: Omit<WrittenAnswer, 'writtenAt' | 'takeBack'>): void {
    const takeBack = answer.delivery.written?.();
    this.#unread.push({ ...answer, writtenAt: this.#records.clock.monotonic(), takeBack });
    if (this.#ended !== undefined) {
      this.end(this.#ended);
      return;
    }
    this.#records.carriers.add(this);
    this.#schedule();
  }

  /**
   * A message came from the client, at `at` by the monotonic clock. One that cancels a request tells something else about
   * the answer to it: that comes first.
   */
  received(at = this.#records.clock.monotonic()): void {
    this.#confirm(at - reactionMs);
  }

  /**
   * The client cancelled a request whose answer may have crossed the cancellation: it has not read that answer, whatever
   * it sent before. Without `stream` the id is of whatever this connection carried.
   */
  cancelled(id: RequestId, stream?: Deliveries): void {
    // Some clients cancel whatever they read, a while after it: that says nothing.
    this.#dropRead(this.#records.clock.monotonic() - connectedMs);
    const isCancelled = (answer: WrittenAnswer) =>
      answer.id === id && (stream === undefined || answer.stream === stream);
    for (const { delivery, takeBack } of [...this.#read, ...this.#unread].filter(isCancelled)) {
      takeBack?.();
      this.#records.record(delivery.unconfirmed);
    }
    const isKept = (answer: WrittenAnswer) => !isCancelled(answer);
    this.#keep(this.#unread.filter(isKept), this.#read.filter(isKept));
  }

  /** `reset`: the client closed the connection without reading everything. */
  end(how: 'left' | 'reset'): void {
    this.#ended = how;
    clearTimeout(this.#timer);
    const unread = this.#unread;
    this.#keep([], []);
    for (const { delivery, takeBack } of unread) {
      takeBack?.();
      if (how === 'left') this.#records.record(delivery.unconfirmed);
    }
  }

  #schedule(): void {
    const first = this.#read[0] ?? this.#unread[0];
    if (first === undefined || this.#timer !== undefined) return;
    const remainingMs = first.writtenAt + connectedMs - this.#records.clock.monotonic();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        const since = this.#records.clock.monotonic() - connectedMs;
        this.#confirm(since);
        this.#dropRead(since);
        this.#schedule();
      },
      Math.max(leastPauseMs, remainingMs),
    ).unref();
  }

  /** No cancel takes back what was read and written by `time`. */
  #dropRead(time: number): void {
    // They are thousands under load, in the order in which they were written.
    const later = this.#read.findIndex(({ writtenAt }) => writtenAt > time);
    this.#keep(this.#unread, later === -1 ? [] : this.#read.slice(later));
  }

  /** The client has read the answers that were written by `time`. */
  #confirm(time: number): void {
    const later = this.#unread.findIndex(({ writtenAt }) => writtenAt > time);
    const count = later === -1 ? this.#unread.length : later;
    if (count === 0) return;
    const read = this.#unread.slice(0, count);
    for (const { delivery } of read) this.#records.record(delivery.delivered);
    this.#read.push(...read);
    this.#unread = this.#unread.slice(count);
  }

  #keep(unread: WrittenAnswer[], read: WrittenAnswer[]): void {
    this.#unread = unread;
    this.#read = read;
    if (unread.length + read.length === 0) this.#records.carriers.delete(this);
  }
}

/** How an answer goes out. */
export interface Passage {
  readonly connection: Connection;
  /** Settles when the last byte left the process; rejects if it never will. */
  readonly written: Promise<unknown>;
  /** False where the request's signal aborts with every answer, also with one that arrives. */
  readonly cancellable: boolean;
}

interface Expected {
  readonly delivery: Delivery;
  /** Aborts where the request was cancelled, or its connection closed. */
  readonly signal: AbortSignal;
  isCancelled: boolean;
}

/** The answers to one stream of request ids: a transport reports what it writes. */
export class Deliveries {
  readonly #records: DeliveryRecords;
  readonly #expected = new Map<RequestId, Expected>();
  /** Answers on their way out. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(records: DeliveryRecords) {
    this.#records = records;
  }

  /** To be called right before a handler answers; `signal` is the request's and aborts on cancel or close. */
  expect(id: RequestId, signal: AbortSignal, { delivered, written, unconfirmed }: Delivery): void {
    if (signal.aborted || delivered === undefined) return;
    // Keeps only the callbacks, because the outcome holds the whole answer.
    const expected = { delivery: { delivered, written, unconfirmed }, signal, isCancelled: false };
    // An aborted request gets no answer, so nothing else would remove it.
    signal.addEventListener('abort', () => this.#forget(id, expected));
    this.#expected.set(id, expected);
  }

  /** The client cancelled a request, before or after its answer was written: to be called before `Connection.received`. */
  cancelled(id: RequestId): void {
    const expected = this.#expected.get(id);
    if (expected !== undefined) expected.isCancelled = true;
    for (const connection of this.#records.carriers) connection.cancelled(id, this);
  }

  /** Follows a message on its way out. */
  follow(message: JSONRPCMessage, passage: Passage): void {
    if ('error' in message) {
      // The request was answered with an error of the protocol.
      if (message.id !== undefined) this.#expected.delete(message.id);
      return;
    }
    if (!('result' in message)) return;
    const expected = this.#expected.get(message.id);
    if (expected === undefined) return;
    const { id } = message;
    const { connection, written, cancellable } = passage;
    const leaving = new Promise<void>((resolve) => {
      const end = (wasWritten: boolean) => {
        if (!this.#leaving.delete(leaving)) return;
        this.#forget(id, expected);
        const { delivery, isCancelled } = expected;
        if (wasWritten && !isCancelled) connection.carried({ id, stream: this, delivery });
        resolve();
      };
      if (cancellable) expected.signal.addEventListener('abort', () => end(false));
      written.then(
        () => end(true),
        () => end(false),
      );
    });
    this.#leaving.add(leaving);
  }

  #forget(id: RequestId, expected: Expected): void {
    if (this.#expected.get(id) === expected) this.#expected.delete(id);
  }

  /** Resolves when every answer was written or never will be, and what is known of it is recorded. */
  async whenSettled(): Promise<void> {
    await Promise.all(this.#leaving);
    await this.whenRecorded();
  }

  /** Resolves when every delivery that is known is recorded, or could not be. Undefined: each is. */
  whenRecorded(): Promise<unknown> | undefined {
    return this.#records.whenRecorded();
  }
}
