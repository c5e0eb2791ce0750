/**
 * The long form of the chaos test: thousands of seeded runs of random commands and faults against gateways, in
 * this process, as processes that are killed, and on PostgreSQL where it is installed. It exits with 1 where a
 * promise was broken, and prints the least sequence of commands that breaks it.
 *
 *     npm run chaos:gateway -- [--seed n] [--runs n] [--spawned n] [--postgres n] [--lanes n]
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { chaos, report } from './campaign.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    runs: { type: 'string', default: '2800' },
    spawned: { type: 'string', default: '400' },
    postgres: { type: 'string', default: '100' },
    lanes: { type: 'string', default: '20' },
  },
});
const seed = Number(values.seed);
const started = performance.now();
const all = [
  await chaos({ kind: 'in-process', seed, runs: Number(values.runs), lanes: Number(values.lanes) }),
  await chaos({
    kind: 'spawned',
    seed,
    runs: Number(values.spawned),
    lanes: 4,
    program: resolve('dist/cli/main.js'),
  }),
];
const cluster = Number(values.postgres) > 0 ? await startPostgres() : undefined;
if (cluster !== undefined) {
  all.push(await chaos({ kind: 'in-process', seed, runs: Number(values.postgres), lanes: 4, cluster }));
  await cluster.stop();
}
process.stdout.write(report(all, seed, performance.now() - started));
process.exitCode = all.some(({ failures }) => failures.length > 0) ? 1 : 0;
