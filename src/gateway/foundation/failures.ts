/** What the caller is told when the service refuses or cannot be reached. */
import { isApiError, type ServiceError } from '../../client/errors.ts';
import { endpointText } from '../../contract/endpoints.ts';
import type { KeyHolder, NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { GatewayError } from './errors.ts';
import { withoutUnsafeLinks } from './links.ts';
import { cleanText, quoted, toVisibleMembers } from './text.ts';

/** The next steps for codes of the service; other codes get the general one. */
const nextSteps: Readonly<Record<string, NextStep>> = {
  INSUFFICIENT_CREDITS: { kind: 'add-credits' },
  AUTH_EXPIRED: { kind: 'sign-in', account: {}, why: 'needed' },
  FORBIDDEN: { kind: 'name-account', why: 'forbidden' },
  EXECUTION_FAILED: { kind: 'retry', when: 'once-more' },
  NOT_FOUND: { kind: 'find', what: 'id' },
  BLOCKED_WEBSITE: { kind: 'other-website' },
  PREVIEW_LIMIT_REACHED: { kind: 'preview', page: 'when-one-ended' },
  NO_DATA_FOUND: { kind: 'preview', page: 'with-data' },
  LOGIN_REQUIRED: { kind: 'preview', page: 'without-sign-in' },
  SITE_UNREACHABLE: { kind: 'preview', page: 'reachable' },
  ROBOTS_DISALLOWED: { kind: 'preview', page: 'for-programs' },
  NEEDS_JAVASCRIPT: { kind: 'preview', page: 'without-scripts' },
  TIMEOUT: { kind: 'preview', page: 'again' },
  CHOICE_NEEDED: { kind: 'build-anew', by: 'other-columns' },
  BUILD_LIMIT_REACHED: { kind: 'list', of: 'builds', why: 'under-way' },
};
/** The next step after a refusal or a failed build with this code of the service; undefined where none is known. */
export const stepAfter = (code: string): NextStep | undefined =>
  Object.hasOwn(nextSteps, code) ? nextSteps[code] : undefined;

/** The refusal with the next step of whoever can replace the key. */
export const withKeyStep = (body: GatewayError['body'], holder: KeyHolder): GatewayError['body'] =>
  body.error.code === 'UNAUTHORIZED' ? { ...body, next: { kind: 'replace-key', holder } } : body;

/** A failed request as the caller sees it. `next` outranks the code's own next step. */
export function toGatewayError(
  error: unknown,
  options: { next?: NextStep; extra?: JsonObject } = {},
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
        `Too many requests to the service (${endpointText(error.endpoint)}).`,
        retryAfter(error.retryAfterMs),
        { retry_after_seconds: Math.ceil(error.retryAfterMs / 1000), ...extra },
        cause,
      );
    case 'unreachable':
    case 'connection-lost':
      return new GatewayError(
        'SERVICE_UNREACHABLE',
        `The service could not be reached (${endpointText(error.endpoint)}).`,
        next ?? { kind: 'retry', when: 'connected' },
        extra,
        cause,
      );
    case 'not-started':
      return new GatewayError(
        'SERVICE_UNREACHABLE',
        `The embedded service does not start: ${error.message}.`,
        next ?? { kind: 'retry', when: 'connected' },
        extra,
        cause,
      );
    case 'timeout':
      return new GatewayError(
        'SERVICE_TIMEOUT',
        `The service did not answer in time (${endpointText(error.endpoint)}, ${Math.ceil(error.timeoutMs / 1000)} s).`,
        next ?? { kind: 'retry', when: 'soon' },
        extra,
        cause,
      );
    case 'cancelled':
      return new GatewayError(
        'CANCELLED',
        'The call was cancelled.',
        next ?? { kind: 'retry', when: 'if-wanted' },
        extra,
        cause,
      );
    case 'contract':
      return new GatewayError(
        'SERVICE_ANSWER_UNREADABLE',
        `The service's answer could not be read (${endpointText(error.endpoint)}, HTTP ${error.httpStatus}): ${error.message}.`,
        next ?? { kind: 'check-address' },
        extra,
        cause,
      );
  }
}

function toServiceRefusal(
  error: ServiceError,
  { next, extra = {} }: { next?: NextStep; extra?: JsonObject },
): GatewayError {
  const code = cleanText(error.code, 60);
  const { retryAfterMs } = error;
  return new GatewayError(
    { service: code },
    `The service refused (${code}): ${quoted(error.message)}`,
    next ??
      (retryAfterMs === undefined
        ? (stepAfter(error.code) ?? { kind: 'correct', named: 'message' })
        : retryAfter(retryAfterMs)),
    {
      ...toVisibleMembers(withoutUnsafeLinks(error.extra)),
      ...(retryAfterMs === undefined ? {} : { retry_after_seconds: Math.ceil(retryAfterMs / 1000) }),
      ...extra,
    },
    { cause: error },
  );
}

const retryAfter = (ms: number): NextStep => ({
  kind: 'retry',
  when: Math.max(1, Math.ceil(ms / 1000)),
});
