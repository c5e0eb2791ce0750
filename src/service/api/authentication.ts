/** Who asks, and from where. */
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import { openErrors } from '../../contract/errors.ts';
import { refuse } from '../foundation/request-error.ts';
import { authenticate } from '../money/keys.ts';
import type { ServiceDatabase } from '../store/schema.ts';

export type Environment = { Bindings: HttpBindings };
export type ServiceRequest = HonoContext<Environment>;

/** The id of the user whose key it is. Throws 401 `UNAUTHORIZED` (specification: Authentication, rule 1). */
export async function requireUser(database: ServiceDatabase, request: ServiceRequest): Promise<string> {
  const key = request.req.header('x-api-key');
  const userId = key === undefined ? undefined : await authenticate(database, key);
  if (userId === undefined) {
    throw refuse(openErrors, 'UNAUTHORIZED', 'Send a valid API key in the header X-API-Key');
  }
  return userId;
}
