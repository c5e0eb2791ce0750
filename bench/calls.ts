/**
 * What a paid call costs whose job is done at the first poll: every server on the same core in the same run, in turns,
 * after as many calls as it takes until they are steady. CPU is from the accounting of the process itself.
 *
 * `SVC_BENCH_OTHER` may name another build's `dist/cli/main.js`, which is then measured beside this one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgres.ts';
import { fillResults } from './filled-store.ts';
import { startHttpPeer } from './http-peer.ts';
import { minimalHttpServer } from './http-process.ts';
import type { Peer } from './peer.ts';
import { startUpstream } from './start-upstream.ts';
import { median, ms, print, ratio, syncMs } from './statistics.ts';
import { startPeer } from './stdio-peer.ts';
import { type Turn, takeTurn } from './turn.ts';

const main = 'dist/cli/main.js';
const { SVC_BENCH_OTHER: otherMain } = process.env;
const manyResults = 50_000;

interface Load {
  readonly what: string;
  readonly bytes: number;
  readonly atOnce: number;
  /** Calls of one server in one of its turns, and turns. */
  readonly calls: number;
  readonly turns: number;
}

const sequential: readonly Load[] = [
  { what: '1 kB', bytes: 1_000, atOnce: 1, calls: 250, turns: 5 },
  { what: '64 at once', bytes: 1_000, atOnce: 64, calls: 1_280, turns: 5 },
];
const large: readonly Load[] = [
  { what: '100 kB', bytes: 100_000, atOnce: 1, calls: 50, turns: 4 },
  { what: '5 MB', bytes: 5_000_000, atOnce: 1, calls: 4, turns: 4 },
];
/** Fewer of each, for a look between two changes. */
const quickly = (load: Load): Load => ({ ...load, calls: Math.ceil(load.calls / 2), turns: 3 });

interface Measured {
  readonly medianMs: number;
  readonly perSecond: number;
  readonly cpu: number;
}

const turn = (peer: Peer, { bytes, ...load }: Load): Promise<Turn> =>
  takeTurn(peer, load, (page) => ({ name: 'site_action_1', arguments: { q: `${bytes}`, page } }));

/** The servers take turns, so that noise hits all alike; the median of the turns counts. */
async function measure(peers: ReadonlyMap<string, Peer>, load: Load): Promise<Map<string, Measured>> {
  const turns = new Map<string, Turn[]>();
  for (let round = 0; round < load.turns; round += 1) {
    for (const [name, peer] of peers) {
      const taken = turns.get(name) ?? [];
      taken.push(await turn(peer, load));
      turns.set(name, taken);
    }
  }
  return new Map(
    [...turns].map(([name, taken]) => [
      name,
      {
        medianMs: median(taken.flatMap(({ times }) => times)),
        perSecond: median(taken.map(({ perSecond }) => perSecond)),
        cpu: median(taken.map(({ cpu }) => cpu)),
      },
    ]),
  );
}

const cpuText = ({ cpu }: Measured) => (Number.isNaN(cpu) ? '' : ` (${cpu.toFixed(2)})`);

function row(where: string, { what, atOnce }: Load, measured: ReadonlyMap<string, Measured>) {
  const base = measured.get('minimal');
  const cell = (one: Measured) =>
    `${atOnce === 1 ? ms(one.medianMs) : `${one.perSecond.toFixed(0)}/s`}${cpuText(one)}`;
  const against = (one: Measured) => {
    if (base === undefined) return '';
    const time = atOnce === 1 ? ratio(one.medianMs, base.medianMs) : ratio(one.perSecond, base.perSecond);
    return `${time}, CPU ${ratio(one.cpu, base.cpu)}`;
  };
  return {
    '': `${what}, ${where}`,
    ...Object.fromEntries(
      [...measured].flatMap(([name, measurement]) => [
        [name, cell(measurement)],
        ...(ours.includes(name) ? [[`${name} of minimal`, against(measurement)]] : []),
      ]),
    ),
  };
}

const ours = otherMain === undefined ? ['svc-mcp'] : ['other', 'svc-mcp'];
const mainOf = (name: string) => (name === 'other' && otherMain !== undefined ? otherMain : main);

interface Place {
  readonly where: string;
  readonly loads: readonly Load[];
  /** What is measured, the minimal server included. */
  readonly peers: Readonly<Record<string, () => Promise<Peer>>>;
  /** Between the warm-up and the measurement. */
  prepare?(): Promise<void>;
}

