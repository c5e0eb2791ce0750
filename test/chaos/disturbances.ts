/**
 * Two services on one database while it is locked, silent, slow to commit or refuses writes, while services are killed
 * or stopped, start with wrong clocks, and clients leave before they read. Each request has an idempotency key and is
 * repeated until it is answered, or given up after a first answer that says that nothing was deducted.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Random } from '../support/random.ts';
import { withDatabase } from '../support/service.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';
import { type SpawnedService, spawnService } from '../support/spawned-service.ts';
import { describe, giveCredits, type Place, settle, type Trial, taskBodies } from './trial.ts';

export const newDisturbanceCount = () => ({
  disturbances: 0,
  requests: 0,
  /** Requests that got a job id. */
  accepted: 0,
  /** Requests that were sent again with the same key. */
  repeats: 0,
  /** Requests that were given up because the service said that nothing was deducted. */
  refusals: 0,
  /** Requests that waited for more than a minute and a half, on a connection that nobody cut. */
  unanswered: 0,
  /** Requests whose one key got two job ids. */
  doubleCharges: 0,
  /** Accepted jobs that are unknown, or another request's, or never end. */
  lostJobs: 0,
  /** Requests that made a job although the only answer said that nothing was deducted. */
  falseRefusals: 0,
  /** Jobs with another price than theirs, balances that are not the sum of their ledger rows, second refunds. */
  wrongCredits: 0,
});
export type DisturbanceCount = ReturnType<typeof newDisturbanceCount>;

interface Sent {
  readonly key: string;
  readonly jobIds: Set<string>;
  wasRefused: boolean;
}

const clients = 20;
const answerMs = 90_000;
const hourMs = 3_600_000;

/** Fills `count` as it goes. */
export async function disturbAtRandom(
  trial: Trial,
  disturbances: number,
  count = newDisturbanceCount(),
): Promise<DisturbanceCount> {
  const { place, random, signal } = trial;
  const proxy = place.databaseUrl === undefined ? undefined : await startSilentProxy(place.databaseUrl);
  const start = () =>
    spawnService({
      ...place,
      databaseUrl: proxy?.url,
      runMs: 60,
      quiet: true,
      seed: random.below(2 ** 31),
      // Processes on one file share the machine's clock.
      clockAheadMs: proxy === undefined ? 0 : Math.round((random.next() - 0.5) * 4 * hourMs),
    });
  const services = [await start(), await start()];
  const sent: Sent[] = [];
  const over = new AbortController();
  const report = (problem: string) => {
    count.unanswered += 1;
    trial.report(`disturbance ${count.disturbances}: ${problem}`);
  };
  try {
    await giveCredits(place);
    await addTriggers(place);
    const load = Promise.all(
      Array.from({ length: clients }, () => random.fork()).map(async (own) => {
        while (!over.signal.aborted) {
          const request = { key: randomUUID(), jobIds: new Set<string>(), wasRefused: false };
          sent.push(request);
          count.repeats += await submit(services, request, { random: own, over: over.signal, report });
        }
      }),
    );
    const replace = async () => {
      const slot = random.below(2);
      await services[slot]?.kill();
      services[slot] = await start();
    };
    const silence = async () => {
      proxy?.fallSilent();
      await delay(20 + random.below(1_500));
      proxy?.heal();
    };
    const faults = [
      replace,
      () => freeze(random.pick(services), 50 + random.below(1_500)),
      () => failWrites(place, 20 + random.below(500)),
      ...(proxy === undefined
        ? []
        : [
            silence,
            async () => proxy.cutClients(),
            () => delayCommits(place, random.pick([0.2, 1, 4]), 1_000),
          ]),
    ];
    while (count.disturbances < disturbances && !signal?.aborted) {
      await delay(50 + random.below(200));
      await random.pick(faults)();
      count.disturbances += 1;
    }
    over.abort();
    await load;
  } finally {
    over.abort();
    await Promise.all(services.map((service) => service.kill()));
    await proxy?.close();
    count.requests = sent.length;
  }
  await judge(trial, sent, count);
  return count;
}

