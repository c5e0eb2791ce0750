/** The ids that a preview or a failed build showed mean the columns that it showed, for each user, in every process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBuilder } from '../../src/service/builder/builder.ts';
import { rememberShown } from '../../src/service/catalog/shown-columns.ts';
import { Fetcher } from '../../src/service/fetch/fetcher.ts';
import type { ShownCandidate } from '../../src/service/foundation/ports.ts';
import { RecipeRunner } from '../../src/service/recipes/runner.ts';
import { retentionSteps } from '../../src/service/store/retention.ts';
import { dayMs, Sweeper } from '../../src/store/retention.ts';
import { statement } from '../../src/store/statement.ts';
import { useDatabases } from '../support/databases.ts';
import { analysisPool, parsePool } from '../support/page-pools.ts';
import { engines } from '../support/postgres.ts';
import {
  addTestUser,
  type Json,
  startTestService,
  type TestService,
  withDatabase,
} from '../support/service.ts';
import { startWebServer } from '../support/web-server.ts';
import { holding, plain, withDeposit } from './builder/boats.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).reverse()) await close();
});

async function serveBoats() {
  const site = { page: plain, url: '', origin: '' };
  const server = await startWebServer(({ path }, response) =>
    path === '/robots.txt'
      ? response.writeHead(404).end()
      : response.writeHead(200, { 'content-type': 'text/html' }).end(site.page),
  );
  closers.push(() => server.close());
  return Object.assign(site, { url: `${server.origin}/boats`, origin: server.origin });
}

const preview = async (
  service: TestService,
  { url }: { readonly url: string },
  headers = {},
): Promise<Json> =>
  (await service.call('POST', '/build-request/preview', { website_url: url }, headers)).body;

/** The build at its end. */
async function build(
  service: TestService,
  { url }: { readonly url: string },
  choose: unknown,
  headers = {},
): Promise<Json> {
  const asked = { website_url: url, goal: 'Boats', visibility: 'private', force: true, choose };
  expect((await service.call('POST', '/build-request', asked, headers)).status).toBe(201);
  const newest = async () =>
    Object(Object((await service.call('GET', '/build-requests', undefined, headers)).body.build_requests)[0]);
  await expect.poll(async () => (await newest()).status, { timeout: 20_000 }).not.toBe('pending');
  return newest();
}

const createDatabase = useDatabases();

describe.each(engines)('on %s', (engine) => {
  /** Starts a service on the data of the test, as often as it is called. */
  async function startOn(site: { readonly origin: string }) {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-shown-'));
    closers.push(() => rm(dataDir, { recursive: true, force: true }));
    const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined;
    return async () => {
      const fetcher = new Fetcher({ allowOrigins: [site.origin] });
      const runner = new RecipeRunner({ fetcher, parsePool });
      const builder = createBuilder({ fetcher, runner, pool: analysisPool });
      closers.push(() => fetcher.close());
      const service = await startTestService({
        ...{ builder, runner, allowedOrigins: [site.origin], dataDir, databaseUrl },
      });
      closers.push(() => service.close());
      return service;
    };
  }

  it('in another process, after the page has changed', async () => {
    const site = await serveBoats();
    const start = await startOn(site);
    const choose = holding(await preview(await start(), site), { name: 'Albatross', price: '10' });
    site.page = withDeposit;
    expect(await build(await start(), site, choose)).toMatchObject({
      status: 'success',
      sample: [{ name: 'Albatross', price: 10 }, {}, {}],
    });
  });

  it('after a build that failed', async () => {
    const site = await serveBoats();
    const start = await startOn(site);
    const failed = await build(await start(), site, undefined);
    expect(failed).toMatchObject({ status: 'failed', error_type: 'CHOICE_NEEDED' });
    const choose = holding(failed, { name: 'Albatross', price: '10' });
    site.page = withDeposit;
    expect(await build(await start(), site, choose)).toMatchObject({
      sample: [{ name: 'Albatross', price: 10 }, {}, {}],
    });
  });

  it('whatever was shown to another user since', async () => {
    const site = await serveBoats();
    const service = await (await startOn(site))();
    const other = await addTestUser(service, 'other');
    const choose = holding(await preview(service, site), { name: 'Albatross', price: '10' });
    site.page = withDeposit;
    await preview(service, site, other.headers);
    expect(await build(service, site, choose)).toMatchObject({
      sample: [{ name: 'Albatross', price: 10 }, {}, {}],
    });
  });

  it('for a day', async () => {
    const site = await serveBoats();
    const service = await (await startOn(site))();
    const sampleAfter = async (ms: number, { headers }: { headers: Record<string, string> }) => {
      site.page = plain;
      const choose = holding(await preview(service, site, headers), { boat: 'Albatross' });
      await withDatabase(service, (database) =>
        database.batch([statement('update shown_candidates set shown_at = $1', Date.now() - ms)]),
      );
      site.page = withDeposit;
      return (await build(service, site, choose, headers)).sample;
    };
    expect(await sampleAfter(dayMs - 60_000, await addTestUser(service, 'one'))).toMatchObject([
      ...[{ boat: 'Albatross' }, {}, {}],
    ]);
    // Then they are those of the page as it is.
    expect(await sampleAfter(dayMs + 60_000, await addTestUser(service, 'other'))).toMatchObject([
      ...[{ boat: 30 }, {}, {}],
    ]);
    await withDatabase(service, async (database) => {
      const count = async () =>
        (await database.query.selectFrom('shown_candidates').selectAll().execute()).length;
      const sweeper = new Sweeper(database, 'retention', retentionSteps(30), { info() {}, warn() {} });
      expect(await count()).toBeGreaterThan(0);
      await sweeper.sweep(Date.now() + dayMs);
      expect(await count()).toBe(0);
    });
  });

  it('for looks at one page at the same time, in whatever order they show it', async () => {
    const service = await (await startOn({ origin: 'https://boats.example' }))();
    const { id } = await addTestUser(service, 'one');
    const shown = ['r1', 'r2', 'r3', 't1', 't2'].map(
      (candidate): ShownCandidate => ({
        candidate: { id: candidate, kind: 'table', layout: '' },
        columns: {},
      }),
    );
    await withDatabase(service, async (database) => {
      const look = (_: unknown, at: number) =>
        database.batch(
          rememberShown(database, id, 'https://boats.example/', at % 2 === 0 ? shown : shown.toReversed()),
        );
      await Promise.all(Array.from({ length: 200 }, look));
      expect(await database.query.selectFrom('shown_candidates').selectAll().execute()).toHaveLength(5);
    });
  });

  it('for the last 500 candidates of a user', async () => {
    const service = await (await startOn({ origin: 'https://boats.example' }))();
    const [one, other] = [await addTestUser(service, 'one'), await addTestUser(service, 'other')];
    const shown: ShownCandidate = { candidate: { id: 't1', kind: 'table', layout: '' }, columns: {} };
    vi.useFakeTimers({ toFake: ['Date'] });
    await withDatabase(service, async (database) => {
      const show = async (userId: string, number: number) => {
        vi.setSystemTime(number);
        await database.batch(rememberShown(database, userId, `https://boats.example/${number}`, [shown]));
      };
      await show(other.id, 0);
      for (let number = 1; number <= 503; number++) await show(one.id, number);
      const kept = await database.query.selectFrom('shown_candidates').select('shown_at').execute();
      expect(kept.map(({ shown_at }) => shown_at).sort((a, b) => a - b)).toEqual([
        0,
        ...Array.from({ length: 500 }, (_, at) => at + 4),
      ]);
    });
  });
});
