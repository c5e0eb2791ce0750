/**
 * Reads an authorization server's own description: its metadata (RFC 8414 and OpenID discovery) and its public keys.
 * Fetched when needed, with bounds, by the proxy where one is set; after a failure nothing is asked for a while.
 */

import * as z from 'zod';
import { isTrustworthyAddress } from './address.ts';
import { Agents } from './agents.ts';
import { AuthorizationServerError } from './errors.ts';

const defaultAuthorizationServerLimits = {
  /** For one document, from the connection to its last byte. */
  timeoutMs: 5_000,
  /** The most bytes of one document. */
  maxBytes: 1024 * 1024,
  /** How long the metadata are cached. */
  metadataMs: 3_600_000,
  /** How long a failure is cached. */
  pauseMs: 5_000,
};
export type AuthorizationServerLimits = typeof defaultAuthorizationServerLimits;

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.string() });
export type AuthorizationServerMetadata = z.infer<typeof Metadata>;

/** Times are of the monotonic clock: a wall clock that is set back would keep a failure, and everybody out, for longer. */
export class AuthorizationServer {
  readonly issuer: string;
  readonly #limits: AuthorizationServerLimits;
  #metadata: { readonly value: AuthorizationServerMetadata; readonly at: number } | undefined;
  #failure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(issuer: string, limits: Partial<AuthorizationServerLimits> = {}) {
    this.issuer = issuer;
    this.#limits = { ...defaultAuthorizationServerLimits, ...limits };
  }

  /** Milliseconds until a failed request may be repeated. */
  get pauseMs(): number {
    return this.#limits.pauseMs;
  }

  /** Its public keys as a JSON Web Key Set, not read yet. Rejects with an `AuthorizationServerError`. */
  async keySet(): Promise<unknown> {
    if (this.#failure !== undefined && performance.now() < this.#failure.at + this.#limits.pauseMs) {
      throw this.#failure.error;
    }
    try {
      if (this.#metadata === undefined || performance.now() > this.#metadata.at + this.#limits.metadataMs) {
        this.#metadata = { value: await this.metadata(), at: performance.now() };
      }
      const keySet = await this.#fetch(this.#metadata.value.jwks_uri);
      this.#failure = undefined;
      return keySet;
    } catch (error) {
      // The keys may have moved.
      this.#metadata = undefined;
      this.#failure = { error, at: performance.now() };
      throw error;
    }
  }

  /** Asks at the addresses of both standards, in the order of the MCP specification. */
  async metadata(): Promise<AuthorizationServerMetadata> {
    const failures: AuthorizationServerError[] = [];
    for (const address of metadataAddresses(this.issuer)) {
      try {
        return this.#read(address, await this.#fetch(address));
      } catch (error) {
        if (!(error instanceof AuthorizationServerError)) throw error;
        failures.push(error);
      }
    }
    throw new AuthorizationServerError(failures.map(({ message }) => message).join('; '));
  }

  #read(address: string, document: unknown): AuthorizationServerMetadata {
    const read = Metadata.safeParse(document);
    if (!read.success) throw new AuthorizationServerError(`${address} lacks issuer or jwks_uri`);
    const { issuer, jwks_uri } = read.data;
    if (issuer !== this.issuer) {
      throw new AuthorizationServerError(
        `${address} is of the issuer ${JSON.stringify(issuer.slice(0, 200))}, not ${JSON.stringify(this.issuer)}: ` +
          'set SVC_OAUTH_ISSUER to exactly that spelling',
      );
    }
    return { issuer, jwks_uri };
  }

  async #fetch(address: string): Promise<unknown> {
    if (!isTrustworthyAddress(address)) {
      throw new AuthorizationServerError(`${address.slice(0, 200)} is not an https address`);
    }
    const { origin, pathname, search } = new URL(address);
    const { timeoutMs, maxBytes } = this.#limits;
    const agents = new Agents(origin, timeoutMs);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const agent = await agents.getDispatcher('kept');
      const { statusCode, body } = await agent.request({
        origin,
        path: pathname + search,
        method: 'GET',
        headers: { accept: 'application/json' },
        signal,
      });
      // A redirect counts as a failure: its target is not trusted.
      if (statusCode !== 200)
        throw new AuthorizationServerError(`${address} answers with HTTP ${statusCode}`);
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of body) {
        const bytes = Buffer.from(chunk);
        length += bytes.length;
        if (length > maxBytes)
          throw new AuthorizationServerError(`${address} answers with more than ${maxBytes} bytes`);
        chunks.push(bytes);
      }
      return parse(address, Buffer.concat(chunks).toString('utf8'));
    } catch (error) {
      if (error instanceof AuthorizationServerError) throw error;
      const reason = signal.aborted
        ? `does not answer within ${timeoutMs / 1000} s`
        : `cannot be reached (${error instanceof Error ? error.message : 'unknown reason'})`;
      throw new AuthorizationServerError(`${address} ${reason}`, { cause: error });
    } finally {
      await agents.close();
    }
  }
}

/** An issuer with a path has it behind the well-known part; OpenID discovery has it before, too. */
function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(addresses)];
}

function parse(address: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AuthorizationServerError(`${address} does not answer with JSON`);
  }
}
