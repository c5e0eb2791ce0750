/**
 * Every rule of the interface specification. Tests cite the ids as tags before the sentence of their titles, like `[task.accepted]`, and
 * requirements.test.ts fails for a rule that nobody cites and for a citation that is no rule.
 * `service`: what a service has to do; `client`: what its clients, here the gateway, have to do.
 */
export interface Requirement {
  readonly id: string;
  readonly section: string;
  readonly side: 'service' | 'client';
  readonly text: string;
}

const rulesOf =
  (side: Requirement['side']) =>
  (section: string, rules: Readonly<Record<string, string>>): Requirement[] =>
    Object.entries(rules).map(([id, text]) => ({ id, section, side, text }));
const service = rulesOf('service');
const client = rulesOf('client');

export const requirements: readonly Requirement[] = [
  ...service('Path convention', {
    'api.prefix': 'Every path is below {base_url}/v1/svc; the segment is a setting',
    'api.json': 'Request and response bodies are JSON',
    'api.timestamps': 'Timestamps are RFC 3339 UTC strings',
    'api.uuids': 'Identifiers marked UUID are strings in UUID format',
  }),
  ...service('What the service does', {
    'service.public-visible': 'Public actions are visible to every user',
    'service.private-owner-only':
      'Private actions are visible only to their owner and filtered out for others',
    'service.build-publishes': 'A build that succeeded publishes its action to the catalog',
  }),
  ...service('Resources', {
    'catalog.fields': 'A CatalogEntry has every field of its table',
    'catalog.auth-required':
      'auth_required is true if any action in the catalog requires a connected account',
    'catalog.auth-types': 'auth_types is a subset of the four credential types; an empty array when none',
    'catalog.action-count': 'action_count is the number of actions visible to the requesting user',
    'catalog.status': 'status is active or pending_review',
    'catalog.login-schema':
      'Details of a credentials-mode catalog carry login_input_schema with its descriptors',
    'action.fields': 'An Action has every field of its table',
    'action.auth-required-mirror':
      'auth_required of actions and results is true exactly when auth_mode is required',
    'action.owner': 'owner_user_id is set for a private action built by the requesting user, else null',
    'action.final-cost':
      'An expression may compute the final cost from the result; it is recorded on the job',
    'search-result.fields': 'A search result has every field of its table',
    'search-result.connected': 'connected is true if the requester has an active credential for that catalog',
    'identity.fields': 'An Identity has every field of its table',
    'identity.name-unique': 'The name of an identity is unique per user and catalog',
    'identity.default': 'is_default marks the default of the user for the catalog',
    'credential.fields': 'A Credential has every field of its table',
    'credential.never-returned': 'The encrypted credential data is never returned by any endpoint',
    'build.fields': 'A Build request has every field of its table',
    'build.domain': 'domain is extracted from website_url with a leading www. removed',
  }),
  ...service('States and transitions', {
    'job.submitted': 'An accepted task is processing',
    'job.completed': 'A job that succeeded is completed with data, credits_used and execution_ms',
    'job.failed': 'A job that ended in error is failed, refunded, credits_used 0, with error',
    'build.pending': 'An accepted build request is pending and charged',
    'build.success': 'A build that succeeded is success with its action_id',
    'build.failed': 'A build that failed is failed, refunded, with error and error_type',
    'credential.refreshed': 'Login with the same identity name refreshes the credential in place',
  }),
  ...service('GET /catalog', {
    'list-catalogs.visible': 'Lists catalogs that have at least one visible action',
    'list-catalogs.scope-my': 'scope=my returns only catalogs that contain actions the requester owns',
  }),
  ...service('GET /catalog/{slug}', {
    'get-catalog.answer': 'Returns the catalog and every action in it that is visible to the requester',
    'get-catalog.not-found': 'An unknown slug is 404 NOT_FOUND',
  }),
  ...service('GET /search', {
    'search.all': 'Without parameters all visible actions are returned',
    'search.and': 'Parameters combine with AND',
    'search.q': 'q is matched against name, description and tags',
    'search.catalog': 'catalog restricts to one slug',
    'search.category': 'category restricts to one category',
    'search.auth-false': 'auth=false excludes actions that require authentication',
  }),
  ...service('POST /login', {
    'login.verified': '201 with status verified and every field of the answer',
    'login.identity-name-given': 'identity_name names the identity',
    'login.identity-name-derived':
      'Without identity_name the first present of email, username, user, login, account_id, account; else default',
    'login.same-name-same-rows':
      'The same name reuses the identity and refreshes its credential; no rows accumulate',
    'login.password-discarded': 'The password is discarded; cookies are stored encrypted',
    'login.missing-fields':
      'A required field missing, null or blank is 400 INVALID_PARAMS with missing_fields, not run',
    'login.validation-free': 'Failed validation costs nothing',
    'login.no-raw-text': "The login action's raw error text is never echoed; only the typed code",
    'login.expires-default': 'expires_at is 24 hours ahead when the login action supplies none',
    'login.expires-cap': 'expires_at is at most 30 days ahead',
    'login.invalid-body': 'A body that is not JSON is 400 INVALID_BODY',
    'login.invalid-input': 'catalog_slug or params missing is 400 INVALID_INPUT',
    'login.catalog-not-found': 'No catalog for the slug is 400 CATALOG_NOT_FOUND',
    'login.not-supported': 'auth_types without credentials, or no login action, is 400 LOGIN_NOT_SUPPORTED',
    'login.not-available': 'Login not configured on the engine is 503 LOGIN_NOT_AVAILABLE',
    'login.transport-error': 'A login runner that cannot be reached is 502 LOGIN_TRANSPORT_ERROR',
    'login.failed-200': 'A login that ran without success is 200 with status error and its typed code',
  }),
  ...service('POST /task', {
    'task.accepted': '202 with status processing, job_id and the relative poll_url',
    'task.credits-deducted-at-submission': 'Credits are deducted at submission',
    'task.refunded-on-failure': 'Credits are refunded automatically if the job fails',
    'task.not-enqueued': 'A task that cannot be enqueued is 500 EXECUTION_FAILED and costs nothing',
    'task.sync': 'A sync action answers with its data inline',
    'task.insufficient-credits':
      'A balance below the cost is 402 INSUFFICIENT_CREDITS with balance and required',
    'task.auth-required':
      'Without a credential a required action is 401 AUTH_REQUIRED with a relative connect_url',
    'task.auth-expired': 'A credential whose session ended is 401 AUTH_EXPIRED, listed as expired',
    'task.forbidden': 'A credential of another user or another catalog is 403 FORBIDDEN',
    'task.optional-anonymous': 'auth_mode optional without credential_id is an anonymous run',
    'task.optional-credential': 'auth_mode optional with credential_id is an authenticated run',
    'task.none-ignores-credential': 'auth_mode none ignores credential_id',
    'task.execution-failed-job': 'EXECUTION_FAILED is the error code of a job whose scraper failed',
    'task.params-checked': 'Params are shaped by the parameters schema of the action',
  }),
  ...service('GET /jobs/{id}', {
    'get-job.processing': 'processing: {status}',
    'get-job.completed': 'completed: status, data, credits_used, execution_ms',
    'get-job.failed': 'failed: status, error {code, message}, credits_used 0',
    'get-job.known-200': 'Always 200 for a known job',
  }),
  ...service('GET /identities', {
    'list-identities.answer': '{status: ok, identities} with credentials inline',
    'list-identities.catalog-id': 'catalog_id filters to one catalog',
    'get-identity.answer': '{status: ok, identity}',
    'get-identity.not-found': "404 if the identity does not exist or is not the requester's",
  }),
  ...service('POST /build-request', {
    'build-request.created': '201 {status: ok, build_request} with status pending, at once',
    'build-request.invalid-input':
      'website_url or goal missing, website_url malformed, or visibility unknown is 400 INVALID_INPUT',
    'build-request.blocked': 'A site that is not supported is 400 BLOCKED_WEBSITE',
    'build-request.insufficient-credits': 'A balance below the build cost is 402 with balance and required',
    'build-request.action-exists': 'Similar actions without force is 409 ACTION_EXISTS with existing_actions',
    'build-request.force': 'force: true builds although similar actions exist',
    'build-request.limit': 'At most 3 pending per user; beyond that 429 BUILD_LIMIT_REACHED',
    'build-request.internal-error':
      'A request that could not be created is 500 INTERNAL_ERROR and costs nothing',
    'build-request.catalog-id': 'catalog_id attaches the action to an existing catalog',
    'build-request.visibility':
      'visibility is private by default; private actions are visible only to the requester',
    'build-request.cost': 'A build costs 25 credits, refunded if it fails',
    'list-builds.own': "Lists the requester's build requests",
  }),
  ...service('Authentication', {
    'auth.api-key': 'Every endpoint requires X-API-Key',
    'auth.credential-types': 'Only active credentials can be used; auth_types lists the allowed types',
  }),
  ...service('Errors', {
    'errors.envelope': '{status: error, error: {code, message, …extra}} on every error',
  }),
  ...service('Limits', {
    'limits.list-catalogs': 'GET /catalog: 60 requests per minute per IP',
    'limits.get-catalog': 'GET /catalog/{slug}: 60 requests per minute per IP',
    'limits.search': 'GET /search: 30 requests per minute per IP',
    'limits.login': 'POST /login: 10 requests per minute per user',
    'limits.build-request': 'POST /build-request: 20 requests per minute per user',
  }),
  ...service('Versioning', {
    'version.wheel-version': 'Each action carries wheel_version, a string or null',
  }),

  ...client('What the service does', {
    'client.poll-until-end': 'Polls the job until it is completed or failed',
    'client.api-key': 'Sends X-API-Key with every request',
    'client.content-type': 'Sends Content-Type: application/json with POST',
  }),
  ...client('POST /login', {
    'client.login-verified-only': 'A status other than verified is a failed login whatever the HTTP code',
    'client.login-fields': 'Sends exactly the fields of login_input_schema',
  }),
  ...client('Errors', {
    'client.body-over-status': 'A body with status error is a failure whatever the HTTP code',
    'client.extra-members': 'Extra members of an error reach the user',
  }),
  ...client('POST /task', {
    'client.submit-once': 'A task is submitted at most once for one intent',
    'client.sync-inline': 'The data of a sync action in the answer is the result; a job_id is polled',
    'client.credential-choice':
      'Sends credential_id for required, for optional when asked, and never for none',
  }),
  ...client('Limits', {
    'client.rate-limits': 'Keeps the documented rate limits before it sends',
  }),
  ...client('Versioning', {
    'client.auth-mode-leads': 'Reads auth_mode and not its deprecated mirror',
    'client.unknown-fields': 'Keeps fields it does not know',
  }),
];
