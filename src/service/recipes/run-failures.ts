/** Turns what kept a recipe or a reading from its data into a failure that its user can read. */
import type { FailureReason } from '../../contract/errors.ts';
import {
  BrowserError,
  FetchError,
  type FetchProblem,
  PageChangedError,
  PageTooLargeError,
  PageUnfitError,
  ParseError,
  RunError,
  siteChanged,
} from '../foundation/errors.ts';
import type { Obstacle } from '../page/obstacles.ts';

/** When the site wants to be asked again; empty where it does not say, or says less than a minute. */
function explainWait(retryAfter: string): string {
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  if (!(wait >= 60_000 && wait < 366 * 86_400_000)) return '';
  const at = new Date(Date.now() + wait).toISOString().slice(0, 16).replace('T', ' ');
  return `; it asks to wait until ${at} UTC`;
}

/** `retryAfter`: the header. */
export function statusFailure(status: number, retryAfter = ''): RunError {
  if (status === 404 || status === 410)
    return new RunError(`The site has no page at this address (HTTP status ${status})`, {
      reason: 'page_missing',
    });
  if (status === 403) return new RunError(`The site refused the request (HTTP status ${status})`);
  const busy = status === 429 || status >= 500;
  const reason = busy ? 'is busy or has an error; try again later' : 'did not return the page';
  return new RunError(`The site ${reason}${busy ? explainWait(retryAfter) : ''} (HTTP status ${status})`, {
    transient: busy,
    reason: busy ? 'site_unavailable' : undefined,
  });
}

/** `otherwise`: the code of an error page, and of one that only asks for consent. */
export function obstacleFailure({ kind, reason }: Obstacle, otherwise: RunError['code']): RunError {
  const code = kind === 'person' ? 'PAGE_BLOCKED' : kind === 'sign-in' ? 'AUTH_REQUIRED' : otherwise;
  return new RunError(reason, { code });
}

const fetchReasons: Readonly<Record<FetchProblem, FailureReason | undefined>> = {
  forbidden: 'address_refused',
  private: 'origin_not_allowed',
  blocked: 'address_refused',
  robots: 'robots_disallowed',
  'too-large': 'too_large',
  timeout: 'site_unavailable',
  unreachable: 'site_unavailable',
  name: 'site_unreadable',
  refused: 'site_unavailable',
  reset: 'site_unavailable',
  proxy: 'site_unreadable',
  certificate: 'site_unreadable',
  parser: 'site_unreadable',
  encoding: 'site_unreadable',
  file: 'page_unfit',
  redirects: undefined,
  cancelled: undefined,
};

/** What may be over soon. */
const transientProblems: ReadonlySet<FetchProblem> = new Set([
  ...(['timeout', 'unreachable', 'name', 'refused', 'reset', 'proxy', 'cancelled'] as const),
]);

export function toRunFailure(error: unknown): RunError {
  if (error instanceof RunError) return error;
  if (error instanceof FetchError) {
    const transient = transientProblems.has(error.problem);
    return new RunError(error.message, { transient, reason: fetchReasons[error.problem], cause: error });
  }
  if (error instanceof BrowserError)
    return new RunError(error.message, { transient: error.problem === 'browser-ended', cause: error });
  if (error instanceof ParseError) return parseFailure(error);
  if (error instanceof Error && error.name === 'AbortError')
    return new RunError('The run was cancelled', { transient: true, cause: error });
  return new RunError('The action failed unexpectedly', { cause: error });
}

function parseFailure(error: ParseError): RunError {
  const { message } = error;
  if (error instanceof PageChangedError)
    return new RunError(message, { code: siteChanged, reason: 'page_unfit', cause: error });
  if (error instanceof PageUnfitError) return new RunError(message, { reason: 'page_unfit', cause: error });
  if (error instanceof PageTooLargeError) return new RunError(message, { reason: 'too_large', cause: error });
  return new RunError(message, { cause: error });
}
