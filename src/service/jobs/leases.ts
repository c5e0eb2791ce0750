/**
 * Who runs a job. A lease is short and renewed while the job runs; a job whose lease expired is claimed again by any
 * process. Each claim increments the job's fencing number, and every write of a runner names its number.
 */
import { sql } from 'kysely';
import { databaseNow, nowText } from '../../store/database-time.ts';
import { statement } from '../../store/statement.ts';
import type { JobKind, ServiceDatabase, ServiceSchema } from '../store/schema.ts';

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
  /** Of the request that created the job; null where nothing was traced. */
  readonly traceparent: string | null;
}

interface ClaimLimits {
  readonly free: number;
  readonly perSite: number;
  readonly builds: number;
  /** Places of the owner that one user may fill where the service has other users. */
  readonly perUser: number;
  readonly leaseDuration: number;
  /** Ids of jobs that the owner still runs: claiming one again would act at the site twice. */
  readonly held: readonly string[];
  /** Those of them that fill a place. */
  readonly placed: readonly string[];
}

/** `milliseconds` is a whole number. */
const fromNow = ({ engine }: ServiceDatabase, milliseconds: number) =>
  sql<number>`${databaseNow(engine)} + ${milliseconds}`;

/**
 * The jobs that the process `owner` may start: users take turns, and each one's oldest comes first; at most `free`, and
 * at most `perSite` on a site. It runs at most `builds` builds, so that slow ones never delay other users' tasks.
 */
export async function claim(database: ServiceDatabase, owner: string, limits: ClaimLimits): Promise<Lease[]> {
  // An idle service only reads.
  const any = await runnable(database, database.query).select('id').limit(1).execute();
  if (any.length === 0) return [];
  const claimed = statement<ServiceSchema['jobs']>(
    claimText(database, limits.leaseDuration),
    owner,
    limits.free,
    limits.perSite,
    limits.builds,
    limits.held.join(' '),
    limits.placed.join(' '),
    limits.perUser,
  );
  // The limit for a site holds over all processes, so they claim in turn. A claim may be lost in a power failure, which
  // only repeats it; the end of a job is written once, whoever ran it.
  const [, { rows }] = await database.batch([database.lockStatement('leases'), claimed], { synced: false });
  return rows.map(toLease);
}

/** A single job, regardless of the limits; undefined if a process runs it. */
export async function claimOne(
  database: ServiceDatabase,
  owner: string,
  { id, leaseDuration }: { readonly id: string; readonly leaseDuration: number },
): Promise<Lease | undefined> {
  const now = nowText(database.engine);
  const claimed = statement<ServiceSchema['jobs']>(
    `update jobs set ${leased(now, leaseDuration)}
     where id = $2 and status = 'processing' and lease_until <= ${now} returning *`,
    owner,
    id,
  );
  const [{ rows }] = await database.batch([claimed], { synced: false });
  return rows.map(toLease)[0];
}

const leased = (now: string, leaseDuration: number): string =>
  `lease_owner = $1, lease_until = ${now} + ${leaseDuration}, fence = fence + 1, attempts = attempts + 1`;

/**
 * Users take turns with builds, with the room of each site and with the places: whoever has fewest running comes first,
 * then the oldest job. A waiting build takes no room of its site. One place is kept from a user who fills the others, so
 * that a job of another user starts at once.
 */
const claimText = (database: ServiceDatabase, leaseDuration: number): string => {
  const now = nowText(database.engine);
  const isRunnable = `status = 'processing' and lease_until <= ${now} and not_before <= ${now}
    and (lease_owner is null or lease_owner <> $1 or $5 not like '%' || jobs.id || '%')`;
  /** The number of a waiting job among those of one user, after the `running` ones. */
  const nth = (running: string, within: string) =>
    `coalesce(${running}, 0) + row_number() over (partition by user_id${within} order by created_at, id)`;
  return `
    with running as (
      select user_id, site, count(*) as jobs, sum(case kind when 'build' then 1 else 0 end) as builds,
        sum(case when kind = 'build' and lease_owner = $1 then 1 else 0 end) as own_builds,
        sum(case when $6 like '%' || id || '%' then 1 else 0 end) as places
      from jobs where status = 'processing' and lease_until > ${now} group by user_id, site
    ), sites as (
      select site as on_site, sum(jobs) as site_jobs from running group by site
    ), of_users as (
      select user_id as of_user, sum(jobs) as user_jobs, sum(builds) as user_builds, sum(places) as user_places
      from running group by user_id
    ), waiting as (
      select jobs.id, jobs.kind, jobs.site, jobs.user_id, created_at, running.jobs as user_site_jobs,
        coalesce(site_jobs, 0) as site_jobs, user_jobs, user_builds, user_places
      from jobs left join sites on on_site = jobs.site left join of_users on of_user = jobs.user_id
        left join running on running.site = jobs.site and running.user_id = jobs.user_id
      where ${isRunnable} and coalesce(site_jobs, 0) < $3
    ), builds as (
      select id, row_number() over (order by nth_build, created_at, id) as turn from (
        select id, created_at, ${nth('user_builds', '')} as nth_build from waiting where kind = 'build'
      ) as numbered
    ), of_sites as (
      select numbered.*, row_number() over (partition by site order by nth_on_site, created_at, id) as turn from (
        select waiting.*, ${nth('user_site_jobs', ', site')} as nth_on_site from waiting
        where kind <> 'build' or id in (
          select id from builds where turn <= $4 - (select coalesce(sum(own_builds), 0) from running))
      ) as numbered
    ), startable as (
      select id, created_at, user_id, ${nth('user_jobs', '')} as nth_of_user, ${nth('user_places', '')} as place
      from of_sites where turn + site_jobs <= $3
    )
    update jobs set ${leased(now, leaseDuration)}
    where ${isRunnable} and id in (
      select id from startable where place <= $7
        or not exists (select 1 from users where users.id <> startable.user_id and removed_at is null)
      order by nth_of_user, created_at, id limit $2
    )
    returning *`;
};

const toLease = (row: ServiceSchema['jobs']): Lease => ({
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
  traceparent: row.traceparent,
});

const runnable = (database: ServiceDatabase, query: ServiceDatabase['query']) =>
  query
    .selectFrom('jobs')
    .where('status', '=', 'processing')
    .where('lease_until', '<=', databaseNow(database.engine))
    .where('not_before', '<=', databaseNow(database.engine));

/** Prolongs the leases; returns the ids of those that still are the owner's. */
export async function renew(
  database: ServiceDatabase,
  owner: string,
  leases: readonly Lease[],
  leaseDuration: number,
): Promise<ReadonlySet<string>> {
  const rows = await database.query
    .updateTable('jobs')
    .set({ lease_until: fromNow(database, leaseDuration) })
    .where('lease_owner', '=', owner)
    .where('status', '=', 'processing')
    .where(
      'id',
      'in',
      leases.map(({ id }) => id),
    )
    .returning('id')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Releases a job to be started again after `delayMs`. `uncounted`: the attempt does not count, because it ended for
 * another reason than the job (a shutdown).
 */
export async function release(
  database: ServiceDatabase,
  lease: Lease,
  { delayMs = 0, uncounted = false }: { delayMs?: number; uncounted?: boolean },
): Promise<void> {
  await database.query
    .updateTable('jobs')
    .set((row) => ({
      lease_owner: null,
      lease_until: 0,
      not_before: fromNow(database, delayMs),
      attempts: row('attempts', '-', uncounted ? 1 : 0),
    }))
    .where('id', '=', lease.id)
    .where('fence', '=', lease.fence)
    .where('status', '=', 'processing')
    .execute();
}
