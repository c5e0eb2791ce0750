import { BaseError } from '../errors/base-error.ts';

/**
 * `unreachable`: the server does not answer; `replaced`: the file was deleted or replaced while in use; `other-schema`: another
 * version of the program wrote it; `failed`: any
 * other failure, which may pass; `broken-disk`: a disk reports a lost write only once, so only a restart can tell what
 * was written.
 */
type StoreErrorKind =
  | 'unreachable'
  | 'not-writable'
  | 'full'
  | 'replaced'
  | 'corrupt'
  | 'other-schema'
  | 'failed'
  | 'broken-disk';

/** What keeps a database from being opened or used. `message` says which database, what is wrong and the next step. */
export class StoreError extends BaseError {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;
  /** Refused before anything was written. */
  readonly isRefused: boolean;

  constructor(kind: StoreErrorKind, message: string, cause?: unknown, isRefused = false) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.isRefused = isRefused;
  }
}

/** A pipe, a device, a folder or a huge file is in the place of a file. */
export class UnfitFileError extends BaseError {
  override readonly name = 'UnfitFileError';

  /** `maxBytes`: the file is larger; else it is no regular file. */
  constructor(path: string, maxBytes?: number) {
    super(
      maxBytes === undefined
        ? `${path} is not a regular file: remove it, or put a file in its place`
        : `${path} is larger than ${maxBytes / 1024 / 1024} MiB: put the right file in its place`,
    );
  }
}

/** A key file without readable keys. `message` quotes nothing of it. */
export class KeyFileError extends BaseError {
  override readonly name = 'KeyFileError';

  constructor(path: string, loss: string, options?: ErrorOptions) {
    super(`${path} is empty or damaged: restore it from a backup, or remove it (${loss})`, options);
  }
}

/** The error of a statement that was not begun: nothing of it was or will be written. */
export const refusal = (kind: StoreErrorKind, message: string, cause?: unknown): StoreError =>
  new StoreError(kind, message, cause, true);

/** The `code` of a driver's error: `SQLITE_BUSY…` or PostgreSQL's SQLSTATE. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Whether the engine itself reported the error, so that the transaction was surely rolled back. Otherwise the
 * connection broke, and a commit may have succeeded. Classes of SQLSTATE that do not tell: connection exceptions (08),
 * an operator's intervention (57), system errors (58) and internal ones (XX); 40003 says that the outcome is unknown.
 */
export function isRolledBack(error: unknown): boolean {
  if (error instanceof StoreError && error.isRefused) return true;
  const code = errorCode(error instanceof StoreError ? error.cause : error) ?? '';
  if (code.startsWith('SQLITE_')) return true;
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|57|58|XX|40003)/.test(code);
}

export const isCorruption = (error: unknown): boolean =>
  /^SQLITE_(NOTADB|CORRUPT)/.test(errorCode(error) ?? '');

export const corrupt = (file: string, cause: unknown) =>
  new StoreError(
    'corrupt',
    `The database file ${file} is damaged or not a database: restore it from a backup, or move it away to start anew`,
    cause,
  );

/** PostgreSQL refuses access or writing: a read-only server, a changed password, or a removed right or database. */
const isDenied = (code: string): boolean => /^(25006|28|3D000|42501)/.test(code);

/** A mistake in a statement, such as a duplicate row: the database works. */
const isMistake = (code: string): boolean =>
  (/^(0A|2[0-7]|3[0-9B-F]|40001|40P01|42|44|P0)/.test(code) && !isDenied(code) && code !== '25P03') ||
  /^SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG|MISUSE|SCHEMA)/.test(code);

/**
 * A driver's error as a `StoreError` where the database could not do its work: not reached, no answer in time, locked
 * for too long, a full or broken disk. Other errors, such as a violated constraint, stay as they are.
 */
export function storeFailure(error: unknown): Error {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error))
    return new StoreError('failed', `The database failed: ${String(error)}`, error);
  const code = errorCode(error) ?? '';
  if (error instanceof TypeError || isMistake(code)) return error;
  if (isCorruption(error))
    return new StoreError('corrupt', `The database is damaged (${error.message})`, error);
  if (/^SQLITE_IOERR|^58030$/.test(code)) return brokenDisk(error.message, error);
  return new StoreError(failureKind(code), failureText(code, error.message), error);
}

/** The error of a SQLite file that cannot be opened. */
export function openingFailure(file: string, error: unknown): StoreError {
  if (isCorruption(error)) return corrupt(file, error);
  const code = errorCode(error) ?? '';
  const reason = error instanceof Error ? error.message : String(error);
  if (code.startsWith('SQLITE_IOERR')) return brokenDisk(reason, error);
  const isBusy = /^SQLITE_(BUSY|LOCKED)/.test(code);
  const kind = isBusy ? 'failed' : failureKind(code) === 'full' ? 'full' : 'not-writable';
  return new StoreError(
    kind,
    `The database file ${file} cannot be opened (${reason}): ${fileSteps[kind]}`,
    error,
  );
}

const fileSteps = {
  full: 'free some space on its disk',
  'not-writable': 'check that its folder exists and that the folder and the file are writable',
  failed: 'try again',
};

export const brokenDisk = (reason: string, cause: unknown) =>
  new StoreError(
    'broken-disk',
    `The disk of the database reports an error (${reason}): check the disk, then restart`,
    cause,
  );

/** Tells the kind from the code of the driver or of the file system. */
function failureKind(code: string): 'full' | 'not-writable' | 'unreachable' | 'failed' {
  if (/^(SQLITE_FULL|53100|ENOSPC|EDQUOT)$/.test(code)) return 'full';
  if (isDenied(code)) return 'unreachable';
  return /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(code) ? 'not-writable' : 'failed';
}

function failureText(code: string, reason: string): string {
  const kind = failureKind(code);
  if (kind === 'full') return `The disk of the database is full (${reason}): free some space`;
  if (/^(SQLITE_BUSY|SQLITE_LOCKED|55P03)/.test(code)) {
    return `The database was locked by another process for too long (${reason}): try again`;
  }
  if (kind === 'unreachable')
    return `PostgreSQL does not let svc-mcp write (${reason}): check the user, its rights, and that the server is not read-only`;
  if (kind === 'not-writable')
    return `The database file cannot be written (${reason}): check its folder and permissions`;
  return `The database does not answer (${reason || code || 'no reason given'}): try again when it is reachable`;
}
