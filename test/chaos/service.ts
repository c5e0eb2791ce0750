/** `npm run chaos:service [kills]`: random kills on both engines, figures printed; fails if a figure must not be. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres.ts';
import { type ChaosCount, killAtRandom } from './kills.ts';
import { type StopCount, stopAtRandom } from './stops.ts';

const kills = Number(process.argv[2] ?? 200);
const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'));
const cluster = await startPostgres();
const print = (text: string) => process.stdout.write(`${text}\n`);

const stops = Math.ceil(kills / 8);

const results: [string, ChaosCount, StopCount][] = [];
async function run(engine: string, databaseUrl?: string, secondUrl?: string): Promise<void> {
  const begun = performance.now();
  const count = await killAtRandom({ dataDir: join(folder, engine), databaseUrl }, kills);
  const stopCount = await stopAtRandom(
    { dataDir: join(folder, `${engine}-stops`), databaseUrl: secondUrl },
    stops,
  );
  results.push([engine, count, stopCount]);
  print(`${engine}: ${Math.round((performance.now() - begun) / 1000)} s`);
  for (const [name, value] of Object.entries({ ...count, ...stopCount }))
    print(`  ${name.padEnd(18)} ${value}`);
}

await run('sqlite');
if (cluster === undefined) print('SKIPPED: PostgreSQL is not installed, so nothing was tried on it');
else await run('postgres', await cluster.createDatabase(), await cluster.createDatabase());
await cluster?.stop();
await rm(folder, { recursive: true });

const bad = results.filter(
  ([engine, count, stopCount]) =>
    // A file's write lock belongs to a process: one that is stopped in the middle of a write keeps it.
    (engine === 'sqlite' ? 0 : stopCount.refused) +
      stopCount.wrongMoney +
      count.lost +
      count.wrongMoney +
      count.doubleRefunds +
      count.ledgerMismatches +
      count.wrongBuilds >
    0,
);
print(bad.length === 0 ? 'Nothing was lost' : `FAILED on ${bad.map(([engine]) => engine).join(' and ')}`);
process.exitCode = bad.length === 0 ? 0 : 1;
