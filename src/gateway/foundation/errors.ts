/** Why the gateway refuses or fails. Every error says what failed, where, and the one next step. */

import { BaseError } from '../../errors/base-error.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { ErrorDetail, JsonObject, Refused, Unknown } from '../interface/outcomes.ts';
import type { GatewayErrorCode } from './error-codes.ts';

type RefusalCode = GatewayErrorCode | { readonly service: string };

/** The body of a refusal. Limits return it, because a refused call is an answer like another. */
export function toRefusal(
  code: RefusalCode,
  message: string,
  next: NextStep,
  extra: JsonObject = {},
): Refused {
  const shownCode = typeof code === 'string' ? code : code.service;
  return { status: 'error', error: { code: shownCode, message, ...extra }, next };
}

/**
 * A refusal with a body for the caller, by a code of the gateway, or by one of the service's, which passes through
 * unchanged.
 */
export class GatewayError extends BaseError {
  override readonly name = 'GatewayError';
  readonly body: Refused;

  constructor(
    code: RefusalCode,
    message: string,
    next: NextStep,
    extra?: JsonObject,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.body = toRefusal(code, message, next, extra);
  }
}

/** It is not known whether the service accepted a paid request. It is reported once and never retried by itself. */
export class SubmissionUnknownError extends BaseError {
  override readonly name = 'SubmissionUnknownError';
  readonly body: Unknown;

  constructor(message: string, next: NextStep, extra: JsonObject = {}, options?: ErrorOptions) {
    super(message, options);
    this.body = { status: 'unknown', error: { code: 'SUBMISSION_UNKNOWN', message, ...extra }, next };
  }
}

/** Throws `CANCELLED` where the caller has gone. */
export function stopIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new GatewayError(...cancelled);
}

/** The error, or `CANCELLED` where the caller has gone. */
export const orCancelled = (error: unknown, signal: AbortSignal): unknown =>
  signal.aborted ? new GatewayError(...cancelled) : error;

/** `CANCELLED` where the caller has gone. */
export const findCancellation = (signal: AbortSignal): Refused | undefined =>
  signal.aborted ? toRefusal(...cancelled) : undefined;

const cancelled = ['CANCELLED', 'The call was cancelled.', { kind: 'retry', when: 'if-wanted' }] as const;

/** Why a group is stopped whose last caller or task was cancelled. */
export const callCancelled: ErrorDetail = { code: cancelled[0], message: cancelled[1] };

/** A path into a result cannot be read or evaluated; `message` says why. */
export class PathError extends BaseError {
  override readonly name = 'PathError';
}

/** What keeps a service key of a subject from being stored or read. `message` says what, and the next step. */
export class SubjectKeyError extends BaseError {
  override readonly name = 'SubjectKeyError';
}
