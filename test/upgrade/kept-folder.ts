/**
 * A data folder that a version wrote, kept as text: the statements that make its databases again, and its other files. There
 * is one for each engine. Its times are moved to now when it is unpacked, so that nothing in it has expired.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Libsql from 'libsql';
import * as z from 'zod';
import type { Engine } from '../../src/store/database.ts';
import { openBrowser } from '../support/console.ts';
import { withClient } from '../support/postgres.ts';
import { connectProgram, type Environment, runProgram, spawnProgram } from '../support/program.ts';

/** What the file of `descriptionOf` has. */
export const KeptFolder = z.object({
  /** Milliseconds since the epoch. */
  writtenAt: z.number(),
  /** Contents by name, without the databases and what is fetched again. */
  files: z.record(z.string(), z.string()),
  /** What `readFolder` read from it when it was written. */
  expected: z.record(z.string(), z.unknown()),
});
export type KeptFolder = z.infer<typeof KeptFolder>;

export const databases = ['gateway', 'service'] as const;

export const descriptionOf = (engine: Engine) => (engine === 'sqlite' ? 'folder.json' : 'postgres.json');
/** Both halves are in one database there. */
export const postgresFile = 'postgres.sql';

/** The settings that open a folder, and its database on PostgreSQL. */
export const environmentOf = (folder: string, database?: string): Environment => ({
  SVC_DATA_DIR: folder,
  ...(database !== undefined && { SVC_DATABASE_URL: database }),
});

/** The versions whose folders are kept. */
export async function keptVersions(): Promise<string[]> {
  return (await readdir(import.meta.dirname, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** The statements that make a SQLite file again, with its rows and the hash of its schema. */
export function dumpSqlite(file: string): string {
  const connection = new Libsql(file);
  const all = (text: string) =>
    z.array(z.record(z.string(), z.unknown())).parse(connection.prepare(text).all());
  const made = all(
    `select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by type desc, rowid`,
  );
  const rows = made
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) => {
      const columns = all(`select name from pragma_table_info('${name}')`).map(
        (column) => `quote("${column.name}")`,
      );
      return all(`select ${columns.join(` || ', ' || `)} as row from "${name}"`).map(
        ({ row }) => `insert into "${name}" values (${row});`,
      );
    });
  const [version] = all('pragma user_version');
  connection.close();
  const tables = made.filter(({ type }) => type === 'table').map(({ sql }) => `${sql};`);
  const others = made.filter(({ type }) => type !== 'table').map(({ sql }) => `${sql};`);
  return `${[...tables, ...rows, ...others, `pragma user_version = ${version?.user_version};`].join('\n')}\n`;
}

function makeSqlite(file: string, statements: string): void {
  const connection = new Libsql(file);
  connection.exec('pragma journal_mode = wal');
  connection.exec(`begin; ${statements} commit;`);
  connection.close();
}

const dayMs = 24 * 60 * 60_000;

/** Every time of around `writtenAt` as far from now as it was then. */
function moveTimes(text: string, writtenAt: number, now = Date.now()): string {
  return text.replace(/\b1\d{12}\b/g, (digits) => {
    const time = Number(digits);
    const isTime = time > writtenAt - dayMs && time < writtenAt + 400 * dayMs;
    return isTime ? String(time + now - writtenAt) : digits;
  });
}

/** Everything of a folder but its databases, the lists that are fetched again, and what runs by it. */
export async function readFiles(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter(
    (entry) => entry.isFile() && !/\.db(-wal|-shm)?$|^catalog-\w+\.json$/.test(entry.name),
  );
  const contents = files.map(async ({ parentPath, name }): Promise<[string, string]> => {
    const path = join(parentPath, name);
    return [path.slice(folder.length + 1), await readFile(path, 'utf8')];
  });
  return Object.fromEntries((await Promise.all(contents)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Makes a folder as it was, and fills the empty PostgreSQL `database` if there is one; times are moved to now. */
export async function unpack(version: string, folder: string, database?: string): Promise<KeptFolder> {
  const text = (name: string) => readFile(join(import.meta.dirname, version, name), 'utf8');
  const description = descriptionOf(database === undefined ? 'sqlite' : 'postgres');
  const kept = KeptFolder.parse(JSON.parse(await text(description)));
  const statements = async (name: string) => moveTimes(await text(name), kept.writtenAt);
  if (database === undefined)
    for (const name of databases) makeSqlite(join(folder, `${name}.db`), await statements(`${name}.sql`));
  else {
    const all = await statements(postgresFile);
    await withClient(database, (client) => client.query(all));
  }
  await writeFiles(folder, kept.files);
  return kept;
}

async function writeFiles(folder: string, files: KeptFolder['files']): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, name), content, { mode: 0o600 });
  }
}

