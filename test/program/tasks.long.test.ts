/** Tasks of the built program: found again after a kill, by another replica, and by nobody else. Needs `dist/`. */
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { closeHttp, connectHttp } from '../support/http.ts';
import { startHttp } from '../support/http-program.ts';
import { modeOf } from '../support/mcp-pipe.ts';
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
const taskIn = ({ result }: RawAnswer) => object(result);
const begin = (ask: Ask) => ask('tools/call', run);
const status = async (ask: Ask, taskId: unknown) => taskIn(await ask('tasks/get', { taskId })).status;
const result = async (ask: Ask, taskId: unknown) => {
  await expect.poll(() => status(ask, taskId)).toBe('completed');
  const answer = await ask('tasks/get', { taskId });
  return object(answer.result?.result).structuredContent;
};

describe('a task', () => {
  it('outlives a process that is killed', async () => {
    const upstream = await scriptedUpstream({ actions });
    const environment = environmentOf(upstream, await temporaryFolder());
    const connect = async () => {
      const { client, pid } = await connectProgram(modeOf('stateless'), environment, {
        capabilities: takesTasks,
      });
      return { ask: rawRequests(client), pid, client };
    };
    const first = await connect();
    const { taskId } = taskIn(await begin(first.ask));
    const gone = new Promise<void>((resolve) => {
      first.client.onclose = resolve;
    });
    process.kill(first.pid() ?? 0, 'SIGKILL');
    await gone;
    const second = await connect();
    expect(await status(second.ask, taskId)).toBe('working');
    finish(upstream);
    expect(await result(second.ask, taskId)).toMatchObject({ status: 'completed', data });
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
    const atOne = rawRequests(await connectHttp(one.origin, 'stateless', { authorization }));
    const atTwo = rawRequests(await connectHttp(two.origin, 'stateless', { authorization }));
    const { taskId } = taskIn(await begin(atOne));
    const { taskId: other } = taskIn(await begin(atTwo));
    expect(await status(atTwo, taskId)).toBe('working');
    await atTwo('tasks/cancel', { taskId: other });
    expect(await status(atOne, other)).toBe('cancelled');
    finish(upstream);
    expect(await result(atTwo, taskId)).toMatchObject({ status: 'completed', data });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('over HTTP belongs to the key that began it', async () => {
    const upstream = await scriptedUpstream({ actions, otherKeys: ['another'] });
    const { SVC_API_KEY: _, ...keyless } = environmentOf(upstream, await temporaryFolder());
    const { origin } = await startHttp(keyless);
    const mine = rawRequests(await connectHttp(origin, 'stateless', { 'x-api-key': upstream.apiKey }));
    const { taskId } = taskIn(await begin(mine));
    expect(await status(mine, taskId)).toBe('working');
    const foreign = rawRequests(await connectHttp(origin, 'stateless', { 'x-api-key': 'another' }));
    const refused = await foreign('tasks/get', { taskId });
    expect(refused.error).toMatchObject({ code: -32_602 });
    expect(refused.error).toEqual((await foreign('tasks/get', { taskId: 'A'.repeat(24) })).error);
  });
});
