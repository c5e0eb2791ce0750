/** Spawn to the first `tools/list`, with a snapshot on disk, against the minimal server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryMb } from './process.ts';
import { startUpstream } from './start-upstream.ts';
import { median, ms, print, ratio, timed } from './statistics.ts';
import { startPeer } from './stdio-peer.ts';

const rounds = 15;

export async function benchStart(): Promise<void> {
  const upstream = await startUpstream(100);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const environment = { SVC_BASE_URL: upstream.origin, SVC_API_KEY: 'bench', SVC_DATA_DIR: folder };
  const firstList = async (args: string[], env: Record<string, string>) => {
    let peer: Awaited<ReturnType<typeof startPeer>> | undefined;
    const took = await timed(async () => {
      peer = await startPeer(args, env, { pinned: true });
      await peer.request('tools/list');
    });
    const memory = memoryMb(peer?.pid);
    await peer?.close();
    return { took, memory };
  };
  const servers: Record<string, { args: string[]; env: Record<string, string> }> = {
    minimal: { args: ['bench/minimal-server.js'], env: environment },
    'svc-mcp, remote': { args: ['dist/cli/main.js'], env: environment },
    'svc-mcp, embedded': {
      args: ['dist/cli/main.js'],
      env: { SVC_DATA_DIR: join(folder, 'embedded'), SVC_BASE_URL: '' },
    },
  };
  const results = new Map<string, { took: number[]; memory: number[] }>();
  // The first round writes the snapshots; afterwards the servers take turns, so that noise hits all alike.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, { args, env }] of Object.entries(servers)) {
      const { took, memory } = await firstList(args, env);
      const result = results.get(name) ?? { took: [], memory: [] };
      results.set(name, result);
      if (round === 0) continue;
      result.took.push(took);
      result.memory.push(memory);
    }
  }
  const baseline = median(results.get('minimal')?.took ?? []);
  print(
    `Spawn to first tools/list (100 actions, median of ${rounds})`,
    [...results].map(([server, { took, memory }]) => ({
      server,
      time: ms(median(took)),
      ratio: ratio(median(took), baseline),
      memory: `${median(memory).toFixed(0)} MB`,
    })),
  );
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
}
