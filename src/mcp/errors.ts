/** Errors of the transports, and what all of them refuse. */
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

/** Ids and progress tokens are repeated in answers, so their length is bounded. */
const maxIdChars = 256;
export const longIdMessage = `The id or the progress token of a request is longer than ${maxIdChars} characters.`;

/** Whether a message is a request whose answers would repeat a huge id. */
export function hasLongId(message: unknown): boolean {
  const { id, method, params }: { id?: unknown; method?: unknown; params?: unknown } = Object(message);
  if (method === undefined) return false;
  const { progressToken }: { progressToken?: unknown } = Object(Object(params)._meta);
  return [id, progressToken].some((id) => typeof id === 'string' && id.length > maxIdChars);
}
