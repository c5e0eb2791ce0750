/** A data folder of another version is refused by every command; one of this version opens. Needs `dist/`. */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import Libsql from 'libsql';
import { afterEach, expect, it } from 'vitest';
import { program } from '../../src/cli/program.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { statement } from '../../src/store/statement.ts';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { hasPostgres } from '../support/postgres.ts';
import { connectProgram, endPrograms, runProgram, spawnProgram } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});
const createDatabase = useDatabases({ isEmpty: true });

/** Every command line that ends in a command, with a value for each argument without a default. */
function commandLines(command: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  if (command.commands.length > 0 && path.at(-1) !== 'http' && path.at(-1) !== 'service')
    return command.commands.flatMap((one) => commandLines(one, [...path, one.name()]));
  const values = command.registeredArguments.flatMap(({ defaultValue, argChoices }) =>
    defaultValue === undefined ? [argChoices?.[0] ?? '1'] : [],
  );
  const below = command.commands.flatMap((one) => commandLines(one, [...path, one.name()]));
  return [[...path, ...values], ...below];
}

async function contentOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'base64')] as const),
  );
}

/** A folder as a process of before 0.2.0 leaves it that is killed: with a log, and a setting that is gone. */
async function earlierFolder(): Promise<string> {
  const folder = await temporaryFolder();
  for (const owner of ['gateway', 'service']) {
    const file = join(folder, `${owner}.db`);
    const connection = new Libsql(`${file}.live`);
    connection.exec('pragma journal_mode = wal');
    connection.exec(`create table ${owner}_schema_version (version integer not null)`);
    connection.exec(`insert into ${owner}_schema_version values (15)`);
    for (const end of ['', '-wal']) {
      await writeFile(`${file}${end}`, await readFile(`${file}.live${end}`), { mode: 0o600 });
    }
    connection.close();
  }
  for (const name of await readdir(folder))
    if (name.includes('.live')) await rename(join(folder, name), join(await temporaryFolder(), name));
  await writeFile(join(folder, 'api-key'), 'svc_earlier\n', { mode: 0o600 });
  await writeFile(join(folder, 'config.json'), '{"gone": true}', { mode: 0o600 });
  return folder;
}

it('a folder of before is refused by every command in one sentence, and left as it is', async () => {
  const folder = await earlierFolder();
  const before = await contentOf(folder);
  // The demo has a folder of its own, and a schema is the same in all.
  const lines = commandLines(program()).filter(([name, of]) => name !== 'demo' && of !== 'schema');
  expect(lines.map((line) => line.join(' '))).toEqual(
    expect.arrayContaining(['stdio', 'http', 'service', 'jobs', 'doctor', 'service users list', 'call 1']),
  );
  // One of each kind of command is a process of its own.
  const spawned = new Set(['stdio', 'http', 'service', 'jobs']);
  for (const line of lines) {
    const run = spawned.has(line.join(' ')) ? runProgram : runHere;
    const { code, stdout, stderr } = await run(line, { SVC_DATA_DIR: folder });
    const isDoctor = line[0] === 'doctor';
    const told = isDoctor ? stdout : stderr;
    expect([line, code, told]).toEqual([
      line,
      1,
      expect.stringMatching(
        `The data folder ${folder} \\(gateway.db\\) was written by another version of svc-mcp and is left as it is: use that version, or set SVC_DATA_DIR to another folder\n$`,
      ),
    ]);
    if (!isDoctor) expect([stdout, stderr.split('\n')]).toEqual(['', [expect.any(String), '']]);
    expect(await contentOf(folder)).toEqual(before);
  }
}, 180_000);

it('a folder of this version opens after its process was killed, with nothing lost', async () => {
  const folder = await temporaryFolder();
  const environment = { SVC_DATA_DIR: folder };
  const { client, pid } = await connectProgram('legacy', environment);
  const answer = await client.callTool({ name: 'quotes_get', arguments: { id: 1 } });
  expect(answer.structuredContent).toMatchObject({ status: 'completed' });
  process.kill(pid() ?? 0, 'SIGKILL');
  const { code, stdout } = await runProgram(['jobs', '--json'], environment);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    jobs: [{ action_id: 'quotes_get', status: 'completed' }],
  });
}, 60_000);

async function postgresOfBefore(): Promise<{ url: string; sentence: string }> {
  const url = await createDatabase();
  const writer = await openDatabase<object>({ url }, []);
  for (const owner of ['gateway', 'service'])
    await writer.batch([
      statement(`create table ${owner}_schema_version (version integer not null)`),
      statement(`insert into ${owner}_schema_version values (15)`),
    ]);
  await writer.close();
  const { host, pathname } = new URL(url);
  return { url, sentence: `The PostgreSQL database ${host}${pathname} was written by` };
}

const remote = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'k' };

it.skipIf(!hasPostgres)(
  'a PostgreSQL database of before is refused by every command, also with a remote service',
  async () => {
    const { url, sentence } = await postgresOfBefore();
    const environment = { SVC_DATA_DIR: await temporaryFolder(), SVC_DATABASE_URL: url, ...remote };
    for (const line of ['tools', 'doctor', 'jobs', 'http', 'service users list']) {
      const run = line === 'http' ? runProgram : runHere;
      const { code, stdout, stderr } = await run(line.split(' '), environment);
      expect([line, code, `${stdout}${stderr}`]).toEqual([line, 1, expect.stringContaining(sentence)]);
    }
  },
);

it.skipIf(!hasPostgres)(
  'a PostgreSQL database of before is told by every call over stdio, and on stderr',
  async () => {
    const { url, sentence } = await postgresOfBefore();
    const environment = { SVC_DATA_DIR: await temporaryFolder(), SVC_DATABASE_URL: url, ...remote };
    const { client } = await connectProgram('legacy', environment);
    for (const name of ['search_actions', 'get_job']) {
      const { isError, structuredContent } = await client.callTool({ name, arguments: {} });
      expect([isError, JSON.stringify(structuredContent)]).toEqual([true, expect.stringContaining(sentence)]);
    }
    const { err } = spawnProgram([], environment);
    await expect.poll(err).toContain(sentence);
  },
);
