/**
 * The current time as the database knows it while a statement runs, after any wait for a lock: a value that this process
 * reads before would be old by then. On PostgreSQL it is the server's, so that replicas agree; processes on one file
 * share the machine's.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from './database.ts';

/** Milliseconds since the epoch, for the text of a statement. */
export const nowText = (engine: Engine): string =>
  engine === 'postgres'
    ? '(extract(epoch from clock_timestamp()) * 1000)::bigint'
    : "cast(round(unixepoch('subsec') * 1000) as integer)";

/** The start of the UTC day, likewise. */
export const dayStartText = (engine: Engine): string =>
  engine === 'postgres'
    ? "(extract(epoch from date_trunc('day', clock_timestamp() at time zone 'UTC')) * 1000)::bigint"
    : "(unixepoch('now', 'start of day') * 1000)";

/** As `nowText`, for a query. */
export const databaseNow = (engine: Engine): RawBuilder<number> => sql.raw<number>(nowText(engine));
