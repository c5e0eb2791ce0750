/** Hostile sites through the spawned service and its real builder. Needs `dist/`. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { builderFailures } from '../../src/contract/errors.ts';
import { BuildRequest } from '../../src/contract/resources.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { hostilePages as pages } from '../support/hostile-pages.ts';
import { endPrograms, spawnProgram } from '../support/program.ts';
import { callerOf, readMoney, withDatabase } from '../support/service.ts';
import { startWebServer } from '../support/web-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await endPrograms();
  for (const close of closers.splice(0)) await close();
  await closeGateways();
});

const Listed = z.object({ build_requests: z.array(BuildRequest) });

it('every hostile page ends the build with a documented failure, refunded once, while the service keeps answering', {
  timeout: 120_000,
}, async () => {
  const names = Object.keys(pages);
  const site = await startWebServer(({ path }, response) => {
    const index = /^\/(\d+)/.exec(path)?.[1];
    const page = index === undefined ? undefined : pages[names[Number(index)] ?? ''];
    return page === undefined ? response.writeHead(404).end() : page(response);
  });
  closers.push(() => site.close());
  const dataDir = await temporaryFolder();
  const program = spawnProgram(['service'], {
    SVC_DATA_DIR: dataDir,
    SVC_SERVICE_ALLOW_ORIGINS: site.origin,
    SVC_LOG_LEVEL: 'error',
  });
  await expect.poll(() => program.out()).toMatch(/\n$/);
  const address = z.object({ base_url: z.string(), api_key: z.string() }).parse(JSON.parse(program.out()));
  const call = callerOf({ baseUrl: address.base_url, apiKey: address.api_key });
  const builds = async () => Listed.parse((await call('GET', '/build-requests')).body).build_requests;

  const waiting = names.map((name, index) => ({ name, url: `${site.origin}/${index}` }));
  const asked = new Map<string, string>();
  for (;;) {
    const listed = await builds();
    const pending = listed.filter(({ status }) => status === 'pending').length;
    if (pending === 0 && waiting.length === 0) break;
    for (const { name, url } of waiting.splice(0, 3 - pending)) {
      const goal = `List all boats with name and price ${asked.size}`;
      const { status } = await call('POST', '/build-request', { website_url: url, goal, force: true });
      expect([name, status]).toEqual([name, 201]);
      asked.set(url, name);
    }
    // A stall of this length would end a client's patience.
    const answer = await fetch(`${address.base_url}/v1/svc/identities`, {
      headers: { 'x-api-key': address.api_key },
      signal: AbortSignal.timeout(3_000),
    });
    expect(answer.status).toBe(200);
    await delay(20);
  }

  const ended = await builds();
  expect(ended.map(({ website_url }) => asked.get(website_url)).sort()).toEqual([...names].sort());
  for (const { website_url, status, error_type, error, credits_charged } of ended) {
    const name = asked.get(website_url);
    expect([name, status, credits_charged]).toEqual([name, 'failed', 0]);
    expect([
      name,
      Object.keys(builderFailures).some((type) => type === error_type),
      error_type,
      error,
    ]).toEqual([name, true, error_type, expect.stringMatching(/^.{10,1000}$/s)]);
  }
  expect(await readMoney({ dataDir })).toEqual({
    balances: { default: 1000 },
    mismatches: 0,
    doubleRefunds: 0,
  });
  const kinds = await withDatabase({ dataDir }, ({ query }) =>
    query.selectFrom('ledger').select('kind').where('job_id', 'is not', null).execute(),
  );
  expect(kinds.filter(({ kind }) => kind === 'charge')).toHaveLength(names.length);
  expect(kinds.filter(({ kind }) => kind === 'refund')).toHaveLength(names.length);
});
