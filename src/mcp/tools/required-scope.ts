/** The scope that a request of the protocol needs. */
import * as z from 'zod';
import type { Scope } from './define-tool.ts';
import { staticTools } from './index.ts';

const Message = z.looseObject({
  method: z.string(),
  params: z.looseObject({ name: z.unknown() }).optional().catch(undefined),
});

/** Requests that open or keep a connection and need no scope. */
const open = new Set(['initialize', 'server/discover', 'ping', 'logging/setLevel']);

/** Undefined: any admitted token will do. `message` is one JSON-RPC message as it came. */
export function requiredScope(message: unknown): Scope | undefined {
  const read = Message.safeParse(message);
  // Not a request, or an answer to one of ours: it belongs to a call that was admitted.
  if (!read.success) return undefined;
  const { method, params } = read.data;
  if (open.has(method) || method.startsWith('notifications/')) return undefined;
  // Every tool that is not one of ours is an action.
  if (method === 'tools/call')
    return staticTools.find(({ name }) => name === params?.name)?.scope ?? 'actions:run';
  // A token that may only read must not change tasks of other tokens.
  if (method === 'tasks/update' || method === 'tasks/cancel') return 'actions:run';
  return 'actions:read';
}
