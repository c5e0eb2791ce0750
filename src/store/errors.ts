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

export const isCorruption = (error: unknown): boolean =>
  /^SQLITE_(NOTADB|CORRUPT)/.test(errorCode(error) ?? '');

export const corrupt = (file: string, cause: unknown) =>
  new StoreError(
    'corrupt',
    `The database file ${file} is damaged or not a database: restore it from a backup, or move it away to start anew`,
    cause,
  );
