/** What `svc-mcp doctor` says about the databases, and calls about the same faults. Needs `dist/`. */
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { hasPostgres } from '../support/postgres.ts';
import { type Environment, environmentOf } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';

const createDatabase = useDatabases();
afterEach(closeGateways);

async function start() {
  const upstream = await scriptedUpstream({
    actions: [
      { action_id: 'shop-list', catalog_slug: 'shop', name: 'List', credits: 3, job: { data: { n: 1 } } },
    ],
  });
  const folder = await temporaryFolder();
  return { upstream, folder, environment: environmentOf(upstream, folder) };
}

/** A store that a call has made. */
async function startWithStore() {
  const { upstream, folder, environment } = await start();
  expect((await runHere(['call', 'shop-list'], environment)).code).toBe(0);
  const requests = upstream.requestsTo('submitTask').length;
  const sent = () => upstream.requestsTo('submitTask').length - requests;
  return { folder, environment, sent, file: join(folder, 'gateway.db') };
}

async function storeCheck(environment: Environment, name = 'gateway store') {
  const { stdout, code } = await runHere(['doctor', '--json'], environment);
  const { ok, checks } = JSON.parse(stdout);
  expect(code).toBe(ok ? 0 : 1);
  return checks.find((check: { name: string }) => check.name === name);
}

async function call(environment: Environment) {
  return JSON.parse((await runHere(['call', 'shop-list', '{"q": 2}'], environment)).stdout);
}

/** One full page in the middle. */
async function overwriteMiddle(file: string): Promise<void> {
  const content = await readFile(file);
  content.fill(
    0xa5,
    Math.floor(content.length / 8192) * 4096,
    Math.floor(content.length / 8192) * 4096 + 4096,
  );
  await writeFile(file, content);
}

describe('a store of paid calls', () => {
  it('is checked without being made or changed', async () => {
    const { environment, folder } = await start();
    expect(await storeCheck(environment)).toMatchObject({
      ok: true,
      detail: expect.stringContaining('none yet'),
    });
    expect(await readdir(folder)).not.toContain('gateway.db');
    await runHere(['call', 'shop-list'], environment);
    const before = await readFile(join(folder, 'gateway.db'));
    expect(await storeCheck(environment)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/intact, .* MB, of this version$/),
    });
    expect((await readFile(join(folder, 'gateway.db'))).equals(before)).toBe(true);
  });

  it.each([
    ['that is not a database', (file: string) => writeFile(file, 'not a database'.repeat(1000))],
    ['that was copied half', async (file: string) => truncate(file, (await readFile(file)).length / 2)],
  ])('%s: the doctor and the call say that it is damaged, and nothing is sent', async (_what, damage) => {
    const { environment, file, sent } = await startWithStore();
    await damage(file);
    expect(await storeCheck(environment)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/damaged.*restore it from a backup/),
    });
    const answer = await call(environment);
    expect(answer).toMatchObject({
      error: { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('damaged') },
      next: expect.stringContaining('restore gateway.db from a backup'),
    });
    expect(answer.next).not.toContain('writable');
    expect(sent()).toBe(0);
  });

  it('with one damaged page is named by the doctor, although it opens', async () => {
    const { environment, file } = await startWithStore();
    await overwriteMiddle(file);
    expect(await storeCheck(environment)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('damaged'),
    });
  });

  it('that cannot be opened is to be made writable', async () => {
    const { environment, file } = await startWithStore();
    await rm(file);
    await mkdir(file);
    expect(await storeCheck(environment)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('writable'),
    });
    expect(await call(environment)).toMatchObject({
      error: { code: 'STORE_UNAVAILABLE' },
      next: expect.stringMatching(/^Make the data folder \(SVC_DATA_DIR\) and its files writable/),
    });
  });
});

it('the embedded service has its database checked before it starts', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'service.db'), 'not a database'.repeat(1000));
  expect(await storeCheck({ SVC_DATA_DIR: folder }, 'service store')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('service.db is damaged'),
  });
});

describe.skipIf(!hasPostgres)('a store on PostgreSQL', () => {
  async function startOnPostgres() {
    const { upstream, environment } = await start();
    const url = await createDatabase();
    const run = async (statement: string) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(statement);
      await client.end();
    };
    return { upstream, run, environment: { ...environment, SVC_DATABASE_URL: url } };
  }

  it('answers, and one that takes no writes is named', async () => {
    const { environment, run } = await startOnPostgres();
    expect(await storeCheck(environment)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/PostgreSQL answered in \d+ ms, /),
    });
    await run(`alter database "${new URL(environment.SVC_DATABASE_URL).pathname.slice(1)}"
      set default_transaction_read_only = on`);
    expect(await storeCheck(environment)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('read-only'),
    });
  });

  it('that is away is to be started, never to be made writable', async () => {
    const { environment } = await start();
    const away = { ...environment, SVC_DATABASE_URL: `postgres://canary@127.0.0.1:${await freePort()}/none` };
    const check = await storeCheck(away);
    expect(check).toMatchObject({ ok: false, detail: expect.stringContaining('SVC_DATABASE_URL') });
    expect(check.detail).not.toContain('canary');
    expect(await call(away)).toMatchObject({
      error: { code: 'STORE_UNAVAILABLE' },
      next: expect.stringMatching(/^Start PostgreSQL or correct SVC_DATABASE_URL/),
    });
  });

  it('whose disk is full needs space', async () => {
    const { environment, run, upstream } = await startOnPostgres();
    expect((await runHere(['call', 'shop-list'], environment)).code).toBe(0);
    await run(`create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'no space left' using errcode = '53100'; end $$;
      create trigger fail before insert on gateway_intent for each row execute function fail()`);
    expect(await call(environment)).toMatchObject({
      error: { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('disk of the database is full') },
      next: expect.stringMatching(/^Free some space/),
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });
});

it('a browser that is not used is a note, not a failure and not ok', async () => {
  const environment = { SVC_DATA_DIR: join(await temporaryFolder(), 'data'), SVC_BROWSER: 'off' };
  const { stdout, code } = await runHere(['doctor'], environment);
  expect(stdout).toMatch(/^note browser +off \(SVC_BROWSER\); pages that need scripts are not read$/m);
  expect(code).toBe(0);
});
