/**
 * Tool lists as the bytes that are written: a list may be large, is the same for many requests, and is encoded once. The
 * message goes without it through whoever encodes messages, and the list is put back into the result.
 */
import type { JSONRPCMessage, Tool } from '@modelcontextprotocol/server';

const encodedLists = new WeakMap<readonly unknown[], Buffer | undefined>();
const emptyList = '"tools":[]';

/** For lists that are sent again and again and never change. */
export function encodeOnce(tools: Tool[]): Tool[] {
  encodedLists.set(tools, undefined);
  return tools;
}

/** Derives a list from another one, once for each list, so that the result is encoded once too. */
export function derivedList(derive: (tools: readonly Tool[]) => Tool[]): (tools: readonly Tool[]) => Tool[] {
  const derivedLists = new WeakMap<readonly Tool[], Tool[]>();
  return (tools) => {
    const list = derivedLists.get(tools) ?? encodeOnce(derive(tools));
    derivedLists.set(tools, list);
    return list;
  };
}

/** A result whose list stands beside it, as its member `tools` in JSON; undefined for every other message. */
export function separateList(message: JSONRPCMessage): { message: JSONRPCMessage; list: Buffer } | undefined {
  if (!('result' in message)) return undefined;
  const { tools } = message.result;
  if (!Array.isArray(tools) || !encodedLists.has(tools)) return undefined;
  const list = encodedLists.get(tools) ?? Buffer.from(`"tools":${JSON.stringify(tools)}`);
  encodedLists.set(tools, list);
  return { message: { ...message, result: { ...message.result, tools: [] } }, list };
}

/** The bytes of a message with its list. Within a string the quotes of `emptyList` would be escaped. */
export function insertList(text: Uint8Array, list: Buffer): Buffer {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const position = bytes.indexOf(emptyList);
  if (position === -1) return bytes;
  return Buffer.concat([bytes.subarray(0, position), list, bytes.subarray(position + emptyList.length)]);
}

/** An HTTP exchange that may be answered with a list. */
export interface ListExchange {
  list?: Buffer;
}

export const asksForList = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'tools/list';

/** Each message is one chunk of the body, be it JSON or an event of a stream. */
export function withList(response: Response, exchange: ListExchange): Response {
  if (response.body === null) return response;
  const splice = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const { list } = exchange;
      controller.enqueue(list === undefined ? chunk : insertList(chunk, list));
    },
  });
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(splice), { status, headers });
}