/** Sends until there is an answer; resolves to the number of repeats. */
async function submit(
  services: readonly SpawnedService[],
  request: Sent,
  { random, over, report }: { random: Random; over: AbortSignal; report: (problem: string) => void },
): Promise<number> {
  const body = JSON.stringify(random.pick(taskBodies));
  const believes = random.next() < 0.3;
  for (let repeats = 0; ; repeats += 1) {
    const service = random.pick(services);
    const leaves = random.next() < 0.1;
    const limit = AbortSignal.timeout(leaves ? 1 + random.below(40) : answerMs);
    try {
      const answer = await fetch(`${service.baseUrl}/v1/svc/task`, {
        method: 'POST',
        headers: {
          'x-api-key': service.apiKey,
          'content-type': 'application/json',
          'idempotency-key': request.key,
        },
        body,
        signal: limit,
      });
      const text = await answer.text();
      const { job_id: jobId }: { job_id?: unknown } = JSON.parse(text);
      if (typeof jobId === 'string') request.jobIds.add(jobId);
      // Some ask once more, as a client that lost the answer.
      if (answer.ok && random.next() < 0.8) return repeats;
      // Of an earlier request with the same key it says nothing.
      if (repeats === 0 && believes && text.includes('no credits were deducted')) {
        request.wasRefused = true;
        return repeats;
      }
    } catch (error) {
      // The connection ended, or the client left.
      if (limit.aborted && !leaves) report(`no answer within ${answerMs / 1000} s: ${describe(error)}`);
    }
    if (over.aborted) return repeats;
    await delay(20);
  }
}

async function freeze({ pid }: SpawnedService, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await delay(ms);
  process.kill(pid, 'SIGCONT');
}

const addTriggers = (place: Place) =>
  withDatabase(place, async ({ query, engine }) => {
    if (engine === 'sqlite') return;
    await sql`create table chaos (fails boolean not null, commit_seconds float8 not null)`.execute(query);
    await sql`insert into chaos values (false, 0)`.execute(query);
    await sql`create function fail_write() returns trigger language plpgsql as $$ begin
      if (select fails from chaos) then raise exception 'the disk is full' using errcode = '53100'; end if;
      return new; end $$`.execute(query);
    await sql`create trigger fail_write before update on jobs for each row execute function fail_write()`.execute(
      query,
    );
    await sql`create function delay_commit() returns trigger language plpgsql as $$ begin
      perform pg_sleep((select commit_seconds from chaos)); return null; end $$`.execute(query);
    await sql`create constraint trigger delay_commit after insert on ledger
      deferrable initially deferred for each row execute function delay_commit()`.execute(query);
  });

/** Changes of jobs that were accepted fail. */
const failWrites = (place: Place, ms: number) =>
  withDatabase(place, async ({ query, engine }) => {
    if (engine === 'postgres') {
      await sql`update chaos set fails = true`.execute(query);
      await delay(ms);
      await sql`update chaos set fails = false`.execute(query);
      return;
    }
    await sql`create trigger if not exists fail_write before update on jobs
      begin select raise(abort, 'the disk is full'); end`.execute(query);
    await delay(ms);
    await sql`drop trigger if exists fail_write`.execute(query);
  });

const delayCommits = (place: Place, seconds: number, ms: number) =>
  withDatabase(place, async ({ query }) => {
    await sql`update chaos set commit_seconds = ${seconds}`.execute(query);
    await delay(ms);
    await sql`update chaos set commit_seconds = 0`.execute(query);
  });

/** On a service that nothing disturbs any more. */
async function judge(trial: Trial, sent: readonly Sent[], count: DisturbanceCount): Promise<void> {
  const { jobs, wrongMoney, doubleRefunds } = await settle(trial);
  const keys = new Set([...jobs.values()].map(({ key }) => key));
  const isKept = (id: string, key: string) => {
    const job = jobs.get(id);
    return job !== undefined && job.key === key && job.status !== 'processing';
  };
  const accepted = sent.filter(({ jobIds }) => jobIds.size > 0);
  const refused = sent.filter(({ wasRefused }) => wasRefused);
  count.accepted = accepted.length;
  count.refusals = refused.length;
  count.doubleCharges = accepted.filter(({ jobIds }) => jobIds.size > 1).length;
  count.lostJobs = accepted.filter(({ key, jobIds }) => [...jobIds].some((id) => !isKept(id, key))).length;
  count.falseRefusals = refused.filter(({ key }) => keys.has(key)).length;
  count.wrongCredits = wrongMoney + doubleRefunds;
}
