/**
 * Who runs a job. A lease lasts a short time and is renewed while the job runs; a job whose lease ended is leased
 * again, by any process. Each lease counts the job's fencing number up, and every write of a runner names its number.
 */
import { sql } from 'kysely';
import type { JobKind, ServiceDatabase, ServiceSchema, ServiceTransaction } from '../database/schema.ts';

export interface Lease {
  readonly id: string;
  readonly kind: JobKind;
  readonly userId: string;
  readonly actionId: string | null;
  readonly wheelVersion: string | null;
  readonly params: string | null;
  readonly credentialId: string | null;
  readonly site: string;
  readonly price: number;
  readonly fence: number;
  /** This attempt included. */
  readonly attempts: number;
}

/** One clock for all processes that share the database: the server's, where there is one. In milliseconds. */
export const nowOf = (database: ServiceDatabase) =>
  database.engine === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${Date.now()}`;

/** `milliseconds` is a whole number. */
export const fromNow = (database: ServiceDatabase, milliseconds: number) =>
  sql<number>`${nowOf(database)} + ${milliseconds}`;

/** Any number; the same in every version of the program. */
const leasingLock = 7_376_633;

/** The jobs that the process `owner` may start now: the oldest first, `free` at most, `perSite` at most on a site. */
export async function leaseJobs(
  database: ServiceDatabase,
  owner: string,
  limits: { free: number; perSite: number; leaseDuration: number },
): Promise<Lease[]> {
  // An idle service only reads.
  const any = await runnable(database, database.query).select('id').limit(1).execute();
  if (any.length === 0) return [];
  // A lease that a power failure undoes is only given again; the end of a job is written once, whoever ran it.
  return database.unsyncedTransaction(async (transaction) => {
    if (database.engine === 'postgres') {
      // The limit for a site holds over all processes, so they lease in turn.
      await sql`select pg_advisory_xact_lock(${leasingLock})`.execute(transaction);
    }
    const running = await countRunning(database, transaction);
    const full = [...running].filter(([, count]) => count >= limits.perSite).map(([site]) => site);
    const candidates = await runnable(database, transaction)
      .select(['id', 'site'])
      .$if(full.length > 0, (query) => query.where('site', 'not in', full))
      .orderBy('created_at')
      .limit(limits.free * 4)
      .$if(database.engine === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute();
    const chosen: string[] = [];
    for (const { id, site } of candidates) {
      const count = running.get(site) ?? 0;
      if (chosen.length >= limits.free || count >= limits.perSite) continue;
      running.set(site, count + 1);
      chosen.push(id);
    }
    if (chosen.length === 0) return [];
    const rows = await transaction
      .updateTable('jobs')
      .set((row) => ({
        lease_owner: owner,
        lease_until: fromNow(database, limits.leaseDuration),
        fence: row('fence', '+', 1),
        attempts: row('attempts', '+', 1),
      }))
      .where('id', 'in', chosen)
      .returningAll()
      .execute();
    return rows.map(leaseOf);
  });
}

export const leaseOf = (row: ServiceSchema['jobs']): Lease => ({
  id: row.id,
  kind: row.kind,
  userId: row.user_id,
  actionId: row.action_id,
  wheelVersion: row.wheel_version,
  params: row.params,
  credentialId: row.credential_id,
  site: row.site,
  price: row.price,
  fence: row.fence,
  attempts: row.attempts,
});

const runnable = (database: ServiceDatabase, query: ServiceDatabase['query']) =>
  query
    .selectFrom('jobs')
    .where('status', '=', 'processing')
    .where('lease_until', '<=', nowOf(database))
    .where('run_after', '<=', nowOf(database));

async function countRunning(
  database: ServiceDatabase,
  transaction: ServiceTransaction,
): Promise<Map<string, number>> {
  const rows = await transaction
    .selectFrom('jobs')
    .select((row) => ['site', row.fn.countAll<number>().as('count')])
    .where('status', '=', 'processing')
    .where('lease_until', '>', nowOf(database))
    .groupBy('site')
    .execute();
  return new Map(rows.map((row) => [row.site, row.count]));
}

/** Prolongs the leases; returns the ids of those that still are the owner's. */
export async function renewLeases(
  database: ServiceDatabase,
  owner: string,
  leases: readonly Lease[],
  leaseDuration: number,
): Promise<Set<string>> {
  const rows = await database.query
    .updateTable('jobs')
    .set({ lease_until: fromNow(database, leaseDuration) })
    .where('lease_owner', '=', owner)
    .where('status', '=', 'processing')
    .where(
      'id',
      'in',
      leases.map((lease) => lease.id),
    )
    .returning(['id', 'fence'])
    .execute();
  const fences = new Map(leases.map((lease) => [lease.id, lease.fence]));
  return new Set(rows.filter((row) => fences.get(row.id) === row.fence).map((row) => row.id));
}

/**
 * Gives a job back: to be started again after `delayMs`. With `uncounted` the attempt was not the job's fault
 * (a shutdown) and does not count.
 */
export async function releaseLease(
  database: ServiceDatabase,
  lease: Lease,
  { delayMs = 0, uncounted = false }: { delayMs?: number; uncounted?: boolean },
): Promise<void> {
  await database.query
    .updateTable('jobs')
    .set((row) => ({
      lease_owner: null,
      lease_until: 0,
      run_after: fromNow(database, delayMs),
      attempts: row('attempts', '-', uncounted ? 1 : 0),
    }))
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('status', '=', 'processing')
    .execute();
}
