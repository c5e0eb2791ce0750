/** Who sent a request, and what for: known before any MCP server sees it. */
import type { IncomingMessage } from 'node:http';
import type { Subject } from '../../../gateway/interface/subject.ts';
import type { Scope } from '../../tools/scopes.ts';

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
