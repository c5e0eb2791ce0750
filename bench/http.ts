/** Warm `tools/list` over HTTP, by the number of actions. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHttpPeer } from './http-peer.ts';
import { httpServer, minimalHttpServer } from './http-process.ts';
import { startUpstream } from './start-upstream.ts';
import { median, ms, print, timed } from './statistics.ts';

const listRounds = 30;

export async function benchHttp(): Promise<void> {
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
      const peer = await startHttpPeer(args, { ...environment, ...more });
      let chars = (await peer.request('tools/list')).length;
      const times = [];
      for (let round = 0; round < listRounds; round += 1) {
        times.push(await timed(async () => (chars = (await peer.request('tools/list')).length)));
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
