/** What an error of a request means. */
import { FetchError } from '../foundation/errors.ts';

const timeoutCodes = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'];

/** The deadline's own error, or the abort that it caused. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || isTimeout(error.cause)) return true;
  return 'code' in error && typeof error.code === 'string' && timeoutCodes.includes(error.code);
}

const brokenCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/**
 * A site may close a connection that was kept open at the moment when it is used again. What is safe to repeat is asked
 * once more, on a new one (RFC 9112, 9.3.1).
 */
export const isBrokenConnection = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  brokenCodes.includes(error.code);

/** What any error of a request means. */
export function toFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  if (isTimeout(error)) return new FetchError('timeout', 'The site took too long to answer', error);
  return new FetchError('unreachable', 'The site could not be reached, or the connection broke', error);
}
