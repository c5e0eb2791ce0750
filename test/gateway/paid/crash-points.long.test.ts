/**
 * A real death (SIGKILL) at every crash point that `src/gateway/paid/paid-rows.ts` lists, held there by a proxy, a
 * locked store or an unread pipe. Afterwards the same call is made again by a new process: paid once, or said.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import type { PaidRow } from '../../../src/gateway/store/schema.ts';
import { GatewayProcess } from '../../chaos/gateway-processes.ts';
import { databaseFile, type Place } from '../../chaos/tested-gateway.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { closeGateways, openStore, scriptedUpstream, temporaryFolder } from '../../support/gateway.ts';
import type { Upstream } from '../../support/upstream.ts';

const program = resolve('dist/cli/main.js');
const call = { action_id: 'report', params: { month: 5 }, resubmit: false };
const large = 'x'.repeat(4_000_000);

let upstream: Upstream;
let proxy: FaultProxy;
let place: Place;
const processes: GatewayProcess[] = [];

beforeEach(async () => {
  upstream = await scriptedUpstream({
    actions: [
      { action_id: 'report', credits: 9 },
      { action_id: 'private', credits: 9, auth_mode: 'optional' },
      { action_id: 'inline', credits: 9, mode: 'sync' },
      { action_id: 'large', credits: 9, job: { data: large } },
    ],
  });
  proxy = await startFaultProxy(upstream.origin);
  place = {
    baseUrl: proxy.origin,
    apiKey: upstream.apiKey,
    dataDir: await temporaryFolder(),
    databaseUrl: undefined,
    maxCreditsPerDay: undefined,
    // A loaded machine keeps it.
    waitSeconds: 30,
  };
});
afterEach(async () => {
  await proxy.reset();
  for (const running of processes.splice(0)) await running.close();
  await proxy.close();
  await closeGateways();
});

function startProcess(): GatewayProcess {
  const started = new GatewayProcess(place, program);
  processes.push(started);
  return started;
}

async function ask(gateway: GatewayProcess, input: typeof call): Promise<JsonObject | undefined> {
  let answer: JsonObject | undefined;
  await gateway.run(input)((body) => {
    answer = body;
  }, {});
  return answer;
}

async function listed(gateway: GatewayProcess): Promise<JsonObject | undefined> {
  let answer: JsonObject | undefined;
  await gateway.getJob(undefined)((body) => {
    answer = body;
  }, {});
  return answer;
}

async function rows(): Promise<PaidRow[]> {
  const database = await openStore(place.dataDir);
  return database.query.selectFrom('gateway_intent').selectAll().orderBy('created_at').execute();
}

const accepted = () => upstream.service.jobs.size;

/** The first look may find the end, so that the service took the request is written a moment after it. */
const untilAccepted = () => expect.poll(rows).toMatchObject([{ state: 'submitted' }]);

const unknown = {
  status: 'unknown',
  error: expect.objectContaining({ code: 'SUBMISSION_UNKNOWN', credits_at_stake: 9 }),
  next: expect.stringContaining('resubmit'),
};

it('1: dies before the row is written; the call is new', async () => {
  const gateway = startProcess();
  const input = { ...call, action_id: 'private', identity: 'me' };
  const held = proxy.hold('identities', 'before');
  const dying = ask(gateway, input);
  await held.reached;
  await gateway.kill();
  held.release();
  expect(await dying).toBeUndefined();
  expect(proxy.posts).toHaveLength(0);
  const again = await ask(gateway, { ...call, action_id: 'private' });
  expect(again).toMatchObject({ status: 'completed', credits_used: 9 });
  expect(again).not.toHaveProperty('attached');
  expect(accepted()).toBe(1);
});

