/** Warm `tools/list` and memory at 100 and 10,000 visible actions. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryMb } from './process.ts';
import { startUpstream } from './start-upstream.ts';
import { median, ms, print, timed } from './statistics.ts';
import { startPeer } from './stdio-peer.ts';

const rounds = 50;

export async function benchLists(): Promise<void> {
  const rows = [];
  for (const actions of [100, 10_000]) {
    const upstream = await startUpstream(actions);
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
    const environment = { SVC_BASE_URL: upstream.origin, SVC_API_KEY: 'bench', SVC_DATA_DIR: folder };
    for (const [server, args] of [
      ['minimal', ['bench/minimal-server.js']],
      ['svc-mcp', ['dist/cli/main.js']],
    ] as const) {
      const peer = await startPeer(args, environment);
      await peer.request('tools/list');
      const times = [];
      let chars = 0;
      for (let round = 0; round < rounds; round += 1) {
        times.push(await timed(async () => (chars = (await peer.request('tools/list')).length)));
      }
      rows.push({
        actions: String(actions),
        server,
        'tools/list': ms(median(times)),
        size: `${(chars / 1000).toFixed(0)} kB`,
        memory: `${memoryMb(peer.pid).toFixed(0)} MB`,
      });
      await peer.close();
    }
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
  print(
    `Warm tools/list (median of ${rounds}; the minimal server lists everything and asks the service each time)`,
    rows,
  );
}
