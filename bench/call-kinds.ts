/**
 * What a limit, an account and a longer job add to a paid call: each beside the plain call of the same server, on the same core
 * in the same run, in turns.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startUpstream } from '../test/support/upstream.ts';
import type { Peer } from './peer.ts';
import { median, ms, print, ratio } from './statistics.ts';
import { startPeer } from './stdio-peer.ts';
import { type Turn, takeTurn } from './turn.ts';

interface Kind {
  readonly what: string;
  readonly peer: Peer;
  readonly tool: string;
  /** How long the job takes, in milliseconds. */
  readonly lastsMs: number;
  readonly calls: number;
}

const turns = 5;
const jobMs = 2_000;
/** Jobs that take long run at once, as those of an agent that waits for several do. */
const atOnce = 20;

const turn = ({ peer, tool, lastsMs, calls }: Kind): Promise<Turn> =>
  takeTurn(peer, { calls, atOnce: lastsMs === 0 ? 1 : atOnce }, (page) => ({
    name: tool,
    arguments: { page },
  }));

/** The first kind is what the others are compared with. */
async function measure(kinds: readonly Kind[]): Promise<void> {
  const taken = new Map(kinds.map((kind) => [kind, [] as Turn[]]));
  // Warm, before any is measured.
  for (const kind of kinds) await turn({ ...kind, calls: kind.lastsMs === 0 ? 1_500 : atOnce });
  for (let round = 0; round < turns; round += 1)
    for (const kind of kinds) taken.get(kind)?.push(await turn(kind));
  const figures = kinds.map((kind) => {
    const all = taken.get(kind) ?? [];
    return { kind, took: median(all.flatMap(({ times }) => times)), cpu: median(all.map(({ cpu }) => cpu)) };
  });
  const [plain] = figures;
  print(
    'A paid call over stdio by what it needs',
    figures.map(({ kind: { what, lastsMs }, took, cpu }) => ({
      '': what,
      median: ms(took),
      'ms of CPU': cpu.toFixed(2),
      'CPU of the plain call': ratio(cpu, plain?.cpu ?? Number.NaN),
      'time of the job': lastsMs === 0 ? '' : ratio(took, lastsMs),
    })),
  );
}

const now = new Date().toISOString();
const ids = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;
const catalogId = ids(1);
const credential = { credential_type: 'credentials', status: 'active', last_used_at: null, created_at: now };
const identity = {
  ...{ id: ids(2), catalog_id: catalogId, name: 'work', is_default: true, created_at: now },
  credentials: [{ id: ids(3), identity_id: ids(2), ...credential }],
};
const parameters = { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] };
const action = { catalog_slug: 'site', credits: 1, parameters };
const data = {
  items: Array.from({ length: 10 }, (_, index) => ({ name: `The thing ${index}`, price: 12.5 })),
};

export async function benchCallKinds(): Promise<void> {
  const upstream = await startUpstream({
    balance: 1_000_000,
    catalogs: [{ slug: 'site', id: catalogId, auth_types: ['credentials'] }],
    identities: [identity],
    actions: [
      { ...action, action_id: 'site_plain', job: { data } },
      { ...action, action_id: 'site_own', auth_mode: 'optional', job: { data } },
      { ...action, action_id: 'site_long', job: { data, ms: jobMs } },
    ],
  });
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const start = async (name: string, more = {}) => {
    const environment = { SVC_BASE_URL: upstream.origin, SVC_API_KEY: upstream.apiKey, ...more };
    const place = { SVC_DATA_DIR: join(folder, name) };
    const peer = await startPeer(
      ['dist/cli/main.js', 'stdio'],
      { ...environment, ...place },
      { pinned: true },
    );
    await peer.request('tools/list');
    return peer;
  };
  const plain = await start('plain');
  const limited = await start('limited', { SVC_MAX_CREDITS_PER_DAY: '100000000' });
  const common = { peer: plain, tool: 'site_plain', lastsMs: 0, calls: 250 };
  await measure([
    { ...common, what: 'plain' },
    { ...common, what: 'under a daily limit', peer: limited },
    { ...common, what: 'with an account', tool: 'site_own' },
    { ...common, what: `a job of ${jobMs / 1000} s`, tool: 'site_long', lastsMs: jobMs, calls: 2 * atOnce },
  ]);
  for (const peer of [plain, limited]) await peer.close();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
}
