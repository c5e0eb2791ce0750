/**
 * Deletes old data as a running program does, and stands still between two batches, for tests that kill it there.
 * Options come as JSON in SVC_TEST_OPTIONS; a line on stdout says that it stands still.
 */
import { writeSync } from 'node:fs';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import { retentionSteps as gatewaySteps } from '../../src/gateway/store/retention.ts';
import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import { openServiceDatabase } from '../../src/service/service.ts';
import { retentionSteps } from '../../src/service/store/retention.ts';
import type { Target } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { defaultRetention, type RetentionStep, Sweeper } from '../../src/store/retention.ts';

export type SweepOptions =
  | { readonly part: 'gateway'; readonly target: Target }
  | { readonly part: 'service'; readonly dataDir: string; readonly databaseUrl?: string | undefined };

const batchesBefore = 2;
let batches = 0;
const standStill = (step: RetentionStep): RetentionStep => ({
  ...step,
  remove(now) {
    if (batches === batchesBefore) {
      writeSync(1, 'between two batches\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
    batches += 1;
    return step.remove(now);
  },
});
const logger = { info() {}, warn() {} };
// The pauses between batches keep no process alive.
setInterval(() => {}, 60_000);

const options: SweepOptions = JSON.parse(process.env.SVC_TEST_OPTIONS ?? '{}');
if (options.part === 'gateway') {
  const database = await openDatabase<GatewaySchema>(options.target, gatewayMigrations, 'gateway');
  // The first step closes what is overdue, and deletes nothing.
  const steps = gatewaySteps(defaultRetention).map((step, index) => (index === 0 ? step : standStill(step)));
  await new Sweeper(database, 'gateway_retention', steps, logger).sweep(Date.now());
} else {
  const database = await openServiceDatabase(options);
  const steps = retentionSteps(defaultRetention.resultsDays).map(standStill);
  await new Sweeper(database, 'retention', steps, logger).sweep(Date.now());
}
throw new Error('There were too few batches to stand still between');
