/** Tasks of the built program: found again after a kill, by another replica, and by nobody else. Needs `dist/`. */
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { closeHttp, connectFirstLineHttp, connectHttp } from '../support/http.ts';
import { startHttp } from '../support/http-program.ts';
import { type Era, eras, modeOf } from '../support/mcp-pipe.ts';
import { hasPostgres } from '../support/postgres.ts';
import { connectProgram, endPrograms, environmentOf } from '../support/program.ts';
import { replicaToken, startReplicas } from '../support/replicas.ts';
import { type Ask, type RawAnswer, rawRequests, takesTasks } from '../support/tasks.ts';
import type { Upstream } from '../support/upstream.ts';

const createDatabase = useDatabases();

afterEach(async () => {
  await closeHttp();
  await endPrograms();
  await closeGateways();
});

const data = { rows: 3 };
const actions = [{ action_id: 'slow', credits: 4, job: { ms: Number.POSITIVE_INFINITY, data } }];
const run = { name: 'run_action', arguments: { action_id: 'slow', params: {} } };
const finish = ({ service }: Upstream) => {
  for (const job of service.jobs.values()) job.script = { data };
};

const object = (value: unknown): Record<string, unknown> => Object(value);
const taskIn = ({ result }: RawAnswer) => object(result?.task ?? result);
const begin = (ask: Ask, era: Era) => ask('tools/call', era === 'stateless' ? run : { ...run, task: {} });
const status = async (ask: Ask, taskId: unknown) => taskIn(await ask('tasks/get', { taskId })).status;
const result = async (ask: Ask, era: Era, taskId: unknown) => {
  await vi.waitFor(async () => expect(await status(ask, taskId)).toBe('completed'), 15_000);
  const answer = await ask(era === 'stateless' ? 'tasks/get' : 'tasks/result', { taskId });
  return object(answer.result?.result ?? answer.result).structuredContent;
};

describe.each(eras)('a task, in the %s era,', (era) => {
  it('outlives a process that is killed', async () => {
    const upstream = await scriptedUpstream({ actions });
    const environment = environmentOf(upstream, await temporaryFolder());
    const connect = async () => {
      const { client, pid } = await connectProgram(modeOf(era), environment, { capabilities: takesTasks });
      return { ask: rawRequests(client), pid, client };
    };
    const first = await connect();
    const { taskId } = taskIn(await begin(first.ask, era));
    const gone = new Promise<void>((resolve) => {
      first.client.onclose = resolve;
    });
    process.kill(first.pid() ?? 0, 'SIGKILL');
    await gone;
    const second = await connect();
    expect(await status(second.ask, taskId)).toBe('working');
    finish(upstream);
    expect(await result(second.ask, era, taskId)).toMatchObject({ status: 'completed', data });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it.skipIf(!hasPostgres)('is found by another replica, and cancelled there', async () => {
    const upstream = await scriptedUpstream({ actions });
    const [one, two] = await startReplicas({
      serviceUrl: upstream.origin,
      apiKey: upstream.apiKey,
      databaseUrl: await createDatabase(),
    });
    const authorization = `Bearer ${replicaToken}`;
    const atOne = rawRequests(await connectHttp(one.origin, era, { authorization }));
    const atTwo = rawRequests(await connectHttp(two.origin, era, { authorization }));
    const { taskId } = taskIn(await begin(atOne, era));
    const { taskId: other } = taskIn(await begin(atTwo, era));
    expect(await status(atTwo, taskId)).toBe('working');
    await atTwo('tasks/cancel', { taskId: other });
    expect(await status(atOne, other)).toBe('cancelled');
    finish(upstream);
    expect(await result(atTwo, era, taskId)).toMatchObject({ status: 'completed', data });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('over HTTP belongs to the key that began it', async () => {
    const upstream = await scriptedUpstream({ actions, otherKeys: ['another'] });
    const { SVC_API_KEY: _, ...keyless } = environmentOf(upstream, await temporaryFolder());
    const { origin } = await startHttp(keyless);
    const mine = rawRequests(await connectHttp(origin, era, { 'x-api-key': upstream.apiKey }));
    const { taskId } = taskIn(await begin(mine, era));
    expect(await status(mine, taskId)).toBe('working');
    const foreign = rawRequests(await connectHttp(origin, era, { 'x-api-key': 'another' }));
    const refused = await foreign('tasks/get', { taskId });
    expect(refused.error).toMatchObject({ code: -32_602 });
    expect(refused.error).toEqual((await foreign('tasks/get', { taskId: 'A'.repeat(24) })).error);
  });
});

it('the first line of packages follows a task over HTTP', async () => {
  const upstream = await scriptedUpstream({ actions });
  const { origin } = await startHttp(environmentOf(upstream, await temporaryFolder()));
  const client = await connectFirstLineHttp(origin, 'streamable');
  await client.listTools();
  const seen: string[] = [];
  const stream = client.experimental.tasks.callToolStream(run, CallToolResultSchema, { task: {} });
  for await (const message of stream) {
    seen.push(message.type);
    if (message.type === 'taskCreated') finish(upstream);
    if (message.type === 'result') expect(message.result.structuredContent).toMatchObject({ data });
  }
  expect([...new Set(seen)]).toEqual(['taskCreated', 'taskStatus', 'result']);
});
