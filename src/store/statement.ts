/** SQL for a batch: text with numbered parameters, the same for both engines. */
import { bindable } from './binding.ts';

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
  results: readonly StatementResult<unknown>[],
): StatementResults<Rows>;
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

/** The one read that a batch consists of; undefined for every other batch. */
export const singleRead = ([first, ...others]: readonly Statement[]): Statement | undefined =>
  first !== undefined && others.length === 0 && onlyReads(first.sql) ? first : undefined;
