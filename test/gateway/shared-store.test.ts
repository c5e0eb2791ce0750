import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createHttpClient } from '../../src/client/http-client.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings } from '../../src/gateway/interface/settings.ts';
import { GatewayDatabase } from '../../src/gateway/store/gateway-database.ts';
import {
  callContext,
  closeGateways,
  deliver,
  scriptedUpstream,
  temporaryFolder,
} from '../support/gateway.ts';
import { recordingLogger } from '../support/mcp-pipe.ts';

afterEach(closeGateways);

it('two principals in one database know nothing of each other, and one outlives the other', async () => {
  const store = new GatewayDatabase({ file: join(await temporaryFolder(), 'gateway.db') });
  const open = async (apiKey: string) => {
    const actions = [{ action_id: 'list', catalog_slug: 'shop', credits: 10, job: { data: { of: apiKey } } }];
    const upstream = await scriptedUpstream({ apiKey, actions });
    const gateway = createGateway({
      api: createHttpClient({ baseUrl: upstream.origin, apiKey }),
      principal: createPrincipal(upstream.origin, apiKey),
      settings: { ...defaultGatewaySettings, maxCreditsPerDay: 10 },
      snapshotFile: undefined,
      store,
      logger: recordingLogger(),
    });
    return { gateway, upstream };
  };
  const [a, b] = [await open('key-a'), await open('key-b')];
  const run = async ({ gateway }: typeof a) =>
    (await deliver(gateway.runAction({ action_id: 'list' }, callContext()))).body;
  const [ofA, ofB] = await Promise.all([run(a), run(b)]);
  expect(ofA).toMatchObject({ status: 'completed', data: { of: 'key-a' } });
  expect(ofB).toMatchObject({ status: 'completed', data: { of: 'key-b' } });
  // Each has a budget of its own, and it is spent.
  expect(await run(a)).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', spent: 10 } });

  const jobId = String(ofA.job_id);
  const read = async ({ gateway }: typeof a, id: string) =>
    (await gateway.getJob({ job_id: id }, callContext())).body;
  expect(await read(a, jobId)).toMatchObject({ data: { of: 'key-a' } });
  const foreign = JSON.stringify(await read(b, jobId)).replaceAll(jobId, 'ID');
  const none = '00000000-0000-4000-8000-000000000000';
  expect(foreign).toBe(JSON.stringify(await read(b, none)).replaceAll(none, 'ID'));
  const { jobs } = (await b.gateway.getJob({}, callContext())).body;
  expect(JSON.stringify(jobs)).not.toContain(jobId);

  await a.gateway.close();
  expect(await read(b, String(ofB.job_id))).toMatchObject({ data: { of: 'key-b' } });
  await b.gateway.close();
  await store.close();
});
