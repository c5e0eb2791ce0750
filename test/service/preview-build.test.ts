/** POST /build-request/preview. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { BuildPreview } from '../../src/contract/endpoints.ts';
import type { Builder, PreviewOutcome, PreviewTask } from '../../src/service/foundation/ports.ts';
import { addTestUser, gate, startTestService, type TestService } from '../support/service.ts';

const running: TestService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

const found: PreviewOutcome = {
  ok: true,
  page: { title: 'Boats', url: 'https://boats.example/' },
  candidates: [
    {
      id: 't1',
      kind: 'table',
      rows: 4,
      columns: [{ id: 'c1', label: 'Name', kind: 'text', samples: ['Albatross'] }],
    },
  ],
  shown: [],
  paging: 'a link to the next page',
};

function builderOf(preview: (task: PreviewTask, signal: AbortSignal) => Promise<PreviewOutcome>): Builder {
  return {
    build: async () => ({ built: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
    preview: (task, { signal }) => preview(task, signal),
  };
}

async function start(builder?: Builder): Promise<TestService> {
  const service = await startTestService({ ...(builder && { builder }) });
  running.push(service);
  return service;
}

const website_url = 'https://boats.example/';
const preview = (service: TestService, body: object = {}, headers = {}) =>
  service.call('POST', '/build-request/preview', { website_url, ...body }, headers);

it('a preview shows what the page offers, for free and without a build, and is announced and described', async () => {
  const seen: PreviewTask[] = [];
  const service = await start(
    builderOf(async (task) => {
      seen.push(task);
      return found;
    }),
  );
  const { status, body, headers } = await preview(service, { candidate: 't1' });
  const { ok: _, shown: _kept, ...shown } = found;
  expect([status, body]).toEqual([200, { status: 'ok', ...shown }]);
  expect(BuildPreview.parse(body)).toEqual(body);
  expect(seen).toEqual([
    {
      ...{ websiteUrl: website_url, goal: undefined, candidate: 't1', choose: undefined },
      mayRender: expect.any(Function),
    },
  ]);
  expect(headers.get('svc-extensions')).toBe(
    'idempotency, usage, build-preview, build-choice, build-name, action-edit, credential-user, cost-bound',
  );
  expect((await service.call('GET', '/usage')).body).toMatchObject({ balance: 1_000, spent_today: 0 });
  expect((await service.call('GET', '/build-requests')).body).toMatchObject({ build_requests: [] });

  const { paths } = Object((await service.call('GET', '!/openapi.json')).body);
  expect(paths['/build-request/preview'].post).toMatchObject({
    operationId: 'previewBuild',
    description: 'At most 20 requests per 60 seconds and user.',
    responses: { 200: {}, 400: {}, 401: {}, 422: {}, 429: {} },
  });
  const built = paths['/build-request'].post.requestBody.content['application/json'].schema;
  expect(built.properties.choose).toMatchObject({ required: ['candidate', 'fields'] });
});

it('a preview refuses what a build refuses, without asking the builder', async () => {
  const service = await start(builderOf(() => Promise.reject(new Error('Not to be asked'))));
  await writeFile(join(service.dataDir, 'blocked-websites.txt'), 'boats.example\n');
  for (const [body, code] of [
    [{}, 'BLOCKED_WEBSITE'],
    [{ website_url: 'http://127.0.0.1:9/' }, 'BLOCKED_WEBSITE'],
    [{ website_url: 'ftp://other.example' }, 'INVALID_INPUT'],
    [{ website_url: 5 }, 'INVALID_INPUT'],
    [{ candidate: '' }, 'INVALID_INPUT'],
    [{ website_url: 'https://other.example', goal: 'x'.repeat(4_001) }, 'INVALID_INPUT'],
  ] as const) {
    expect(await preview(service, body)).toMatchObject({ status: 400, body: { error: { code } } });
  }
});

it('a preview passes a choice to the builder and shortens the rows that it shows', async () => {
  const seen: unknown[] = [];
  const service = await start(
    builderOf(async (task) => {
      seen.push(task.choose);
      return { ...found, sample: [{ name: 'A'.repeat(400), price: 10 }] };
    }),
  );
  const choose = { candidate: 't1', fields: { name: 'c1' } };
  const { body } = await preview(service, { choose });
  expect(seen).toEqual([choose]);
  expect(body.sample).toEqual([{ name: `${'A'.repeat(299)}…`, price: 10 }]);
  expect(BuildPreview.parse(body)).toEqual(body);
  expect(await preview(service, { choose: { candidate: 't1' } })).toMatchObject({
    status: 400,
    body: { error: { code: 'INVALID_INPUT' } },
  });
});

it('a preview of a page without data is 422 with its reason; without a builder it is 503', async () => {
  const message = 'The page asks for a sign-in and shows no data.';
  const service = await start(builderOf(async () => ({ ok: false, errorType: 'LOGIN_REQUIRED', message })));
  expect(await preview(service)).toMatchObject({
    status: 422,
    body: { status: 'error', error: { code: 'LOGIN_REQUIRED', message } },
  });
  expect(await preview(await start())).toMatchObject({
    status: 503,
    body: { error: { code: 'BUILDER_NOT_AVAILABLE' } },
  });
});

it('a user may have two previews at once and twenty a minute; other users are not held up', async () => {
  const { wait, open } = gate();
  let reached = 0;
  const service = await start(
    builderOf(() => {
      reached += 1;
      return wait().then(() => found);
    }),
  );
  const other = await addTestUser(service, 'other');
  const underWay: Promise<unknown>[] = [];
  underWay.push(preview(service), preview(service));
  await expect.poll(() => reached).toBe(2);
  expect(await preview(service)).toMatchObject({
    status: 429,
    body: { error: { code: 'PREVIEW_LIMIT_REACHED' } },
  });
  underWay.push(preview(service, {}, other.headers));
  open();
  expect(await Promise.all(underWay)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
  const codes: unknown[] = [];
  while (codes.length < 20 && !codes.includes('RATE_LIMITED'))
    codes.push(Object((await preview(service)).body.error).code ?? 'ok');
  expect(codes.at(-1)).toBe('RATE_LIMITED');
  expect((await preview(service, {}, other.headers)).status).toBe(200);
});

it('the first twenty previews of a minute are served, the next one is not', async () => {
  const service = await start(builderOf(async () => found));
  for (let count = 1; count <= 20; count++) expect((await preview(service)).status).toBe(200);
  expect(await preview(service)).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
});

it('a preview ends when nobody waits for it, and its place is free again', async () => {
  const { wait, open, reached } = gate();
  const ended: unknown[] = [];
  const service = await start(
    builderOf(async (_, signal) => {
      await Promise.race([
        wait(),
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended.push(signal.reason);
            reject(signal.reason);
          });
        }),
      ]);
      return found;
    }),
  );
  const leaving = new AbortController();
  const asked = fetch(`${service.baseUrl}/v1/svc/build-request/preview`, {
    method: 'POST',
    headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ website_url }),
    signal: leaving.signal,
  });
  await reached;
  leaving.abort();
  await expect(asked).rejects.toThrow('aborted');
  await expect.poll(() => ended.length).toBe(1);
  open();
  expect(await Promise.all([preview(service), preview(service)])).toMatchObject([
    { status: 200 },
    { status: 200 },
  ]);
});
