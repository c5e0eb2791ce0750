/** GET /metrics: the text format of Prometheus. */

import { databaseNow } from '../../store/database-time.ts';
import type { LedgerKind, ServiceDatabase } from '../database/schema.ts';

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export interface Counters {
  /** Requests that were refused by a rate limit. */
  readonly rateLimited: number;
  /** Requests to sites; undefined where nobody counts them. */
  readonly fetches: number | undefined;
}

interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

/** Jobs and credits are those of the database, so of all processes that share it; the counters are this process's. */
export async function renderMetrics(database: ServiceDatabase, counters: Counters): Promise<string> {
  const totals = await readTotals(database);
  const [jobs, users] = await Promise.all([
    readJobs(database, totals),
    database.query
      .selectFrom('users')
      .select((row) => row.fn.sum<number | null>('balance').as('balance'))
      .executeTakeFirstOrThrow(),
  ]);
  const metrics: Metric[] = [
    {
      name: 'svc_jobs',
      type: 'gauge',
      help: 'Jobs by state',
      samples: Object.entries(jobs.byState).map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: 'svc_queue_age_seconds',
      type: 'gauge',
      help: 'Age of the oldest job that waits to be run',
      samples: [{ value: jobs.queueAgeMs / 1000 }],
    },
    {
      name: 'svc_credits_balance',
      type: 'gauge',
      help: 'Credits of all users',
      samples: [{ value: users.balance ?? 0 }],
    },
    {
      name: 'svc_credits_moved',
      type: 'gauge',
      help: 'Sum of the ledger by kind of row; charges are negative',
      samples: creditsMoved(totals),
    },
    {
      name: 'svc_rate_limited_total',
      type: 'counter',
      help: 'Requests refused by a rate limit',
      samples: [{ value: counters.rateLimited }],
    },
    ...(counters.fetches === undefined
      ? []
      : [
          {
            name: 'svc_fetches_total',
            type: 'counter' as const,
            help: 'Requests sent to sites',
            samples: [{ value: counters.fetches }],
          },
        ]),
  ];
  return metrics.map(renderMetric).join('');
}

type Totals = ReadonlyMap<string, number>;

async function readJobs(
  database: ServiceDatabase,
  totals: Totals,
): Promise<{ byState: Record<string, number>; queueAgeMs: number }> {
  const open = await database.query
    .selectFrom('jobs')
    .select(['created_at', 'lease_until'])
    .select(databaseNow(database.engine).as('now'))
    .where('status', '=', 'processing')
    .orderBy('created_at')
    .execute();
  const queuedJobs = open.filter((job) => job.lease_until <= job.now);
  const [oldest] = queuedJobs;
  return {
    byState: {
      queued: queuedJobs.length,
      running: open.length - queuedJobs.length,
      completed: totals.get('completed') ?? 0,
      failed: totals.get('failed') ?? 0,
    },
    queueAgeMs: oldest === undefined ? 0 : Math.max(0, oldest.now - oldest.created_at),
  };
}

/** Of all users: a row of the ledger and the end of a job are counted when they are written. */
async function readTotals(database: ServiceDatabase): Promise<Totals> {
  const rows = await database.query
    .selectFrom('user_totals')
    .select((row) => ['name', row.fn.sum<number>('value').as('value')])
    .groupBy('name')
    .execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

const ledgerKinds = ['charge', 'grant', 'refund', 'settlement'] as const satisfies readonly LedgerKind[];
const creditsMoved = (totals: Totals): Metric['samples'] =>
  ledgerKinds.flatMap((kind) => {
    const value = totals.get(kind);
    return value === undefined ? [] : [{ labels: { kind }, value }];
  });

/** Names and labels are our own words, so nothing has to be escaped. */
function renderMetric({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels ?? {}).map(([key, label]) => `${key}="${label}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
