/** Who is calling: which service key a request acts with. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { HttpError } from '../../errors.ts';
import type { Visitors } from '../../pages/sign-in-handler.ts';
import { consume } from './http-limits.ts';
import type { Caller, KeyVerdict } from './principals.ts';
import type { ResourceServer } from './resource-server.ts';

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

/** The challenge of a 401 if clients bring their own keys. */
const keyChallenge = 'ApiKey realm="svc-mcp", header="X-API-Key"';

/** A refused key is not asked about again for this time. */
const rememberedMs = 60_000;
const maxRemembered = 10_000;
/** Of one address in a minute; a good key gives its check back. */
const maxChecks = 100;

const hashOf = (apiKey: string) => createHash('sha256').update(apiKey).digest('base64');

export const refusedKey = () =>
  new HttpError(401, 'The service refused this key: send a valid one as X-API-Key.', {
    headers: { 'www-authenticate': keyChallenge },
  });

export class KeyChecks {
  readonly #ask: (apiKey: string) => Promise<KeyVerdict>;
  /** By hash, as are the checks under way. */
  readonly #refused = new LRUCache<string, true>({ max: maxRemembered, ttl: rememberedMs });
  readonly #pending = new Map<string, Promise<KeyVerdict>>();
  readonly #checks = new RateLimiterMemory({ points: maxChecks, duration: 60 });
  /** Addresses above their limit of which a key is being checked. */
  readonly #suspects = new Set<string>();

  /** `ask` is a request to the service. */
  constructor(ask: (apiKey: string) => Promise<KeyVerdict>) {
    this.#ask = ask;
  }

  /**
   * Rejects with a 401 when the service refuses the key, and with a 429 when too many keys of the address were checked. One
   * at a time is still checked then, and nobody waits for another's turn: good keys get in between the refused ones.
   */
  async check(apiKey: string, address: string): Promise<Exclude<KeyVerdict, 'refused'>> {
    const hash = hashOf(apiKey);
    const waitMs = await consume(this.#checks, address);
    const verdict = this.#refused.has(hash)
      ? 'refused'
      : await this.#askOnce(hash, apiKey, waitMs > 0 ? address : undefined);
    if (verdict !== 'refused' && verdict !== 'not-asked') {
      await this.#checks.reward(address);
      return verdict;
    }
    if (waitMs > 0) {
      // Above the limit the next place may be free at once, so a client need not wait for the end of the minute.
      const seconds = verdict === 'refused' ? Math.ceil(waitMs / 1000) : 1;
      throw new HttpError(429, `Too many keys of this address are checked; retry in ${seconds} s.`, {
        headers: { 'retry-after': String(seconds) },
      });
    }
    throw refusedKey();
  }

  /** Whether the service has come to refuse a key that it took earlier. Only good keys get here, so no limit applies. */
  async isRevoked(apiKey: string): Promise<boolean> {
    return (await this.#askOnce(hashOf(apiKey), apiKey, undefined)) === 'refused';
  }

  async #askOnce(
    hash: string,
    apiKey: string,
    suspect: string | undefined,
  ): Promise<KeyVerdict | 'not-asked'> {
    const pending = this.#pending.get(hash);
    if (pending !== undefined) return pending;
    if (suspect !== undefined) {
      if (this.#suspects.has(suspect)) return 'not-asked';
      this.#suspects.add(suspect);
    }
    const asking = this.#ask(apiKey)
      .then((verdict) => {
        if (verdict === 'refused') this.#refused.set(hash, true);
        return verdict;
      })
      .finally(() => {
        this.#pending.delete(hash);
        if (suspect !== undefined) this.#suspects.delete(suspect);
      });
    this.#pending.set(hash, asking);
    return asking;
  }
}

export interface PageVisitorOptions {
  readonly access: Access;
  readonly resourceServer?: ResourceServer | undefined;
  readonly getPrincipalId: (caller: Caller) => string;
  /** The setting `SVC_PUBLIC_URL`. */
  readonly publicUrl: string | undefined;
}

/** A token for it is a token for the pages. */
const mcp = new URL('http://localhost/mcp');

/** Requests with credentials get the pages of their principal only; other pages do not exist for them. */
export function createPageVisitors(options: PageVisitorOptions): Visitors {
  const { access, resourceServer, getPrincipalId, publicUrl } = options;
  const readCaller = createCallerReader(access, resourceServer);
  return {
    secure: publicUrl?.startsWith('https:') === true,
    async getPrincipalId(requestHeaders) {
      const headers = {
        authorization: requestHeaders.get('authorization') ?? undefined,
        'x-api-key': requestHeaders.get('x-api-key') ?? undefined,
      };
      // Any other authorization is between the browser and a proxy on the way.
      const isOurs = /^Bearer /i.test(headers.authorization ?? '') || headers['x-api-key'] !== undefined;
      if (!isOurs) return undefined;
      try {
        return getPrincipalId(await readCaller({ headers }, mcp));
      } catch (error) {
        if (error instanceof HttpError) return 'refused';
        throw error;
      }
    },
  };
}
