/** When an answer has left the process, for the deliveries of what it holds. */
import type { ServerResponse } from 'node:http';
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Deliveries } from '../../delivery.ts';

export type RequestId = string | number;

/** Resolves when the whole response was handed to the network; rejects when the client was gone before. */
export function written(response: ServerResponse): Promise<void> {
  const finished = new Promise<void>((resolve, reject) => {
    response.once('finish', resolve);
    response.once('close', () => reject(new Error('The client was gone before its answer')));
  });
  // Nobody may be waiting.
  finished.catch(() => undefined);
  return finished;
}

/** Reports every answer that the transport sends; `writtenOf` is asked once the answer was handed to it. */
export function followAnswers(
  transport: Pick<Transport, 'send'>,
  deliveries: Deliveries,
  writtenOf: (id: RequestId) => Promise<void>,
): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const sending = send(message, options);
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    if (isAnswer && message.id !== undefined) {
      const arrived = Promise.all([sending, writtenOf(message.id)]);
      arrived.catch(() => undefined);
      // The signal of a request aborts when its connection ends, be it with the answer: only the bytes count.
      deliveries.follow(message, arrived, false);
    }
    return sending;
  };
}
