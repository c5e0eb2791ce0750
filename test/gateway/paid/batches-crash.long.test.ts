/**
 * A real death (SIGKILL) at the crash points that `src/gateway/paid/group-rows.ts` lists. Afterwards whoever waits
 * for the batch, by its id or by the same call, runs what is left: no input is paid twice, and none is lost.
 */
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import {
  callContext,
  closeGateways,
  openGateway,
  openStore,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';
import { connectProgram, endPrograms, environmentOf } from '../../support/program.ts';
import { rawRequests, takesTasks } from '../../support/tasks.ts';
import type { Upstream } from '../../support/upstream.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const count = 12;
const batch = Array.from({ length: count }, (_, n) => ({ n }));
const actions = [
  {
    action_id: 'shop-list',
    catalog_slug: 'shop',
    credits: 3,
    job: (params: unknown) => ({ data: { of: Object(params).n }, polls: 1 }),
  },
];

const rowsOf = (body: JsonObject): readonly JsonObject[] => (Array.isArray(body.rows) ? body.rows : []);
const inputOf = (row: { readonly params?: unknown }): number => Number(Object(row.params).n);

async function call(client: Client, name: string, args: JsonObject): Promise<JsonObject> {
  const { structuredContent } = await client.callTool({ name, arguments: args });
  return { ...Object(structuredContent) };
}

/** How often each input was sent. */
function sent(upstream: Upstream): number[] {
  const requests = upstream.requestsTo('submitTask').map(({ body }) => inputOf(Object(body)));
  return batch.map(({ n }) => requests.filter((input) => input === n).length);
}

async function expectTruth(body: JsonObject, upstream: Upstream): Promise<void> {
  const accepted = new Set([...upstream.service.jobs.values()].map((job) => inputOf(job)));
  const counts = sent(upstream);
  for (const row of rowsOf(body)) {
    const input = inputOf(row);
    expect(counts[input]).toBeLessThanOrEqual(1);
    if (row.status === 'completed') expect(row).toMatchObject({ data: { of: input } });
    else if (row.status === 'not_sent') expect(accepted).not.toContain(input);
    else expect(row).toMatchObject({ status: 'unknown', next: expect.stringContaining('"resubmit":true') });
  }
  const told = rowsOf(body).filter(({ status }) => status !== 'not_sent');
  for (const input of accepted) expect(told.map(inputOf)).toContain(input);
}

it.each([
  ['submitTask', 1],
  ['submitTask', 4],
  ['submitTask', 9],
  ['getJob', 2],
  ['getJob', 14],
  ['getJob', 24],
] as const)(
  'a death at %s number %i loses no input and pays none twice',
  async (endpoint, number) => {
    const upstream = await scriptedUpstream({ actions });
    const folder = await temporaryFolder();
    const environment = { ...environmentOf(upstream, folder), SVC_WAIT_SECONDS: '40' };
    // The request at which it dies has no answer yet: it is in doubt, or its job is.
    upstream.fail(endpoint, { kind: 'hang', carriedOut: true }, { times: 1, after: number - 1 });
    const first = await connectProgram('auto', environment);
    const dying = call(first.client, 'run_action', { action_id: 'shop-list', batch }).catch(() => undefined);
    await upstream.waitForRequests(endpoint, number);
    process.kill(first.pid() ?? 0, 'SIGKILL');
    await dying;

    const { query } = await openStore(folder);
    const written = await query.selectFrom('gateway_group').selectAll().execute();
    expect(written).toHaveLength(1);
    const { client } = await connectProgram('auto', environment);
    // Another one repeats the call: a later message of the first would show that it has read the batch.
    const { client: other } = await connectProgram('auto', environment);
    const read = await call(client, 'get_job', { job_id: written[0]?.id, wait_seconds: 40 });
    expect(rowsOf(read)).toHaveLength(count);
    await expectTruth(read, upstream);
    // Whoever waits goes on with what was planned.
    expect(rowsOf(read).filter(({ status }) => status === 'not_sent')).toEqual([]);

    const listed = await call(other, 'get_job', {});
    const entry = {
      job_id: written[0]?.id,
      kind: 'batch',
      rows_total: count,
      rows_completed: read.rows_completed,
    };
    expect(listed.jobs).toContainEqual(expect.objectContaining(entry));

    const again = await call(other, 'run_action', { action_id: 'shop-list', batch });
    await expectTruth(again, upstream);
    expect(rowsOf(again).filter(({ status }) => status === 'not_sent')).toEqual([]);
    expect(again.batch_id).toBe(written[0]?.id);
  },
  90_000,
);

it('a death after the end, before the rows were read, leaves them to the task, the batch id and the same call', async () => {
  // Longer than a call waits before it becomes a task.
  const slow = { ...actions[0], action_id: 'shop-list', job: { ms: 1_200, data: {} } };
  const upstream = await scriptedUpstream({ actions: [slow] });
  const folder = await temporaryFolder();
  const connect = () =>
    connectProgram({ pin: '2026-07-28' }, environmentOf(upstream, folder), { capabilities: takesTasks });
  const first = await connect();
  const run = { name: 'run_action', arguments: { action_id: 'shop-list', batch } };
  const begun = await rawRequests(first.client)('tools/call', run);
  const { taskId, ...task } = Object(begun.result);
  expect(task).toMatchObject({ status: 'working', statusMessage: expect.stringContaining('batch of 12') });
  const { query } = await openStore(folder);
  const finished = () =>
    query.selectFrom('gateway_intent').select('id').where('finished_at', 'is not', null).execute();
  await expect.poll(() => finished()).toHaveLength(count);
  process.kill(first.pid() ?? 0, 'SIGKILL');
  const [batchRow] = await query.selectFrom('gateway_group').select('id').execute();

  const { client } = await connect();
  const ask = rawRequests(client);
  expect((await ask('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'completed' });
  const listed = await call(client, 'get_job', {});
  expect(listed).toMatchObject({ total: 1, jobs: [{ job_id: batchRow?.id, status: 'completed' }] });
  const again = await call(client, 'run_action', run.arguments);
  expect(again).toMatchObject({ batch_id: batchRow?.id, rows_completed: count });
  const { result } = await ask('tasks/get', { taskId });
  expect(Object(result?.result).structuredContent).toMatchObject({
    batch_id: batchRow?.id,
    rows_completed: count,
  });
  expect(sent(upstream)).toEqual(batch.map(() => 1));
}, 60_000);

/** A batch of which the rows from `position` on are planned, as a death after they were written leaves it. */
async function dieBefore(position: number) {
  const { gateway, upstream, folder } = await startGateway({ actions });
  const input = { action_id: 'shop-list', batch };
  const { body } = await gateway.runBatch(input, callContext());
  const { query } = await openStore(folder);
  const members = await query
    .selectFrom('gateway_member')
    .selectAll()
    .where('position', '>=', position)
    .execute();
  for (const { row_id, params } of members) {
    await query
      .updateTable('gateway_intent')
      .set({
        ...{ state: 'planned', charged: 0, owner: 'elsewhere:1:x', deadline: 0 },
        ...{ job_id: null, outcome: null, duration_ms: null, submitted_at: null, finished_at: null },
        input: JSON.stringify({ params: JSON.parse(params) }),
      })
      .where('id', '=', row_id)
      .execute();
  }
  const open = () => openGateway(upstream, folder).gateway;
  return { upstream, input, id: String(body.batch_id), open };
}

it.each([['its id'], ['the same call']])(
  'a death after the batch was written, before anything of it was begun, leaves every input to %s',
  async (way) => {
    const { upstream, input, id, open } = await dieBefore(0);
    const next = open();
    const { body } =
      way === 'its id'
        ? await next.getJob({ job_id: id }, callContext())
        : await next.runBatch(input, callContext());
    expect(body).toMatchObject({ batch_id: id, rows_completed: count, credits_used: 3 * count });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2 * count);
  },
);

it('two processes that find the same dead batch run what is left once', async () => {
  const half = batch.length / 2;
  const { upstream, input, id, open } = await dieBefore(half);
  const answers = await Promise.all([
    open().runBatch(input, callContext()),
    open().getJob({ job_id: id }, callContext()),
  ]);
  for (const answer of answers) {
    expect(answer.body).toMatchObject({ batch_id: id, rows_completed: count });
  }
  expect(upstream.requestsTo('submitTask')).toHaveLength(count + half);
  await expect.poll(() => upstream.service.jobs.size).toBe(count + half);
});
