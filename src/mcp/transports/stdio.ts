/** MCP over stdin and stdout, in every revision of the protocol: one client, one connection, one process. */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE as maxLineBytes,
  ProtocolErrorCode,
  serializeMessage,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Clock } from '../../gateway/foundation/clock.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import {
  Connection,
  cancelledRequest,
  Deliveries,
  DeliveryRecords,
  type RequestId,
} from '../calls/delivery.ts';
import { createQuestionCodec } from '../calls/questions.ts';
import { hasLongId, longIdMessage } from '../errors.ts';
import { readLine } from '../messages.ts';
import { tellUpdated } from '../resource-updates.ts';
import { createMcpServer } from '../server.ts';

export interface StdioOptions {
  readonly gateway: Gateway;
  readonly logger: Logger;
  /** Version of this program. */
  readonly version: string;
  /** The setting `SVC_WAIT_SECONDS`. */
  readonly waitSeconds?: number | undefined;
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Milliseconds for submissions under way to learn their job ids when the client leaves. */
  readonly graceMs?: number;
  readonly clock?: Clock;
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** After a signal, for calls under way to answer with their job ids. */
const answerMs = 250;
/** The process must be gone within a second of its client. */
const defaultGraceMs = 500;
/** After the grace, for closing what is left. */
const closingMs = 250;

/** Serves until stdin ends, stdout breaks or a signal arrives; then releases the gateway and resolves. */
export async function serveStdioTransport(options: StdioOptions): Promise<void> {
  const { gateway, logger, graceMs = defaultGraceMs } = options;
  const records = new DeliveryRecords(logger, options.clock);
  const deliveries = new Deliveries(records);
  const questions = createQuestionCodec();
  const transport = new StdioTransport(options.stdin ?? process.stdin, options.stdout ?? process.stdout, {
    connection: new Connection(records),
    deliveries,
  });
  const signals = listenForSignals();
  // The instructions name websites. Read before the first message is, because a client may end right behind it.
  await gateway.whenRead();
  const onerror = (error: Error) =>
    logger.warn({ err: error }, 'The connection to the client reported an error');
  const handle = serveStdio(
    () => {
      const server = createMcpServer({ ...options, deliveries, questions });
      const stops = [
        gateway.onListingChange(() => {
          // Before the handshake the client has no list that could change.
          if (server.getNegotiatedProtocolVersion() !== undefined)
            server.sendToolListChanged().catch(onerror);
        }),
        gateway.onWatchNews((ids) => tellUpdated(server, ids)),
      ];
      server.onclose = () => {
        for (const stop of stops) stop();
      };
      return server;
    },
    { transport, onerror },
  );

  const signal = await Promise.race([transport.ended, signals.received]);
  logger.debug({ reason: signal ?? 'the connection ended' }, 'Ending');
  if (signal !== undefined) {
    gateway.endWaits();
    await within(answerMs, Promise.race([transport.ended, transport.whenAnswered()]));
  }

  await handle.close();
  const closed = Promise.all([deliveries.whenSettled(), gateway.close(graceMs)]);
  await within(graceMs + closingMs, closed);
  signals.stop();
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  await Promise.race([work, delay(ms, undefined, { signal: late.signal })]).finally(() => late.abort());
}

/** A terminal sends Ctrl-C to all its processes, and `svc-mcp call` passes it on: the second one changes nothing. */
function listenForSignals() {
  const listeners: [NodeJS.Signals, () => void][] = [];
  const onSignal = new Promise<string>((resolve) => {
    for (const name of endSignals) listeners.push([name, () => resolve(name)]);
  });
  for (const [name, listener] of listeners) process.on(name, listener);
  return {
    received: onSignal,
    stop: () => {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}

const lineEnd = 0x0a;
const longLineMessage = `A message is longer than ${maxLineBytes} bytes. The connection is closed.`;

/** Answers every request, knows when its bytes have left the process, and when the connection is over. */
class StdioTransport extends StdioServerTransport {
  readonly #stdout: Writable;
  readonly #connection: Connection;
  readonly #deliveries: Deliveries;
  /** Ids of the calls that have no answer yet. */
  readonly #calls = new Set<RequestId>();
  /** What came since the last line end. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #onAnswered = () => {};
  #end = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(
    stdin: Readable,
    stdout: Writable,
    { connection, deliveries }: { readonly connection: Connection; readonly deliveries: Deliveries },
  ) {
    super(stdin, stdout);
    this.#stdout = stdout;
    this.#connection = connection;
    this.#deliveries = deliveries;
    // In the place of the library's reader, which drops what it cannot read: its sender would wait for ever.
    this._ondata = (chunk) => this.#read(chunk);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const { line, encoded } = encode(message);
    const written = this.#write(line);
    this.#deliveries.follow(encoded, { connection: this.#connection, written, cancellable: true });
    await written;
    if ('id' in encoded && !('method' in encoded) && encoded.id !== undefined) this.#forget(encoded.id);
  }

  /** Resolves when no call waits for its answer. */
  whenAnswered(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnswered = resolve;
      this.#forget();
    });
  }

  #forget(id?: RequestId): void {
    if (id !== undefined) this.#calls.delete(id);
    if (this.#calls.size === 0) this.#onAnswered();
  }

  #read(chunk: Buffer): void {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (!chunk.includes(lineEnd)) {
      if (this.#pendingBytes <= maxLineBytes) return;
      this.#refuse({ code: ProtocolErrorCode.InvalidRequest, message: longLineMessage });
      this.onerror?.(new Error(longLineMessage));
      void this.close();
      return;
    }
    const bytes = Buffer.concat(this.#pending);
    const end = bytes.lastIndexOf(lineEnd);
    this.#pending = [bytes.subarray(end + 1)];
    this.#pendingBytes = bytes.length - end - 1;
    for (const line of bytes.toString('utf8', 0, end).split('\n')) this.#receive(line);
  }

  #receive(line: string): void {
    for (const read of readLine(line)) {
      if ('refusal' in read) {
        this.#refuse(read.refusal);
      } else if (hasLongId(read.message)) {
        this.#note(read.message);
        // An error without an id, as for a message that could not be read.
        this.#refuse({ code: ProtocolErrorCode.InvalidRequest, message: longIdMessage });
      } else {
        this.#note(read.message);
        this.onmessage?.(read.message);
      }
    }
  }