/** The tools of a started program. */
export async function openTools(environment: Environment) {
  const { client, pid } = await connectProgram('legacy', environment);
  return {
    call: async (name: string, args: Record<string, unknown> = {}) =>
      z
        .record(z.string(), z.unknown())
        .parse((await client.callTool({ name, arguments: args })).structuredContent),
    names: async () => (await client.listTools()).tools.map((tool) => tool.name),
    kill: () => process.kill(pid() ?? 0, 'SIGKILL'),
    close: () => client.close(),
  };
}

const Jobs = z.object({ jobs: z.array(z.looseObject({ job_id: z.string(), delivered: z.boolean() })) });
const Watches = z.object({ watches: z.array(z.looseObject({ watch_id: z.string() })) });

/** All that users and the operator see of a folder, through the program, without times. An open answer stays open. */
export async function readFolder(environment: Environment): Promise<KeptFolder['expected']> {
  const tools = await openTools(environment);
  // The names of tools are known once the catalog was read.
  await tools.call('search_actions');
  const jobs = await tools.call('get_job');
  const results = [];
  for (const { job_id, delivered } of Jobs.parse(jobs).jobs)
    if (delivered) results.push(await tools.call('get_job', { job_id }));
  const watches = await tools.call('list_watches');
  const told = [];
  for (const { watch_id } of Watches.parse(watches).watches)
    told.push(await tools.call('list_watches', { watch_id }));
  const { balance, by_action } = await tools.call('get_usage');
  const read = {
    balance,
    spent: by_action,
    jobs,
    results,
    watches,
    told,
    accounts: await tools.call('list_identities'),
    builds: await tools.call('list_build_requests'),
    own_tools: (await tools.names()).filter((name) => /^parts|^_127/.test(name)),
  };
  await tools.close();
  const listed = [];
  for (const what of ['users', 'keys', 'accounts', 'builds'])
    listed.push(JSON.parse((await runProgram(['service', what, 'list', '--json'], environment)).stdout));
  const whole = { ...read, operator: listed, ledger: await readLedger(environment) };
  const text = JSON.stringify(whole, withoutWords).replace(
    /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+Z?)?/g,
    'a time',
  );
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}

/** What a version may say in other words, or by the day on which it is asked. */
const withoutWords = (key: string, value: unknown): unknown =>
  ['next', 'note', 'message', 'spent_today', 'credits_spent_today'].includes(key) ? undefined : value;

/** As a person downloads it from the console. */
async function readLedger(environment: Environment): Promise<string[]> {
  const serving = spawnProgram(['service'], environment);
  while (!serving.out().endsWith('\n'))
    await new Promise((resolve) => serving.child.stdout.once('data', resolve));
  const { base_url, api_key } = JSON.parse(serving.out());
  const browser = openBrowser(base_url);
  await browser.signIn(api_key);
  const { html: csv } = await browser.get('/console/usage/ledger.csv');
  serving.child.kill('SIGTERM');
  await serving.exited;
  return csv.trim().split(/\r?\n/);
}