it('1: dies while it waits for a run that shows the cost; nothing is written, and the call is new', async () => {
  // Under a limit the first run of an action goes alone: it shows what one costs.
  place = { ...place, maxCreditsPerDay: 100 };
  const [first, waiting] = [startProcess(), startProcess()];
  await Promise.all([listed(first), listed(waiting)]);
  const held = proxy.hold('task', 'before');
  const other = ask(first, { ...call, params: { month: 4 } });
  await held.reached;
  const prices = upstream.requestsTo('getCatalog').length;
  const dying = ask(waiting, call);
  // It has read the price, and looks for the end of the other one every quarter of a second.
  await expect.poll(() => upstream.requestsTo('getCatalog').length).toBeGreaterThan(prices);
  await delay(500);
  await waiting.kill();
  expect(await dying).toBeUndefined();
  expect((await rows()).map(({ state }) => state)).toEqual(['intended']);
  held.release();
  expect(await other).toMatchObject({ status: 'completed' });
  expect(await ask(startProcess(), call)).toMatchObject({ status: 'completed', credits_used: 9 });
  expect(await rows()).toHaveLength(2);
  expect(accepted()).toBe(2);
});

describe('3: dies after the row is written', () => {
  it.each([
    // What the dead process left in the socket's buffer may still arrive: nobody knows, which is the point.
    ['before the request is read', 'connection', 'before', [0, 1]],
    ['before the service gets the request', 'task', 'before', [0]],
    ['before the answer comes', 'task', 'after', [1]],
  ] as const)('%s; the answer says unknown, and nothing is sent again', async (_, route, point, possible) => {
    const gateway = startProcess();
    // The connection of the catalog stands before the next one is held; a list of jobs does not wait for it.
    await listed(gateway);
    await upstream.waitForRequests('listCatalogs', 1);
    const held = proxy.hold(route, point);
    const dying = ask(gateway, call);
    await held.reached;
    await gateway.kill();
    expect(await dying).toBeUndefined();

    for (let time = 0; time < 2; time += 1) expect(await ask(gateway, call)).toMatchObject(unknown);
    const taken = accepted();
    expect(possible).toContain(taken);

    expect(await ask(gateway, { ...call, resubmit: true })).toMatchObject({ status: 'completed' });
    expect(accepted()).toBe(taken + 1);
  });

  // The list reads rows as they are stored: a dead sender shows only once somebody makes the call again.
  it('the list says unknown, though nobody has made the call again', async () => {
    const gateway = startProcess();
    await listed(gateway);
    const held = proxy.hold('task', 'before');
    const dying = ask(gateway, call);
    await held.reached;
    await gateway.kill();
    await dying;
    expect(await listed(gateway)).toMatchObject({
      jobs: [{ status: 'unknown', credits: 9 }],
      credits_spent_today: 9,
    });
  });

  it('with another process attached to the call, which answers unknown at once', async () => {
    const [dying, other] = [startProcess(), startProcess()];
    await Promise.all([listed(dying), listed(other)]);
    const held = proxy.hold('task', 'before');
    const lost = ask(dying, call);
    await held.reached;
    const attached = ask(other, call);
    await dying.kill();
    await lost;
    expect([await attached, await ask(other, call)]).toContainEqual(expect.objectContaining(unknown));
    expect(accepted()).toBe(0);
  });
});

it('4: dies after the answer was written; the job is polled for the same call', async () => {
  const gateway = startProcess();
  const held = proxy.hold('job', 'before');
  const dying = ask(gateway, call);
  await held.reached;
  await untilAccepted();
  await gateway.kill();
  held.release();
  expect(await dying).toBeUndefined();
  const [job] = upstream.service.jobs.values();
  expect(await listed(gateway)).toMatchObject({ jobs: [{ job_id: job?.id, status: 'processing' }] });
  expect(await ask(gateway, call)).toMatchObject({ status: 'completed', job_id: job?.id, attached: true });
  expect(accepted()).toBe(1);
});

