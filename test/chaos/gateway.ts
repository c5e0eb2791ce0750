/**
 * The long form of the chaos test: thousands of seeded runs of random commands and faults against gateways, in
 * this process and as processes that are killed. `npm run chaos -- [--seed n] [--runs n] [--spawned n]`; exits
 * with 1 where a promise was broken, and prints the least sequence of commands that breaks it.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chaos, report } from './campaign.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    runs: { type: 'string', default: '2800' },
    spawned: { type: 'string', default: '400' },
    lanes: { type: 'string', default: '14' },
  },
});
const seed = Number(values.seed);
const started = performance.now();
const inProcess = await chaos({
  kind: 'in-process',
  seed,
  runs: Number(values.runs),
  lanes: Number(values.lanes),
});
const spawned = await chaos({
  kind: 'spawned',
  seed,
  runs: Number(values.spawned),
  lanes: 4,
  program: resolve('dist/cli/main.js'),
});
process.stdout.write(report([inProcess, spawned], seed, performance.now() - started));
process.exitCode = inProcess.failures.length + spawned.failures.length > 0 ? 1 : 0;
