/**
 * `npm run bench:soak -- [minutes]`: clients that come, call and go, in every revision and over every transport, for a long
 * time. Prints the slowest percent and the server's memory each minute: it must not grow.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstLineClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { httpServer, startHttpProcess } from './http-process.ts';
import { startUpstream } from './start-upstream.ts';
import { ms, print, timed } from './statistics.ts';

const minutes = Number(process.argv[2] ?? 10);
const clients = 50;
const callsOfOne = 50;
/** Between two calls of a client, so that all stay below what one key may send. */
const pauseMs = 700;

const upstream = await startUpstream(10);
const folder = await mkdtemp(join(tmpdir(), 'svc-soak-'));
const { child, origin } = await startHttpProcess(httpServer, {
  SVC_BASE_URL: upstream.origin,
  SVC_DATA_DIR: folder,
});

async function connect(kind: number) {
  if (kind === 2) {
    const client = new FirstLineClient({ name: 'soak', version: '1' });
    await client.connect(new SSEClientTransport(new URL('/sse', origin)));
    return client;
  }
  const mode = kind === 0 ? ({ pin: '2026-07-28' } as const) : 'legacy';
  const client = new Client({ name: 'soak', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', origin));
  await client.connect(transport);
  return {
    callTool: (call: { name: string; arguments: Record<string, unknown> }) => client.callTool(call),
    async close() {
      if (kind === 1) await transport.terminateSession();
      await client.close();
    },
  };
}

const end = Date.now() + minutes * 60_000;
const times: number[] = [];
let page = 0;
let failures = 0;

async function come(index: number): Promise<void> {
  for (let round = index; Date.now() < end; round += 1) {
    const client = await connect(round % 3);
    for (let call = 0; call < callsOfOne && Date.now() < end; call += 1) {
      page += 1;
      const params = { name: 'site_action_1', arguments: { q: '1000', page } };
      const took = timed(async () => {
        if ((await client.callTool(params)).isError) failures += 1;
      });
      times.push(await took);
      await delay(pauseMs * 2 * Math.random());
    }
    await client.close();
  }
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

const coming = Array.from({ length: clients }, (_, index) => come(index));
const rows = [];
for (let minute = 1; Date.now() < end; minute += 1) {
  await delay(Math.min(60_000, end - Date.now()));
  const sorted = times.splice(0).sort((a, b) => a - b);
  rows.push({
    minute: String(minute),
    calls: String(sorted.length),
    median: ms(sorted[Math.floor(sorted.length / 2)] ?? 0),
    p99: ms(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
    failures: String(failures),
    sessions: String((await metric('svc_mcp_sessions')) + (await metric('svc_mcp_streams'))),
    heap: `${((await metric('nodejs_heap_size_used_bytes')) / 1e6).toFixed(0)} MB`,
    memory: `${((await metric('process_resident_memory_bytes')) / 1e6).toFixed(0)} MB`,
  });
}
await Promise.all(coming);
print(`${clients} clients that come, make ${callsOfOne} calls and go, for ${minutes} minutes`, rows);
child.kill('SIGTERM');
await once(child, 'exit');
await upstream.close();
await rm(folder, { recursive: true, force: true });
