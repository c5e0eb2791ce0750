/** Why the gateway refuses or fails. Every error says what failed, where, and the one next step. */

import { BaseError } from '../../errors/base-error.ts';
import type { JsonObject, Refused, Unknown } from '../interface/outcomes.ts';
import type { GatewayErrorCode } from './error-codes.ts';

/** A refusal with a body for the caller: by a code of ours, or by one of the service's, which comes through as it is. */
export class GatewayError extends BaseError {
  override readonly name = 'GatewayError';
  readonly body: Refused;

  constructor(
    code: GatewayErrorCode | { readonly service: string },
    message: string,
    next: string,
    extra: JsonObject = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    const shownCode = typeof code === 'string' ? code : code.service;
    this.body = { status: 'error', error: { code: shownCode, message, ...extra }, next };
  }
}

/** It is not known whether the service accepted a paid request. It is reported once and never retried by itself. */
export class SubmissionUnknownError extends BaseError {
  override readonly name = 'SubmissionUnknownError';
  readonly body: Unknown;

  constructor(message: string, next: string, extra: JsonObject = {}, options?: ErrorOptions) {
    super(message, options);
    this.body = { status: 'unknown', error: { code: 'SUBMISSION_UNKNOWN', message, ...extra }, next };
  }
}

/** Throws `CANCELLED` where the caller has gone. */
export function stopIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new GatewayError('CANCELLED', 'The call was cancelled.', 'Call again if it is still wanted.');
}

/** A path into a result cannot be read or evaluated; `message` says why. */
export class PathError extends BaseError {
  override readonly name = 'PathError';
}

/** What keeps a service key of a subject from being stored or read. `message` says what, and the next step. */
export class SubjectKeyError extends BaseError {
  override readonly name = 'SubjectKeyError';
}
