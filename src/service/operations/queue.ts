/** What waits to be run, and what runs, of all users of the database. */
import { databaseNow } from '../../store/database-time.ts';
import type { ServiceDatabase } from '../store/schema.ts';

export async function countOpenJobs(database: ServiceDatabase): Promise<{ queued: number; running: number }> {
  const open = await database.query
    .selectFrom('jobs')
    .select('lease_until')
    .select(databaseNow(database.engine).as('now'))
    .where('status', '=', 'processing')
    .execute();
  const queued = open.filter((job) => job.lease_until <= job.now).length;
  return { queued, running: open.length - queued };
}

/** In milliseconds. */
export async function readQueueAge(database: ServiceDatabase): Promise<number> {
  const now = databaseNow(database.engine);
  const oldest = await database.query
    .selectFrom('jobs')
    .select(['created_at', now.as('now')])
    .where('status', '=', 'processing')
    .where('lease_until', '<=', now)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return oldest === undefined ? 0 : Math.max(0, oldest.now - oldest.created_at);
}
