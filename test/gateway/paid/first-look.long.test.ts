/**
 * A real death (SIGKILL) between the answer to a request and the one transaction that writes it together with the end of its
 * job, and right after that transaction: points 3 and 5 of `src/gateway/paid/paid-rows.ts`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import type { PaidRow } from '../../../src/gateway/store/schema.ts';
import { GatewayProcess } from '../../chaos/gateway-processes.ts';
import type { Place } from '../../chaos/tested-gateway.ts';
import { closeGateways, openStore, scriptedUpstream, temporaryFolder } from '../../support/gateway.ts';
import { environmentOf, expectBuilt, programFile } from '../../support/program.ts';
import type { Upstream } from '../../support/upstream.ts';

const call = { action_id: 'report', params: { month: 5 }, resubmit: false };

let upstream: Upstream;
let place: Place;
let next: GatewayProcess | undefined;

beforeEach(async () => {
  expectBuilt();
  upstream = await scriptedUpstream({ actions: [{ action_id: 'report', credits: 9 }] });
  place = {
    baseUrl: upstream.origin,
    apiKey: upstream.apiKey,
    dataDir: await temporaryFolder(),
    databaseUrl: undefined,
    maxCreditsPerDay: undefined,
    waitSeconds: 30,
  };
});
afterEach(async () => {
  await next?.close();
  next = undefined;
  await closeGateways();
});

/** Makes the call in a process that dies at that moment. */
async function dieAt(moment: 'look' | 'end' | 'ended'): Promise<void> {
  const child = spawn(process.execPath, ['--import', './test/support/dying.js', programFile, 'stdio'], {
    env: { ...environmentOf(upstream, place.dataDir), SVC_TEST_DIES_AT: moment, SVC_LOG_LEVEL: 'silent' },
  });
  let answers = '';
  child.stdout.on('data', (text) => {
    answers += text;
  });
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  for (const [id, method, params] of [
    [1, 'initialize', client],
    [2, 'tools/call', { name: 'run_action', arguments: call }],
  ])
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  // Nobody was told anything.
  expect(answers).not.toContain('"id":2');
  expect(accepted()).toBe(1);
}

async function rows(): Promise<PaidRow[]> {
  const { query } = await openStore(place.dataDir);
  return query.selectFrom('gateway_intent').selectAll().execute();
}

/** Makes the call in the next process. */
async function ask(input: typeof call): Promise<JsonObject | undefined> {
  next ??= new GatewayProcess(place, programFile);
  let answer: JsonObject | undefined;
  await next.run(input)((body) => {
    answer = body;
  }, {});
  return answer;
}

const accepted = () => upstream.service.jobs.size;
const attached = { status: 'completed', attached: true, credits_used: 9 };

describe.each([
  ['before it looks for the end', 'look'],
  ['before the transaction is committed', 'end'],
] as const)('dies %s', (_, moment) => {
  it('is told as unknown, and not sent again by itself', async () => {
    await dieAt(moment);
    expect(await rows()).toMatchObject([{ state: 'intended', open: 1, charged: 9, job_id: null }]);
    for (let time = 0; time < 2; time += 1) {
      expect(await ask(call)).toMatchObject({ status: 'unknown', error: { code: 'SUBMISSION_UNKNOWN' } });
    }
    expect(accepted()).toBe(1);
    expect(await rows()).toMatchObject([{ state: 'unknown', open: 1, charged: 9 }]);
    expect(await ask({ ...call, resubmit: true })).toMatchObject({ status: 'completed' });
    expect(accepted()).toBe(2);
  });

  it('is settled by its key, paid once, at a service that takes keys', async () => {
    upstream.service.extensions = 'idempotency';
    await dieAt(moment);
    expect(await rows()).toMatchObject([{ state: 'intended', keyed: 1 }]);
    const [job] = upstream.service.jobs.values();
    expect(await ask(call)).toMatchObject({ ...attached, job_id: job?.id });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
    expect(accepted()).toBe(1);
    await expect.poll(rows).toMatchObject([{ state: 'delivered', charged: 9 }]);
  });
});

it('dies right after the transaction: the next process has the result, of which not even the service knows', async () => {
  await dieAt('ended');
  expect(await rows()).toMatchObject([
    { state: 'finished', open: 1, charged: 9, outcome: 'completed', job_id: expect.any(String) },
  ]);
  const looks = upstream.requestsTo('getJob').length;
  expect(await ask(call)).toMatchObject(attached);
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  expect(upstream.requestsTo('getJob')).toHaveLength(looks);
});
