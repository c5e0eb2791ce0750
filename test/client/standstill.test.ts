/** A process that stood still past a deadline: stopped, suspended or starved of its processor. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createHttpClient } from '../../src/client/http-client.ts';
import { failure } from './support.ts';
// Loaded here, because to load it may take longer than the deadline of a request.
import 'undici';

const task = { action_id: 'list-books', params: {} };
const Message = z.object({ port: z.number().optional() });

/** A service in a thread of its own. It says when it has a request, and answers it, if at all, while others stand still. */
const service = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      parentPort.postMessage({});
      if (!workerData.answers) return;
      const job = { status: 'processing', job_id: 'job-1', poll_url: '/v1/svc/jobs/job-1' };
      setTimeout(() => response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(job)), 50);
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }));
`;

let worker: Worker | undefined;
afterEach(async () => {
  await worker?.terminate();
});

async function startService(answers: boolean) {
  const thread = new Worker(service, { eval: true, workerData: { answers } });
  worker = thread;
  const [listening] = await once(thread, 'message');
  const { port } = Message.parse(listening);
  return { thread, api: createHttpClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' }) };
}

/** For 900 ms, with all that this thread runs. */
const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);

/** POST /task with 300 ms; this thread stands still as soon as the service has the request. */
async function submitAndStandStill(answers: boolean) {
  const { thread, api } = await startService(answers);
  const arrived = once(thread, 'message');
  const submitting = api.submitTask(task, { timeoutMs: 300 });
  submitting.catch(() => undefined);
  await arrived;
  standStill();
  return { submitting: submitting.finally(() => api.close()) };
}

it('an answer that arrived while the process stood still past the deadline is read', async () => {
  const { submitting } = await submitAndStandStill(true);
  expect(await submitting).toEqual({ kind: 'accepted', jobId: 'job-1' });
});

it('a call that got no answer meanwhile ends a moment later', async () => {
  const { submitting } = await submitAndStandStill(false);
  expect(await failure(submitting)).toMatchObject({ kind: 'timeout', sent: 'maybe' });
});

it('a request whose connection stands only after the deadline is not sent', async () => {
  const { thread, api } = await startService(true);
  // The first request loads what the client needs.
  const first = once(thread, 'message');
  await api.submitTask(task, { timeoutMs: 10_000 });
  await first;
  let requests = 0;
  thread.on('message', () => {
    requests += 1;
  });
  subscribe('undici:client:beforeConnect', standStill);
  try {
    expect(await failure(api.submitTask(task, { timeoutMs: 300 }))).toMatchObject({
      kind: 'timeout',
      sent: 'no',
    });
  } finally {
    unsubscribe('undici:client:beforeConnect', standStill);
    await api.close();
  }
  expect(requests).toBe(0);
});
