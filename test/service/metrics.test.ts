/** What GET /metrics costs where a store is large: of tables that grow with use, its statements read indexes only. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, type KyselyPlugin, type QueryId, type RootOperationNode, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMetrics } from '../../src/service/api/metrics.ts';
import { addUser } from '../../src/service/money/users.ts';
import type { ServiceDatabase } from '../../src/service/store/schema.ts';
import { useDatabases } from '../support/databases.ts';
import { engines } from '../support/postgres.ts';
import { withDatabase } from '../support/service.ts';

const createDatabase = useDatabases();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-metrics-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const ended = 20_000;

async function fill({ query, engine }: ServiceDatabase, userId: string): Promise<void> {
  const addJobs = (status: string, count: number) => sql`
    insert into jobs (id, kind, user_id, status, site, price, created_at, not_before, attempts, lease_until, fence)
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${sql.lit(count)})
    select ${sql.lit(status)} || number, 'task', ${userId}, ${sql.lit(status)}, 'site', 1, number, 0, 0, 0, 0 from numbers`;
  await addJobs('completed', ended).execute(query);
  await addJobs('processing', 10).execute(query);
  await sql`insert into ledger (id, user_id, kind, amount, job_id, created_at)
    select id, user_id, 'charge', -1, id, created_at from jobs`.execute(query);
  if (engine === 'postgres') await sql`analyze`.execute(query);
}

/** Collects the statements that are run. */
class Recorder implements KyselyPlugin {
  readonly statements: { node: RootOperationNode; queryId: QueryId }[] = [];
  transformQuery({ node, queryId }: { node: RootOperationNode; queryId: QueryId }): RootOperationNode {
    this.statements.push({ node, queryId });
    return node;
  }
  transformResult<Result>({ result }: { result: Result }): Promise<Result> {
    return Promise.resolve(result);
  }
}

/** The tables whose rows a statement reads from the first to the last; an index that has all columns is none. */
async function findScans(
  { query }: ServiceDatabase,
  statement: Recorder['statements'][number],
): Promise<readonly string[]> {
  const { sql: text, parameters } = query.getExecutor().compileQuery(statement.node, statement.queryId);
  const { rows } = await query.executeQuery(CompiledQuery.raw(`explain query plan ${text}`, [...parameters]));
  return [...JSON.stringify(rows).matchAll(/SCAN (\w+)\b(?! USING COVERING)/g)].map(
    ([, table = '']) => table,
  );
}

it.each(engines)('jobs, credits and requests are counted on %s', async (engine) => {
  const place = {
    dataDir: join(folder, engine),
    databaseUrl: engine === 'postgres' ? await createDatabase() : undefined,
  };
  await withDatabase(place, async (database) => {
    const { id } = await addUser(database, 'heavy', 100);
    await fill(database, id);
    const metrics = createMetrics(database, { rateLimited: () => 2, fetches: () => 3 });
    // A second look counts nothing twice.
    await metrics.metrics();
    expect(
      (await metrics.metrics()).split('\n').filter((line) => !line.startsWith('#') && line !== ''),
    ).toEqual([
      ...['svc_jobs{state="queued"} 10', 'svc_jobs{state="running"} 0'],
      ...[`svc_jobs{state="completed"} ${ended}`, 'svc_jobs{state="failed"} 0'],
      expect.stringMatching(/^svc_queue_age_seconds \d+/),
      'svc_credits_balance 100',
      ...[`svc_credits_moved{kind="charge"} ${-ended - 10}`, 'svc_credits_moved{kind="grant"} 100'],
      ...['svc_rate_limited_total 2', 'svc_fetches_total 3'],
    ]);
  });
});

it('no statement reads the rows of all jobs or of the whole ledger of a file', async () => {
  await withDatabase({ dataDir: join(folder, 'plans') }, async (database) => {
    const { id } = await addUser(database, 'heavy', 100);
    await fill(database, id);
    const recorder = new Recorder();
    const recorded = { ...database, query: database.query.withPlugin(recorder) };
    await createMetrics(recorded, { rateLimited: () => 0, fetches: () => 0 }).metrics();
    expect(recorder.statements.length).toBeGreaterThanOrEqual(4);
    const scans: string[] = [];
    for (const statement of recorder.statements) scans.push(...(await findScans(database, statement)));
    expect(new Set(scans)).toEqual(new Set(['users']));
    // The look at the plans finds a scan where there is one.
    const all = database.query
      .withPlugin(recorder)
      .selectFrom('jobs')
      .select('id')
      .where('site', '=', 'other');
    await all.execute();
    const last = recorder.statements.at(-1);
    expect(last && (await findScans(database, last))).toEqual(['jobs']);
  });
});
