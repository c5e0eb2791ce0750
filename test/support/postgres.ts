/**
 * A PostgreSQL cluster of the tests' own, in a temporary folder and on a port of its own. The server refuses to run
 * as root, so root hands it to the user `postgres` or `nobody`.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Engine } from '../../src/store/database.ts';
import { freePort } from './free-port.ts';

export interface PostgresCluster {
  /** Of the database that its server has. */
  readonly url: string;
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Cuts every connection, calls `meanwhile`, and starts anew at the same address. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** The newest installed version's programs, or undefined where PostgreSQL is missing. */
async function findPrograms(): Promise<string | undefined> {
  for (const root of ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/pgsql']) {
    const versions = await readdir(root).catch((): string[] => []);
    for (const version of versions.sort().reverse()) {
      const programs = join(root, version, 'bin');
      if ((await readdir(programs).catch((): string[] => [])).includes('initdb')) return programs;
    }
  }
  return undefined;
}

const installed = await findPrograms();
export const hasPostgres = installed !== undefined;
if (!hasPostgres) {
  process.stderr.write('SKIPPED: PostgreSQL is not installed, so these tests run on SQLite only\n');
}

/** The engines that tests run on. */
export const engines: readonly Engine[] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'];

const run = promisify(execFile);

// No test cuts the machine's power, so nothing need reach the disk; and no database grows old enough to be tidied.
const serverSettings = [
  ...['max_connections=500', 'fsync=off', 'full_page_writes=off', 'autovacuum=off'],
  ...['wal_level=minimal', 'max_wal_senders=0'],
].flatMap((setting) => ['-c', setting]);

async function unprivilegedUser(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // The next name.
    }
  }
  throw new Error('PostgreSQL does not run as root, and neither the user postgres nor nobody exists');
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Makes an empty cluster in `folder`: a copy of one that the first test file keeps, since `initdb` takes seconds. */
async function makeCluster(programs: string, folder: string, account: Account | undefined): Promise<string> {
  const data = join(folder, 'data');
  const kept = join(import.meta.dirname, '../../node_modules/.cache/svc-mcp', programs.replace(/\W+/g, '-'));
  if (existsSync(kept)) {
    await run('cp', ['-Rp', kept, data]);
    return data;
  }
  // A write-ahead log of the usual size is most of the copy.
  const args = ['-D', data, '-U', 'svc', '-A', 'trust', '-E', 'UTF8', '--wal-segsize=1', '--no-sync'];
  await run(join(programs, 'initdb'), args, { ...account, cwd: folder });
  await mkdir(dirname(kept), { recursive: true });
  const copy = await mkdtemp(`${kept}-`);
  await run('cp', ['-Rp', data, copy]);
  // Fails where another process was first, and kept the same.
  await rename(join(copy, 'data'), kept).catch(() => undefined);
  await rm(copy, { recursive: true, force: true });
  return data;
}

/** Undefined where PostgreSQL is not installed. */
export async function startPostgres(): Promise<PostgresCluster | undefined> {
  const programs = installed;
  if (programs === undefined) return undefined;
  const user = await unprivilegedUser();
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const data = await makeCluster(programs, folder, user);
  const options = { ...user, cwd: folder };
  const port = await freePort();
  const url = `postgres://svc@127.0.0.1:${port}/postgres`;
  const args = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder, ...serverSettings];
  const start = async () => {
    const started = spawn(join(programs, 'postgres'), args, { ...options, stdio: 'ignore' });
    await untilAnswers(url, started);
    return started;
  };
  let server = await start();
  const end = async () => {
    const ended = once(server, 'exit');
    // Fast shutdown: connections are cut.
    server.kill('SIGINT');
    await ended;
  };
  return {
    url,
    createDatabase: () => createDatabase(url),
    async restart(meanwhile) {
      await end();
      await meanwhile?.();
      server = await start();
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The address of a new database of the cluster with this address: a copy of another one, or empty. */
export async function createDatabase(cluster: string, template = 'template1'): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copied page by page through the log, which is the default, it takes three times as long.
  const copy = `create database ${name} template ${template} strategy file_copy`;
  await withClient(cluster, (client) => client.query(copy));
  return databaseOf(cluster, name);
}

export function databaseOf(cluster: string, name: string): string {
  const address = new URL(cluster);
  address.pathname = name;
  return address.href;
}

/** The statements that make a database again, with its rows and without its owner. */
export async function dumpPostgres(url: string): Promise<string> {
  const args = ['--inserts', '--no-owner', '--no-privileges', url];
  const { stdout } = await run(join(installed ?? '', 'pg_dump'), args, { maxBuffer: 2 ** 26 });
  // The comments name the server's version, and `\restrict` is for `psql` alone.
  return stdout.replace(/^--\n(?:-- .*\n)+--\n\n?|^-- Dumped .*\n\n?|^\\(?:un)?restrict .*\n\n?/gm, '');
}

export async function withClient<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function untilAnswers(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      await withClient(url, (client) => client.query('select 1'));
      return;
    } catch (error) {
      if (Date.now() > deadline || server.exitCode !== null) throw error;
      await delay(50);
    }
  }
}
