/**
 * The long form of the chaos test: thousands of seeded runs of random commands and faults against gateways, in
 * this process, as processes that are killed, and on PostgreSQL where it is installed: within this process, and as
 * pairs of `svc-mcp http`. It exits with 1 where a
 * promise was broken, and prints the least sequence of commands that breaks it.
 *
 *     npm run chaos:gateway -- [--seed n] [--runs n] [--spawned n] [--postgres n] [--replicas n] [--lanes n]
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
    replicas: { type: 'string', default: '100' },
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
const onPostgres = [
  { kind: 'in-process', runs: Number(values.postgres) },
  { kind: 'replicas', runs: Number(values.replicas) },
] as const;
const cluster = onPostgres.some(({ runs }) => runs > 0) ? await startPostgres() : undefined;
if (cluster !== undefined) {
  const program = resolve('dist/cli/main.js');
  for (const campaign of onPostgres) all.push(await chaos({ ...campaign, seed, lanes: 4, cluster, program }));
  await cluster.stop();
}
process.stdout.write(report(all, seed, performance.now() - started));
process.exitCode = all.some(({ failures }) => failures.length > 0) ? 1 : 0;
