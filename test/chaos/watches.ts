/**
 * The chaos test of watches: seeded trials within this process, on SQLite and, where it is installed, PostgreSQL. Gateways
 * are killed at a random question to the store, time passes in steps of minutes and days, forth and back, in several zones.
 * It prints what was paid, run and told, and exits with 1 where a promise was broken.
 *
 *     npm run chaos:watches -- [--seed n] [--due n] [--postgres n] [--watches n]
 *
 * `--due` and `--postgres`: due times to reach on each engine.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { stopSignal } from './stop-signal.ts';
import { tryWatches, type WatchVerdict } from './watch-trial.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    due: { type: 'string', default: '10000' },
    postgres: { type: 'string', default: '2000' },
    watches: { type: 'string', default: '20' },
  },
});
const signal = stopSignal();
const random = new Random(Number(values.seed));
const started = performance.now();

async function campaign(dueTimes: number, openDatabase: () => Promise<string | undefined>) {
  const verdicts: WatchVerdict[] = [];
  const reached = () => verdicts.reduce((total, verdict) => total + verdict.dueTimes, 0);
  while (reached() < dueTimes && !signal.aborted)
    verdicts.push(
      await tryWatches({
        random: () => random.next(),
        watches: Number(values.watches),
        steps: 60,
        databaseUrl: await openDatabase(),
      }),
    );
  return verdicts;
}

function report(engine: string, verdicts: readonly WatchVerdict[]): number {
  const sum = (count: (verdict: WatchVerdict) => number) =>
    verdicts.reduce((total, verdict) => total + count(verdict), 0);
  const broken = verdicts.flatMap(({ doublePayments, unexplained, toldTwice }) => [
    ...doublePayments.map((text) => `paid twice: ${text}`),
    ...unexplained.map((text) => `unexplained: ${text}`),
    ...toldTwice.map((text) => `told twice: ${text}`),
  ]);
  process.stdout.write(
    `${engine}: ${sum(({ dueTimes }) => dueTimes)} due times, ${sum(({ payments }) => payments)} payments, ` +
      `${sum(({ told }) => told)} told, ${sum(({ kills }) => kills)} kills; paid twice ` +
      `${sum(({ doublePayments }) => doublePayments.length)}, unexplained ${sum(({ unexplained }) => unexplained.length)}, ` +
      `told twice ${sum(({ toldTwice }) => toldTwice.length)}\n${broken.map((text) => `  ${text}\n`).join('')}`,
  );
  return broken.length;
}

let failures = report('SQLite', await campaign(Number(values.due), async () => undefined));
const wanted = Number(values.postgres);
const cluster = wanted > 0 && !signal.aborted ? await startPostgres() : undefined;
if (wanted > 0 && cluster === undefined) process.stdout.write('SKIPPED: PostgreSQL is not installed\n');
if (cluster !== undefined) {
  failures += report('PostgreSQL', await campaign(wanted, () => cluster.createDatabase()));
  await cluster.stop();
}
process.stdout.write(`seed ${values.seed}, ${Math.round((performance.now() - started) / 1000)} s\n`);
process.exit(failures > 0 ? 1 : 0);
