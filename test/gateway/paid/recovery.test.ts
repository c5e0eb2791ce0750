/** What is found again after a broken run: nothing paid twice, nothing paid lost, and every doubt said as it is. */
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../src/client/http-client.ts';
import { SnapshotFile } from '../../../src/gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import { createPrincipal } from '../../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings } from '../../../src/gateway/interface/settings.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openStore,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';
import type { Upstream } from '../../support/upstream.ts';
import type { UpstreamScript } from '../../support/upstream-script.ts';

const gateways: Gateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
  await closeGateways();
});

/** With short time limits. */
function open(upstream: Upstream, folder: string): Gateway {
  const api = createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey });
  const principal = createPrincipal(api.origin, upstream.apiKey);
  const gateway = createGateway({
    api,
    principal,
    settings: defaultGatewaySettings,
    snapshotFile: new SnapshotFile(folder, principal.id),
    store: { file: join(folder, 'gateway.db') },
    logger: recordingLogger(),
    limits: { lostAfterMs: 100 },
  });
  gateways.push(gateway);
  return gateway;
}

async function start(script: UpstreamScript) {
  const upstream = await scriptedUpstream(script);
  const folder = await temporaryFolder();
  return { upstream, folder, gateway: open(upstream, folder) };
}

const report = { action_id: 'report', params: { month: 5 } };

describe('a lost job', () => {
  it('is reported to a connected client before the same call is paid again', async () => {
    const { upstream, gateway } = await start({
      actions: [{ action_id: 'report', credits: 9, job: { ms: Number.POSITIVE_INFINITY } }],
    });
    const patience = new AbortController();
    const cancelled = gateway.runAction(report, callContext({ signal: patience.signal }));
    await upstream.waitForRequests('getJob', 1);
    patience.abort();
    expect((await cancelled).body).toMatchObject({ error: { code: 'CANCELLED' } });
    upstream.service.jobs.clear();

    const lost = { status: 'error', error: { code: 'JOB_LOST', credits_at_stake: 9 } };
    // The answers to these are never delivered.
    expect((await gateway.runAction(report, callContext())).body).toMatchObject(lost);
    expect((await gateway.runAction(report, callContext())).body).toMatchObject(lost);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);

    expect((await deliver(gateway.runAction(report, callContext()))).body).toMatchObject(lost);
    await gateway.runAction(report, callContext({ waitMs: 0 }));
    await upstream.waitForRequests('submitTask', 2);
  });

  it('does not take the place of a result that was already written', async () => {
    const { upstream, folder, gateway } = await start({ actions: [{ action_id: 'report', credits: 9 }] });
    const { body } = await deliver(gateway.runAction(report, callContext()));
    const store = await openStore(folder);
    await store.query.deleteFrom('gateway_result').execute();
    upstream.service.jobs.clear();
    await open(upstream, folder).getJob({ job_id: String(body.job_id) }, callContext());
    expect(await store.query.selectFrom('gateway_intent').select(['state', 'outcome']).execute()).toEqual([
      { state: 'delivered', outcome: 'completed' },
    ]);
  });
});

it('a job whose result could not be kept has not ended for the store, and is polled again', async () => {
  const { upstream, folder, gateway } = await start({ actions: [{ action_id: 'report', credits: 9 }] });
  await gateway.getJob({}, callContext());
  const store = await openStore(folder);
  await sql`create trigger full before insert on gateway_result begin select raise(abort, 'full'); end`.execute(
    store.query,
  );
  expect((await deliver(gateway.runAction(report, callContext()))).body).toMatchObject({
    status: 'completed',
  });
  expect(await store.query.selectFrom('gateway_intent').select(['state', 'open']).execute()).toEqual([
    { state: 'submitted', open: 1 },
  ]);
  // It goes on trying.
  await gateway.close();
  await sql`drop trigger full`.execute(store.query);
  const next = open(upstream, folder);
  const { body } = await deliver(next.runAction(report, callContext()));
  expect(body).toMatchObject({ status: 'completed', attached: true });
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  upstream.service.jobs.clear();
  expect((await next.getJob({ job_id: String(body.job_id) }, callContext())).body).toMatchObject({
    status: 'completed',
    data: { params: { month: 5 } },
  });
});

it('a request that is cut off by the end of its gateway is recorded as unknown', async () => {
  const { upstream, folder, gateway } = await start({ actions: [{ action_id: 'report', credits: 9 }] });
  upstream.fail('submitTask', { kind: 'hang', carriedOut: true });
  const running = gateway.runAction(report, callContext());
  await upstream.waitForRequests('submitTask', 1);
  await gateway.close(0);
  expect((await running).body.status).toBe('unknown');
  const store = await openStore(folder);
  expect(await store.query.selectFrom('gateway_intent').select('state').execute()).toEqual([
    { state: 'unknown' },
  ]);
});

it('the call that resubmits names the account, and never other params than the first call had', async () => {
  const credentialId = 'b0000000-0000-4000-8000-000000000002';
  const { upstream, gateway } = await start({
    catalogs: [{ slug: 'shop', id: 'c-1' }],
    actions: [{ action_id: 'report', catalog_slug: 'shop', credits: 9, auth_mode: 'required' }],
    identities: [
      {
        id: 'b0000000-0000-4000-8000-000000000001',
        catalog_id: 'c-1',
        name: 'work',
        is_default: true,
        created_at: '2026-01-01T00:00:00Z',
        credentials: [
          {
            id: credentialId,
            identity_id: 'b0000000-0000-4000-8000-000000000001',
            credential_type: 'credentials',
            status: 'active',
            last_used_at: '2026-01-01T00:00:00Z',
            created_at: '2026-01-01T00:00:00Z',
          },
        ],
      },
    ],
  });
  upstream.fail('submitTask', { kind: 'hang' }, { times: 1 });
  const first = gateway.runAction({ ...report, identity: 'work' }, callContext());
  await upstream.waitForRequests('submitTask', 1);
  const attached = gateway.runAction({ ...report, identity: 'work' }, callContext());
  await upstream.refuse();
  await upstream.accept();
  expect((await first).body.next).toMatchObject({
    call: { action_id: 'report', params: { month: 5 }, identity: 'work', resubmit: true },
  });
  // Whichever way the other call learned of it, it is not sent to another call than its own.
  expect((await attached).body.next).not.toHaveProperty('call.params', {});
  const { jobs } = (await gateway.getJob({}, callContext())).body;
  const jobId = Array.isArray(jobs) ? String(jobs[0]?.job_id) : '';
  const { body } = await gateway.getJob({ job_id: jobId }, callContext());
  expect(body).toMatchObject({ status: 'unknown' });
  expect(body.next).toEqual({ kind: 'resubmit', of: 'run' });
});