async function benchPlace(place: Place): Promise<Record<string, string>[]> {
  const peers = new Map<string, Peer>();
  for (const [name, start] of Object.entries(place.peers)) {
    const peer = await start();
    await peer.request('tools/list');
    peers.set(name, peer);
  }
  for (const peer of peers.values()) {
    await turn(peer, { what: 'warm-up', bytes: 1_000, atOnce: 16, calls: 3_000, turns: 1 });
  }
  await place.prepare?.();
  const rows = [];
  for (const load of place.loads) rows.push(row(place.where, load, await measure(peers, load)));
  for (const peer of peers.values()) await peer.close();
  return rows;
}

export const benchCalls = () => bench(false);
export const benchCallsQuickly = () => bench(true);

async function bench(isQuick: boolean): Promise<void> {
  const upstream = await startUpstream(100);
  // Its POSTs go on kept connections, as those to the embedded service do.
  const keyed = await startUpstream(100, 'idempotency');
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const remote = {
    SVC_BASE_URL: upstream.origin,
    SVC_API_KEY: 'bench',
    // No limit is to be met.
    SVC_HTTP_REQUESTS_PER_MINUTE: '10000000',
  };
  const spawn = (file: string, more = {}) => startPeer([file], { ...remote, ...more }, { pinned: true });
  const minimal = (more = {}) => spawn('bench/minimal-server.js', more);
  const dataFolder = (name: string) => ({ SVC_DATA_DIR: join(folder, name) });
  const eachOfOurs = (start: (name: string) => Promise<Peer>) =>
    Object.fromEntries(ours.map((name) => [name, () => start(name)]));
  const few = isQuick ? sequential.map(quickly) : sequential;
  const places: Place[] = [
    {
      where: 'stdio',
      loads: [...few, ...(isQuick ? [] : large)],
      peers: {
        floor: () => spawn('bench/floor-server.js'),
        'durable floor': () => spawn('bench/durable-floor-server.js', { SVC_DATA_DIR: folder }),
        minimal,
        ...eachOfOurs((name) => spawn(mainOf(name), dataFolder(name))),
      },
    },
    {
      where: 'stdio, a service with idempotency keys',
      loads: few,
      peers: {
        minimal: () => minimal({ SVC_BASE_URL: keyed.origin }),
        ...eachOfOurs((name) =>
          spawn(mainOf(name), { ...dataFolder(`${name}-keys`), SVC_BASE_URL: keyed.origin }),
        ),
      },
    },
    {
      where: 'HTTP',
      loads: few,
      peers: {
        minimal: () => startHttpPeer(minimalHttpServer, remote, { pinned: true }),
        ...eachOfOurs((name) => {
          const environment = { ...remote, ...dataFolder(`${name}-http`) };
          return startHttpPeer([mainOf(name), 'http', '--port', '0'], environment, { pinned: true });
        }),
      },
    },
  ];
  const cluster = isQuick ? undefined : await startPostgres();
  if (!isQuick) {
    places.push({
      where: `stdio, ${manyResults} kept results`,
      loads: sequential,
      peers: { minimal, ...eachOfOurs((name) => spawn(mainOf(name), dataFolder(`${name}-full`))) },
      async prepare() {
        for (const name of ours) await fillResults(join(folder, `${name}-full`), manyResults);
      },
    });
  }
  if (cluster !== undefined) {
    places.push({
      where: 'stdio, PostgreSQL',
      loads: sequential,
      peers: {
        minimal,
        ...eachOfOurs(async (name) => {
          const SVC_DATABASE_URL = await cluster.createDatabase();
          return spawn(mainOf(name), { ...dataFolder(`${name}-postgres`), SVC_DATABASE_URL });
        }),
      },
    });
  }
  process.stdout.write(`
A paid call whose job is done at the first poll: median and, in parentheses, ms of CPU for a call.
svc-mcp writes its intent durably, as the durable floor does; one sync of this disk takes ${ms(await syncMs(folder))}
`);
  // One table a place: the whole takes many minutes.
  for (const place of places) print(place.where, await benchPlace(place));
  if (!isQuick && cluster === undefined) process.stdout.write('SKIPPED: PostgreSQL is not installed\n');
  await cluster?.stop();
  await upstream.close();
  await keyed.close();
  await rm(folder, { recursive: true, force: true });
}
