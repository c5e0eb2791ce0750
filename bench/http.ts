/** Over HTTP: calls per second and latency by how many are under way, and warm `tools/list` by the number of actions. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { httpServer, minimalHttpServer, startHttpProcess } from './http-process.ts';
import { startUpstream } from './start-upstream.ts';
import { median, ms, print, ratio, timed } from './statistics.ts';

/** Fewer in all than a key may send in a minute. */
const levels = [
  { atOnce: 1, calls: 300 },
  { atOnce: 16, calls: 1_000 },
  { atOnce: 64, calls: 1_500 },
];
const warmUp = 100;
const listRounds = 30;

type Ask = (method: string, params?: object) => Promise<string>;

interface Peer {
  readonly ask: Ask;
  close(): Promise<void>;
}

async function startPeer(args: readonly string[], environment: Record<string, string>): Promise<Peer> {
  const { child, origin } = await startHttpProcess(args, environment);
  const dispatcher = new Agent({ connections: 64 });
  let id = 0;
  return {
    async ask(method, params = {}) {
      id += 1;
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const answer = await request(`${origin}/mcp`, {
        method: 'POST',
        dispatcher,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...('name' in params && { 'mcp-name': String(params.name) }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200 || !text.includes('"result"')) throw new Error(text.slice(0, 500));
      return text;
    },
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await Promise.all([ended, dispatcher.destroy()]);
    },
  };
}

/** Milliseconds of each call, and calls per second. */
async function load(ask: Ask, atOnce: number, calls: number, page: () => number) {
  const times: number[] = [];
  let left = calls;
  const client = async () => {
    while (left-- > 0) {
      const params = { name: 'site_action_1', arguments: { q: '1000', page: page() } };
      times.push(await timed(() => ask('tools/call', params)));
    }
  };
  const took = await timed(() => Promise.all(Array.from({ length: atOnce }, client)));
  times.sort((one, other) => one - other);
  return {
    perSecond: (calls / took) * 1000,
    median: median(times),
    p99: times[Math.floor(calls * 0.99)] ?? 0,
  };
}

export async function benchHttp(): Promise<void> {
  await benchLoad();
  await benchHttpLists();
}

async function benchLoad(): Promise<void> {
  const upstream = await startUpstream(10);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const environment = {
    SVC_BASE_URL: upstream.origin,
    SVC_DATA_DIR: folder,
  };
  const minimal = await startPeer(minimalHttpServer, environment);
  const ours = await startPeer(httpServer, environment);
  await ours.ask('tools/list');
  // Every call is another one: the same call again would attach to a run that was not delivered yet.
  let calls = 0;
  const page = () => (calls += 1);
  for (const { ask } of [minimal, ours]) await load(ask, 8, warmUp, page);
  const rows = [];
  for (const { atOnce, calls: count } of levels) {
    const base = await load(minimal.ask, atOnce, count, page);
    const own = await load(ours.ask, atOnce, count, page);
    rows.push({
      'at once': String(atOnce),
      'minimal server': `${base.perSecond.toFixed(0)}/s`,
      'svc-mcp': `${own.perSecond.toFixed(0)}/s`,
      'of minimal': ratio(own.perSecond, base.perSecond),
      'minimal median': ms(base.median),
      'svc-mcp median': ms(own.median),
      added: ms(own.median - base.median),
      'minimal p99': ms(base.p99),
      'svc-mcp p99': ms(own.p99),
    });
  }
  print('Calls over HTTP whose job is done at the first poll (svc-mcp writes its intent durably)', rows);
  await Promise.all([minimal.close(), ours.close(), upstream.close()]);
  await rm(folder, { recursive: true, force: true });
}

async function benchHttpLists(): Promise<void> {
  const rows = [];
  for (const actions of [100, 1_000, 10_000]) {
    const upstream = await startUpstream(actions);
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
    const environment = { SVC_BASE_URL: upstream.origin, SVC_DATA_DIR: folder };
    const all = { SVC_MAX_TOOLS: '0', SVC_MAX_TOOLS_CHARS: '0' };
    for (const [server, args, more] of [
      ['minimal', minimalHttpServer, {}],
      ['svc-mcp', httpServer, {}],
      ['svc-mcp, no budget', httpServer, all],
    ] as const) {
      const peer = await startPeer(args, { ...environment, ...more });
      let chars = (await peer.ask('tools/list')).length;
      const times = [];
      for (let round = 0; round < listRounds; round += 1) {
        times.push(await timed(async () => (chars = (await peer.ask('tools/list')).length)));
      }
      rows.push({
        actions: String(actions),
        server,
        'tools/list': ms(median(times)),
        size: `${(chars / 1000).toFixed(0)} kB`,
      });
      await peer.close();
    }
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
  print(`Warm tools/list over HTTP (median of ${listRounds})`, rows);
}
