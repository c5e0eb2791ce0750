/** Exactly 50 sessions of 2025-11-25 that make 50 calls each, all at once: the median and the slowest percent. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { httpServer, minimalHttpServer, startHttpProcess } from './http-process.ts';
import { postMessage } from './post-message.ts';
import { startUpstream } from './start-upstream.ts';
import { median, ms, print, timed } from './statistics.ts';

const sessions = 50;
const callsOfOne = 50;

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

export async function benchSessions(): Promise<void> {
  const upstream = await startUpstream(10);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const rows = [];
  for (const [name, args] of [
    ['minimal server, which keeps no sessions', minimalHttpServer],
    ['svc-mcp', httpServer],
  ] as const) {
    const { child, origin } = await startHttpProcess(args, {
      SVC_BASE_URL: upstream.origin,
      SVC_DATA_DIR: folder,
    });
    const dispatcher = new Agent({ connections: sessions });
    const { times, took } = await run(origin, dispatcher);
    times.sort((a, b) => a - b);
    rows.push({
      server: name,
      calls: String(times.length),
      p50: ms(median(times)),
      p99: ms(times[Math.floor(times.length * 0.99)] ?? 0),
      rate: `${((times.length / took) * 1000).toFixed(0)}/s`,
    });
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await Promise.all([ended, dispatcher.destroy()]);
  }
  print(`${sessions} sessions of ${callsOfOne} calls, all at once`, rows);
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
}

async function run(origin: string, dispatcher: Agent) {
  let id = 0;
  const post = async (session: string | undefined, method: string, params: object) => {
    id += 1;
    const isNotification = method.startsWith('notifications/');
    const message = { ...(!isNotification && { id }), method, params };
    const answer = await postMessage({ origin, dispatcher }, message, {
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...(method !== 'initialize' && { 'mcp-protocol-version': initialize.protocolVersion }),
    });
    return answer.headers['mcp-session-id'];
  };
  const begin = async () => {
    const session = await post(undefined, 'initialize', initialize);
    const own = typeof session === 'string' ? session : undefined;
    await post(own, 'notifications/initialized', {});
    return own;
  };
  const begun = await Promise.all(Array.from({ length: sessions }, begin));
  await post(begun[0], 'tools/list', {});
  const times: number[] = [];
  let page = 0;
  const calls = async (session: string | undefined) => {
    for (let count = 0; count < callsOfOne; count += 1) {
      page += 1;
      const params = { name: 'site_action_1', arguments: { q: '1000', page } };
      times.push(await timed(() => post(session, 'tools/call', params)));
    }
  };
  const took = await timed(() => Promise.all(begun.map(calls)));
  return { times, took };
}
