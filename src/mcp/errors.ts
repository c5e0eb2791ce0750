/** Errors of the transports. */
import { BaseError } from '../errors/base-error.ts';

export interface RefusalDetails {
  /** JSON-RPC error code; -32000 unless the protocol names another. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refused HTTP request that no MCP server has seen yet. The message is for the caller: what is wrong, and the next step. */
export class HttpError extends BaseError {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly details: RefusalDetails;

  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** An access token is of no use here. `message` says why, in a few fixed words. */
export class InvalidTokenError extends BaseError {
  override readonly name = 'InvalidTokenError';
}

/** An access token cannot be verified now. */
export class KeysUnavailableError extends BaseError {
  override readonly name = 'KeysUnavailableError';

  constructor(cause: unknown) {
    super('The keys of the authorization server cannot be fetched', { cause });
  }
}
