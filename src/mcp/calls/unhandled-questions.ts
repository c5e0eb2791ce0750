/** Clients that declare questions to their user but answer them with an error: nobody was asked. */
import type { RequestId, Server, Transport } from '@modelcontextprotocol/server';
import * as z from 'zod';

const unhandled = 'svc/unhandled';
const Unhandled = z.looseObject({ _meta: z.looseObject({ [unhandled]: z.literal(true) }) });

/** Turns the error into a cancelled question, so that the call goes on and can say why it did not run. */
export function acceptUnhandledQuestions(server: Server): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport: Transport) => {
    const askedIds = new Set<RequestId>();
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ('id' in message && 'method' in message && message.method === 'elicitation/create') {
        askedIds.add(message.id);
      }
      return send(message, options);
    };
    await connect(transport);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      const id = 'id' in message && !('method' in message) ? message.id : undefined;
      const isAnswer = id !== undefined && askedIds.delete(id);
      if (!isAnswer || !('error' in message)) return onmessage?.(message, extra);
      const result = { action: 'cancel', _meta: { [unhandled]: true } };
      onmessage?.({ jsonrpc: '2.0', id, result }, extra);
    };
  };
}

/** Whether the client failed to ask, by its answer to one question. */
export const wasUnhandled = (responses: unknown, name: string): boolean =>
  Unhandled.safeParse(Object(responses)[name]).success;
