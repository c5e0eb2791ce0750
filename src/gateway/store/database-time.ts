/** Which clock decides: the database's on PostgreSQL, so that replicas agree; processes on one file share the machine's. */
import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../../store/database.ts';
import type { Clock } from '../foundation/clock.ts';

/** PostgreSQL's milliseconds since the epoch, and those of the UTC day's start. */
export const postgresNow = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
export const postgresDayStart =
  "(extract(epoch from date_trunc('day', clock_timestamp() at time zone 'UTC')) * 1000)::bigint";

/** The current time in milliseconds, for a query. */
export const databaseNow = (engine: Engine, clock: Clock): RawBuilder<number> =>
  engine === 'postgres' ? sql<number>`${sql.raw(postgresNow)}` : sql<number>`${sql.lit(clock.now())}`;
