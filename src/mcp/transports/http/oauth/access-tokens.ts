/** Access tokens: JSON Web Tokens (RFC 9068) that the authorization server signed for this server. */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { isSubjectName } from '../../../../gateway/interface/principal.ts';
import { InvalidTokenError, KeysUnavailableError } from '../../../errors.ts';
import { isScope, type Scope } from '../../../tools/define-tool.ts';

export interface AccessToken {
  readonly subject: string;
  readonly clientId: string;
  /** Our scopes among those of the token. */
  readonly scopes: ReadonlySet<Scope>;
}

export interface AccessTokenOptions {
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
export function createAccessTokenVerifier(
  options: AccessTokenOptions,
): (token: string) => Promise<AccessToken> {
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
