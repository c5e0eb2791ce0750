/** Who is calling: which service key a request acts with. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../errors.ts';
import { keyChallenge } from './key-checks.ts';
import type { ResourceServer } from './oauth/resource-server.ts';
import type { Caller } from './principals.ts';

export interface Access {
  /** The one key that all clients act with; undefined: each brings its own as `X-API-Key`. */
  readonly sharedKey: string | undefined;
  /** The token that clients send as `Authorization: Bearer …`; it is not passed on. Undefined: none is required. */
  readonly token: string | undefined;
}

type RequestWithHeaders = Pick<IncomingMessage, 'headers'>;

interface Authentication {
  /** Throws a 401 without the token. */
  admit(request: RequestWithHeaders): void;
  /** The key of an admitted request. Throws a 401 without one. */
  readKey(request: RequestWithHeaders): string;
}

export function createAuthentication({ sharedKey, token }: Access): Authentication {
  const expected = token === undefined ? undefined : digest(token);
  return {
    admit({ headers }) {
      if (expected === undefined) return;
      const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
      if (token !== undefined && timingSafeEqual(digest(token), expected)) return;
      const fault = token === undefined ? '' : ', error="invalid_token"';
      throw new HttpError(
        401,
        'Send the token of this server (SVC_HTTP_TOKEN) as Authorization: Bearer <token>.',
        { headers: { 'www-authenticate': `Bearer realm="svc-mcp"${fault}` } },
      );
    },
    readKey({ headers }) {
      if (sharedKey !== undefined) return sharedKey;
      const key = headers['x-api-key'];
      // Characters that a header of the client may carry.
      if (typeof key === 'string' && /^[\x21-\x7e]{1,512}$/.test(key)) return key;
      throw new HttpError(401, 'Send your own API key of the service as X-API-Key.', {
        headers: { 'www-authenticate': keyChallenge },
      });
    },
  };
}

/** Creates the function that identifies the caller of a request; it throws or rejects with a refusal. */
export function createCallerReader(
  access: Access,
  resourceServer: ResourceServer | undefined,
): (request: Pick<IncomingMessage, 'headers'>, url: URL) => Caller | Promise<Caller> {
  if (resourceServer !== undefined) return (request, url) => resourceServer.readCaller(request, url);
  const { admit, readKey } = createAuthentication(access);
  return (request) => {
    admit(request);
    return { apiKey: readKey(request) };
  };
}

/** Of one length, so that comparing takes the same time for every token. */
const digest = (text: string) => createHash('sha256').update(text).digest();
