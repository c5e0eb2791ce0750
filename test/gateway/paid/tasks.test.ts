/** How long what stands behind a task is followed: as long as somebody waits, a while after a look, and no longer. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createHttpClient } from '../../../src/client/http-client.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import { createPrincipal } from '../../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { callContext, closeGateways, scriptedUpstream, temporaryFolder } from '../../support/gateway.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';

const opened: Gateway[] = [];
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.close();
  await closeGateways();
});

async function start(unwatchedMs: number) {
  const upstream = await scriptedUpstream({
    actions: [{ action_id: 'slow', job: { ms: Number.POSITIVE_INFINITY, data: 1 } }],
  });
  const gateway = createGateway({
    api: createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey }),
    principal: createPrincipal(upstream.origin, upstream.apiKey),
    settings: defaultGatewaySettings,
    snapshotFile: undefined,
    store: { file: join(await temporaryFolder(), 'gateway.db') },
    logger: recordingLogger(),
    limits: { unwatchedMs },
  });
  opened.push(gateway);
  const context = callContext({ taskAfterMs: 0 });
  return { upstream, gateway, context };
}

const signal = new AbortController().signal;
/** Well behind the 2 s that a wait may end before its time. */
const unwatchedMs = 2_600;

it.each(['run', 'build'] as const)(
  'a wait for a %s may be longer than the time after which polling stops',
  async (kind) => {
    const { upstream, gateway, context } = await start(unwatchedMs);
    const outcome =
      kind === 'run'
        ? await gateway.runAction({ action_id: 'slow' }, context)
        : await gateway.requestBuild({ website_url: 'https://example.com', goal: 'Prices' }, context);
    const { id } = await gateway.tasks.open(outcome);
    const waiting = gateway.tasks.look(id, { signal, waitMs: 60_000 });
    await delay(2 * unwatchedMs);
    if (kind === 'build')
      upstream.service.finishBuild(upstream.service.builds[0]?.id ?? '', { action_id: 'new' });
    for (const job of upstream.service.jobs.values()) job.script = { data: 1 };
    expect((await waiting)?.task.state).toBe('completed');
  },
  30_000,
);

it('a call that is still being sent is looked at soon', async () => {
  const { upstream, gateway } = await start(unwatchedMs);
  upstream.fail('submitTask', { kind: 'hang' });
  const outcome = await gateway.runAction({ action_id: 'slow' }, callContext({ waitMs: 300 }));
  expect(await gateway.tasks.open(outcome)).toMatchObject({ state: 'under-way', pollMs: 500 });
});

it('a job whose task nobody looks at is not polled for ever, and found again by the next look', async () => {
  const { upstream, gateway, context } = await start(unwatchedMs);
  const { id } = await gateway.tasks.open(await gateway.runAction({ action_id: 'slow' }, context));
  await delay(unwatchedMs + 1_000);
  const polls = upstream.requestsTo('getJob').length;
  await delay(1_500);
  expect(upstream.requestsTo('getJob')).toHaveLength(polls);
  for (const job of upstream.service.jobs.values()) job.script = { data: 1 };
  const found = await gateway.tasks.look(id, { signal, waitMs: 10_000 });
  expect(found).toMatchObject({ task: { state: 'completed' }, outcome: { body: { data: 1 } } });
}, 30_000);

it('a shutdown ends the waits of tasks, and what is under way stays so', async () => {
  const { gateway, context } = await start(120_000);
  const { id } = await gateway.tasks.open(await gateway.runAction({ action_id: 'slow' }, context));
  const waiting = gateway.tasks.look(id, { signal, waitMs: 600_000 });
  await delay(50);
  gateway.endWaits();
  expect((await waiting)?.task.state).toBe('under-way');
});
