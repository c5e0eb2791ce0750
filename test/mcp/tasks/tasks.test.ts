/** Paid calls as tasks: a real gateway on a scripted service, real clients over the stdio transport. */

import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  callContext,
  closeGateways,
  openGateway,
  openStore,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';
import { type ConnectOptions, connectPiped, endAllPipes, modeOf } from '../../support/mcp-pipe.ts';
import { closePages, createPages } from '../../support/sign-in-pages.ts';
import { type Ask, type RawAnswer, rawRequests, takesTasks, taskSession } from '../../support/tasks.ts';
import type { Upstream } from '../../support/upstream.ts';

afterEach(async () => {
  await endAllPipes();
  await closeGateways();
  await closePages();
});

const current = modeOf('stateless');
const data = { rows: 3 };
const never = { ms: Number.POSITIVE_INFINITY, data };
const actions = [
  { action_id: 'slow', credits: 4, job: never },
  { action_id: 'quick', credits: 2 },
  { action_id: 'sync', credits: 1, mode: 'sync' },
  { action_id: 'private', credits: 1, catalog_slug: 'members', auth_mode: 'required' },
];
const run = (action_id: string) => ({ name: 'run_action', arguments: { action_id, params: {} } });
const build = {
  name: 'request_build',
  arguments: { website_url: 'https://example.com', goal: 'List the prices' },
};
const finish = ({ service }: Upstream, script: object = { data }) => {
  for (const job of service.jobs.values()) job.script = script;
};

async function start(settings = {}, more: Parameters<typeof startGateway>[2] = {}) {
  const started = await startGateway({ actions }, settings, more);
  const connect = async (gateway = started.gateway, options: ConnectOptions = {}) => {
    const { client } = await connectPiped(gateway, current, { capabilities: takesTasks, ...options });
    return rawRequests(client);
  };
  return { ...started, connect };
}

const object = (value: unknown): Record<string, unknown> => Object(value);
const taskIn = ({ result }: RawAnswer) => object(result);
const bodyIn = ({ result }: RawAnswer) => object(object(result?.result ?? result).structuredContent);

const end = (ask: Ask, taskId: unknown) =>
  vi.waitFor(async () => {
    const answer = await ask('tasks/get', { taskId });
    expect(answer.result?.status).not.toBe('working');
    return answer;
  }, 15_000);