  #refuse({ id, ...error }: { id?: RequestId; code: number; message: string }): void {
    const answer = { jsonrpc: '2.0' as const, ...(id !== undefined && { id }), error };
    void this.#write(serializeMessage(answer)).catch(() => undefined);
  }

  /** Before the message is handled: the same call again must find recorded what is known of the answer. */
  #note(message: JSONRPCMessage): void {
    const cancelled = cancelledRequest(message);
    if (cancelled !== undefined) {
      this.#deliveries.cancelled(cancelled);
      // A cancelled call gets no answer.
      this.#forget(cancelled);
    }
    this.#connection.received();
    if ('id' in message && 'method' in message && message.method === 'tools/call')
      this.#calls.add(message.id);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#connection.end('left');
    this.#end();
  }

  #write(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stdout.write(line, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** Data nested too deeply to be written must not leave a request without an answer. */
function encode(message: JSONRPCMessage): { readonly line: string; readonly encoded: JSONRPCMessage } {
  try {
    return { line: serializeMessage(message), encoded: message };
  } catch (error) {
    if (!('result' in message)) throw error;
    const { jsonrpc, id } = message;
    const failure = {
      code: ProtocolErrorCode.InternalError,
      message: 'The result cannot be written as JSON',
    };
    const encoded = { jsonrpc, id, error: failure };
    return { line: serializeMessage(encoded), encoded };
  }
}
