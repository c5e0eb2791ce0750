/** Translates errors of requests. */
import { FetchError } from '../foundation/errors.ts';

const timeoutCodes = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'];

/** The deadline's error, or the abort that it caused. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || isTimeout(error.cause)) return true;
  return 'code' in error && typeof error.code === 'string' && timeoutCodes.includes(error.code);
}

const brokenCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/**
 * A site may close a kept connection just as it is used again. Safe requests are repeated once on a new one (RFC 9112,
 * 9.3.1).
 */
export const isBrokenConnection = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  brokenCodes.includes(error.code);

/** The `FetchError` for any error of a request. */
export function toFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  if (isTimeout(error)) return new FetchError('timeout', 'The site took too long to answer', error);
  return new FetchError('unreachable', 'The site could not be reached, or the connection broke', error);
}
