/** What the caller is told when the service refuses or cannot be reached. */
import { isApiError, type ServiceError } from '../../client/errors.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { GatewayError } from './errors.ts';
import { withoutUnsafeLinks } from './links.ts';
import { cleanText, quoted, toVisibleMembers } from './text.ts';

/** The next steps for codes of the service; other codes get the general one. */
const nextSteps: Readonly<Record<string, string>> = {
  INSUFFICIENT_CREDITS:
    'Add credits at the service (balance and required are in the error), or choose a cheaper action.',
  AUTH_EXPIRED: 'Call login for this catalog to sign in again, then repeat the call.',
  FORBIDDEN: 'Call list_identities for this catalog and name an identity that belongs to it.',
  EXECUTION_FAILED: 'Nothing was charged; call again, and choose another action if it fails again.',
  NOT_FOUND: 'Check the id or slug with search_actions or browse_catalogs.',
  BLOCKED_WEBSITE:
    'Choose another website. If the message names a setting, whoever runs the service can allow this one with it.',
  PREVIEW_LIMIT_REACHED: 'Call again when one of the running previews has ended.',
  NO_DATA_FOUND: 'Preview another page of the site, one that shows the data itself.',
  LOGIN_REQUIRED: 'Preview a page of the site that needs no sign-in.',
  SITE_UNREACHABLE: 'Check that website_url opens in a browser, then preview it again.',
  ROBOTS_DISALLOWED: 'Preview another page: the site lets no program read this one.',
  NEEDS_JAVASCRIPT: 'Preview a page of the site that shows its data without scripts.',
  TIMEOUT: 'Preview the page again.',
  CHOICE_NEEDED:
    'Call request_build with preview: true and choose: {candidate: id} to see its columns, and correct choose.',
  BUILD_LIMIT_REACHED: 'Wait until a pending build ends: list_build_requests shows them.',
};
/** The next step after a refusal or a failed build with this code of the service; undefined where none is known. */
export const stepAfter = (code: string): string | undefined =>
  Object.hasOwn(nextSteps, code) ? nextSteps[code] : undefined;
const generalStep = 'Change what the message names and call again.';

/** Who holds the key that a gateway acts with, and so can replace a refused one. */
export type KeyHolder = 'user' | 'client' | 'server' | 'subject';

const keySteps: Readonly<Record<KeyHolder, string>> = {
  user: 'Ask the operator of the service for a valid key, set SVC_API_KEY to it and restart (`svc-mcp doctor` checks it).',
  client: 'Ask the operator of the service for a valid key and send it as X-API-Key.',
  server:
    'Tell the operator of this server that its key (SVC_API_KEY) is refused; nobody else can replace it.',
  subject:
    'Ask the operator of this server for another key (`svc-mcp http keys add`); the one it has for you is refused.',
};

/** The refusal with the next step of whoever can replace the key. */
export const withKeyStep = (body: GatewayError['body'], holder: KeyHolder): GatewayError['body'] =>
  body.error.code === 'UNAUTHORIZED' ? { ...body, next: keySteps[holder] } : body;

/** A failed request as the caller sees it. `next` outranks the code's own next step. */
export function toGatewayError(
  error: unknown,
  options: { next?: string; extra?: JsonObject } = {},
): GatewayError {
  if (!isApiError(error)) throw error;
  const { next, extra = {} } = options;
  const cause = { cause: error };
  switch (error.kind) {
    case 'service':
      return toServiceRefusal(error, options);
    case 'rate-limit':
      return new GatewayError(
        'RATE_LIMITED',
        `Too many requests to the service (${error.endpoint}).`,
        describeRetry(error.retryAfterMs),
        { retry_after_seconds: Math.ceil(error.retryAfterMs / 1000), ...extra },
        cause,
      );
    case 'unreachable':
    case 'connection-lost':
      return new GatewayError(
        'SERVICE_UNREACHABLE',
        `The service could not be reached (${error.endpoint}).`,
        next ?? 'Try again in a moment; `svc-mcp doctor` shows what is wrong with the connection.',
        extra,
        cause,
      );
    case 'timeout':
      return new GatewayError(
        'SERVICE_TIMEOUT',
        `The service did not answer in time (${error.endpoint}, ${Math.ceil(error.timeoutMs / 1000)} s).`,
        next ?? 'Try again in a moment.',
        extra,
        cause,
      );
    case 'cancelled':
      return new GatewayError(
        'CANCELLED',
        'The call was cancelled.',
        next ?? 'Call again if it is still wanted.',
        extra,
        cause,
      );
    case 'contract':
      return new GatewayError(
        'SERVICE_ANSWER_UNREADABLE',
        `The service's answer could not be read (${error.endpoint}, HTTP ${error.httpStatus}): ${error.message}.`,
        next ?? 'Check that SVC_BASE_URL and SVC_API_PREFIX point at the service; `svc-mcp doctor` does.',
        extra,
        cause,
      );
  }
}

function toServiceRefusal(
  error: ServiceError,
  { next, extra = {} }: { next?: string; extra?: JsonObject },
): GatewayError {
  const code = cleanText(error.code, 60);
  const { retryAfterMs } = error;
  return new GatewayError(
    { service: code },
    `The service refused (${code}): ${quoted(error.message)}`,
    next ??
      (retryAfterMs === undefined ? (stepAfter(error.code) ?? generalStep) : describeRetry(retryAfterMs)),
    {
      ...toVisibleMembers(withoutUnsafeLinks(error.extra)),
      ...(retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterMs / 1000) }),
      ...extra,
    },
    { cause: error },
  );
}

const describeRetry = (ms: number) => `Call again in ${Math.max(1, Math.ceil(ms / 1000))} s.`;
