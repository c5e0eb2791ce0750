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

/** Undefined: any accepted token is enough. `message` is one unparsed JSON-RPC message. */
export function requiredScope(message: unknown): Scope | undefined {
  const read = Message.safeParse(message);
  // Not a request, or the answer to a question of this server, whose call was admitted.
  if (!read.success) return undefined;
  const { method, params } = read.data;
  if (open.has(method) || method.startsWith('notifications/')) return undefined;
  // Every tool that is not static is an action.
  if (method === 'tools/call')
    return staticTools.find(({ name }) => name === params?.name)?.scope ?? 'actions:run';
  // A token that may only read must not change tasks of other tokens.
  if (method === 'tasks/update' || method === 'tasks/cancel') return 'actions:run';
  return 'actions:read';
}
