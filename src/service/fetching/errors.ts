/** Why a page could not be fetched. Messages are ours; they hold nothing of the site, not even a host it led to. */
export type FetchProblem =
  /** The address is not one this service fetches: wrong scheme or port, private network, credentials in it. */
  | 'forbidden'
  /** The site's robots.txt asks programs not to fetch this address. */
  | 'robots'
  | 'too-large'
  | 'timeout'
  /** No connection, or it broke. */
  | 'unreachable'
  | 'redirects'
  /** The caller's signal was aborted. */
  | 'cancelled';

export class FetchError extends Error {
  readonly problem: FetchProblem;

  constructor(problem: FetchProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'FetchError';
    this.problem = problem;
  }
}

const timeoutCodes = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'];

/** The deadline's own error, or the abort that it caused. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || isTimeout(error.cause)) return true;
  return 'code' in error && typeof error.code === 'string' && timeoutCodes.includes(error.code);
}

/** What any error of a request means. */
export function toFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  if (isTimeout(error)) return new FetchError('timeout', 'The site took too long to answer', error);
  return new FetchError('unreachable', 'The site could not be reached, or the connection broke', error);
}
