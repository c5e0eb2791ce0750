/**
 * The OAuth resource server: which access tokens are accepted, for which subject and scopes. The token goes no
 * further: at the service a subject acts with the key that an operator gave it.
 */
import type { IncomingMessage } from 'node:http';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import type { Logger } from '../../../gateway/foundation/logger.ts';
import { isSubjectName, type Subject, shellArgument } from '../../../gateway/interface/principal.ts';
import { HttpError, InvalidTokenError, KeysUnavailableError } from '../../errors.ts';
import { isScope, type Scope, scopes } from '../../tools/define-tool.ts';
import { requiredScope } from '../../tools/required-scope.ts';
import type { Caller } from './principals.ts';

export interface ResourceServerOptions {
  readonly issuer: string;
  /** The setting `SVC_OAUTH_AUDIENCE`; undefined: the public address of the path that is asked for. */
  readonly audience: string | undefined;
  /** What clients see of this server, without a slash at its end; known once it listens. */
  readonly baseUrl: () => string;
  /** The issuer's public keys as a JSON Web Key Set. */
  readonly fetchKeySet: () => Promise<unknown>;
  /** The `Retry-After` in seconds when the keys cannot be fetched. */
  readonly retryAfterSeconds: number;
  /** The service key that a subject acts with, as it is now. */
  readonly getKey: (subject: Subject) => Promise<string | undefined>;
  readonly cooldownMs?: number;
  readonly logger: Logger;
}

/** Where each transport is; clients ask for a token for the address that they were given. */
const resources = ['/mcp', '/sse'] as const;
type Resource = (typeof resources)[number];
const metadataPath = '/.well-known/oauth-protected-resource';
/** The scopes that a client should request first: enough to find and run actions. It learns the others when it needs them. */
const firstScopes: readonly Scope[] = ['actions:read', 'actions:run'];

/** Admits callers by access tokens; loaded only where an issuer is set. */
export class ResourceServer {
  readonly #options: ResourceServerOptions;
  readonly #verify: (token: string) => Promise<AccessToken>;

