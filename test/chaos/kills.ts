/**
 * Kills a service at random moments under load, again and again, and counts what must never happen: a job that was
 * acknowledged and is lost, a credit that is not in the ledger, a job that was refunded twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Json, readMoney, withDatabase } from '../support/service.ts';
import { type SpawnedService, spawnService } from '../support/spawned-service.ts';

export interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

export interface ChaosCount {
  kills: number;
  /** Submissions that were answered with a job id. */
  acknowledged: number;
  /** Build requests that were accepted. */
  builds: number;
  completed: number;
  failedAndRefunded: number;
  /** Acknowledged jobs that are unknown, or never end, after the last start. */
  lost: number;
  /** Jobs that ended as they must not: another price, a refund of a completed one, none of a failed one. */
  wrongMoney: number;
  doubleRefunds: number;
  ledgerMismatches: number;
  /** Accepted builds without an end, and ends that are none: a success without its one action, a failure with one. */
  wrongBuilds: number;
}

/** Credits to begin with, so that they never run out. */
const plenty = 1_000_000;

export async function killAtRandom(place: Place, kills: number, signal?: AbortSignal): Promise<ChaosCount> {
  const acknowledged: string[] = [];
  const builds: string[] = [];
  let mismatches = 0;
  let kill = 0;
  for (; kill < kills && signal?.aborted !== true; kill += 1) {
    const service = await spawnService({ ...place, runMs: 60, buildMs: 60 });
    if (kill === 0) await giveCredits(place);
    const load = Promise.all([
      ...Array.from({ length: 7 }, () => submitUntilDead(service, acknowledged)),
      buildUntilDead(service, builds),
    ]);
    // On a slow machine the first ones take long: something must have been acknowledged.
    while (kill === 0 && (acknowledged.length === 0 || builds.length === 0)) await delay(10);
    await delay(20 + Math.random() * 300);
    await service.kill();
    await load;
    mismatches += (await readMoney(place)).mismatches;
  }
  return { kills: kill, ...(await settle(place, acknowledged, builds)), ledgerMismatches: mismatches };
}

export const giveCredits = (place: Place): Promise<void> =>
  withDatabase(place, async (database) => {
    const { grantCredits } = await import('../../src/service/users/users.ts');
    await grantCredits(database, 'default', plenty);
  });

async function submitUntilDead(service: SpawnedService, acknowledged: string[]): Promise<void> {
  const kinds: readonly Json[] = [
    { action_id: 'work' },
    { action_id: 'work', params: { fail: true } },
    { action_id: 'counted', params: { cost: 7 } },
    { action_id: 'counted', params: { cost: 1 } },
    { action_id: 'quick' },
  ];
  try {
    for (;;) {
      const { status, body } = await service.call(
        'POST',
        '/task',
        kinds[Math.floor(Math.random() * kinds.length)],
      );
      if (status === 202) acknowledged.push(String(body.job_id));
    }
  } catch {
    // The connection ended with the process.
  }
}

/** As many as the service takes: three may be pending. */
async function buildUntilDead(service: SpawnedService, builds: string[]): Promise<void> {
  const request = { website_url: 'https://new.example', force: true };
  try {
    for (;;) {
      const goal = Math.random() < 0.5 ? 'fail' : 'all';
      const { status, body } = await service.call('POST', '/build-request', { ...request, goal });
      const { build_request } = body;
      if (status === 201) builds.push(String(Object(build_request).id));
      else await delay(20);
    }
  } catch {
    // The connection ended with the process.
  }
}

/** Builds that did not come to exactly one end; what nobody accepted counts as well. */
const countWrongBuilds = (place: Place, builds: readonly string[]) =>
  withDatabase(place, async ({ query }) => {
    const rows = await query
      .selectFrom('build_requests as build')
      .innerJoin('jobs as job', 'job.id', 'build.job_id')
      .select(['build.id', 'build.status', 'build.goal', 'build.action_id', 'build.error_type'])
      .select('job.status as job')
      .execute();
    const actions = await query.selectFrom('actions').select('action_id').execute();
    const published = actions.map(({ action_id }) => action_id).filter((id) => id.startsWith('built'));
    const known = new Set(rows.map(({ id }) => id));
    const made = new Set(rows.flatMap(({ action_id }) => action_id ?? []));
    const isRight = ({ status, goal, action_id, error_type, job }: (typeof rows)[number]) =>
      status === 'success'
        ? goal === 'all' && job === 'completed' && published.includes(action_id ?? '')
        : // One that was killed too often is given up.
          status === 'failed' &&
          job === 'failed' &&
          action_id === null &&
          (error_type === 'BUILD_FAILED' || (goal === 'fail' && error_type === 'NO_DATA_FOUND'));
    return (
      builds.filter((id) => !known.has(id)).length +
      rows.filter((row) => !isRight(row)).length +
      published.filter((id) => !made.has(id)).length
    );
  });

/** Lets everything end on a service that nobody kills, and compares each job with its ledger rows. */
async function settle(place: Place, acknowledged: readonly string[], builds: readonly string[]) {
  const service = await spawnService(place);
  const deadline = Date.now() + 120_000;
  const open = () =>
    withDatabase(place, ({ query }) =>
      query.selectFrom('jobs').select('id').where('status', '=', 'processing').limit(1).execute(),
    );
  while ((await open()).length > 0 && Date.now() < deadline) await delay(200);
  const jobs = await withDatabase(place, ({ query }) =>
    query
      .selectFrom('jobs')
      .leftJoin('ledger', 'ledger.job_id', 'jobs.id')
      .select((row) => [
        'jobs.id',
        'jobs.status',
        'jobs.credits_used',
        row.fn.sum<number | null>('ledger.amount').as('paid'),
      ])
      .groupBy(['jobs.id', 'jobs.status', 'jobs.credits_used'])
      .execute(),
  );
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const ended = acknowledged
    .flatMap((id) => byId.get(id) ?? [])
    .filter(({ status }) => status !== 'processing');
  // Through the interface as well: the result itself can be read.
  let unreadable = 0;
  for (const { id, status } of ended.filter((_, index) => index % 20 === 0)) {
    const { body } = await service.call('GET', `/jobs/${id}`);
    if (body.status !== status) unreadable += 1;
  }
  await service.stop();
  const money = await readMoney(place);
  return {
    acknowledged: acknowledged.length,
    completed: ended.filter(({ status }) => status === 'completed').length,
    failedAndRefunded: ended.filter(({ status }) => status === 'failed').length,
    lost: acknowledged.length - ended.length + unreadable,
    wrongMoney:
      jobs.filter(({ paid, credits_used }) => (paid ?? 0) !== -(credits_used ?? 0)).length + money.mismatches,
    doubleRefunds: money.doubleRefunds,
    builds: builds.length,
    wrongBuilds: await countWrongBuilds(place, builds),
  };
}
