/** What the embedded service does in a second, on both engines, beside what the machine's disk allows. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { grantCredits } from '../src/service/money/users.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { withDatabase } from '../test/support/service.ts';
import { type SpawnedService, spawnService } from '../test/support/spawned-service.ts';

const submits = 2_000;
const polls = 5_000;
const roundTrips = 200;
const connections = 32;

const print = (text: string) => process.stdout.write(`${text}\n`);

export async function benchService(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const cluster = await startPostgres();
  print(`service: one process, ${connections} connections, every submit durable before its answer`);
  print(`  fsync of 4 KiB on this disk: ${milliseconds(measureFsync(folder))}`);
  await benchEngine('sqlite', { dataDir: join(folder, 'sqlite'), databaseUrl: undefined });
  if (cluster === undefined) print('  SKIPPED: PostgreSQL is not installed');
  else
    await benchEngine('postgres', {
      dataDir: join(folder, 'postgres'),
      databaseUrl: await cluster.createDatabase(),
    });
  await cluster?.stop();
  await rm(folder, { recursive: true });
}

interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

async function benchEngine(engine: string, place: Place): Promise<void> {
  const service = await spawnService({ ...place, leaseDuration: 10_000 });
  await withDatabase(place, (database) => grantCredits(database, 'default', 100_000));
  const pool = new Pool(service.baseUrl, { connections });
  const call = callOf(pool, service);

  const { job_id } = await call('POST', '/task', { action_id: 'work' });
  await finished(call, job_id);
  const submitted = await perSecond(submits, () => call('POST', '/task', { action_id: 'work' }));
  await drained(place);
  const polled = await perSecond(polls, () => call('GET', `/jobs/${job_id}`));
  const durations: number[] = [];
  for (let index = 0; index < roundTrips; index += 1) {
    const begun = performance.now();
    const accepted = await call('POST', '/task', { action_id: 'work' });
    await finished(call, accepted.job_id);
    durations.push(performance.now() - begun);
  }
  durations.sort((a, b) => a - b);
  const at = (share: number) => milliseconds(durations[Math.floor(share * (durations.length - 1))] ?? 0);
  print(
    `  ${engine.padEnd(9)} ${Math.round(submitted)} submits/s (jobs running meanwhile), ${Math.round(polled)} polls/s`,
  );
  print(`            submit to done of a trivial job, seen by polling: median ${at(0.5)}, p95 ${at(0.95)}`);
  await pool.close();
  await service.stop();
}

const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;

function measureFsync(folder: string): number {
  const file = openSync(join(folder, 'fsync'), 'w');
  const page = Buffer.alloc(4096, 1);
  const rounds = 200;
  const begun = performance.now();
  for (let index = 0; index < rounds; index += 1) {
    writeSync(file, page, 0, page.length, index * page.length);
    fsyncSync(file);
  }
  closeSync(file);
  return (performance.now() - begun) / rounds;
}

type Call = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Record<string, unknown>>;

const callOf =
  (pool: Pool, service: SpawnedService): Call =>
  async (method, path, body) => {
    const answer = await pool.request({
      method,
      path: `/v1/svc${path}`,
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const parsed: unknown = await answer.body.json();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(parsed)}`);
    return { ...Object(parsed) };
  };

/** Keeps every connection busy until `count` calls are answered. */
async function perSecond(count: number, run: () => Promise<unknown>): Promise<number> {
  let left = count;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left > 0) {
        left -= 1;
        await run();
      }
    }),
  );
  return (count * 1000) / (performance.now() - begun);
}

async function finished(call: Call, jobId: unknown): Promise<void> {
  while ((await call('GET', `/jobs/${jobId}`)).status === 'processing') await pause(1);
}

async function drained(place: Place): Promise<void> {
  const open = () =>
    withDatabase(place, ({ query }) =>
      query.selectFrom('jobs').select('id').where('status', '=', 'processing').limit(1).execute(),
    );
  while ((await open()).length > 0) await pause(50);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
