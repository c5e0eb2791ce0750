/**
 * `npm run chaos:service -- [kills] [--seed n] [--engine sqlite|postgres]`: kills, stops and disturbances at random
 * moments, on both engines. Prints what was done and what must be zero, and fails where that is not. What goes wrong is
 * printed at once with its seed, and ends only its own part. Ctrl-C ends the program with the summary so far.
 *
 * The seed repeats what is done in which order; at which moment of a service's work it strikes is up to the machine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { disturbAtRandom, newDisturbanceCount } from './disturbances.ts';
import { killAtRandom, newKillCount } from './kills.ts';
import { stopSignal } from './stop-signal.ts';
import { newStopCount, stopAtRandom } from './stops.ts';
import type { Trial } from './trial.ts';

type Engine = 'sqlite' | 'postgres';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    engine: { type: 'string' },
  },
});
const kills = Number(positionals[0] ?? 200);
const stops = Math.ceil(kills / 8);
const disturbances = kills;
const seed = Number(values.seed);
const signal = stopSignal();
const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'));
const cluster = values.engine === 'sqlite' ? undefined : await startPostgres();
const started = performance.now();
const print = (text: string) => process.stdout.write(`${text}\n`);
const failures: string[] = [];

const mustBeZero = new Set<string>([
  'unanswered',
  'lost',
  'wrongMoney',
  'doubleRefunds',
  'ledgerMismatches',
  'wrongBuilds',
  'doubleCharges',
  'lostJobs',
  'falseRefusals',
  'wrongCredits',
]);

/** Runs one part and prints its figures, also where it breaks. */
async function runPart<Count extends Record<string, number>>(
  engine: Engine,
  name: string,
  count: Count,
  work: (trial: Trial) => Promise<unknown>,
  isRefusalAllowed = true,
): Promise<void> {
  if (signal.aborted) return;
  const begun = performance.now();
  const where = `${engine}, ${name}`;
  const report = (problem: string) => print(`  ${where}, seed ${seed}: ${problem}`);
  try {
    await work({
      place: {
        dataDir: join(folder, `${engine}-${name}`),
        databaseUrl: engine === 'postgres' ? await cluster?.createDatabase() : undefined,
      },
      random: new Random(seed),
      signal,
      report,
    });
  } catch (error) {
    report(`the part broke: ${error instanceof Error ? error.stack : String(error)}`);
    failures.push(`${where}: the part broke`);
  }
  print(`${where}: ${Math.round((performance.now() - begun) / 1000)} s`);
  for (const [figure, value] of Object.entries(count)) {
    const isZero = mustBeZero.has(figure) || (figure === 'refused' && !isRefusalAllowed);
    print(`  ${figure.padEnd(18)} ${value}${isZero ? ' (must be 0)' : ''}`);
    if (isZero && value !== 0) failures.push(`${where}: ${figure} ${value}`);
  }
}

async function run(engine: Engine): Promise<void> {
  const killed = newKillCount();
  await runPart(engine, 'kills', killed, (trial) => killAtRandom(trial, kills, killed));
  requireTried(engine, 'kills', [
    [killed.kills, kills],
    [killed.acknowledged, kills],
    [killed.builds, kills / 40],
  ]);
  const stopped = newStopCount();
  // A file's write lock belongs to a process: one that is stopped in the middle of a write keeps it.
  const isFile = engine === 'sqlite';
  await runPart(engine, 'stops', stopped, (trial) => stopAtRandom(trial, stops, stopped), isFile);
  requireTried(engine, 'stops', [[stopped.submissions, 4 * stops]]);
  const disturbed = newDisturbanceCount();
  await runPart(engine, 'disturbances', disturbed, (trial) =>
    disturbAtRandom(trial, disturbances, disturbed),
  );
  requireTried(engine, 'disturbances', [
    [disturbed.disturbances, disturbances],
    [disturbed.accepted, disturbances],
  ]);
}

/** Zeros mean something only where enough was tried. */
function requireTried(
  engine: Engine,
  name: string,
  figures: readonly (readonly [done: number, least: number])[],
): void {
  const isEnough = figures.every(([done, least]) => done >= least);
  if (!signal.aborted && !isEnough) failures.push(`${engine}, ${name}: too little was tried`);
}

print(
  `Chaos of the service, seed ${seed}: ${kills} kills, ${stops} stops and ${disturbances} disturbances on each engine`,
);
if (values.engine !== 'postgres') await run('sqlite');
if (cluster !== undefined) await run('postgres');
else if (values.engine !== 'sqlite')
  print('SKIPPED: PostgreSQL is not installed, so nothing was tried on it');
await cluster?.stop();
await rm(folder, { recursive: true, force: true });
if (signal.aborted) print('STOPPED EARLY: the figures are of what ran until then');
print(`${Math.round((performance.now() - started) / 1000)} s`);
print(failures.length === 0 ? 'Nothing was lost' : `FAILED:\n${failures.join('\n')}`);
process.exit(failures.length === 0 ? 0 : 1);
