import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import { engines } from '../support/postgres.ts';
import {
  action,
  addTestUser,
  catalog,
  gate,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';

const shop = catalog({
  slug: 'shop',
  actions: [
    action({ action_id: 'books', credits_per_call: 3 }),
    action({ action_id: 'quick', mode: 'sync', credits_per_call: 2 }),
    action({ action_id: 'dear', credits_per_call: 60 }),
  ],
});
const key = { 'idempotency-key': 'intent-1' };
const buildBody = { website_url: 'https://new.example', goal: 'all', force: true };

const createDatabase = useDatabases();

const running: TestService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

describe.each(engines)('on %s', (engine) => {
  async function start(options: TestServiceOptions = {}): Promise<TestService> {
    const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined;
    const service = await startTestService({ catalogs: sourceOf(shop), databaseUrl, ...options });
    running.push(service);
    return service;
  }
  const balanceOf = async (service: TestService) => (await readMoney(service)).balances.default;

  it('twenty tasks with one key at the same time are one job and one charge', async () => {
    const service = await start();
    const bodies = [
      { action_id: 'books', params: { a: 1, b: [2, { c: 3, d: 4 }] } },
      { params: { b: [2, { d: 4, c: 3 }], a: 1 }, action_id: 'books' },
    ];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => service.call('POST', '/task', bodies[index % 2], key)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await balanceOf(service)).toBe(997);
    await service.finished(answers[0]?.body.job_id);
    const late = await service.call('POST', '/task', bodies[0], key);
    expect([late.status, late.text]).toEqual([202, answers[0]?.text]);
    expect(await balanceOf(service)).toBe(997);
  });

  it('ten builds with one key at the same time are one build and one charge', async () => {
    const service = await start();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.call('POST', '/build-request', buildBody, key)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(new Set(answers.map(({ body }) => Object(body.build_request).id)).size).toBe(1);
    expect((await service.call('GET', '/build-requests')).body.build_requests).toHaveLength(1);
  });

  it('a key belongs to its user, its body and its endpoint', async () => {
    const service = await start();
    const other = await addTestUser(service, 'other');
    const first = await service.call('POST', '/task', { action_id: 'books' }, key);
    const others = await service.call('POST', '/task', { action_id: 'books' }, { ...key, ...other.headers });
    expect([first.status, others.status]).toEqual([202, 202]);
    expect(others.body.job_id).not.toBe(first.body.job_id);
    const refused = await Promise.all([
      service.call('POST', '/task', { action_id: 'books', params: { page: 2 } }, key),
      service.call('POST', '/build-request', buildBody, key),
    ]);
    for (const { status, body } of refused) {
      expect([status, body]).toMatchObject([422, { error: { code: 'IDEMPOTENCY_KEY_REUSED' } }]);
    }
    expect((await readMoney(service)).balances).toEqual({ default: 997, other: 97 });
  });

  it('the key of a refused request can be used again', async () => {
    const service = await start();
    const poor = await addTestUser(service, 'poor', 70);
    const headers = { ...poor.headers, ...key };
    await service.call('POST', '/task', { action_id: 'dear' }, poor.headers);
    const refused = await service.call('POST', '/task', { action_id: 'dear' }, headers);
    expect(refused.status).toBe(402);
    expect((await service.call('POST', '/task', { action_id: 'books' }, headers)).status).toBe(202);
  });

  it('the key is found after a restart, and when the action is gone', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-idempotency-'));
    const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined;
    const catalogs = sourceOf(shop);
    const first = await start({ dataDir, databaseUrl, catalogs });
    const accepted = await first.call('POST', '/task', { action_id: 'books' }, key);
    await first.finished(accepted.body.job_id);
    await first.close();
    catalogs.set();
    const next = await start({ dataDir, databaseUrl, catalogs });
    expect((await next.call('POST', '/task', { action_id: 'books' }, key)).text).toBe(accepted.text);
    await next.close();
    await rm(dataDir, { recursive: true });
  });

  it('a sync action: the repeat gets the job to poll while it runs, and its body afterwards', async () => {
    const { wait, open, reached } = gate();
    const service = await start({ runner: { run: async () => wait().then(() => ({ data: { a: 1 } })) } });
    const first = service.call('POST', '/task', { action_id: 'quick' }, key);
    await reached;
    const meanwhile = await service.call('POST', '/task', { action_id: 'quick' }, key);
    expect([meanwhile.status, meanwhile.body.status]).toEqual([202, 'processing']);
    open();
    expect((await first).body).toMatchObject({ status: 'completed', data: { a: 1 } });
    const repeated = await service.call('POST', '/task', { action_id: 'quick' }, key);
    expect([repeated.status, repeated.text]).toEqual([200, (await first).text]);
    expect(await balanceOf(service)).toBe(998);
  });
});

it.each(['', 'a b', 'ä', 'x'.repeat(256)])('the key %j is refused', async (malformed) => {
  const service = await startTestService({ catalogs: sourceOf(shop) });
  running.push(service);
  const sent = malformed === 'ä' ? '\u00e4' : malformed;
  const { status, body } = await service.call(
    'POST',
    '/task',
    { action_id: 'books' },
    { 'idempotency-key': sent },
  );
  expect([status, body]).toMatchObject([400, { error: { code: 'INVALID_INPUT' } }]);
});

it('every answer below the prefix announces the extensions, and the OpenAPI document describes them', async () => {
  const service = await startTestService({ catalogs: sourceOf(shop) });
  running.push(service);
  const answers = await Promise.all([
    service.call('GET', '/catalog'),
    service.call('GET', '/catalog/none'),
    service.call('GET', '/search', undefined, { 'x-api-key': 'wrong' }),
    service.call('POST', '/task', {}),
  ]);
  for (const { headers } of answers) expect(headers.get('svc-extensions')).toMatch(/^idempotency\b/);
  const { body } = await service.call('GET', '!/openapi.json');
  const { parameters } = Object(body.paths)['/task'].post;
  expect(parameters).toContainEqual(expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }));
});
