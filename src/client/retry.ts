/** Whether and when a failed request is sent again: pure, so that its table can be read and tested. */
import type { HttpMethod } from '../contract/endpoints.ts';
import type { ApiError } from './errors.ts';

export const maxAttempts = 3;
/** The longest `Retry-After` that is obeyed. */
export const maxRetryAfterMs = 60_000;
const baseDelayMs = 250;

/**
 * Milliseconds until the next attempt, or undefined where there must not be one. A GET is sent again after a
 * server error, a 429 or a broken connection; a POST only where no byte of it left this machine.
 * Full jitter: a random part of the delay, so that clients that failed together do not come back together.
 *
 * @param attempt the attempt that failed, from 1
 * @param random from 0 to 1
 */
export function retryDelayMs(
  method: HttpMethod,
  attempt: number,
  error: ApiError,
  random: number,
): number | undefined {
  if (attempt >= maxAttempts || !isRetryable(method, error)) return undefined;
  const jitter = random * baseDelayMs * 2 ** (attempt - 1);
  const requestedMs = 'retryAfterMs' in error ? (error.retryAfterMs ?? 0) : 0;
  return requestedMs + jitter;
}

function isRetryable(method: HttpMethod, error: ApiError): boolean {
  switch (error.kind) {
    case 'unreachable':
      return true;
    case 'connection-lost':
      return method === 'GET';
    case 'service':
    case 'contract':
      return method === 'GET' && (error.httpStatus >= 500 || error.httpStatus === 429);
    case 'rate-limit':
      return method === 'GET' && error.sent === 'maybe';
    case 'not-started':
    case 'timeout':
    case 'cancelled':
      return false;
  }
}

/** `Retry-After`, in seconds or as an HTTP date, as milliseconds from `now` (a date's), at most a minute. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (Number.isNaN(milliseconds)) return undefined;
  return Math.min(Math.max(milliseconds, 0), maxRetryAfterMs);
}
