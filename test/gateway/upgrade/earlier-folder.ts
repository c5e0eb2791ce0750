/** Opens a copy of what the earlier version left: its rows as they are, but for whom they belong to and their times. */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import Libsql from 'libsql';
import { z } from 'zod';
import { createPrincipal } from '../../../src/gateway/interface/principal.ts';
import { gatewayMigrations } from '../../../src/gateway/store/migrations.ts';
import type { Target } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { withBuffers } from '../../../src/store/sqlite-batches.ts';
import { openGateway, scriptedUpstream, temporaryFolder } from '../../support/gateway.ts';
import type { Upstream } from '../../support/upstream.ts';
import { builds as buildInputs, script } from './calls.ts';
import { builds, inputJobs, jobs } from './issued-ids.ts';

/** The schema version of the file. */
export const earlierVersion = 15;

const times = {
  gateway_intent: ['deadline', 'created_at', 'submitted_at', 'finished_at', 'answered_at', 'delivered_at'],
  gateway_result: ['kept_at'],
  gateway_handle: ['created_at', 'expires_at', 'given_up_at'],
  gateway_batch: ['deadline', 'created_at', 'finished_at'],
};
const tables = [...Object.keys(times), 'gateway_batch_row'];
const Ages = z.object({ oldest: z.number(), newest: z.number() });
const dayMs = 24 * 60 * 60_000;

export interface EarlierFolder {
  readonly upstream: Upstream;
  readonly target: Target;
  readonly folder: string;
}

/** `createDatabase`: the rows are put into a PostgreSQL database that the earlier schema was made in. */
export async function openEarlierFolder(createDatabase?: () => Promise<string>): Promise<EarlierFolder> {
  const upstream = await scriptedUpstream(script);
  addWork(upstream);
  const folder = await temporaryFolder();
  const file = join(folder, 'gateway.db');
  const packed = await readFile(join(import.meta.dirname, 'gateway-af234df.db.gz'));
  await writeFile(file, gunzipSync(packed), { mode: 0o600 });
  const database = new Libsql(file);
  adopt(database, upstream);
  const target = createDatabase === undefined ? { file } : { url: await createDatabase() };
  if ('url' in target) await copyRows(database, target);
  database.close();
  return { upstream, target, folder };
}

/** A gateway of the current code on it. */
export const openCurrent = ({ upstream, folder, target }: EarlierFolder, settings = {}) =>
  openGateway(upstream, folder, settings, upstream.apiKey, { store: target }).gateway;

/** Makes the rows those of the upstream's principal, written a moment ago by a process of this machine that ended. */
function adopt(database: Libsql.Database, upstream: Upstream): void {
  const { id, serviceKey } = createPrincipal(upstream.origin, upstream.apiKey);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const ages = 'select min(created_at) as oldest, max(created_at) as newest from gateway_intent';
  const { oldest, newest } = Ages.parse(database.prepare(ages).get());
  const now = Date.now();
  // Their day is today, also just after midnight.
  const shift = Math.max(now - 5_000 - newest, Math.floor(now / dayMs) * dayMs - oldest);
  for (const [table, columns] of Object.entries(times)) {
    const moved = columns.map((column) => `${column} = ${column} + ${shift}`);
    database.exec(`update ${table} set ${moved.join(', ')}`);
    database.exec(`update ${table} set principal = '${id}' where principal = 'earlier'`);
  }
  database.exec(`update gateway_intent set service_key = '${serviceKey}'`);
  for (const table of ['gateway_intent', 'gateway_batch']) {
    database.exec(`update ${table} set owner = replace(owner, 'earlier:1:', '${hostname()}:${pid}:')`);
  }
}

async function copyRows(from: Libsql.Database, to: Target): Promise<void> {
  const earlierMigrations = gatewayMigrations.slice(0, earlierVersion);
  const database = await openDatabase<object>(to, earlierMigrations, 'gateway');
  for (const table of tables) {
    for (const row of from.prepare(`select * from ${table}`).all().map(withBuffers)) {
      const columns = Object.entries(Object(row)).filter(([name]) => name !== '_metadata');
      const names = sql.join(columns.map(([name]) => sql.ref(name)));
      const values = sql.join(columns.map(([, value]) => value));
      await sql`insert into ${sql.table(table)} (${names}) values (${values})`.execute(database.query);
    }
  }
  await database.close();
}

/** What the service still has of what was under way. */
function addWork({ service }: Upstream): void {
  const isRunning = /^(slow|under|given)/;
  const running = Object.entries({ ...jobs, ...inputJobs }).filter(([name]) => isRunning.test(name));
  for (const [name, id] of running) {
    const job = { id, actionId: 'slow', params: {}, credentialId: undefined, price: 4, refunded: false };
    const script = { data: `late ${name}`, creditsUsed: name.startsWith('slow') ? 2 : 4 };
    service.jobs.set(id, { ...job, startedAt: performance.now(), polls: 0, script });
  }
  const now = new Date().toISOString();
  for (const name of ['finished', 'pending', 'inDoubt'] as const) {
    const { website_url, goal } = buildInputs[name];
    service.builds.push({
      id: builds[name],
      user_id: 'me',
      website_url,
      domain: new URL(website_url).hostname,
      goal,
      visibility: 'private',
      status: 'pending',
      credits_charged: 25,
      created_at: now,
      updated_at: now,
    });
  }
  service.finishBuild(builds.finished, { action_id: 'finished-prices', catalog_slug: 'finished' });
}
