/** A call whose job is done at the first poll, by the size of its result; the plain client is the floor. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { startUpstream } from './start-upstream.ts';
import { median, ms, print, ratio, timed } from './statistics.ts';
import { startPeer } from './stdio-peer.ts';

const sizes = [
  { name: '1 kB', bytes: 1_000, rounds: 400 },
  { name: '100 kB', bytes: 100_000, rounds: 150 },
  { name: '5 MB', bytes: 5_000_000, rounds: 15 },
];
const warmUp = 10;
const memoryFolder = '/dev/shm';

export async function benchCalls(): Promise<void> {
  const upstream = await startUpstream(10);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const environment = { SVC_BASE_URL: upstream.origin, SVC_API_KEY: 'bench', SVC_DATA_DIR: folder };
  const minimal = await startPeer(['bench/minimal-server.js'], environment);
  const ours = await startPeer(['dist/cli/main.js'], environment);
  await ours.request('tools/list');
  // The same with a data folder in memory: what is left out is the wait for the disk.
  const memory = existsSync(memoryFolder) ? await mkdtemp(join(memoryFolder, 'svc-bench-')) : folder;
  const unsynced = await startPeer(['dist/cli/main.js'], { ...environment, SVC_DATA_DIR: memory });
  await unsynced.request('tools/list');
  const rows = [];
  let call = 0;
  for (const { name, bytes, rounds } of sizes) {
    // Every call is another one: the same call again would attach to a run that was not delivered yet.
    const params = () => {
      call += 1;
      return { q: `${bytes}`, page: call };
    };
    const contenders = {
      plain: () => plainCall(upstream.origin, params()),
      minimal: () => minimal.request('tools/call', { name: 'site_action_1', arguments: params() }),
      ours: () => ours.request('tools/call', { name: 'site_action_1', arguments: params() }),
      unsynced: () => unsynced.request('tools/call', { name: 'site_action_1', arguments: params() }),
    };
    const times: Record<keyof typeof contenders, number[]> = {
      plain: [],
      minimal: [],
      ours: [],
      unsynced: [],
    };
    for (let round = -warmUp; round < rounds; round += 1) {
      for (const contender of ['plain', 'minimal', 'ours', 'unsynced'] as const) {
        const took = await timed(contenders[contender]);
        if (round >= 0) times[contender].push(took);
      }
    }
    rows.push({
      result: name,
      'plain client': ms(median(times.plain)),
      'minimal server': ms(median(times.minimal)),
      'svc-mcp': ms(median(times.ours)),
      'of minimal': ratio(median(times.ours), median(times.minimal)),
      'without disk syncs': ms(median(times.unsynced)),
      'of minimal ': ratio(median(times.unsynced), median(times.minimal)),
      'cost of durability': ratio(median(times.ours), median(times.unsynced)),
    });
  }
  print('A call whose job is done at the first poll (median; svc-mcp writes its intent durably)', rows);
  await Promise.all([minimal.close(), ours.close(), unsynced.close(), upstream.close()]);
  for (const used of [folder, memory]) await rm(used, { recursive: true, force: true });
}

async function plainCall(origin: string, params: object): Promise<unknown> {
  const headers = { 'X-API-Key': 'bench', 'Content-Type': 'application/json' };
  const body = JSON.stringify({ action_id: 'site_action_1', params });
  const submitted = await request(`${origin}/v1/svc/task`, { method: 'POST', headers, body });
  const { job_id } = JSON.parse(await submitted.body.text());
  const job = await request(`${origin}/v1/svc/jobs/${job_id}`, { headers });
  return job.body.json();
}