describe('a client that takes tasks', () => {
  it('gets one instead of a wait, and from it the result, paid once', async () => {
    const { upstream, connect } = await start();
    const ask = await connect();
    const { taskId, ...created } = taskIn(await ask('tools/call', run('slow')));
    expect(created).toMatchObject({ status: 'working', statusMessage: expect.stringContaining('slow') });
    expect(taskId).toMatch(/^[\w-]{24}$/);
    expect(taskIn(await ask('tasks/get', { taskId }))).toMatchObject({ taskId, status: 'working' });
    finish(upstream);
    expect(bodyIn(await end(ask, taskId))).toMatchObject({ status: 'completed', data, credits_used: 4 });
    expect(taskIn(await ask('tasks/get', { taskId })).status).toBe('completed');
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('gets one for a build', async () => {
    const { upstream, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', build));
    expect(taskIn(await ask('tasks/get', { taskId })).status).toBe('working');
    upstream.service.finishBuild(upstream.service.builds[0]?.id ?? '', { action_id: 'prices' });
    expect(bodyIn(await end(ask, taskId))).toMatchObject({ status: 'success', action_id: 'prices' });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  });

  it('finds it again in another process, also when the job ended in between', async () => {
    const { upstream, gateway, folder, connect } = await start();
    const { taskId } = taskIn(await (await connect())('tools/call', run('slow')));
    await endAllPipes();
    await gateway.close();
    const second = openGateway(upstream, folder).gateway;
    const ask = await connect(second);
    expect(taskIn(await ask('tasks/get', { taskId })).status).toBe('working');
    await endAllPipes();
    await second.close();
    finish(upstream);
    const again = await connect(openGateway(upstream, folder).gateway);
    expect(bodyIn(await end(again, taskId))).toMatchObject({ status: 'completed', data });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('that attaches to a call under way gets a task of its own for the same job', async () => {
    const { upstream, connect } = await start();
    const ask = await connect();
    const first = taskIn(await ask('tools/call', run('slow')));
    const second = taskIn(await ask('tools/call', run('slow')));
    expect(second.taskId).not.toBe(first.taskId);
    await ask('tasks/cancel', { taskId: first.taskId });
    finish(upstream);
    expect(bodyIn(await end(ask, second.taskId))).toMatchObject({ status: 'completed', data });
    expect(taskIn(await ask('tasks/get', { taskId: first.taskId })).status).toBe('cancelled');
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('cancels the wait for good; the paid job stays readable', async () => {
    const { upstream, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    const cancelled = await ask('tasks/cancel', { taskId });
    expect(Object.keys(cancelled.result ?? {}).sort()).toEqual(['_meta', 'resultType']);
    const [jobId = ''] = upstream.service.jobs.keys();
    finish(upstream);
    const { status, statusMessage } = taskIn(await ask('tasks/get', { taskId }));
    expect({ status, statusMessage }).toEqual({
      status: 'cancelled',
      statusMessage: expect.stringContaining(`get_job {"job_id":"${jobId}"}`),
    });
    const read = await ask('tools/call', { name: 'get_job', arguments: { job_id: jobId, wait_seconds: 10 } });
    expect(bodyIn(read)).toMatchObject({ status: 'completed', data });
    expect(taskIn(await ask('tasks/get', { taskId })).status).toBe('cancelled');
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('is told of a failed job as of the result of its call', async () => {
    const { upstream, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    finish(upstream, { error: { code: 'SITE_CHANGED', message: 'No table' } });
    const answer = await end(ask, taskId);
    expect(bodyIn(answer)).toMatchObject({
      status: 'failed',
      error: { code: 'SITE_CHANGED' },
      credits_used: 0,
    });
    // The extension keeps `failed` for errors of the protocol.
    const { status } = taskIn(await ask('tasks/get', { taskId }));
    expect(status).toBe('completed');
  });

  it('is told of a lost job once it is lost', async () => {
    const { upstream, connect } = await start({}, { limits: { lostAfterMs: 500 } });
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    await upstream.waitForRequests('getJob', 1);
    upstream.service.jobs.clear();
    expect(bodyIn(await end(ask, taskId))).toMatchObject({ error: { code: 'JOB_LOST' } });
  });

  it('of another principal finds nothing, in the same words as for what never was', async () => {
    const { upstream, folder, connect } = await start();
    const { taskId } = taskIn(await (await connect())('tools/call', run('slow')));
    const foreign = await connect(openGateway(upstream, folder, {}, 'another-key').gateway);
    for (const method of ['get', 'update', 'cancel']) {
      const ask = (id: unknown) => foreign(`tasks/${method}`, { taskId: id, inputResponses: {} });
      const answer = await ask(taskId);
      expect(answer.error).toMatchObject({ code: -32_602 });
      for (const none of ['A'.repeat(24), '', 'a\u0000b', '\ud800', 'x'.repeat(100_000)]) {
        expect(await ask(none)).toEqual(answer);
      }
    }
  });

  it('does not find one that has expired', async () => {
    const { folder, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    const store = await openStore(folder);
    await store.query.updateTable('gateway_task').set({ expires_at: Date.now() }).execute();
    expect((await ask('tasks/get', { taskId })).error).toMatchObject({ code: -32_602 });
    // What has expired goes with the next one.
    await ask('tools/call', run('slow'));
    expect(await store.query.selectFrom('gateway_task').select('id').execute()).toHaveLength(1);
  });

  it('survives a store that fails while its job is waited for, and that process does too', async () => {
    const { upstream, folder, logger, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    const store = await openStore(folder);
    await sql`alter table gateway_intent rename to hidden`.execute(store.query);
    finish(upstream);
    // Until the wait has met the failure.
    await expect
      .poll(() => logger.lines.map(({ message }) => message).join())
      .toContain('Could not write the end');
    expect((await ask('tasks/get', { taskId })).error).toMatchObject({ code: -32_603 });
    await sql`alter table hidden rename to gateway_intent`.execute(store.query);
    expect(bodyIn(await end(ask, taskId))).toMatchObject({ status: 'completed', data });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('is not told of an end while the service does not return the result', async () => {
    const { upstream, gateway, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', build));
    const id = upstream.service.builds[0]?.id ?? '';
    upstream.service.finishBuild(id, { action_id: 'prices' });
    await gateway.listBuildRequests({}, callContext());
    upstream.fail('listBuildRequests', { kind: 'reset' });
    const { error } = await ask('tasks/get', { taskId });
    expect(error).toMatchObject({ code: -32_603, message: expect.stringContaining(id) });
    upstream.clearFaults();
    expect(bodyIn(await end(ask, taskId))).toMatchObject({ status: 'success', action_id: 'prices' });
    expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  });

  it('hears of a refusal before anything is sent', async () => {
    const { upstream, connect } = await start({ maxCreditsPerCall: 3 });
    const ask = await connect();
    const answer = await ask('tools/call', run('slow'));
    expect(bodyIn(answer)).toMatchObject({ status: 'error', error: { code: 'BUDGET_EXCEEDED' } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('hears of a doubt, and nothing is sent again', async () => {
    const { upstream, connect } = await start();
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true });
    const ask = await connect();
    const answer = await ask('tools/call', run('slow'));
    expect(bodyIn(answer)).toMatchObject({ status: 'unknown', error: { credits_at_stake: 4 } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('is asked for a confirmation before its call becomes one', async () => {
    const { upstream, connect } = await start({ confirmAboveCredits: 3 });
    const elicitation = { capabilities: { ...takesTasks, elicitation: { form: {} } } };
    let passedMs = 0;
    const clock = { now: () => Date.now() + passedMs, monotonic: () => performance.now() + passedMs };
    const ask = await connect(undefined, { ...elicitation, server: { clock } });
    const _meta = capabilitiesMeta(elicitation.capabilities);
    const asked = await ask('tools/call', { ...run('slow'), _meta });
    expect(asked.result).toMatchObject({ resultType: 'input_required' });
    expect(asked.result).not.toHaveProperty('taskId');
    passedMs += 1_000;
    const answer = await ask('tools/call', {
      ...run('slow'),
      _meta,
      inputResponses: { confirm: { action: 'accept', content: {} } },
      requestState: asked.result?.requestState,
    });
    const { taskId, ...created } = taskIn(answer);
    expect(created).toMatchObject({ status: 'working' });
    finish(upstream);
    expect(bodyIn(await end(ask, taskId))).toMatchObject({ status: 'completed', data });
  });

  it('is shown a page before its call becomes one, and the call goes on after the sign-in', async () => {
    const fields = [{ name: 'password', type: 'password', required: true, description: 'Password' }];
    const upstream = await scriptedUpstream({
      catalogs: [{ slug: 'members', auth_types: ['credentials'], login_input_schema: fields }],
      actions: [{ action_id: 'mine', catalog_slug: 'members', auth_mode: 'required', job: never }],
    });
    const pages = createPages();
    const getAddress = async ({ id }: { readonly id: string }) => `http://127.0.0.1:1/sign-in/${id}`;
    const options = { pages, apiKey: upstream.apiKey, getAddress };
    const { gateway } = openGateway(upstream, await temporaryFolder(), {}, undefined, { signIn: options });
    const capabilities = { ...takesTasks, elicitation: { url: {} } };
    const signIn = async (url: unknown) => {
      const page = await pages.find(String(url).split('/').at(-1) ?? '');
      await page?.submit({ password: 'right' });
    };
    const { client } = await connectPiped(gateway, current, { capabilities });
    const ask = rawRequests(client);
    const _meta = capabilitiesMeta(capabilities);
    const asked = await ask('tools/call', { ...run('mine'), _meta });
    expect(asked.result).toMatchObject({ resultType: 'input_required' });
    const [[key = '', request] = []] = Object.entries(object(asked.result?.inputRequests));
    await signIn(object(object(request).params).url);
    const answer = await ask('tools/call', {
      ...run('mine'),
      _meta,
      inputResponses: { [key]: { action: 'accept' } },
      requestState: asked.result?.requestState,
    });
    const { taskId, ...created } = taskIn(answer);
    expect(created).toMatchObject({ status: 'working' });
    finish(upstream);
    expect(bodyIn(await end(ask, taskId))).toMatchObject({ status: 'completed', data });
    expect(upstream.requestsTo('login')).toHaveLength(1);
    expect(upstream.service.jobs.size).toBe(1);
  });

  it('is told where to sign in where it cannot show a page, and nothing is paid', async () => {
    const { upstream, connect } = await start();
    const ask = await connect();
    const answer = await ask('tools/call', run('private'));
    expect(bodyIn(answer)).toMatchObject({ status: 'error', error: { code: 'AUTH_REQUIRED' } });
    expect(upstream.service.jobs.size).toBe(0);
  });

  it('is told of a result that is not kept any more', async () => {
    const { upstream, folder, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    finish(upstream);
    await end(ask, taskId);
    await endAllPipes();
    const store = await openStore(folder);
    await store.query.deleteFrom('gateway_result').execute();
    upstream.service.jobs.clear();
    const later = await connect(openGateway(upstream, folder).gateway);
    expect(bodyIn(await end(later, taskId))).toMatchObject({ error: { code: 'RESULT_EXPIRED' } });
  });

  it('learns of the job where its task could not be written, and gets a task for it later, unpaid', async () => {
    const { upstream, gateway, folder, connect } = await start();
    await gateway.tasks.look('', callContext());
    const store = await openStore(folder);
    await sql`create trigger full before insert on gateway_task begin select raise(abort, 'full'); end`.execute(
      store.query,
    );
    const ask = await connect();
    const answer = await ask('tools/call', run('slow'));
    const [jobId = ''] = upstream.service.jobs.keys();
    expect(JSON.stringify(answer)).toContain(jobId);
    expect(bodyIn(answer)).toMatchObject({ status: 'processing' });
    await sql`drop trigger full`.execute(store.query);
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    finish(upstream);
    expect(bodyIn(await end(ask, taskId))).toMatchObject({ status: 'completed', data });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('leaves nothing behind when the gateway closes under a task that is followed', async () => {
    const { gateway, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    const looks = Promise.all([1, 2, 3].map(() => ask('tasks/get', { taskId })));
    await gateway.close();
    for (const { result, error } of await looks) {
      if (error === undefined) expect(result).toMatchObject({ status: 'working' });
      else expect(error).toMatchObject({ code: -32_603 });
    }
  });

  it('works through the package of the protocol for tasks', async () => {
    const { upstream, gateway } = await start();
    const { client } = await connectPiped(gateway, current, { capabilities: takesTasks });
    const { tools } = await client.listTools();
    const declared = tools.find(({ name }) => name === 'run_action');
    const session = taskSession(client);
    const { inputSchema: _, ...declaration } = { ...declared, name: 'run_action', inputSchema: {} };
    const execution = await session.callTool('run_action', run('slow').arguments, {
      declaration: { name: declaration.name, inputSchema: {}, taskSupport: 'optional' },
      task: { preference: 'prefer' },
    });
    expect(execution.kind).toBe('task');
    finish(upstream);
    const { outcome } = await execution.settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { structuredContent: { data } } });
    await session.close();
  });
});

const capabilitiesMeta = (capabilities: object) => ({
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

describe('the extension', () => {
  it.each(['quick', 'sync'])('answers directly what ends at once (%s)', async (action) => {
    const { connect } = await start();
    const ask = await connect();
    const answer = await ask('tools/call', run(action));
    expect(answer.result).toMatchObject({ resultType: 'complete' });
    expect(bodyIn(answer)).toMatchObject({ status: 'completed' });
  });

  it('is told of at discovery, with no capability of the older form', async () => {
    const { gateway } = await start();
    const { client } = await connectPiped(gateway, modeOf('stateless'));
    expect(client.getServerCapabilities()).toMatchObject({
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    });
    expect(client.getServerCapabilities()).not.toHaveProperty('tasks');
  });

  it('gives no task to a request that does not take one, and refuses requests about tasks', async () => {
    const { connect } = await start();
    const ask = await connect(undefined, { server: { waitSeconds: 0 } });
    const _meta = capabilitiesMeta({});
    const answer = await ask('tools/call', { ...run('slow'), _meta });
    expect(answer.result).toMatchObject({ resultType: 'complete' });
    expect(bodyIn(answer)).toMatchObject({ status: 'processing' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await ask(method, { taskId: 'x', inputResponses: {}, _meta });
      expect(error).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      });
    }
    for (const method of ['tasks/result', 'tasks/list']) {
      expect((await ask(method, { taskId: 'x' })).error).toMatchObject({ code: -32_601 });
    }
  });

  it('makes tasks of runs and builds only', async () => {
    const { connect } = await start();
    const ask = await connect(undefined, { server: { waitSeconds: 0 } });
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    const { jobs } = bodyIn(await ask('tools/call', { name: 'get_job', arguments: {} }));
    const [job] = Array.isArray(jobs) ? jobs : [];
    expect(taskId).toBeDefined();
    const waited = await ask('tools/call', { name: 'get_job', arguments: { job_id: object(job).job_id } });
    expect(waited.result).toMatchObject({ resultType: 'complete' });
  });

  it('acknowledges a second cancellation and one of a task that has ended, which stays completed', async () => {
    const { upstream, connect } = await start();
    const ask = await connect();
    const { taskId } = taskIn(await ask('tools/call', run('slow')));
    finish(upstream);
    await end(ask, taskId);
    for (const _ of [1, 2]) expect((await ask('tasks/cancel', { taskId })).error).toBeUndefined();
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' });
  });
});

describe('a client of 2025-11-25', () => {
  it('is told of no tasks, and gets a plain answer where it asks for one', async () => {
    const { gateway, upstream } = await start();
    const { client } = await connectPiped(gateway, 'legacy', { capabilities: takesTasks });
    const capabilities = client.getServerCapabilities();
    expect(capabilities).not.toHaveProperty('tasks');
    expect(capabilities).not.toHaveProperty('extensions');
    expect(JSON.stringify(await client.listTools())).not.toContain('taskSupport');
    const ask = rawRequests(client);
    const answer = await ask('tools/call', { ...run('quick'), task: { ttl: 60_000 } });
    expect(answer.result).not.toHaveProperty('task');
    expect(bodyIn(answer)).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    for (const method of ['get', 'update', 'cancel', 'result', 'list']) {
      const { error } = await ask(`tasks/${method}`, { taskId: 'A'.repeat(24), inputResponses: {} });
      expect(error).toMatchObject({ code: -32_601 });
    }
  });
});
