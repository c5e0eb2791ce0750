/** Errors of the command line: each ends a command, and its message is what the user sees. */
import { BaseError } from '../../errors/base-error.ts';
import { errorCode } from '../../store/errors.ts';

/** A setting that cannot be used: which, where it came from, what it takes. */
export class SettingsError extends BaseError {
  override readonly name = 'SettingsError';
}

/** The data folder cannot be used: which, why, and the setting for another one. */
export class DataFolderError extends BaseError {
  override readonly name = 'DataFolderError';

  constructor(folder: string, cause: unknown) {
    const code = errorCode(cause) ?? String(cause);
    super(
      `The data folder ${folder} cannot be used (${reasons[code] ?? code}): set SVC_DATA_DIR to a folder that you can write to`,
      { cause },
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it is not a folder',
  ENOENT: 'it cannot be made',
  EACCES: 'no permission to write',
  EPERM: 'no permission to write',
  EROFS: 'its file system is read-only',
};

/** The server of a command ended before it answered. */
export class ServerEndedError extends BaseError {
  override readonly name = 'ServerEndedError';

  constructor(cause: unknown) {
    super('The server that this command starts has ended; a line above says why', { cause });
  }
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
