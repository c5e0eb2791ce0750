/** Errors of the command line: each ends a command, and its message is what the user sees. */
import { BaseError } from '../../errors/base-error.ts';

/** A setting that cannot be used: which, where it came from, what it takes. */
export class SettingsError extends BaseError {
  override readonly name = 'SettingsError';
}

/** A configuration of a client that cannot be written, changed or read: what, where, and what to do. */
export class ClientConfigError extends BaseError {
  override readonly name = 'ClientConfigError';
}

/** An account that cannot be connected in this way: why, and how it can. */
export class SignInError extends BaseError {
  override readonly name = 'SignInError';
}

/** The person ended a question. */
export class PromptAbortedError extends BaseError {
  override readonly name = 'PromptAbortedError';

  constructor() {
    super('Stopped: nothing was sent');
  }
}
