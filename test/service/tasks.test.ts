import { afterEach, expect, test } from 'vitest';
import { RunFailure } from '../../src/service/ports.ts';
import {
  action,
  catalog,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';

const shop = catalog({
  slug: 'shop',
  actions: [
    action({
      action_id: 'list_books',
      credits_per_call: 3,
      parameters: {
        type: 'object',
        properties: { page: { type: 'integer', minimum: 1 } },
        additionalProperties: false,
      },
    }),
    action({ action_id: 'quick', mode: 'sync', credits_per_call: 2 }),
  ],
});

const running: TestService[] = [];
async function start(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService({ catalogs: sourceOf(shop), ...options });
  running.push(service);
  return service;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

test('a task is accepted, runs and is completed', async () => {
  const service = await start();
  const accepted = await service.call('POST', '/task', { action_id: 'list_books', params: { page: 2 } });
  expect(accepted.status).toBe(202);
  expect(accepted.body).toEqual({
    status: 'processing',
    job_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    poll_url: `/v1/svc/jobs/${accepted.body.job_id}`,
  });
  expect(await service.finished(accepted.body.job_id)).toEqual({
    status: 'completed',
    data: { params: { page: 2 } },
    credits_used: 3,
    execution_ms: expect.any(Number),
  });
});

test('a sync action answers with its result', async () => {
  const service = await start();
  const answer = await service.call('POST', '/task', { action_id: 'quick', params: { a: 1 } });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ status: 'completed', data: { params: { a: 1 } }, credits_used: 2 });
});

test('a failed job is refunded', async () => {
  const service = await start({
    runner: {
      run: () => Promise.reject(new RunFailure('The page cannot be read')),
    },
  });
  const accepted = await service.call('POST', '/task', { action_id: 'list_books' });
  expect(await service.finished(accepted.body.job_id)).toEqual({
    status: 'failed',
    error: { code: 'EXECUTION_FAILED', message: 'The page cannot be read' },
    credits_used: 0,
    execution_ms: expect.any(Number),
  });
});

test('the key and the jobs survive a restart', async () => {
  const service = await start();
  const { dataDir } = service;
  const accepted = await service.call('POST', '/task', { action_id: 'list_books' });
  await service.finished(accepted.body.job_id);
  const again = await startTestService({ dataDir, catalogs: sourceOf(shop) });
  expect(again.apiKey).toBe(service.apiKey);
  expect(await again.finished(accepted.body.job_id)).toMatchObject({ status: 'completed' });
  await again.close();
});
