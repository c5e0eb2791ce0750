/**
 * Kills a service at random moments under load, again and again, and counts what must never happen: a job that was
 * acknowledged and is lost, a credit that is not in the ledger, a job that was refunded twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import { readMoney, withDatabase } from '../support/service.ts';
import { type SpawnedService, spawnService } from '../support/spawned-service.ts';
import { describe, giveCredits, type Place, settle, type Trial, taskBodies } from './trial.ts';

export const newKillCount = () => ({
  kills: 0,
  /** Submissions that were answered with a job id. */
  acknowledged: 0,
  /** Build requests that were accepted. */
  builds: 0,
  completed: 0,
  failedAndRefunded: 0,
  /** Requests that a running service did not answer, or refused without a reason. */
  unanswered: 0,
  /** Acknowledged jobs that are unknown, or never end, after the last start. */
  lost: 0,
  /** Jobs that ended as they must not: another price, a refund of a completed one, none of a failed one. */
  wrongMoney: 0,
  doubleRefunds: 0,
  ledgerMismatches: 0,
  /** Accepted builds without an end, and ends that are none: a success without its one action, a failure with one. */
  wrongBuilds: 0,
});
export type KillCount = ReturnType<typeof newKillCount>;

interface Load {
  readonly service: SpawnedService;
  readonly count: KillCount;
  readonly report: Trial['report'];
  readonly acknowledged: string[];
  readonly builds: string[];
  isKilled: boolean;
}

/** Fills `count` as it goes. */
export async function killAtRandom(trial: Trial, kills: number, count = newKillCount()): Promise<KillCount> {
  const { place, random, signal } = trial;
  const acknowledged: string[] = [];
  const builds: string[] = [];
  while (count.kills < kills && signal?.aborted !== true) {
    const service = await spawnService({ ...place, runMs: 60, buildMs: 60, seed: random.below(2 ** 31) });
    if (count.kills === 0) await giveCredits(place);
    const report = (problem: string) => trial.report(`kill ${count.kills}: ${problem}`);
    const load: Load = { service, count, report, acknowledged, builds, isKilled: false };
    const ended = Promise.all([
      ...Array.from({ length: 7 }, () => submitUntilKilled(load, random.fork())),
      buildUntilKilled(load, random.fork()),
    ]);
    await untilAtWork(load, count.kills === 0 ? 0 : random.next());
    await delay(20 + random.below(300));
    load.isKilled = true;
    await service.kill();
    count.kills += 1;
    await ended;
    count.acknowledged = acknowledged.length;
    count.builds = builds.length;
    count.ledgerMismatches += (await readMoney(place)).mismatches;
  }
  await judge(trial, count, acknowledged, builds);
  return count;
}

/** Milliseconds in which three builds of services that were killed come to their ends, so that others are accepted. */
const buildMs = 6_000;

/** Most services die at work, some of them when they have accepted a build; the others die as they begin. */
async function untilAtWork({ acknowledged, builds, count }: Load, chance: number): Promise<void> {
  const begunAt = performance.now();
  const begun = { jobs: acknowledged.length, builds: builds.length, unanswered: count.unanswered };
  const isWaiting = () =>
    (chance < 0.7 && acknowledged.length === begun.jobs) ||
    (chance < 0.1 && builds.length === begun.builds && performance.now() - begunAt < buildMs);
  while (isWaiting() && count.unanswered === begun.unanswered) await delay(10);
}

async function submitUntilKilled(load: Load, random: Random): Promise<void> {
  await repeatUntilKilled(load, async () => {
    const { status, body, text } = await load.service.call('POST', '/task', random.pick(taskBodies));
    if (typeof body.job_id === 'string') load.acknowledged.push(body.job_id);
    else failed(load, `POST /task was answered ${status} ${text.slice(0, 300)}`);
  });
}

/** As many as the service takes: three may be pending. */
async function buildUntilKilled(load: Load, random: Random): Promise<void> {
  const request = { website_url: 'https://new.example', force: true };
  await repeatUntilKilled(load, async () => {
    const goal = random.next() < 0.5 ? 'fail' : 'all';
    const { status, body, text } = await load.service.call('POST', '/build-request', { ...request, goal });
    const { build_request } = body;
    if (status === 201) load.builds.push(String(Object(build_request).id));
    else if (status === 429) await delay(20);
    else failed(load, `POST /build-request was answered ${status} ${text.slice(0, 300)}`);
  });
}

async function repeatUntilKilled(load: Load, once: () => Promise<void>): Promise<void> {
  while (!load.isKilled) {
    try {
      await once();
    } catch (error) {
      // The connection ends with the process.
      if (load.isKilled) return;
      failed(load, `a request had no answer: ${describe(error)}`);
      await delay(50);
    }
  }
}

function failed({ count, report }: Load, problem: string): void {
  count.unanswered += 1;
  report(problem);
}

/** Lets everything end on a service that nobody kills, and compares each job with its ledger rows. */
async function judge(
  trial: Trial,
  count: KillCount,
  acknowledged: readonly string[],
  builds: readonly string[],
): Promise<void> {
  const settled = await settle(trial, async (jobs, read) => {
    const ended = acknowledged
      .flatMap((id) => jobs.get(id) ?? [])
      .filter(({ status }) => status !== 'processing');
    count.completed = ended.filter(({ status }) => status === 'completed').length;
    count.failedAndRefunded = ended.length - count.completed;
    count.lost = acknowledged.length - ended.length;
    // Through the interface as well: the result itself can be read.
    for (const { id, status } of ended.filter((_, index) => index % 20 === 0)) {
      if ((await read(id)).status !== status) count.lost += 1;
    }
  });
  count.wrongMoney = settled.wrongMoney;
  count.doubleRefunds = settled.doubleRefunds;
  count.wrongBuilds = await countWrongBuilds(trial.place, builds);
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
