/** Why the gateway refuses or fails. Every error says what failed, where, and the one next step. */
import type { Confirmation, SignInOffer } from './gateway.ts';
import type { JsonObject, Refused, Unknown } from './outcomes.ts';

export type GatewayErrorCode =
  | 'INVALID_PARAMS'
  | 'ACTION_NOT_FOUND'
  | 'CATALOG_NOT_FOUND'
  | 'ACTION_UNAVAILABLE'
  | 'PRICE_CHANGED'
  | 'BUDGET_EXCEEDED'
  | 'CONFIRMATION_DECLINED'
  | 'CONFIRMATION_UNAVAILABLE'
  | 'IDENTITY_NOT_FOUND'
  | 'IDENTITY_AMBIGUOUS'
  | 'AUTH_REQUIRED'
  | 'AUTH_EXPIRED'
  | 'SIGN_IN_DECLINED'
  | 'LOGIN_PARAMS_FORBIDDEN'
  | 'LOGIN_VALUES_UNREADABLE'
  | 'JOB_NOT_FOUND'
  | 'JOB_LOST'
  | 'RESULT_EXPIRED'
  | 'BUILD_NOT_FOUND'
  | 'RATE_LIMITED'
  | 'SERVICE_UNREACHABLE'
  | 'SERVICE_TIMEOUT'
  | 'SERVICE_ANSWER_UNREADABLE'
  | 'STORE_UNAVAILABLE'
  | 'CANCELLED'
  | 'INTERNAL_ERROR';

/** A refusal with a body for the caller. Codes of the service (such as `AUTH_REQUIRED`) come through as they are. */
export class GatewayError extends Error {
  readonly body: Refused;

  constructor(
    code: GatewayErrorCode | (string & {}),
    message: string,
    next: string,
    extra: JsonObject = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'GatewayError';
    this.body = { status: 'error', error: { code, message, ...extra }, next };
  }
}

/** It is not known whether a paid request was taken; said once, never retried by itself. */
export class SubmissionUnknownError extends Error {
  readonly body: Unknown;

  constructor(message: string, next: string, extra: JsonObject = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SubmissionUnknownError';
    this.body = { status: 'unknown', error: { code: 'SUBMISSION_UNKNOWN', message, ...extra }, next };
  }
}

/** The call costs more than may be spent unasked; the transport asks the person and calls again. */
export class ConfirmationNeeded extends Error {
  readonly confirmation: Confirmation;

  constructor(confirmation: Confirmation) {
    super(`A person must confirm ${confirmation.credits} credits for ${confirmation.actionId}`);
    this.name = 'ConfirmationNeeded';
    this.confirmation = confirmation;
  }
}

/** A person must sign in on a page; the transport shows its address, waits with `awaitSignIn` and calls again. */
export class SignInNeeded extends Error {
  readonly offer: SignInOffer;

  constructor(offer: SignInOffer) {
    super(`A person must sign in to ${offer.catalogSlug}`);
    this.name = 'SignInNeeded';
    this.offer = offer;
  }
}

/** Throws `CANCELLED` where the caller has gone. */
export function stopIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new GatewayError('CANCELLED', 'The call was cancelled.', 'Call again if it is still wanted.');
}
