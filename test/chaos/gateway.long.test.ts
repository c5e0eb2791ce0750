/** The short form of `npm run chaos`: the same commands, faults and promises, a few dozen runs of a fixed seed. */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import { chaos, report } from './campaign.ts';

const seed = 20_261;

/** A failure is reduced to the least sequence of commands, which may take longer than the test: it is said at once. */
const onFailure = (message: string) => process.stderr.write(`${message}\n`);

it('the gateway keeps every promise within one process', { timeout: 300_000 }, async () => {
  const totals = await chaos({ kind: 'in-process', seed, runs: 48, lanes: 8, onFailure });
  expect(totals.failures, report([totals], seed, 0)).toEqual([]);
  expect(totals.runs).toBe(48);
  expect(totals.faults.size).toBeGreaterThan(15);
});

it('the gateway keeps every promise when its processes are killed', { timeout: 300_000 }, async () => {
  const program = resolve('dist/cli/main.js');
  const totals = await chaos({ kind: 'spawned', seed, runs: 9, lanes: 3, program, onFailure });
  expect(totals.failures, report([totals], seed, 0)).toEqual([]);
  expect(totals.runs).toBe(9);
  expect(totals.kills).toBeGreaterThan(0);
});

it.skipIf(!hasPostgres)(
  'two replicas of svc-mcp http keep every promise when they are killed',
  { timeout: 300_000 },
  async () => {
    const cluster = await startPostgres();
    if (cluster === undefined) throw new Error('PostgreSQL is not installed');
    try {
      const program = resolve('dist/cli/main.js');
      const totals = await chaos({ kind: 'replicas', seed, runs: 6, lanes: 3, cluster, program, onFailure });
      expect(totals.failures, report([totals], seed, 0)).toEqual([]);
      expect(totals.runs).toBe(6);
      expect(totals.kills).toBeGreaterThan(0);
    } finally {
      await cluster.stop();
    }
  },
);
