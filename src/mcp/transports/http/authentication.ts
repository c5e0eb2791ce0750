/** Who is calling: which service key a request acts with. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Subject } from '../../../gateway/interface/subject.ts';
import { HttpError } from '../../errors.ts';
import type { Scope } from '../../tools/define-tool.ts';

export interface Caller {
  /** The service key that it acts with. */
  readonly apiKey: string;
  /** The subject of the access token. Undefined: the caller is identified by the key alone. */
  readonly subject?: Subject;
  /** What the token of this request allows. Undefined: everything. */
  readonly grant?: { readonly scopes: ReadonlySet<Scope>; readonly clientId: string };
}

/** Callers with the same id are one principal: a key, or a subject with its key. */
export const getCallerId = ({ apiKey, subject }: Caller): string =>
  subject === undefined ? apiKey : JSON.stringify([apiKey, subject.issuer, subject.subject]);

/** Admits callers by access tokens (`oauth/`, which is loaded only where an issuer is set). */
export interface ResourceServer {
  /** The metadata of the protected resource (RFC 9728) at this path. Undefined: nothing is there. */
  getMetadata(pathname: string): object | undefined;
  /** Throws a refusal: 400, 401 or 403 with what the client has to do, or 503 if tokens cannot be verified now. */
  readCaller(request: Pick<IncomingMessage, 'headers'>, url: URL): Promise<Caller>;
  /** Throws a 403 that names the scopes for what is in a body. */
  admitMessages(caller: Caller, body: unknown, url: URL): void;
  /** Whether the caller's key is still the subject's. */
  isCurrent(caller: Caller): Promise<boolean>;
}

export interface Access {
  /** The one key that all clients act with; undefined: each brings its own as `X-API-Key`. */
  readonly sharedKey: string | undefined;
  /** The token that clients send as `Authorization: Bearer …`; it is not passed on. Undefined: none is required. */
  readonly token: string | undefined;
}

/** The challenge of a 401 if clients bring their own keys. */
export const keyChallenge = 'ApiKey realm="svc-mcp", header="X-API-Key"';

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
      // The characters a header of ours may carry it in.
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
