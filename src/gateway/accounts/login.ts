/** A sign-in with the fields at hand: exactly the fields of `login_input_schema`, checked before anything is sent. */
import { isApiError, type ServiceError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import { typedValue } from '../../contract/login-fields.ts';
import { isLoginCode, loginTexts } from '../../contract/login-texts.ts';
import type { LoginField } from '../../contract/resources.ts';
import { GatewayError } from '../foundation/errors.ts';
import { withoutUnsafeLinks } from '../foundation/links.ts';
import { cleanText, quoted, toVisibleMembers } from '../foundation/text.ts';
import type { CallContext, LoginInput } from '../interface/gateway.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { PageRecord, SignInFailure } from '../store/page-records.ts';
import type { PageHandler } from './sign-in-pages.ts';

/** Signing in drives a website; it may take far longer than other calls. */
export const loginTimeoutMs = 120_000;
const detailsTimeoutMs = 20_000;

/** Resolves to the service's answer (`status: "verified"`); rejects with a `GatewayError` (specification: POST /login). */
export async function signIn(
  api: Api,
  input: LoginInput,
  context: Pick<CallContext, 'signal'>,
): Promise<JsonObject> {
  const options = { signal: context.signal, timeoutMs: detailsTimeoutMs };
  const { catalog, loginInputSchema } = await api.getCatalog(input.catalog, options);
  // The catalog allows credentials but does not describe its fields, so the service checks them.
  const open = loginInputSchema === undefined && catalog.auth_types.includes('credentials');
  const needsAccount =
    catalog.auth_required || catalog.auth_types.length > 0 || catalog.auth_login_url !== null;
  const params = open ? (input.params ?? {}) : checkFields(input, loginInputSchema, needsAccount);
  const identityName = input.identity_name?.trim();
  try {
    const answer = await api.login(
      { catalog_slug: input.catalog, params, ...(identityName ? { identity_name: identityName } : {}) },
      { signal: context.signal, timeoutMs: loginTimeoutMs },
    );
    // Next steps are ours to say.
    const { next: _next, ...members } = answer;
    return toVisibleMembers(withoutUnsafeLinks(members));
  } catch (error) {
    throw isApiError(error) && error.kind === 'service' ? explainError(error, params) : error;
  }
}

/** "Send exactly those fields": nothing missing, nothing beside them. Values are never repeated in an error. */
function checkFields(
  input: LoginInput,
  fields: readonly LoginField[] | undefined,
  needsAccount: boolean,
): JsonObject {
  const slug = cleanText(input.catalog, 80);
  if (fields === undefined) {
    if (!needsAccount) {
      throw new GatewayError(
        'LOGIN_NOT_SUPPORTED',
        `${slug} has no sign-in here: its actions run without an account, and pages behind its login cannot be read. Nothing was sent.`,
        { kind: 'search', args: { catalog: slug }, why: 'without-account' },
      );
    }
    throw new GatewayError('LOGIN_NOT_SUPPORTED', `${slug}: ${loginTexts.LOGIN_NOT_SUPPORTED.message}`, {
      kind: 'sign-in-failed',
      code: 'LOGIN_NOT_SUPPORTED',
    });
  }
  const params = input.params ?? {};
  const names = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(params).filter((name) => !names.has(name));
  const missingFields = fields
    .filter((field) => field.required && isBlank(params[field.name]))
    .map((field) => field.name);
  if (unknown.length === 0 && missingFields.length === 0) return params;
  const list = (kind: string, fieldNames: readonly string[]) =>
    fieldNames.length === 0 ? [] : [`${kind}: ${fieldNames.map((name) => cleanText(name, 60)).join(', ')}`];
  throw new GatewayError(
    'INVALID_PARAMS',
    `The login of ${slug} takes exactly its own fields (${[...list('missing', missingFields), ...list('unknown', unknown)].join('; ')}). Nothing was sent.`,
    {
      kind: 'sign-in',
      account: { catalog: slug, identity_name: input.identity_name },
      why: 'on-page',
    },
    {
      missing_fields: missingFields.map((name) => cleanText(name, 60)),
      unknown_fields: unknown.map((name) => cleanText(name, 60)),
      issues: [
        ...missingFields.map((name) => ({ path: `params.${cleanText(name, 60)}`, message: 'is required' })),
        ...unknown.map((name) => ({
          path: `params.${cleanText(name, 60)}`,
          message: 'is not a field of this login',
        })),
      ],
    },
  );
}

const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Explains a failed sign-in to the person who typed. */
export function explainToPerson(error: unknown): SignInFailure {
  const code = error instanceof GatewayError ? error.body.error.code : undefined;
  if (code !== undefined && isLoginCode(code)) return loginTexts[code];
  if (isApiError(error)) {
    if (error.kind !== 'rate-limit') return loginTexts.LOGIN_INFRASTRUCTURE_ERROR;
    const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1000));
    return { message: 'There were too many sign-ins in a short time.', advice: `Try again in ${seconds} s.` };
  }
  return loginTexts.LOGIN_FAILED;
}

/** Signs in with what a person types at a page, also one that another process made. Each sign-in has a client of its own. */
export const createPageHandler = (
  createApi: () => Api,
  { catalog, identityName }: PageRecord,
): PageHandler => ({
  async signIn(params, signal) {
    const api = createApi();
    try {
      return await signIn(api, { catalog: catalog.slug, identity_name: identityName, params }, { signal });
    } finally {
      await api.close();
    }
  },
  explain: explainToPerson,
});

/**
 * A code that we know gets our sentence, because the service's message might repeat a site's text or a secret. For a code new
 * to us only the service's message is left.
 */
function explainError({ code, message, extra }: ServiceError, params: JsonObject): GatewayError {
  const known = isLoginCode(code) ? code : undefined;
  const missingFields = Array.isArray(extra.missing_fields)
    ? toVisibleMembers({ missing_fields: extra.missing_fields })
    : {};
  return new GatewayError(
    { service: cleanText(code, 60) },
    (known && loginTexts[known].message) ??
      `The sign-in failed (${cleanText(code, 60)}). The service says: ${quoted(withoutValues(message, params))}`,
    { kind: 'sign-in-failed', code: known ?? 'LOGIN_FAILED' },
    missingFields,
  );
}

/** A service may repeat what was typed. */
const withoutValues = (message: string, params: JsonObject): string =>
  Object.values(params).reduce<string>(
    (text, value) =>
      typeof value === 'string' && value.trim() !== '' ? text.replaceAll(value, '[hidden]') : text,
    message,
  );

/** Reads one value of a login from the environment; throws a `GatewayError` if it is set but cannot be read. */
export type LoginValue = (catalogSlug: string, fieldName: string) => string | undefined;

/** The environment's values, if all required ones exist; undefined where a person must be asked. */
export function getLoginValues(
  slug: string,
  fields: readonly LoginField[],
  read: LoginValue | undefined,
): JsonObject | undefined {
  if (read === undefined) return undefined;
  const values = fields.map((field) => ({ field, text: read(slug, field.name) || undefined }));
  const setValues = values.flatMap(({ field, text }) =>
    text === undefined ? [] : [[field.name, typedValue(field, text)] as const],
  );
  if (setValues.length === 0 || values.some(({ field, text }) => field.required && text === undefined)) {
    return undefined;
  }
  return Object.fromEntries(setValues);
}
