/** What GET /metrics costs where a store is large: no statement of it reads a table that grows with use. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, type KyselyPlugin, type QueryId, type RootOperationNode, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServiceDatabase } from '../../src/service/database/schema.ts';
import { renderMetrics } from '../../src/service/http/metrics.ts';
import { addUser } from '../../src/service/users/users.ts';
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
    insert into jobs (id, kind, user_id, status, site, price, created_at, run_after, attempts, lease_until, fence)
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

/** The tables that a statement reads from their first row to their last. */
async function findScans(
  { query, engine }: ServiceDatabase,
  statement: Recorder['statements'][number],
): Promise<readonly string[]> {
  const { sql: text, parameters } = query.getExecutor().compileQuery(statement.node, statement.queryId);
  const explain = engine === 'postgres' ? 'explain' : 'explain query plan';
  const { rows } = await query.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
  const plan = JSON.stringify(rows);
  return [...plan.matchAll(engine === 'postgres' ? /Seq Scan on (\w+)/g : /SCAN (\w+)/g)].map(
    ([, table = '']) => table,
  );
}

it.each(engines)('no statement reads all jobs or the whole ledger on %s', async (engine) => {
  const place = {
    dataDir: join(folder, engine),
    databaseUrl: engine === 'postgres' ? await createDatabase() : undefined,
  };
  await withDatabase(place, async (database) => {
    const { id } = await addUser(database, 'heavy', 100);
    await fill(database, id);
    const recorder = new Recorder();
    const recorded = { ...database, query: database.query.withPlugin(recorder) };
    const text = await renderMetrics(recorded, { rateLimited: 0, fetches: 0 });
    expect(text).toContain('svc_jobs{state="queued"} 10\n');
    expect(recorder.statements.length).toBeGreaterThanOrEqual(3);
    const scans: string[] = [];
    for (const statement of recorder.statements) scans.push(...(await findScans(database, statement)));
    // They have a row for each user, and one for each of its six totals.
    expect(new Set(scans)).toEqual(new Set(['users', 'user_totals']));
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
