/**
 * Many stdio processes on one data folder, as with many editors open, and large histories: what grows with the number of
 * processes and rows. Sizes can be set: SVC_BENCH_PROCESSES (50), SVC_BENCH_CALLS (500), SVC_BENCH_INTENTS (1000000), SVC_BENCH_ACTIONS (50000).
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayMigrations } from '../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../src/gateway/store/schema.ts';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open-database.ts';
import { statement } from '../src/store/statement.ts';
import { benchLargeCatalog } from './large-catalog.ts';
import { startUpstream } from './start-upstream.ts';
import { ms, print, timed } from './statistics.ts';
import { startPeer } from './stdio-peer.ts';

const sizeOf = (name: string, size: number) => Number(process.env[name] ?? size);
const processes = sizeOf('SVC_BENCH_PROCESSES', 50);
const calls = sizeOf('SVC_BENCH_CALLS', 500);
const intents = sizeOf('SVC_BENCH_INTENTS', 1_000_000);

export async function benchScale(): Promise<void> {
  await benchProcesses();
  await benchHistory();
  await benchLargeCatalog();
}

async function benchProcesses(): Promise<void> {
  const upstream = await startUpstream(10);
  const remote = { SVC_BASE_URL: upstream.origin, SVC_API_KEY: 'bench' };
  const rows = [
    await callFromMany('a remote service', remote, 'site_action_1', (page) => ({ q: '1000', page })),
    await callFromMany('the embedded service', {}, 'quotes_list', (call) => ({ text: `text ${call}` })),
  ];
  await upstream.close();
  print(`${calls} calls from ${processes} stdio processes on one data folder`, rows);
}

async function callFromMany(
  to: string,
  settings: Readonly<Record<string, string>>,
  tool: string,
  argumentsOf: (call: number) => object,
): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-scale-'));
  const environment = { ...settings, SVC_DATA_DIR: folder };
  const peers: Awaited<ReturnType<typeof startPeer>>[] = [];
  const times: number[] = [];
  const outcomes = new Map<string, number>();
  // A few at a time: what is measured is the calls after all have listed.
  const listing = await timed(async () => {
    while (peers.length < processes) {
      const some = Array.from({ length: Math.min(5, processes - peers.length) }, async () => {
        const peer = await startPeer(['dist/cli/main.js'], environment);
        await peer.request('tools/list');
        return peer;
      });
      peers.push(...(await Promise.all(some)));
    }
  });
  let made = 0;
  await Promise.all(
    peers.map(async (peer) => {
      for (made += 1; made <= calls; made += 1) {
        const params = { name: tool, arguments: argumentsOf(made) };
        let outcome = 'no answer';
        const time = await timed(async () => {
          outcome = statusOf(await peer.request('tools/call', params));
        });
        times.push(time);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }),
  );
  await Promise.all(peers.map((peer) => peer.close()));
  await rm(folder, { recursive: true, force: true });
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => ms(sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
  return {
    to,
    'all listed after': ms(listing),
    p50: at(0.5),
    p95: at(0.95),
    outcomes: [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', '),
  };
}

function statusOf(line: string): string {
  const { structuredContent }: { structuredContent?: unknown } = Object(JSON.parse(line).result);
  const { status, error }: { status?: unknown; error?: { code?: unknown } } = Object(structuredContent);
  return status === 'error' ? String(error?.code) : String(status);
}

async function benchHistory(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-scale-'));
  const database = await openDatabase<GatewaySchema>(
    { file: join(folder, 'gateway.db') },
    gatewayMigrations,
    'gateway',
  );
  try {
    await fill(database);
    const durations = statement<{ duration_ms: number }>(
      `select duration_ms from gateway_intent where principal = $1 and subject = $2 and duration_ms is not null
       order by created_at desc limit 10`,
      'bench',
      'action 3',
    );
    const reading = await timed(async () => {
      for (let index = 0; index < 20; index += 1) await database.read(durations);
    });
    const { sql, parameters } = durations;
    const plan = await database.read(
      statement<{ detail: string }>(`explain query plan ${sql}`, ...parameters),
    );
    print(`${intents} intents of one key`, [
      {
        'durations of an action, 20 times': ms(reading),
        plan: plan.map(({ detail }) => detail).join('; '),
      },
    ]);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(database: Database<GatewaySchema>): Promise<void> {
  const insert = (id: number) =>
    statement(
      `with recursive number (n) as (select $1 union all select n + 1 from number where n < $2)
       insert into gateway_intent (id, principal, kind, subject, call_hash, open, state, price, charged, owner, deadline,
         job_id, duration_ms, outcome, created_at, finished_at)
       select $3 || n, 'bench', 'run', 'action ' || (n % 7), 'hash ' || n, 0, 'delivered', 1, 1, 'bench:1:1', 0,
         'job ' || n, 100, 'completed', n, n from number where true`,
      id,
      Math.min(id + 49_999, intents),
      randomUUID(),
    );
  for (let id = 1; id <= intents; id += 50_000) await database.batch([insert(id)], { synced: false });
}
