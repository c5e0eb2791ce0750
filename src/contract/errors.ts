/** The error envelope and every documented error code (specification: Errors). */
import * as z from 'zod';

export const ErrorBody = z.looseObject({ code: z.string(), message: z.string() });

/** `{status: 'error', error: {code, message, …extra members}}`, whatever the HTTP status says. */
export const ErrorEnvelope = z.looseObject({ status: z.literal('error'), error: ErrorBody });
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

/** Undefined for what is no code but a text, which could read as a sentence of ours. */
export const toErrorCode = (code: string): string | undefined =>
  /^[\w.:-]{1,60}$/.test(code) ? code : undefined;

export const ExistingAction = z.looseObject({
  action_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  /** With which it reads the page, as far as its address says; beyond the specification. */
  params: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
export type ExistingAction = z.infer<typeof ExistingAction>;

const balanceAndRequired = { balance: z.number(), required: z.number() };

interface ErrorRule {
  readonly httpStatus: number;
  readonly condition: string;
  /** Members that the envelope's `error` carries beside `code` and `message`. */
  readonly extra?: Readonly<Record<string, z.ZodType>>;
}
const rule = (httpStatus: number, condition: string, extra?: ErrorRule['extra']): ErrorRule =>
  extra === undefined ? { httpStatus, condition } : { httpStatus, condition, extra };

/** POST /task. `EXECUTION_FAILED` means here: not enqueued, credits not deducted. */
export const taskErrors = {
  INSUFFICIENT_CREDITS: rule(402, "The balance cannot cover the action's cost", balanceAndRequired),
  AUTH_REQUIRED: rule(401, 'The action needs a connection and the user has no credential for it', {
    connect_url: z.string(),
  }),
  AUTH_EXPIRED: rule(401, 'The credential exists but its session is no longer valid'),
  FORBIDDEN: rule(403, 'The credential belongs to another user or to another catalog than the action'),
  EXECUTION_FAILED: rule(500, 'The task could not be enqueued; credits were not deducted'),
} as const;

/** GET /catalog/{slug}. */
export const catalogErrors = {
  NOT_FOUND: rule(404, 'No catalog entry for the slug'),
} as const;

/** POST /login. The codes with HTTP status 200: the login action ran, but sign-in did not complete. */
export const loginErrors = {
  INVALID_BODY: rule(400, 'The body is not valid JSON'),
  INVALID_INPUT: rule(400, '`catalog_slug` or `params` is missing'),
  INVALID_PARAMS: rule(400, 'A required field of `login_input_schema` is missing, null or blank', {
    missing_fields: z.array(z.string()),
  }),
  CATALOG_NOT_FOUND: rule(400, 'No catalog matches the slug'),
  LOGIN_NOT_SUPPORTED: rule(400, 'The catalog has no credentials login'),
  LOGIN_NOT_AVAILABLE: rule(503, 'Credentials-mode login is not configured on the engine'),
  LOGIN_TRANSPORT_ERROR: rule(502, 'The login runner could not be reached'),
  BAD_PASSWORD: rule(200, 'The site rejected the credentials'),
  MFA_REQUIRED: rule(200, 'The account needs multi-factor authentication, which is not supported'),
  CAPTCHA_REQUIRED: rule(200, 'The site shows a captcha challenge'),
  ACCOUNT_LOCKED: rule(200, 'The site reports the account locked'),
  LOGIN_TIMEOUT: rule(200, 'Sign-in took too long'),
  LOGIN_PAGE_CHANGED: rule(200, "The site's login flow may have changed"),
  LOGIN_NO_COOKIES: rule(200, 'Sign-in completed but no session cookie was issued'),
  LOGIN_INFRASTRUCTURE_ERROR: rule(200, 'Transient upstream issue; try again'),
  LOGIN_FAILED: rule(200, 'Unclassified failure'),
} as const;

/** POST /build-request. */
export const buildErrors = {
  INVALID_INPUT: rule(400, 'website_url or goal missing, website_url malformed, or visibility unknown'),
  BLOCKED_WEBSITE: rule(400, 'The site is not supported for scraping'),
  INSUFFICIENT_CREDITS: rule(402, 'The balance cannot cover the build cost', balanceAndRequired),
  ACTION_EXISTS: rule(409, 'Similar actions exist for the domain and force is not true', {
    existing_actions: z.array(ExistingAction),
  }),
  BUILD_LIMIT_REACHED: rule(429, 'Too many pending build requests'),
  INTERNAL_ERROR: rule(500, 'The build request could not be created; charged credits are refunded'),
} as const;

/** Why the builder makes no action of a page: the `error_type` of a failed build, or the code of a refused preview. */
export const builderFailures = {
  SITE_UNREACHABLE: 'The site did not answer, or refused',
  ROBOTS_DISALLOWED: "The site's robots.txt forbids the page",
  LOGIN_REQUIRED: 'The page asks for a sign-in and shows no data',
  NEEDS_JAVASCRIPT: 'The page shows its data only after its scripts ran',
  NO_DATA_FOUND: 'The page has no list, table, feed or record of data, or not that candidate',
  CHOICE_NEEDED:
    'The goal fits several things on the page, or the choice names columns that it does not have',
  TEST_FAILED:
    'The new action did not find the same data when it was tried on the page, or found none on the next one',
  TIMEOUT: 'It took too long',
} as const;
export type BuilderFailure = keyof typeof builderFailures;

/** The `error_type` of a repair that published nothing. */
export const notRepaired = 'NOT_REPAIRED';

/** The `error_type` of a build that ended `failed`. Its credits are refunded. */
export const buildFailures = {
  ...builderFailures,
  BUILDER_NOT_AVAILABLE: 'The service builds no actions',
  NOT_REPAIRED: 'A repair without the proof that the action would return what it returned before',
  BUILD_FAILED: 'Any other reason',
} as const;

/** The `error.code` of a run that ended `failed`. Its credits are refunded. */
export const runFailures = {
  EXECUTION_FAILED: 'The action gave no result; the message says why',
  AUTH_EXPIRED: "The site ended the account's session",
  AUTH_REQUIRED: 'The page asks its readers to sign in, and shows nothing else',
  PAGE_BLOCKED: 'The site checks whether a person reads the page',
  SITE_CHANGED: 'The page is not the one that the action was written for any more',
} as const;

/**
 * `error.reason` of a run that ended `failed`: its cause, for programs. A member beside the specification's, absent
 * where none of these is known to be the cause.
 */
export const FailureReason = z.enum([
  'site_unavailable',
  'page_missing',
  'address_refused',
  'origin_not_allowed',
  'site_unreadable',
  'robots_disallowed',
  'too_large',
  'page_unfit',
]);
export type FailureReason = z.infer<typeof FailureReason>;

export const failureReasons = {
  site_unavailable: 'The website did not answer in time, or is busy',
  page_missing: 'The website has no page at the address',
  address_refused: 'The service does not fetch such an address',
  origin_not_allowed:
    'The address is in a private network, or on an origin that only catalogs and builds may read',
  site_unreadable:
    'The name, certificate, answer or compression of the website, or the way to it, is at fault',
  robots_disallowed: "The website's robots.txt forbids the page",
  too_large: 'The page or the result is larger than the limit',
  page_unfit: 'The page does not have what the action reads',
} as const satisfies Record<FailureReason, string>;

/** POST /build-request/preview, of the extension `build-preview`. A page without the data is 422. */
export const previewErrors = {
  BLOCKED_WEBSITE: buildErrors.BLOCKED_WEBSITE,
  PREVIEW_LIMIT_REACHED: rule(429, 'Two previews of the user are under way'),
  SITE_UNREACHABLE: rule(422, builderFailures.SITE_UNREACHABLE),
  ROBOTS_DISALLOWED: rule(422, builderFailures.ROBOTS_DISALLOWED),
  LOGIN_REQUIRED: rule(422, builderFailures.LOGIN_REQUIRED),
  NEEDS_JAVASCRIPT: rule(422, builderFailures.NEEDS_JAVASCRIPT),
  NO_DATA_FOUND: rule(422, builderFailures.NO_DATA_FOUND),
  CHOICE_NEEDED: rule(422, builderFailures.CHOICE_NEEDED),
  TIMEOUT: rule(422, builderFailures.TIMEOUT),
  BUILDER_NOT_AVAILABLE: rule(503, buildFailures.BUILDER_NOT_AVAILABLE),
} as const;

/** POST /actions/{id}/repair, of the extension `action-edit`: a repair is charged as a build. */
export const repairErrors = {
  INSUFFICIENT_CREDITS: buildErrors.INSUFFICIENT_CREDITS,
  BUILD_LIMIT_REACHED: buildErrors.BUILD_LIMIT_REACHED,
  PREVIEW_LIMIT_REACHED: previewErrors.PREVIEW_LIMIT_REACHED,
  BUILDER_NOT_AVAILABLE: previewErrors.BUILDER_NOT_AVAILABLE,
  TIMEOUT: previewErrors.TIMEOUT,
} as const;

/** Codes of cases that the specification leaves open ("not shown"), as the embedded service answers them. */
export const openErrors = {
  UNAUTHORIZED: rule(401, 'The API key is missing or wrong'),
  NOT_FOUND: rule(404, 'No such thing, or not visible to the requester'),
  METHOD_NOT_ALLOWED: rule(405, 'The path exists, but not with this method'),
  BODY_TOO_LARGE: rule(413, 'The request body is larger than the limit'),
  UNSUPPORTED_MEDIA_TYPE: rule(415, 'The request body is not application/json'),
  INVALID_BODY: rule(400, 'The body is not valid JSON'),
  INVALID_INPUT: rule(400, 'A field or query parameter is missing or has the wrong form'),
  INVALID_PARAMS: rule(400, "The params do not match the action's schema", {
    issues: z.array(z.looseObject({ path: z.string(), message: z.string() })),
  }),
  RESULT_EXPIRED: rule(410, 'The job completed, but its result is no longer kept', {
    credits_used: z.number().nullable(),
    finished_at: z.string(),
  }),
  NO_EARLIER_VERSION: rule(409, 'The action has no earlier version of the last 30 days'),
  SERVICE_STOPPING: rule(503, 'The service stops; nothing was done'),
  STORE_UNAVAILABLE: rule(503, 'The database does not work; nothing was done'),
  IDEMPOTENCY_KEY_REUSED: rule(422, 'The Idempotency-Key was used for a request with another body'),
  RATE_LIMITED: rule(429, 'Too many requests; Retry-After says when to come back'),
  /** POST /task and POST /build-request: the database broke off at the commit and does not answer any more. */
  OUTCOME_UNKNOWN: rule(503, 'It is not known whether the request was carried out and credits were deducted'),
  INTERNAL_ERROR: rule(500, 'Unexpected failure of the service'),
} as const;

export type LoginErrorCode = keyof typeof loginErrors;
