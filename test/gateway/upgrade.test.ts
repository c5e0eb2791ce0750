/**
 * `upgrade/gateway-72feb6c.db` was written by commit 72feb6c: runs in every state, a build, kept results and tasks,
 * copied while one request was under way. Owner and principal were replaced in it, and times are moved up to now here.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import type { Gateway } from '../../src/gateway/interface/gateway.ts';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';
import {
  callContext,
  closeGateways,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../support/gateway.ts';
import type { Upstream } from '../support/upstream.ts';

const submitted = '316d8828-62f8-4073-85d3-f96cd1e48ef9';
const submittedByTask = 'f2de0cff-0c25-413d-98df-12a1d1f59080';
const buildId = '8cb795be-3775-421a-8822-ef3b7d6048d1';
const tasks = {
  finished: 'ljJdIlxX-oL06AeCP8eXZUCO',
  underWay: 'Zbx9qdPWOmq-e_fp8bI1PBmq',
};
const times = {
  gateway_intent: ['deadline', 'created_at', 'submitted_at', 'finished_at', 'delivered_at'],
  gateway_result: ['kept_at'],
  gateway_handle: ['created_at', 'expires_at'],
};
const Newest = z.object({ newest: z.number() });

let upstream: Upstream;
let gateway: Gateway;
beforeEach(async () => {
  upstream = await scriptedUpstream({
    actions: [
      { action_id: 'list', credits: 3 },
      { action_id: 'slow', credits: 4 },
      { action_id: 'failing', credits: 5 },
      { action_id: 'inline', credits: 6, mode: 'sync' },
      { action_id: 'large', credits: 7 },
    ],
  });
  const folder = await temporaryFolder();
  const file = join(folder, 'gateway.db');
  await copyFile(join(import.meta.dirname, 'upgrade/gateway-72feb6c.db'), file);
  const database = new Libsql(file);
  const newest = 'select max(created_at) as newest from gateway_intent';
  const shift = Date.now() - 10_000 - Newest.parse(database.prepare(newest).get()).newest;
  const { id } = createPrincipal(upstream.origin, upstream.apiKey);
  for (const [table, columns] of Object.entries(times)) {
    const moved = columns.map((column) => `${column} = ${column} + ${shift}`);
    database.exec(`update ${table} set principal = '${id}', ${moved.join(', ')}`);
  }
  database.close();
  for (const job of [submitted, submittedByTask]) addJob(job);
  gateway = openGateway(upstream, folder).gateway;
});
afterEach(closeGateways);

/** What the service still knows of the jobs that were under way. */
function addJob(id: string): void {
  const job = { id, actionId: 'slow', params: {}, credentialId: undefined, price: 4, refunded: false };
  upstream.service.jobs.set(id, { ...job, startedAt: performance.now(), polls: 0, script: { data: 'late' } });
}
const run = async (action_id: string, q: number) =>
  (await gateway.runAction({ action_id, params: { q } }, callContext())).body;
const read = async (job_id: string) => (await gateway.getJob({ job_id }, callContext())).body;
const sent = () => upstream.requestsTo('submitTask').length;

it('every paid call of the earlier version is listed', async () => {
  const { body } = await gateway.getJob({}, callContext());
  const { jobs } = z.object({ jobs: z.array(z.looseObject({ status: z.string() })) }).parse(body);
  const states = ['unknown', 'processing', 'completed', 'processing', 'unknown', 'refused', 'lost'];
  expect(jobs.map(({ status }) => status)).toEqual([
    ...states,
    ...['processing', 'completed', 'completed', 'failed', 'completed', 'completed'],
  ]);
});

it('kept results are read without asking the service', async () => {
  const data = { params: { q: 1 } };
  expect(await read('a79a73ee-25e6-4c59-a3b7-4a312ed49b4a')).toMatchObject({ status: 'completed', data });
  expect(await read('19614829-c487-40fb-90cf-a00bcd4a8ba6')).toMatchObject({ status: 'failed' });
  expect(await read('local-cc24cafa-e910-48c3-b9f8-53818fa7a7a6')).toMatchObject({ data: 'inline' });
  expect(await read('2b308cda-c881-413b-8815-0938b26b411d')).toMatchObject({
    status: 'completed',
    truncated: { total_chars: 100_002 },
  });
  expect(upstream.requestsTo('getJob')).toHaveLength(0);
});

it('the same calls attach, or report that they are unknown or lost, and are not sent again', async () => {
  expect(await run('list', 2)).toMatchObject({
    status: 'completed',
    attached: true,
    data: { params: { q: 2 } },
  });
  expect(await run('large', 5)).toMatchObject({ status: 'completed', attached: true });
  expect(await run('slow', 6)).toMatchObject({ attached: true, job_id: submitted, data: 'late' });
  expect(await run('slow', 7)).toMatchObject({ error: { code: 'JOB_LOST', credits_at_stake: 4 } });
  // One was in doubt already; the sender of the other one is gone.
  for (const q of [9, 12]) {
    expect(await run('list', q)).toMatchObject({ status: 'unknown', error: { code: 'SUBMISSION_UNKNOWN' } });
  }
  expect(sent()).toBe(0);
  // Refused before, so it is a new call.
  expect(await run('list', 8)).toMatchObject({ status: 'completed', credits_used: 3 });
  expect(sent()).toBe(1);
});

it('a build under way is joined', async () => {
  upstream.service.builds.push({
    id: buildId,
    user_id: 'me',
    domain: 'new.example',
    visibility: 'private',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    website_url: 'https://new.example/',
    goal: 'List the prices',
    status: 'pending',
    credits_charged: 25,
  });
  const input = { website_url: 'https://new.example/', goal: 'List the prices' };
  const joined = gateway.requestBuild(input, callContext());
  await upstream.waitForRequests('listBuildRequests', 1);
  upstream.service.finishBuild(buildId, { action_id: 'new-prices', catalog_slug: 'new' });
  expect((await joined).body).toMatchObject({ status: 'success', attached: true });
  expect(upstream.requestsTo('requestBuild')).toHaveLength(0);
});

it('tasks still return their results', async () => {
  const look = async (id: string) =>
    gateway.tasks.look(id, { signal: new AbortController().signal, waitMs: 10_000 });
  expect(await look(tasks.finished)).toMatchObject({
    task: { state: 'completed' },
    outcome: { body: { data: { params: { q: 10 } } } },
  });
  expect(await look(tasks.underWay)).toMatchObject({
    task: { state: 'completed' },
    outcome: { body: { data: 'late', job_id: submittedByTask } },
  });
  expect(sent()).toBe(0);
});
