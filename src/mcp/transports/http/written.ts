/** Tells deliveries when an answer has left the process, and how the connection that carried it goes on. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestId, Server, Transport } from '@modelcontextprotocol/server';
import {
  Connection,
  cancelledRequest,
  type Deliveries,
  type DeliveryRecords,
  type Passage,
} from '../../calls/delivery.ts';
import type { ServerHooks } from '../../server.ts';

/**
 * Makes the server of one request or connection; `getRequestId` names the HTTP request that a JSON-RPC one came with.
 */
export type CreateServer = (
  getRequestId: (id: RequestId) => string | undefined,
  hooks?: ServerHooks,
) => { readonly server: Server; readonly deliveries: Deliveries };

/** The connections of one principal's clients. */
export class HttpConnections {
  readonly #records: DeliveryRecords;
  readonly #trustProxy: boolean;
  readonly #connections = new WeakMap<Socket, Connection>();

  constructor(records: DeliveryRecords, trustProxy: boolean) {
    this.#records = records;
    this.#trustProxy = trustProxy;
  }

  /**
   * A request came, which shows that the client has read what came before on its connection, except the answers that it
   * cancels: those of `deliveries`, or else those that its connection carried.
   */
  received({ req: { socket } }: ServerResponse, body: unknown, deliveries?: Deliveries): void {
    // The connection of a proxy brings the requests of other clients, too.
    const connection = this.#trustProxy ? undefined : this.#connections.get(socket);
    const answers = deliveries ?? connection;
    for (const message of [body].flat()) {
      const cancelled = cancelledRequest(message);
      if (cancelled !== undefined) answers?.cancelled(cancelled);
    }
    connection?.received();
  }

  /** The connection that carries a response. */
  of({ req: { socket } }: ServerResponse): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(this.#records);
    this.#connections.set(socket, connection);
    // A proxy's connection carries requests of many principals, each with a listener.
    socket.setMaxListeners(socket.getMaxListeners() + 1);
    socket.once('close', (hadError) => {
      if (hadError) connection.end('reset');
      // A proxy closes connections at any time, which says nothing about its clients.
      else if (!this.#trustProxy) connection.end('left');
    });
    return connection;
  }

  /** How the answers in a response go out. */
  passage(response: ServerResponse): Passage {
    // The signal of a request aborts when its connection ends, be it with the answer: only the bytes count.
    return { connection: this.of(response), written: whenWritten(response), cancellable: false };
  }
}

/** Resolves when the whole response was handed to the network; rejects when the client was gone before. */
function whenWritten(response: ServerResponse): Promise<void> {
  const finished = new Promise<void>((resolve, reject) => {
    response.once('finish', resolve);
    response.once('close', () => reject(new Error('The client disconnected before its answer was written')));
  });
  // Nobody may be waiting.
  finished.catch(() => undefined);
  return finished;
}

/**
 * Reports every answer that the transport sends; `getPassage` is called once the answer was handed to it, and is undefined
 * where the client is gone.
 */
export function followAnswers(
  transport: Pick<Transport, 'send'>,
  deliveries: Deliveries,
  getPassage: (id: RequestId) => Passage | undefined,
): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const sending = send(message, options);
    if ('method' in message || message.id === undefined) return sending;
    const passage = getPassage(message.id);
    if (passage === undefined) return sending;
    const written = Promise.all([sending, passage.written]);
    written.catch(() => undefined);
    deliveries.follow(message, { ...passage, written });
    return sending;
  };
}
