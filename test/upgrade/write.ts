/**
 * Writes the data folders of this version below `test/upgrade/`, one for each engine: a run of the real program that pays,
 * builds, watches and signs in. Only for a version that has not been released. Needs `dist/` and PostgreSQL.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { dumpPostgres, startPostgres } from '../support/postgres.ts';
import { endPrograms, runProgram } from '../support/program.ts';
import {
  databases,
  descriptionOf,
  dumpSqlite,
  environmentOf,
  type KeptFolder,
  openTools,
  postgresFile,
  readFiles,
  readFolder,
  unpack,
} from './kept-folder.ts';

const kept = join(import.meta.dirname, manifest.version);

/** What people did with this version. */
async function live(folder: string, database?: string): Promise<void> {
  await mkdir(join(folder, 'catalogs'), { recursive: true });
  await writeFile(join(folder, 'config.json'), '{ "max_credits_per_day": 500 }\n', { mode: 0o600 });
  await copyFile('examples/catalogs/parts-api.json', join(folder, 'catalogs', 'parts-api.json'));
  const environment = environmentOf(folder, database);
  for (const args of [
    ['users', 'add', 'alice', '--credits', '500'],
    ['keys', 'add', 'alice', '--label', 'laptop'],
    ['keys', 'add', 'alice', '--label', 'lost'],
    ['keys', 'revoke', '--user', 'alice', '--label', 'lost'],
  ]) {
    const { code, stderr } = await runProgram(['service', ...args], environment);
    if (code !== 0) throw new Error(stderr);
  }
  const tools = await openTools(environment);
  const work = async (name: string, args: Record<string, unknown>, status = 'completed') => {
    const body = await tools.call(name, args);
    if (body.status !== status && status !== '') throw new Error(`${name}: ${JSON.stringify(body)}`);
    return body;
  };
  await work('quotes_get', { id: 1 });
  const { data } = await work('bookshop_list_books', {});
  await work('run_action', { action_id: 'quotes_get', batch: [{ id: 2 }, { id: 3 }] });
  await work(
    'login',
    { catalog: 'members', identity_name: 'home', params: { username: 'demo', password: 'demo' } },
    'verified',
  );
  await work('members_orders', {});
  const { origin } = new URL(String(Object(data).source_url));
  const choose = { candidate: 't1', fields: { station: 'c1', temperature: 'c4' } };
  await work(
    'request_build',
    {
      website_url: `${origin}/stations/`,
      goal: 'Stations',
      name: 'stations',
      choose,
    },
    'success',
  );
  await work(
    'request_build',
    { website_url: `${origin}/stations/nosuch`, goal: 'Stations', force: true },
    'failed',
  );
  const action_id = 'site-127-0-0-1_stations';
  await work('edit_action', { action_id, name: 'All stations' }, 'edited');
  await work('watch', { action_id, every: '1h', key: 'station', max_credits: 30 }, '');
  // Its answer is not confirmed: the program is killed first.
  await work('quotes_get', { id: 4 });
  tools.kill();
  await tools.close();
}

/** Rows name the process that sent them, and its machine. */
const withoutMachine = (statements: string) => statements.replaceAll(`'${hostname()}:`, "'host:");

/** Where there are databases, lives in the first and opens what was kept of it in the second. */
async function write(database?: string, copied?: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-upgrade-'));
  const copy = await mkdtemp(join(tmpdir(), 'svc-upgrade-'));
  const description = join(kept, descriptionOf(database === undefined ? 'sqlite' : 'postgres'));
  const save = (whole: KeptFolder) => writeFile(description, `${JSON.stringify(whole, undefined, 2)}\n`);
  try {
    await live(folder, database);
    const whole: KeptFolder = { writtenAt: Date.now(), files: await readFiles(folder), expected: {} };
    if (database === undefined)
      for (const name of databases)
        await writeFile(join(kept, `${name}.sql`), withoutMachine(dumpSqlite(join(folder, `${name}.db`))));
    else await writeFile(join(kept, postgresFile), withoutMachine(await dumpPostgres(database)));
    await save(whole);
    await unpack(manifest.version, copy, copied);
    await save({ ...whole, expected: await readFolder(environmentOf(copy, copied)) });
  } finally {
    await endPrograms();
    await Promise.all([folder, copy].map((one) => rm(one, { recursive: true, force: true })));
  }
}

const cluster = await startPostgres();
if (cluster === undefined) throw new Error('PostgreSQL is not installed');
await mkdir(kept, { recursive: true });
try {
  await write();
  await write(await cluster.createDatabase(), await cluster.createDatabase());
} finally {
  await cluster.stop();
}
