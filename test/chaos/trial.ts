/** What the parts of the service's chaos program share: where they run, what is sent, and what is true at the end. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import { type Json, readMoney, withDatabase } from '../support/service.ts';
import { spawnService } from '../support/spawned-service.ts';

export interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

export interface Trial {
  readonly place: Place;
  readonly random: Random;
  /** Ends the part early; what ran until then is judged. */
  readonly signal?: AbortSignal;
  /** Called at the moment when something goes wrong, whatever becomes of the program. */
  readonly report: (problem: string) => void;
}

/** Credits to begin with, so that they never run out. */
const plenty = 1_000_000;

export const giveCredits = (place: Place): Promise<void> =>
  withDatabase(place, async (database) => {
    const { grantCredits } = await import('../../src/service/money/users.ts');
    await grantCredits(database, 'default', plenty);
  });

/** Bodies of POST /task: completed, failed, with a final cost above and below the price, and answered at once. */
export const taskBodies: readonly Json[] = [
  { action_id: 'work' },
  { action_id: 'work', params: { fail: true } },
  { action_id: 'counted', params: { cost: 7 } },
  { action_id: 'counted', params: { cost: 1 } },
  { action_id: 'quick' },
];

export interface Job {
  readonly id: string;
  readonly key: string | null;
  readonly status: string;
  readonly actionId: string | null;
  readonly params: string | null;
  /** What the job says that it cost. */
  readonly used: number | null;
  /** The sum of its ledger rows. */
  readonly paid: number | null;
}

/** Milliseconds in which at least one job must end. */
const standstillMs = 60_000;

/** Lets every job end on a service that nothing disturbs, and calls `look` while it runs. */
export async function settle(
  { place, report }: Trial,
  look: (jobs: ReadonlyMap<string, Job>, read: (id: string) => Promise<Json>) => Promise<void> = async () =>
    undefined,
): Promise<{ jobs: ReadonlyMap<string, Job>; wrongMoney: number; doubleRefunds: number }> {
  const service = await spawnService(place);
  try {
    let open = await countOpen(place);
    let progressAt = performance.now();
    while (open > 0 && performance.now() - progressAt < standstillMs) {
      await delay(200);
      const left = await countOpen(place);
      if (left < open) progressAt = performance.now();
      open = left;
    }
    const jobs = await readJobs(place);
    await look(jobs, async (id) => (await service.call('GET', `/jobs/${id}`)).body);
    await service.stop();
    const money = await readMoney(place);
    const wrong = [...jobs.values()].filter((job) => !isRightlyPaid(job));
    for (const job of wrong.slice(0, 3)) report(`a job with wrong money: ${JSON.stringify(job)}`);
    return { jobs, wrongMoney: wrong.length + money.mismatches, doubleRefunds: money.doubleRefunds };
  } finally {
    await service.kill();
  }
}

const countOpen = (place: Place): Promise<number> =>
  withDatabase(place, async ({ query }) => {
    const row = await query
      .selectFrom('jobs')
      .select((jobs) => jobs.fn.countAll<number>().as('open'))
      .where('status', '=', 'processing')
      .executeTakeFirstOrThrow();
    return row.open;
  });

async function readJobs(place: Place): Promise<ReadonlyMap<string, Job>> {
  const rows = await withDatabase(place, ({ query }) =>
    query
      .selectFrom('jobs')
      .leftJoin('ledger', 'ledger.job_id', 'jobs.id')
      .select((row) => [
        'jobs.id',
        'jobs.idempotency_key as key',
        'jobs.status',
        'jobs.action_id as actionId',
        'jobs.params',
        'jobs.credits_used as used',
        row.fn.sum<number | null>('ledger.amount').as('paid'),
      ])
      .groupBy(['jobs.id', 'idempotency_key', 'jobs.status', 'action_id', 'jobs.params', 'credits_used'])
      .execute(),
  );
  return new Map(rows.map((job) => [job.id, job]));
}

const buildPrice = 25;

/** A failed job costs nothing; a completed one what its body asked for. One that never ended is counted as lost. */
function isRightlyPaid({ status, actionId, params, used, paid }: Job): boolean {
  if (status === 'processing') return true;
  const { fail, cost }: { fail?: unknown; cost?: unknown } = JSON.parse(params ?? '{}');
  const prices: Readonly<Record<string, unknown>> = { work: 3, counted: cost, quick: 2 };
  const price = actionId === null ? buildPrice : prices[actionId];
  const expected = status === 'failed' ? 0 : price;
  return used === expected && (paid ?? 0) === -(used ?? 0) && !(status === 'completed' && fail === true);
}

/** What to say of an error of a request, whose message alone is "fetch failed". */
export const describe = (error: unknown): string =>
  error instanceof Error
    ? `${error.message}${error.cause instanceof Error ? ` (${error.cause.message})` : ''}`
    : String(error);
