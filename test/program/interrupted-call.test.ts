/** Ctrl-C during `svc-mcp call`. Needs `dist/`: `npm test` builds it first. */
import { afterEach, expect, it } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { endPrograms, environmentOf, runProgram, spawnProgram } from '../support/program.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const list = { action_id: 'shop-list', catalog_slug: 'shop', name: 'List', credits: 3 };

async function start(job: { ms?: number; data: string }) {
  const upstream = await scriptedUpstream({ actions: [{ ...list, job }] });
  const environment = environmentOf(upstream, await temporaryFolder());
  return { upstream, environment, spawned: spawnProgram(['call', 'shop-list', '{}'], environment) };
}

it('an interrupted call names the job that was sent, and the repeat gets its result without paying again', async () => {
  const { upstream, environment, spawned } = await start({ ms: Number.POSITIVE_INFINITY, data: 'paid' });
  await upstream.waitForRequests('getJob', 1);
  spawned.child.kill('SIGINT');
  expect(await spawned.exited).toEqual([130, null]);
  const [id] = upstream.service.jobs.keys();
  expect(spawned.out()).toBe('');
  expect(spawned.err()).toBe(
    `svc-mcp: Stopped waiting; job ${id} was sent and is not cancelled. Repeat the call to get its result: it is not paid again until its answer has arrived.\n`,
  );
  for (const paid of upstream.service.jobs.values()) paid.script = { data: 'paid' };
  const again = await runProgram(['call', 'shop-list', '{}'], environment);
  expect(JSON.parse(again.stdout)).toMatchObject({ data: 'paid', attached: true });
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
});

it('a call that is interrupted before it was sent is not sent', async () => {
  const { upstream, spawned } = await start({ data: 'paid' });
  upstream.fail('any', { kind: 'hang' });
  await upstream.waitForRequests('search', 1);
  spawned.child.kill('SIGTERM');
  expect(await spawned.exited).toEqual([143, null]);
  expect(spawned.out()).toBe('');
  expect(spawned.err()).toMatch(/^svc-mcp: Stopped before an answer came.*`svc-mcp jobs`.*\n$/);
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
});
