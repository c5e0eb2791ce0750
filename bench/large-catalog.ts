/** A catalog of 50,000 actions: how long others wait while it is read, refreshed and searched, memory and start. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Peer } from './peer.ts';
import { cpuMs, memoryMb } from './process.ts';
import { startUpstream } from './start-upstream.ts';
import { ms, print, timed } from './statistics.ts';
import { startPeer } from './stdio-peer.ts';

const actions = Number(process.env.SVC_BENCH_ACTIONS ?? 50_000);
const searches = 20;
const pauseMs = 5;

/** What `work` took, and the longest that a ping waited meanwhile. */
async function whilePinging({ request, pid }: Peer, work: () => Promise<unknown>) {
  let isOver = false;
  let worst = 0;
  const pinging = async () => {
    while (!isOver) {
      worst = Math.max(worst, await timed(() => request('ping')));
      await delay(pauseMs);
    }
  };
  const before = cpuMs(pid);
  const pings = pinging();
  const took = await timed(work);
  isOver = true;
  await pings;
  return {
    took: ms(took),
    'worst ping': ms(worst),
    CPU: ms(cpuMs(pid) - before),
    memory: `${memoryMb(pid).toFixed(0)} MB`,
  };
}

export async function benchLargeCatalog(): Promise<void> {
  const upstream = await startUpstream(actions);
  const folder = await mkdtemp(join(tmpdir(), 'svc-scale-'));
  const environment = { SVC_BASE_URL: upstream.origin, SVC_API_KEY: 'bench', SVC_DATA_DIR: folder };
  const start = () => startPeer(['dist/cli/main.js'], environment);
  const call = (peer: Peer, name: string, args: object) =>
    peer.request('tools/call', { name, arguments: args });
  const first = await start();
  const rows = [
    {
      what: 'first list, nothing on disk',
      ...(await whilePinging(first, () => first.request('tools/list'))),
    },
    {
      what: 'a refresh, after an unknown action',
      ...(await whilePinging(first, () => call(first, 'run_action', { action_id: 'unknown', params: {} }))),
    },
    {
      what: `${searches} searches`,
      ...(await whilePinging(first, async () => {
        for (let page = 0; page < searches; page += 1) {
          await call(first, 'search_actions', { q: `page ${page} prices and links` });
        }
      })),
    },
  ];
  await first.close();
  let second: Peer | undefined;
  const took = await timed(async () => {
    second = await start();
    await second.request('tools/list');
  });
  const memory = `${memoryMb(second?.pid).toFixed(0)} MB`;
  rows.push({
    what: 'start to first list, with a snapshot',
    took: ms(took),
    'worst ping': '',
    CPU: ms(cpuMs(second?.pid)),
    memory,
  });
  await second?.close();
  print(`${actions} actions`, rows);
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
}
