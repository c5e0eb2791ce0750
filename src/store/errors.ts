/** What keeps a database from being opened. `message` says which database, what is wrong and the next step. */
export class StoreError extends Error {
  readonly kind: 'unreachable' | 'corrupt' | 'newer-schema';

  constructor(kind: StoreError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.kind = kind;
  }
}

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
  const code = errorCode(error) ?? '';
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
