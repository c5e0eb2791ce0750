/**
 * `npm run chaos:service [kills]`: kills, stops and disturbances at random moments, on both engines. Prints what was
 * done and what must be zero, and fails where that is not. Ctrl-C ends it with the summary so far.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres.ts';
import { disturbAtRandom } from './disturbances.ts';
import { killAtRandom } from './kills.ts';
import { stopSignal } from './stop-signal.ts';
import { stopAtRandom } from './stops.ts';

const kills = Number(process.argv[2] ?? 200);
const stops = Math.ceil(kills / 8);
const disturbances = kills;
const signal = stopSignal();
const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'));
const cluster = await startPostgres();
const started = performance.now();
const print = (text: string) => process.stdout.write(`${text}\n`);
const failed: string[] = [];

async function run(engine: 'sqlite' | 'postgres'): Promise<void> {
  const begun = performance.now();
  const place = async (name: string) => ({
    dataDir: join(folder, `${engine}-${name}`),
    databaseUrl: engine === 'postgres' ? await cluster?.createDatabase() : undefined,
  });
  const killed = await killAtRandom(await place('kills'), kills, signal);
  const stopped = await stopAtRandom(await place('stops'), stops, signal);
  const disturbed = await disturbAtRandom(await place('disturbances'), disturbances, signal);
  const figures = Object.entries({ ...killed, ...stopped, ...disturbed });
  const mustBeZero = new Set<string>([
    'lost',
    'wrongMoney',
    'doubleRefunds',
    'ledgerMismatches',
    'wrongBuilds',
    'doubleCharges',
    'lostJobs',
    'falseRefusals',
    'wrongCredits',
    // A file's write lock belongs to a process: one that is stopped in the middle of a write keeps it.
    ...(engine === 'postgres' ? ['refused'] : []),
  ]);
  print(`${engine}: ${Math.round((performance.now() - begun) / 1000)} s`);
  for (const [name, value] of figures)
    print(`  ${name.padEnd(18)} ${value}${mustBeZero.has(name) ? ' (must be 0)' : ''}`);
  if (figures.some(([name, value]) => mustBeZero.has(name) && value > 0) || stopped.wrongMoney > 0)
    failed.push(engine);
}

print(`Chaos of the service: ${kills} kills, ${stops} stops and ${disturbances} disturbances on each engine`);
await run('sqlite');
if (cluster === undefined) print('SKIPPED: PostgreSQL is not installed, so nothing was tried on it');
else if (!signal.aborted) await run('postgres');
await cluster?.stop();
await rm(folder, { recursive: true, force: true });
if (signal.aborted) print('STOPPED EARLY: the figures are of what ran until then');
print(`${Math.round((performance.now() - started) / 1000)} s`);
print(failed.length === 0 ? 'Nothing was lost' : `FAILED on ${failed.join(' and ')}`);
process.exit(failed.length === 0 ? 0 : 1);
