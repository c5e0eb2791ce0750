/** GET /metrics: the text format of Prometheus. */
import type { ServiceDatabase } from '../database/schema.ts';
import { nowOf } from '../jobs/leases.ts';

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
  const [jobs, credits, users] = await Promise.all([
    readJobs(database),
    readCredits(database),
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
      help: 'How long the oldest job waits that nobody runs',
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
      samples: credits,
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

async function readJobs(
  database: ServiceDatabase,
): Promise<{ byState: Record<string, number>; queueAgeMs: number }> {
  const ended = await database.query
    .selectFrom('jobs')
    .select((row) => ['status', row.fn.countAll<number>().as('count')])
    .where('status', '!=', 'processing')
    .groupBy('status')
    .execute();
  const open = await database.query
    .selectFrom('jobs')
    .select(['created_at', 'lease_until'])
    .select(nowOf(database).as('now'))
    .where('status', '=', 'processing')
    .orderBy('created_at')
    .execute();
  const queued = open.filter((job) => job.lease_until <= job.now);
  const [oldest] = queued;
  const count = (status: string) => ended.find((row) => row.status === status)?.count ?? 0;
  return {
    byState: {
      queued: queued.length,
      running: open.length - queued.length,
      completed: count('completed'),
      failed: count('failed'),
    },
    queueAgeMs: oldest === undefined ? 0 : Math.max(0, oldest.now - oldest.created_at),
  };
}

async function readCredits(database: ServiceDatabase): Promise<Metric['samples']> {
  const rows = await database.query
    .selectFrom('ledger')
    .select((row) => ['kind', row.fn.sum<number>('amount').as('amount')])
    .groupBy('kind')
    .orderBy('kind')
    .execute();
  return rows.map(({ kind, amount }) => ({ labels: { kind }, value: amount }));
}

/** Names and labels are our own words, so nothing has to be escaped. */
function renderMetric({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels ?? {}).map(([key, label]) => `${key}="${label}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
