/**
 * The long form of the chaos test: thousands of seeded runs of random commands and faults against gateways, in
 * this process, as processes that are killed, and on PostgreSQL where it is installed: within this process, and as
 * pairs of `svc-mcp http`. It exits with 1 where a
 * promise was broken, and prints the least sequence of commands that breaks it. Ctrl-C ends it with the summary so far.
 *
 *     npm run chaos:gateway -- [--seed n] [--runs n] [--spawned n] [--postgres n] [--replicas n] [--lanes n]
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { chaos, report, type Totals } from './campaign.ts';
import { stopSignal } from './stop-signal.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    runs: { type: 'string', default: '2800' },
    spawned: { type: 'string', default: '400' },
    postgres: { type: 'string', default: '100' },
    replicas: { type: 'string', default: '100' },
    lanes: { type: 'string', default: '20' },
  },
});
const seed = Number(values.seed);
const started = performance.now();
const signal = stopSignal();
const program = resolve('dist/cli/main.js');
const onFailure = (message: string) => process.stderr.write(`${new Date().toISOString()} ${message}\n`);
const campaigns = [
  { kind: 'in-process', runs: Number(values.runs), lanes: Number(values.lanes) },
  { kind: 'spawned', runs: Number(values.spawned), lanes: 4 },
] as const;
const onPostgres = [
  { kind: 'in-process', runs: Number(values.postgres), lanes: 4 },
  { kind: 'replicas', runs: Number(values.replicas), lanes: 4 },
] as const;
const all: Totals[] = [];
for (const campaign of campaigns) all.push(await chaos({ ...campaign, seed, program, signal, onFailure }));
const isPostgresWanted = onPostgres.some(({ runs }) => runs > 0) && !signal.aborted;
const cluster = isPostgresWanted ? await startPostgres() : undefined;
if (isPostgresWanted && cluster === undefined)
  process.stdout.write('SKIPPED: PostgreSQL is not installed, so nothing was tried on it\n');
if (cluster !== undefined) {
  for (const campaign of onPostgres)
    all.push(await chaos({ ...campaign, seed, program, signal, onFailure, cluster }));
  await cluster.stop();
}
process.stdout.write(report(all, seed, performance.now() - started));
process.exit(all.some(({ failures }) => failures.length > 0) ? 1 : 0);
