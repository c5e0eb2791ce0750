/** Tells deliveries when an answer has left the process. */
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { Deliveries } from '../../calls/delivery.ts';
import { type ListExchange, separateList } from '../../tools/encoded-lists.ts';

export type RequestId = string | number;

/** Resolves when the whole response was handed to the network; rejects when the client was gone before. */
export function whenWritten(response: ServerResponse): Promise<void> {
  const finished = new Promise<void>((resolve, reject) => {
    response.once('finish', resolve);
    response.once('close', () => reject(new Error('The client disconnected before its answer was written')));
  });
  // Nobody may be waiting.
  finished.catch(() => undefined);
  return finished;
}

/**
 * Reports every answer that the transport sends; `getWhenWritten` is called once the answer was handed to it. A list goes beside
 * its answer into the exchange that asked for it.
 */
export function followAnswers(
  transport: Pick<Transport, 'send'>,
  deliveries: Deliveries,
  getWhenWritten: (id: RequestId) => Promise<void>,
  getListExchange: (id: RequestId) => ListExchange | undefined = () => undefined,
): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const sending = send(withoutList(message, getListExchange), options);
    if (!('method' in message) && message.id !== undefined) {
      const whenArrived = Promise.all([sending, getWhenWritten(message.id)]);
      whenArrived.catch(() => undefined);
      // The signal of a request aborts when its connection ends, be it with the answer: only the bytes count.
      deliveries.follow(message, whenArrived, false);
    }
    return sending;
  };
}

function withoutList(
  message: JSONRPCMessage,
  getListExchange: (id: RequestId) => ListExchange | undefined,
): JSONRPCMessage {
  if (!('result' in message)) return message;
  const exchange = getListExchange(message.id);
  const parts = exchange && separateList(message);
  if (exchange === undefined || parts === undefined) return message;
  exchange.list = parts.list;
  return parts.message;
}
