/** Who asks, and from where. */
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import { openErrors } from '../../contract/errors.ts';
import { refuse } from '../foundation/request-error.ts';
import { authenticate } from '../money/keys.ts';
import type { ServiceDatabase } from '../store/schema.ts';

export type Environment = { Bindings: HttpBindings };
export type Request = HonoContext<Environment>;

/** The id of the user whose key it is. Throws 401 `UNAUTHORIZED` (specification: Authentication, rule 1). */
export async function requireUser(database: ServiceDatabase, request: Request): Promise<string> {
  const key = request.req.header('x-api-key');
  const userId = key === undefined ? undefined : await authenticate(database, key);
  if (userId === undefined) {
    throw refuse(openErrors, 'UNAUTHORIZED', 'Send a valid API key in the header X-API-Key');
  }
  return userId;
}

const socketAddress = (request: Request): string => request.env.incoming.socket.remoteAddress ?? 'unknown';

/** With `trustProxy` the last entry of X-Forwarded-For, which is the address that our own proxy saw. */
export function clientAddress(request: Request, trustProxy: boolean): string {
  const forwardedAddress = trustProxy
    ? request.req.header('x-forwarded-for')?.split(',').at(-1)?.trim()
    : undefined;
  return forwardedAddress ?? socketAddress(request);
}

/** Asked for by a program on this machine. */
export const isLoopback = (request: Request): boolean =>
  /^(127\.|::1$|::ffff:127\.)/.test(socketAddress(request));
