/**
 * Delivery: what must happen once a client has read an answer. That the answer was written proves nothing: its bytes may
 * lie in a buffer that dies with the client. The connection that carried the answer decides:
 *
 *     a later message of the client, or still connected after a while ──▶ delivered
 *     the client left before                                          ──▶ unconfirmed, until its session goes on
 *     never written in full, or the connection was reset              ──▶ neither: nobody has read it
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { type Clock, systemClock } from '../../gateway/foundation/clock.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';

type RequestId = string | number;

/** The callbacks of an outcome. */
export interface Delivery {
  readonly delivered?: (() => Promise<void>) | undefined;
  readonly unconfirmed?: (() => Promise<void>) | undefined;
}

/** A message that comes this long after an answer shows that the client has read the answer. */
const reactionMs = 100;
/** A client that is still connected, or goes on with its session, this long after an answer has read it. */
const connectedMs = 5_000;

/** Records the deliveries of one principal, whatever connections and streams of ids its clients use. */
export class DeliveryRecords {
  readonly clock: Clock;
  /** The connections that carried answers which may not have been read. */
  readonly unread = new Set<Connection>();
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
      .finally(() => this.#recording.delete(recording));
    this.#recording.add(recording);
  }

  /** Resolves when everything under way is recorded, or could not be. */
  async whenRecorded(): Promise<void> {
    await Promise.all(this.#recording);
  }

  /** At shutdown, answers without a sign that they were read stay unconfirmed. */
  async close(): Promise<void> {
    for (const connection of [...this.unread]) connection.end('left');
    await this.whenRecorded();
  }
}

interface WrittenAnswer {
  readonly delivery: Delivery;
  /** By the monotonic clock. */
  readonly writtenAt: number;
  readonly session: ClientSession | undefined;
}

/** In the order in which they were written. */
class WrittenAnswers {
  readonly #records: DeliveryRecords;
  #answers: WrittenAnswer[] = [];

  constructor(records: DeliveryRecords) {
    this.#records = records;
  }

  get first(): WrittenAnswer | undefined {
    return this.#answers[0];
  }

  add(...answers: WrittenAnswer[]): void {
    this.#answers.push(...answers);
  }

  takeAll(): WrittenAnswer[] {
    return this.#answers.splice(0);
  }

  /** Confirms answers written at least `ageMs` ago: their clients have read them. */
  confirm(ageMs: number): void {
    if (this.#answers.length === 0) return;
    const time = this.#records.clock.monotonic() - ageMs;
    const later = this.#answers.findIndex(({ writtenAt }) => writtenAt > time);
    const read = this.#answers.splice(0, later === -1 ? this.#answers.length : later);
    for (const { delivery } of read) this.#records.record(delivery.delivered);
  }
}

/** A client that may use a new connection for each request, and closes it after the answer. */
export class ClientSession {
  readonly #left: WrittenAnswers;

  constructor(records: DeliveryRecords) {
    this.#left = new WrittenAnswers(records);
  }

  /** A request arrived. Soon after an answer it may repeat the same call, from a client that did not get the answer. */
  received(): void {
    this.#left.confirm(connectedMs);
  }

  left(answer: WrittenAnswer): void {
    this.#left.add(answer);
  }
}

/** What carries answers to one client: a pipe, or the socket of HTTP requests. */
export class Connection {
  readonly #records: DeliveryRecords;
  readonly #unread: WrittenAnswers;
  #timer: NodeJS.Timeout | undefined;
  #ended: 'left' | 'reset' | undefined;

  constructor(records: DeliveryRecords) {
    this.#records = records;
    this.#unread = new WrittenAnswers(records);
  }

  /** An answer was written in full. */
  carried(delivery: Delivery, session?: ClientSession): void {
    this.#unread.add({ delivery, writtenAt: this.#records.clock.monotonic(), session });
    if (this.#ended !== undefined) {
      this.end(this.#ended);
      return;
    }
    this.#records.unread.add(this);
    this.#schedule();
  }

  /** A message came from the client. */
  received(): void {
    this.#confirm(reactionMs);
  }

  /** `reset`: the client closed the connection without reading everything. */
  end(how: 'left' | 'reset'): void {
    this.#ended = how;
    clearTimeout(this.#timer);
    this.#records.unread.delete(this);
    const unread = this.#unread.takeAll();
    if (how === 'reset') return;
    for (const answer of unread) {
      this.#records.record(answer.delivery.unconfirmed);
      answer.session?.left(answer);
    }
  }

  #schedule(): void {
    const { first } = this.#unread;
    if (first === undefined || this.#timer !== undefined) return;
    const remainingMs = first.writtenAt + connectedMs - this.#records.clock.monotonic();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#confirm(connectedMs);
        this.#schedule();
      },
      Math.max(1, remainingMs),
    ).unref();
  }

  #confirm(ageMs: number): void {
    this.#unread.confirm(ageMs);
    if (this.#unread.first === undefined) this.#records.unread.delete(this);
  }
}

/** How an answer goes out. */
export interface Passage {
  readonly connection: Connection;
  readonly session?: ClientSession;
  /** Settles when the last byte left the process; rejects if it never will. */
  readonly written: Promise<unknown>;
  /** False where the request's signal aborts with every answer, also with one that arrives. */
  readonly cancellable: boolean;
}

interface Expected {
  readonly delivery: Delivery;
  /** Resolves to false when the request is cancelled or its connection closes. */
  readonly cancelled: Promise<false>;
}

/** The answers to one stream of request ids: a transport reports what it writes. */
export class Deliveries {
  readonly #records: DeliveryRecords;
  readonly #expected = new Map<RequestId, Expected>();
  readonly #inProgress = new Set<Promise<void>>();

  constructor(records: DeliveryRecords) {
    this.#records = records;
  }

  /** To be called right before a handler answers; `signal` is the request's and aborts on cancel or close. */
  expect(id: RequestId, signal: AbortSignal, { delivered, unconfirmed }: Delivery): void {
    if (signal.aborted || delivered === undefined) return;
    // Keeps only the callbacks, because the outcome holds the whole answer.
    const delivery = { delivered, unconfirmed };
    const cancelled = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => {
        // An aborted request gets no answer, so nothing else would remove it.
        if (this.#expected.get(id)?.delivery === delivery) this.#expected.delete(id);
        resolve(false);
      });
    });
    this.#expected.set(id, { delivery, cancelled });
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
    const delivery = this.#deliver(message.id, expected, passage).finally(() =>
      this.#inProgress.delete(delivery),
    );
    this.#inProgress.add(delivery);
  }

  /** Resolves when every answer was written or never will be, and what is known of it is recorded. */
  async whenSettled(): Promise<void> {
    await Promise.all(this.#inProgress);
    await this.whenRecorded();
  }

  /** Resolves when every delivery that is known is recorded, or could not be. */
  whenRecorded(): Promise<void> {
    return this.#records.whenRecorded();
  }

  async #deliver(
    id: RequestId,
    expected: Expected,
    { connection, session, written, cancellable }: Passage,
  ): Promise<void> {
    const whenWritten = written.then(
      () => true,
      () => false,
    );
    const wasWritten = await (cancellable ? Promise.race([expected.cancelled, whenWritten]) : whenWritten);
    if (this.#expected.get(id) === expected) this.#expected.delete(id);
    if (wasWritten) connection.carried(expected.delivery, session);
  }
}