  constructor(options: ResourceServerOptions) {
    this.#options = options;
    const { audience } = options;
    this.#verify = createAccessTokenVerifier({
      ...options,
      audiences: () =>
        audience === undefined ? resources.map((resource) => this.#toAddress(resource)) : [audience],
    });
  }

  /** The metadata of the protected resource (RFC 9728) at this path. Undefined: nothing is there. */
  getMetadata(pathname: string): object | undefined {
    const { pathname: base } = new URL(this.#options.baseUrl());
    const resourcePath = pathname.startsWith(metadataPath) ? pathname.slice(metadataPath.length) : undefined;
    // Without a path it is the transport that is meant for everybody.
    const resource = resources.find(
      (path) =>
        resourcePath === path ||
        resourcePath === `${base.replace(/\/$/, '')}${path}` ||
        (resourcePath === '' && path === '/mcp'),
    );
    if (resource === undefined) return undefined;
    return {
      resource: this.#toAddress(resource),
      authorization_servers: [this.#options.issuer],
      scopes_supported: firstScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'svc-mcp',
    };
  }

  /** Throws a refusal: 400, 401 or 403 with what the client has to do, or 503 if tokens cannot be verified now. */
  async readCaller(request: Pick<IncomingMessage, 'headers'>, url: URL): Promise<Caller> {
    const token = await this.#admit(request, url);
    const subject = { issuer: this.#options.issuer, subject: token.subject };
    const apiKey = await this.#readCurrentKey(subject);
    if (apiKey === undefined) {
      throw new HttpError(
        403,
        `${token.subject} has no service key here. The operator adds one with: ` +
          `svc-mcp http keys add ${shellArgument(token.subject)}`,
      );
    }
    return { apiKey, subject, grant: { scopes: token.scopes, clientId: token.clientId } };
  }

  /** Throws a 403 that names the scopes for what is in a body. */
  admitMessages({ grant }: Caller, body: unknown, { pathname }: URL): void {
    const grantedScopes = grant?.scopes ?? new Set();
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    const missingScopes = messages
      .map(requiredScope)
      .filter((scope) => scope !== undefined)
      .filter((scope) => !grantedScopes.has(scope));
    if (missingScopes.length === 0) return;
    // Includes the granted scopes: a client that requests only the new ones would lose them.
    const needed = scopes.filter((scope) => grantedScopes.has(scope) || missingScopes.includes(scope));
    const error_description = `It lacks ${[...new Set(missingScopes)].join(' ')}`;
    throw new HttpError(
      403,
      `The access token does not allow this. ${error_description}. Ask ${this.#options.issuer} for one that does.`,
      {
        headers: this.#challenge(pathname, {
          error: 'insufficient_scope',
          scope: needed.join(' '),
          error_description,
        }),
      },
    );
  }

  /** Whether the caller's key is still the subject's. */
  async isCurrent({ apiKey, subject }: Caller): Promise<boolean> {
    return subject === undefined || (await this.#options.getKey(subject)) === apiKey;
  }

  #toAddress(resource: Resource): string {
    return `${this.#options.baseUrl()}${resource}`;
  }

  #challenge(pathname: string, parameters: Readonly<Record<string, string>>) {
    // Below the public address, so that it is reached wherever that leads.
    const resource_metadata = `${this.#options.baseUrl()}${metadataPath}${pathname === '/mcp' ? '/mcp' : '/sse'}`;
    const challengeParameters = Object.entries({ ...parameters, resource_metadata });
    return {
      'www-authenticate': `Bearer ${challengeParameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`,
    };
  }

  async #admit(
    request: Pick<IncomingMessage, 'headers'>,
    { pathname, searchParams }: URL,
  ): Promise<AccessToken> {
    const { issuer } = this.#options;
    if (searchParams.has('access_token')) {
      throw new HttpError(
        400,
        'A token in the address ends in logs: send it as Authorization: Bearer <token>.',
        {
          headers: this.#challenge(pathname, { error: 'invalid_request' }),
        },
      );
    }
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) {
      throw new HttpError(401, `Send an access token of ${issuer} as Authorization: Bearer <token>.`, {
        headers: this.#challenge(pathname, { scope: firstScopes.join(' ') }),
      });
    }
    try {
      return await this.#verify(token);
    } catch (error) {
      throw this.#toRefusal(error, pathname);
    }
  }

  /** The refusal for a token that could not be verified; any other error unchanged. */
  #toRefusal(error: unknown, pathname: string): unknown {
    const { issuer, logger, retryAfterSeconds } = this.#options;
    if (error instanceof InvalidTokenError) {
      return new HttpError(
        401,
        `The access token is not accepted. ${error.message}. Get a new one from ${issuer}.`,
        {
          headers: this.#challenge(pathname, {
            error: 'invalid_token',
            error_description: error.message,
            scope: firstScopes.join(' '),
          }),
        },
      );
    }
    if (!(error instanceof KeysUnavailableError)) return error;
    const { cause } = error;
    logger.warn({ issuer, reason: cause instanceof Error ? cause.message : String(cause) }, error.message);
    return new HttpError(503, `${error.message}, so tokens cannot be checked now; try again later.`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    });
  }

  async #readCurrentKey(subject: Subject): Promise<string | undefined> {
    const { getKey, logger } = this.#options;
    try {
      return await getKey(subject);
    } catch (error) {
      logger.error({ err: error }, 'The key of a subject cannot be read');
      throw new HttpError(
        503,
        "The subject's key cannot be read now; the operator finds the reason in the log.",
        {
          headers: { 'retry-after': '30' },
        },
      );
    }
  }
}

interface AccessToken {
  readonly subject: string;
  readonly clientId: string;
  /** Our scopes among those of the token. */
  readonly scopes: ReadonlySet<Scope>;
}

