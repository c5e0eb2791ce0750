/** POST /login. */

import { identityNameFields, type LoginBody, type LoginVerified } from '../../contract/endpoints.ts';
import { type LoginErrorCode, loginErrors } from '../../contract/errors.ts';
import { defaultLoginSessionSeconds, maxLoginSessionSeconds } from '../../contract/limits.ts';
import type { LoginField } from '../../contract/resources.ts';
import type { LoginOutcome } from '../accounts/login-runner.ts';
import { storeSession } from '../accounts/store-session.ts';
import type { RequestError } from '../foundation/errors.ts';
import { refuse } from '../foundation/request-error.ts';
import type { Context } from './context.ts';

const maxNameLength = 200;

/**
 * Signs in and stores the cookies; the params, and the password among them, are in no row, log or answer
 * (specification: POST /login). Every refusal is a `RequestError` of the login table.
 */
export async function login(context: Context, userId: string, body: LoginBody): Promise<LoginVerified> {
  const identityName = getIdentityName(body);
  const visible = (await context.publication.current()).catalog(body.catalog_slug, userId);
  if (visible === undefined) throw refused('CATALOG_NOT_FOUND');
  const { id: catalogId, definition } = visible.catalog;
  if (!definition.auth_types.includes('credentials') || definition.login === undefined) {
    throw refused('LOGIN_NOT_SUPPORTED');
  }
  const missingFields = definition.login.fields.filter(
    (field) => field.required && isBlank(body.params[field.name]),
  );
  if (missingFields.length > 0) {
    throw refused('INVALID_PARAMS', { missing_fields: missingFields.map((field) => field.name) });
  }
  const outcome = await runLogin(context, userId, definition.login, body.params);
  if (!outcome.verified) throw refused(outcome.code);
  const expiresAt = sessionEnd(outcome.expiresAt);
  const stored = await storeSession(context, {
    userId,
    catalogId,
    identityName,
    credentialType: 'credentials',
    cookies: outcome.cookies,
    expiresAt,
    siteUser: outcome.siteUser,
  });
  return {
    status: 'verified',
    identity_id: stored.identityId,
    identity_name: identityName,
    credential_id: stored.credentialId,
    catalog_id: catalogId,
    catalog_slug: definition.slug,
    expires_at: expiresAt.toISOString(),
    ...(outcome.siteUser === undefined ? {} : { site_user: outcome.siteUser }),
    ...(stored.sameAccount.length === 0 ? {} : { same_account_as: [...stored.sameAccount] }),
  };
}

/** Only the typed code and our own sentence: the site's words are never echoed (rule 4). */
const refused = (code: LoginErrorCode, extra?: Readonly<Record<string, unknown>>): RequestError =>
  refuse(loginErrors, code, loginErrors[code].condition, extra);

async function runLogin(
  { logins, stopped, logger }: Context,
  user: string,
  login: { fields: readonly LoginField[]; recipe: unknown },
  params: Readonly<Record<string, unknown>>,
): Promise<LoginOutcome> {
  if (logins === undefined) throw refused('LOGIN_NOT_AVAILABLE');
  const describedParams = login.fields.flatMap(({ name }) => (name in params ? [[name, params[name]]] : []));
  try {
    return await logins.login(
      { recipe: login.recipe, params: Object.fromEntries(describedParams) },
      { signal: stopped, user },
    );
  } catch (error) {
    // The error may quote the params, so only its kind is logged.
    logger.error({ error: error instanceof Error ? error.name : typeof error }, 'The login runner failed');
    throw refused('LOGIN_TRANSPORT_ERROR');
  }
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** The given name, else the first of the documented fields that is present, else `default`. */
function getIdentityName({ identity_name, params }: LoginBody): string {
  const candidates = [identity_name, ...identityNameFields.map((field) => params[field])];
  const field = candidates.find(
    (value) => typeof value === 'number' || (typeof value === 'string' && !isBlank(value)),
  );
  return checkedName(field === undefined ? 'default' : String(field).trim());
}

/** Throws `INVALID_INPUT` for an invalid identity name. */
export function checkedName(name: string): string {
  if (name.length > maxNameLength || /[\p{Cc}\u2028\u2029]/u.test(name)) {
    throw refuse(
      loginErrors,
      'INVALID_INPUT',
      `identity_name must have at most ${maxNameLength} characters and no line breaks or other control characters`,
    );
  }
  return name;
}

/** At most 30 days ahead; 24 hours where the login says nothing (specification: POST /login, `expires_at`). */
function sessionEnd(suggested: Date | undefined): Date {
  const afterSeconds = (seconds: number) => Date.now() + seconds * 1000;
  return new Date(
    Math.min(
      suggested?.getTime() ?? afterSeconds(defaultLoginSessionSeconds),
      afterSeconds(maxLoginSessionSeconds),
    ),
  );
}
