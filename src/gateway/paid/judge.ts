/**
 * Judges the answer to a POST that spends: certainly not taken, or unknown. A doubt is never resolved by sending again
 * without a key.
 */
import type { ApiError } from '../../client/errors.ts';

export type Judgement = 'not-taken' | 'unknown';

/**
 * `not-taken`: nothing left this machine, or the service said no. An error envelope is a no, but for a 5xx that is
 * not documented as "not deducted"; so is a 4xx, with or without an envelope, because HTTP says that the request
 * was not carried out (408 speaks of time, not of that).
 */
export function judge(error: ApiError, notDeductedCodes: readonly string[]): Judgement {
  if (error.sent === 'no') return 'not-taken';
  if (error.kind === 'rate-limit') return 'not-taken';
  if (error.kind === 'service') {
    return error.httpStatus < 500 || notDeductedCodes.includes(error.code) ? 'not-taken' : 'unknown';
  }
  if (error.kind === 'contract') {
    return error.httpStatus >= 400 && error.httpStatus < 500 && error.httpStatus !== 408
      ? 'not-taken'
      : 'unknown';
  }
  return 'unknown';
}

/**
 * Whether a refusal of a request with the same idempotency key also tells that the earlier one was not taken. Not for 401,
 * 429 and 5xx: they say nothing about the first request.
 */
export function answersDoubt(error: ApiError): boolean {
  return (
    error.kind === 'service' &&
    error.httpStatus < 500 &&
    error.httpStatus !== 429 &&
    !['UNAUTHORIZED', 'IDEMPOTENCY_KEY_REUSED'].includes(error.code)
  );
}
