/**
 * Clients that take tasks. The current client's codec does not know the extension's results, so requests of 2026-07-28
 * go to its transport as they are; the protocol's own package for tasks does the rest.
 */
import type { Client, ClientCapabilities, JSONRPCMessage } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, type TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';
import { z } from 'zod';

const extension = 'io.modelcontextprotocol/tasks';
export const takesTasks: ClientCapabilities = { extensions: { [extension]: {} } };

export interface RawAnswer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Ask = (method: string, params?: Record<string, unknown>) => Promise<RawAnswer>;

const clientInfo = { name: 'a-test', version: '1' };
const protocolVersion = '2026-07-28';

/** Sends requests as they are, beside those of the client. */
export function rawRequests(
  client: Client,
): Ask & { readonly send: (params: JSONRPCMessage) => Promise<RawAnswer> } {
  const { transport } = client;
  if (transport === undefined) throw new Error('Not connected');
  const waiting = new Map<string, (answer: RawAnswer) => void>();
  let count = 0;
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    const id = 'id' in message ? String(message.id) : '';
    const resolve = 'method' in message ? undefined : waiting.get(id);
    if (resolve === undefined) return onmessage?.(message, extra);
    waiting.delete(id);
    resolve(
      'error' in message ? { error: message.error } : 'result' in message ? { result: message.result } : {},
    );
  };
  const send = async (message: JSONRPCMessage) => {
    count += 1;
    const id = `raw-${count}`;
    const answer = new Promise<RawAnswer>((resolve) => waiting.set(id, resolve));
    await transport.send({ ...message, id });
    return answer;
  };
  const ask: Ask = (method, params = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': protocolVersion,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': takesTasks,
      ...(typeof params._meta === 'object' && params._meta),
    };
    const isCurrent = client.getProtocolEra() === 'modern';
    return send({ jsonrpc: '2.0', id: 0, method, params: isCurrent ? { ...params, _meta } : params });
  };
  return Object.assign(ask, { send });
}

const Sent = z.object({ method: z.string(), params: z.record(z.string(), z.unknown()).default({}) });

/** A session of the protocol's own package, which makes a task of every call that may be one. */
export function taskSession(client: Client): TaskEnabledSession {
  const endpointId = 'svc-mcp';
  const { send } = rawRequests(client);
  return createTaskSessionFromClient(client, {
    endpointId,
    v2RequestFraming: {
      protocolVersion,
      clientInfo,
      clientCapabilities: { extensions: { [extension]: {} } },
    },
    rawDispatch: async (request) => {
      const { result, error } = await send({ jsonrpc: '2.0', id: 0, ...Sent.parse(request) });
      if (error !== undefined) return { kind: 'error', error: { code: error.code, message: error.message } };
      return { kind: 'result', result: z.json().parse(result) };
    },
  });
}