it('5: dies after the result was written, before it was delivered; the same call gets it', async () => {
  const environment = {
    SVC_BASE_URL: place.baseUrl,
    SVC_API_KEY: place.apiKey,
    SVC_DATA_DIR: place.dataDir,
    SVC_RESULT_CHARS: '10000000',
    SVC_LOG_LEVEL: 'silent',
  };
  // Its stdout is never read: the answer does not fit the pipe, so that it is never delivered.
  const child = spawn(process.execPath, [program, 'stdio'], { env: environment });
  const params = { ...call, action_id: 'large' };
  for (const [id, method, parameters] of [
    [
      1,
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'deaf', version: '1' } },
    ],
    [2, 'tools/call', { name: 'run_action', arguments: params }],
  ]) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: parameters })}\n`);
  }
  await expect.poll(() => rows()).toMatchObject([{ state: 'finished' }]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await rows()).toMatchObject([{ state: 'finished', open: 1, delivered_at: null }]);

  // Not even the service knows it any more.
  upstream.service.jobs.clear();
  const polls = upstream.requestsTo('getJob').length;
  expect(await ask(startProcess(), params)).toMatchObject({ status: 'completed', attached: true });
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  expect(upstream.requestsTo('getJob')).toHaveLength(polls);
});

it('3, of a sync action: dies before its result is written; the answer is unknown', async () => {
  const gateway = startProcess();
  await listed(gateway);
  const held = proxy.hold('task', 'after');
  const dying = ask(gateway, { ...call, action_id: 'inline' });
  await held.reached;
  // Nothing that the gateway writes from here on gets through.
  const lock = new Libsql(databaseFile(place));
  lock.exec('begin immediate');
  held.release();
  await delay(200);
  await gateway.kill();
  lock.exec('rollback');
  lock.close();
  expect(await dying).toBeUndefined();
  expect(await ask(gateway, { ...call, action_id: 'inline' })).toMatchObject(unknown);
  expect(accepted()).toBe(1);
});

it('6: dies after delivery, before that was written; a repeat gets the old result, unpaid', async () => {
  const gateway = startProcess();
  const held = proxy.hold('job', 'before');
  const dying = ask(gateway, call);
  await held.reached;
  await untilAccepted();
  const lock = new Libsql(databaseFile(place));
  lock.exec('begin immediate');
  held.release();
  expect(await dying).toMatchObject({ status: 'completed' });
  await gateway.kill();
  lock.exec('rollback');
  lock.close();
  expect(await rows()).toMatchObject([{ open: 1, delivered_at: null }]);
  expect(await ask(gateway, call)).toMatchObject({ status: 'completed', attached: true });
  expect(accepted()).toBe(1);
});

describe('4 to 6: dies while the end, the result and the delivery wait for the next batch', () => {
  it.each([
    ['at once', 0, false],
    ['after 5 ms', 5, false],
    ['after 20 ms', 20, false],
    // Whatever the client sends shows that it has read the answer, so that the delivery waits too.
    ['at once, when the client has sent more', 0, true],
    ['after 10 ms, when the client has sent more', 10, true],
    ['after 30 ms, when the client has sent more', 30, true],
  ])('%s; the next process has it all, unpaid', async (_when, afterMs, sendsMore) => {
    const gateway = startProcess();
    const answer = await ask(gateway, call);
    const more = sendsMore ? listed(gateway) : undefined;
    if (afterMs > 0) await delay(afterMs);
    await gateway.kill();
    await more;
    const jobId = String(answer?.job_id);
    const [row] = await rows();
    expect(['submitted', 'finished', 'delivered']).toContain(row?.state);
    if (row?.state !== 'delivered') {
      expect(await ask(gateway, call)).toMatchObject({
        status: 'completed',
        job_id: jobId,
        attached: true,
        data: answer?.data,
      });
    }
    let again: JsonObject | undefined;
    await gateway.getJob(jobId)((body) => {
      again = body;
    }, {});
    expect(again).toMatchObject({ status: 'completed', job_id: jobId, data: answer?.data });
    expect(await listed(gateway)).toMatchObject({ credits_spent_today: 9, jobs: [{ status: 'completed' }] });
    expect(accepted()).toBe(1);
    const delivered = [{ state: 'delivered', charged: 9, job_id: jobId }];
    await expect.poll(() => rows()).toMatchObject(delivered);
  });
});
