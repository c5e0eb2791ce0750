/**
 * JSON-RPC 2.0 with the host of an MCP App, by `postMessage` (SEP-1865, revision 2026-01-26). The official library has this too,
 * with a validator of every message of MCP: 340 kB, which some clients read after each call.
 */

import { isRecord } from '../contract/result-rows.ts';

export type Body = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one where it is none. */
export const bodyOf = (value: unknown): Body => (isRecord(value) ? value : {});

export interface HostConnection {
  /** Rejects where the host answers with an error, or not within a minute. */
  request(method: string, params: Body): Promise<Body>;
  notify(method: string, params?: Body): void;
}

/** As long as the protocol's own library waits for an answer. */
const timeoutMs = 60_000;
const methodNotFound = { code: -32601, message: 'Method not found' };
/** Requests of a host that need no more than an answer: a view keeps nothing that would have to be saved. */
const acknowledged = ['ping', 'ui/resource-teardown'];

/** `listeners` take the parameters of the host's notifications, by method. Others are passed over. */
export function connectHost(listeners: ReadonlyMap<string, (params: Body) => void>): HostConnection {
  const open = new Map<unknown, (answer: Body) => void>();
  let lastId = 0;
  const send = (message: Body) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

  window.addEventListener('message', ({ source, data }) => {
    // Frames beside this one can send messages too.
    if (source !== window.parent || !isRecord(data) || data.jsonrpc !== '2.0') return;
    const { id, method } = data;
    if (typeof method !== 'string') {
      open.get(id)?.(data);
    } else if (id !== undefined) {
      send(acknowledged.includes(method) ? { id, result: {} } : { id, error: methodNotFound });
    } else {
      listeners.get(method)?.(bodyOf(data.params));
    }
  });

  return {
    notify: (method, params) => send({ method, ...(params !== undefined && { params }) }),
    request: (method, params) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        const failed = `The host did not answer ${method}.`;
        const timer = setTimeout(() => {
          open.delete(id);
          send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'Request timed out' } });
          reject(new Error(failed));
        }, timeoutMs);
        open.set(id, ({ result, error }) => {
          clearTimeout(timer);
          open.delete(id);
          if (isRecord(result)) resolve(result);
          else reject(new Error(String(bodyOf(error).message ?? failed)));
        });
        send({ id, method, params });
      }),
  };
}
