/** `npm run chaos:service [kills]`: random kills on both engines, figures printed; fails if a figure must not be. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres.ts';
import { type ChaosCount, killAtRandom } from './kills.ts';

const kills = Number(process.argv[2] ?? 200);
const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'));
const cluster = await startPostgres();
const print = (text: string) => process.stdout.write(`${text}\n`);

const results: [string, ChaosCount][] = [];
async function run(engine: string, databaseUrl: string | undefined): Promise<void> {
  const begun = performance.now();
  const count = await killAtRandom({ dataDir: join(folder, engine), databaseUrl }, kills);
  results.push([engine, count]);
  print(`${engine}: ${Math.round((performance.now() - begun) / 1000)} s`);
  for (const [name, value] of Object.entries(count)) print(`  ${name.padEnd(18)} ${value}`);
}

await run('sqlite', undefined);
if (cluster === undefined) print('SKIPPED: PostgreSQL is not installed, so nothing was tried on it');
else await run('postgres', await cluster.createDatabase());
await cluster?.stop();
await rm(folder, { recursive: true });

const bad = results.filter(
  ([, count]) =>
    count.lost + count.wrongMoney + count.doubleRefunds + count.ledgerMismatches + count.wrongBuilds > 0,
);
print(bad.length === 0 ? 'Nothing was lost' : `FAILED on ${bad.map(([engine]) => engine).join(' and ')}`);
process.exitCode = bad.length === 0 ? 0 : 1;
