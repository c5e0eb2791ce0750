/**
 * What can go wrong between the gateway and a service: a closed tree. `sent` is what money depends on:
 * `no` means that no byte of the request left this machine, so that it is safe to send it again.
 */
import type { EndpointName } from '../contract/endpoints.ts';
import { BaseError } from '../errors/base-error.ts';

export type Sent = 'no' | 'maybe';

abstract class CallError extends BaseError {
  abstract readonly kind: string;
  readonly endpoint: EndpointName;
  readonly sent: Sent;

  constructor(endpoint: EndpointName, sent: Sent, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.endpoint = endpoint;
    this.sent = sent;
  }
}

/** The service answered with its error envelope. `message` and `extra` are upstream text: data, not ours. */
export class ServiceError extends CallError {
  override readonly name = 'ServiceError';
  readonly kind = 'service';
  readonly httpStatus: number;
  readonly code: string;
  /** The envelope's further members, such as `balance` or `connect_url`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Milliseconds the service asked to wait (`Retry-After`). */
  readonly retryAfterMs: number | undefined;

  constructor(
    endpoint: EndpointName,
    answer: {
      httpStatus: number;
      code: string;
      message: string;
      extra?: Readonly<Record<string, unknown>>;
      retryAfterMs?: number | undefined;
    },
  ) {
    super(endpoint, 'maybe', answer.message);
    this.httpStatus = answer.httpStatus;
    this.code = answer.code;
    this.extra = answer.extra ?? {};
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** A rate limit: ours before sending (`sent: 'no'`), or the service's 429 without an envelope. */
export class RateLimitError extends CallError {
  override readonly name = 'RateLimitError';
  readonly kind = 'rate-limit';
  readonly retryAfterMs: number;

  constructor(endpoint: EndpointName, sent: Sent, retryAfterMs: number) {
    super(endpoint, sent, `Too many requests; the next may be sent in ${Math.ceil(retryAfterMs / 1000)} s`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** No connection: refused, unknown host, TLS failure, connect time-out. Nothing was sent. */
export class UnreachableError extends CallError {
  override readonly name = 'UnreachableError';
  readonly kind = 'unreachable';

  constructor(endpoint: EndpointName, message: string, cause?: unknown) {
    super(endpoint, 'no', message, cause);
  }
}

/** The service of this program's own does not start. Nothing was sent. `message` is our text: what, and the next step. */
export class ServiceStartError extends CallError {
  override readonly name = 'ServiceStartError';
  readonly kind = 'not-started';

  constructor(endpoint: EndpointName, cause: unknown) {
    super(endpoint, 'no', cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** The connection broke after the request may have been sent: reset, truncated answer. */
export class ConnectionLostError extends CallError {
  override readonly name = 'ConnectionLostError';
  readonly kind = 'connection-lost';

  constructor(endpoint: EndpointName, message: string, cause?: unknown) {
    super(endpoint, 'maybe', message, cause);
  }
}

/** A deadline passed: headers, body or the whole call. */
export class TimeoutError extends CallError {
  override readonly name = 'TimeoutError';
  readonly kind = 'timeout';
  readonly timeoutMs: number;

  constructor(endpoint: EndpointName, sent: Sent, timeoutMs: number) {
    super(endpoint, sent, `No answer within ${Math.ceil(timeoutMs / 1000)} s`);
    this.timeoutMs = timeoutMs;
  }
}

/** The caller's signal was aborted. */
export class CancelledError extends CallError {
  override readonly name = 'CancelledError';
  readonly kind = 'cancelled';

  constructor(endpoint: EndpointName, sent: Sent, cause?: unknown) {
    super(endpoint, sent, 'The call was cancelled', cause);
  }
}

/** An answer that is not what the specification says: HTML, broken JSON, wrong shape, too large, a redirect. */
export class ContractError extends CallError {
  override readonly name = 'ContractError';
  readonly kind = 'contract';
  readonly httpStatus: number;

  constructor(endpoint: EndpointName, httpStatus: number, message: string, cause?: unknown) {
    super(endpoint, 'maybe', message, cause);
    this.httpStatus = httpStatus;
  }
}

export type ApiError =
  | ServiceError
  | RateLimitError
  | UnreachableError
  | ServiceStartError
  | ConnectionLostError
  | TimeoutError
  | CancelledError
  | ContractError;

export function isApiError(error: unknown): error is ApiError {
  return error instanceof CallError;
}

/** The service does not take the key: it is wrong, revoked or of another service. */
export function isKeyRefusal(error: unknown): boolean {
  return isApiError(error) && 'httpStatus' in error && error.httpStatus === 401;
}

/** An authorization server could not be asked, or its answer is of no use. `message` says which address and why. */
export class AuthorizationServerError extends BaseError {
  override readonly name = 'AuthorizationServerError';
}
