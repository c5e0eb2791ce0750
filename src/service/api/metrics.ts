/** The figures of GET /metrics, in the text format of Prometheus. */
import { Counter, Gauge, Registry } from 'prom-client';
import { countOpenJobs, readQueueAge } from '../operations/queue.ts';
import type { ServiceDatabase } from '../store/schema.ts';

export interface Counters {
  /** Requests that were refused by a rate limit. */
  readonly rateLimited: () => number;
  /** Requests to sites; undefined where nobody counts them. */
  readonly fetches: (() => number) | undefined;
}

/** Jobs and credits are those of the database, so of all processes that share it; the counters are this process's. */
export function createMetrics(database: ServiceDatabase, counters: Counters): Registry {
  const registry = new Registry();
  const { query } = database;
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    read: (gauge: Gauge) => Promise<void>,
  ): void => {
    const collect = (): Promise<void> => read(collected);
    const collected: Gauge = new Gauge({ name, help, labelNames, collect, registers: [registry] });
  };
  const counter = (name: string, help: string, read: () => number): void => {
    const collect = (): void => {
      counted.reset();
      counted.inc(read());
    };
    const counted: Counter = new Counter({ name, help, collect, registers: [registry] });
  };

  gauge('svc_jobs', 'Jobs by state', ['state'], async (jobs) => {
    const ended = await query
      .selectFrom('jobs')
      .select((row) => ['status', row.fn.countAll<number>().as('count')])
      .where('status', 'in', ['completed', 'failed'])
      .groupBy('status')
      .execute();
    const { queued, running } = await countOpenJobs(database);
    const states = new Map<string, number>(ended.map(({ status, count }) => [status, count]));
    for (const [state, count] of Object.entries({ queued, running })) jobs.set({ state }, count);
    for (const state of ['completed', 'failed']) jobs.set({ state }, states.get(state) ?? 0);
  });
  gauge('svc_queue_age_seconds', 'Age of the oldest job that waits to be run', [], async (age) =>
    age.set((await readQueueAge(database)) / 1000),
  );
  gauge('svc_credits_balance', 'Credits of all users', [], async (balance) => {
    const users = query.selectFrom('users').select(({ fn }) => fn.sum<number | null>('balance').as('sum'));
    balance.set((await users.executeTakeFirst())?.sum ?? 0);
  });
  gauge(
    'svc_credits_moved',
    'Sum of the ledger by kind of row; charges are negative',
    ['kind'],
    async (moved) => {
      const sums = await query
        .selectFrom('ledger')
        .select((row) => ['kind', row.fn.sum<number>('amount').as('sum')])
        .groupBy('kind')
        .orderBy('kind')
        .execute();
      for (const { kind, sum } of sums) moved.set({ kind }, sum);
    },
  );
  counter('svc_rate_limited_total', 'Requests refused by a rate limit', counters.rateLimited);
  if (counters.fetches !== undefined)
    counter('svc_fetches_total', 'Requests sent to sites', counters.fetches);
  return registry;
}