interface AccessTokenOptions {
  readonly issuer: string;
  /** One of them must be in the token's `aud`. */
  readonly audiences: () => string[];
  /** The issuer's public keys as a JSON Web Key Set. */
  readonly fetchKeySet: () => Promise<unknown>;
  /** Milliseconds after a fetch in which an unknown key does not lead to another one. */
  readonly cooldownMs?: number;
}

/** Signatures that only the authorization server can make: neither `none` nor a secret that both sides know. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** RFC 9068's own, and what servers put there that do not follow it; not logout tokens, proofs and their like. */
const types = new Set(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt']);
/** Seconds that clocks may differ. */
const leeway = 10;
const cooldownMs = 10_000;
const keySetMaxAgeMs = 600_000;
/** The time limit of the library for a key set; `fetchKeySet` has tighter limits of its own. */
const keySetTimeoutMs = 20_000;

/** Verifies tokens. Rejects with `InvalidTokenError` or `KeysUnavailableError`. */
function createAccessTokenVerifier(options: AccessTokenOptions): (token: string) => Promise<AccessToken> {
  const { issuer, audiences, fetchKeySet } = options;
  // The address is not used: `fetchKeySet` knows where the issuer has its keys.
  const keySet = createRemoteJWKSet(new URL(issuer), {
    cooldownDuration: options.cooldownMs ?? cooldownMs,
    cacheMaxAge: keySetMaxAgeMs,
    timeoutDuration: keySetTimeoutMs,
    [customFetch]: async () => Response.json(await fetchKeySet()),
  });
  const findKey: JWTVerifyGetKey = async (header, token) => {
    try {
      return await keySet(header, token);
    } catch (error) {
      if (isUnknownKey(error)) throw error;
      throw new KeysUnavailableError(error);
    }
  };
  return async (token) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, findKey, {
        issuer,
        audience: audiences(),
        algorithms,
        clockTolerance: leeway,
        requiredClaims: ['exp', 'sub'],
      });
      if (protectedHeader.typ !== undefined && !types.has(protectedHeader.typ.toLowerCase())) {
        throw new InvalidTokenError('It is no access token');
      }
      return read(payload);
    } catch (error) {
      if (error instanceof KeysUnavailableError || error instanceof InvalidTokenError) throw error;
      throw new InvalidTokenError(describe(error));
    }
  };
}

function read(payload: JWTPayload): AccessToken {
  const { sub, cnf, scope, scp, client_id, azp } = payload;
  // The token is bound to a key; a bearer token does not prove possession of that key.
  if (cnf !== undefined)
    throw new InvalidTokenError('It is bound to a key, and only bearer tokens are accepted');
  if (typeof sub !== 'string' || !isSubjectName(sub))
    throw new InvalidTokenError('Its subject is not 1 to 255 printable characters');
  const clientId = [client_id, azp].find((id) => typeof id === 'string') ?? '';
  return { subject: sub, clientId, scopes: new Set([...words(scope), ...words(scp)].filter(isScope)) };
}

/** Scopes are one string with blanks, or a list where a server does it its own way. */
function words(claim: unknown): string[] {
  const parts: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return parts.flatMap((part) => (typeof part === 'string' ? part.split(' ') : []));
}

const isUnknownKey = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys ||
  error instanceof errors.JOSENotSupported;

function describe(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'It has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'It is not for this server (aud)';
    if (error.claim === 'iss') return "It was not issued by this server's issuer (iss)";
    if (error.claim === 'nbf') return 'It is not valid yet (nbf)';
    return error.claim === 'sub' || error.claim === 'exp' ? `It has no ${error.claim}` : 'A claim is wrong';
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'Its algorithm is not accepted';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'Its signature is wrong';
  if (isUnknownKey(error)) return 'It is signed with a key that the issuer does not publish';
  return 'It is not a signed JSON Web Token';
}
