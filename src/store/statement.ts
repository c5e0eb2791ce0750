/** SQL for a batch: text with numbered parameters, the same for both engines. */

export interface Statement<Row = unknown> {
  /** Parameters are `$1`, `$2`, …; one may occur several times. */
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The type of a row; never a value. */
  readonly row?: Row;
}

export interface StatementResult<Row> {
  readonly rows: readonly Row[];
  /** Rows that were inserted, updated or deleted. */
  readonly changes: number;
}

/** Results in the order of the statements. */
export type StatementResults<Rows extends readonly unknown[]> = {
  readonly [Index in keyof Rows]: StatementResult<Rows[Index]>;
};
export type Statements<Rows extends readonly unknown[]> = {
  readonly [Index in keyof Rows]: Statement<Rows[Index]>;
};

/** The author of the SQL text promises the type of a row; nothing checks it. */
export function asTyped<Rows extends readonly unknown[]>(
  results: Promise<readonly StatementResult<unknown>[]>,
): Promise<StatementResults<Rows>>;
export function asTyped(results: unknown): unknown {
  return results;
}

export function asRows<Row>(rows: readonly unknown[]): readonly Row[];
export function asRows(rows: unknown): unknown {
  return rows;
}

/** `sql` is a constant of the program: nothing from outside is ever part of it. */
export const statement = <Row = unknown>(sql: string, ...parameters: readonly unknown[]): Statement<Row> => ({
  sql,
  parameters: parameters.map(bindable),
});

/** Nothing that begins with `select` writes in SQLite, nor what this program sends alone to PostgreSQL. */
export const onlyReads = (sql: string): boolean => /^\s*select\b/i.test(sql);

/**
 * Values that both engines take. The SQLite binding aborts the whole process on a boolean and cuts text at NUL;
 * PostgreSQL refuses both for the columns we use. This is the only place that checks them.
 */
export function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  if (value === null || typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new TypeError('Text with a NUL character cannot be stored');
    return value;
  }
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError(`A ${value instanceof Date ? 'Date' : typeof value} cannot be stored as it is`);
}
