/**
 * Two services on one database while it is locked, silent, slow to commit or refuses writes, while services are killed
 * or stopped, start with wrong clocks, and clients leave before they read. Each request has an idempotency key and is
 * repeated until it is answered, or given up after an answer that says that nothing was deducted.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { readMoney, withDatabase } from '../support/service.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';
import { type SpawnedService, spawnService } from '../support/spawned-service.ts';
import { giveCredits, type Place } from './kills.ts';

export interface DisturbanceCount {
  disturbances: number;
  requests: number;
  acceptedOnes: number;
  /** Requests that were sent again with the same key. */
  repeats: number;
  /** Requests whose one key got two job ids. */
  doubleCharges: number;
  /** Accepted jobs that are unknown or never end. */
  lostJobs: number;
  /** Requests that were charged although the answer said that nothing was deducted. */
  falseRefusals: number;
  /** Jobs whose ledger rows are not their price, balances that are not their sum, second refunds. */
  wrongCredits: number;
}

interface Sent {
  readonly key: string;
  readonly jobIds: Set<string>;
  wasRefused: boolean;
}

const clients = 20;
const bodies = [
  { action_id: 'work' },
  { action_id: 'work', params: { fail: true } },
  { action_id: 'counted', params: { cost: 7 } },
  { action_id: 'quick' },
];
const hourMs = 3_600_000;
const pick = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)];
const upTo = (most: number) => Math.floor(Math.random() * most);

export async function disturbAtRandom(
  direct: Place,
  disturbances: number,
  signal: AbortSignal,
): Promise<DisturbanceCount> {
  const proxy = direct.databaseUrl === undefined ? undefined : await startSilentProxy(direct.databaseUrl);
  const start = () =>
    spawnService({
      ...direct,
      databaseUrl: proxy?.url,
      runMs: 60,
      quiet: true,
      // Processes on one file share the machine's clock.
      clockAheadMs: proxy === undefined ? 0 : Math.round((Math.random() - 0.5) * 4 * hourMs),
    });
  const services = [await start(), await start()];
  await giveCredits(direct);
  await addTriggers(direct);
  const sent: Sent[] = [];
  const count = { disturbances: 0, repeats: 0 };
  const over = new AbortController();
  const load = Promise.all(
    Array.from({ length: clients }, async () => {
      while (!over.signal.aborted) {
        const request = { key: randomUUID(), jobIds: new Set<string>(), wasRefused: false };
        sent.push(request);
        count.repeats += await submit(services, request, over.signal);
      }
    }),
  );
  const kill = async () => {
    const slot = upTo(2);
    await services[slot]?.kill();
    services[slot] = await start();
  };
  const faults = [
    kill,
    () => freeze(services[upTo(2)], 50 + upTo(1_500)),
    () => failWrites(direct, 20 + upTo(500)),
    ...(proxy === undefined
      ? []
      : [
          async () => {
            proxy.fallSilent();
            await delay(20 + upTo(1_500));
            proxy.heal();
          },
          async () => proxy.cutClients(),
          () => delayCommits(direct, pick([0.2, 1, 4]) ?? 0, 1_000),
        ]),
  ];
  while (count.disturbances < disturbances && !signal.aborted) {
    await delay(50 + upTo(200));
    await pick(faults)?.();
    count.disturbances += 1;
  }
  over.abort();
  await load;
  for (const service of services) await service.kill();
  await proxy?.close();
  return { ...count, requests: sent.length, ...(await judge(direct, sent)) };
}

/** Sends until there is an answer; resolves to the number of repeats. */
async function submit(
  services: readonly SpawnedService[],
  request: Sent,
  over: AbortSignal,
): Promise<number> {
  const body = JSON.stringify(pick(bodies));
  const believes = Math.random() < 0.3;
  for (let repeats = 0; ; repeats += 1) {
    if (over.aborted) return repeats;
    const service = pick(services);
    const leaving = Math.random() < 0.1 ? AbortSignal.timeout(1 + upTo(40)) : AbortSignal.timeout(30_000);
    try {
      const answer = await fetch(`${service?.baseUrl}/v1/svc/task`, {
        method: 'POST',
        headers: {
          'x-api-key': service?.apiKey ?? '',
          'content-type': 'application/json',
          'idempotency-key': request.key,
        },
        body,
        signal: leaving,
      });
      const text = await answer.text();
      const { job_id: jobId }: { job_id?: unknown } = JSON.parse(text);
      if (typeof jobId === 'string') request.jobIds.add(jobId);
      // Some ask once more, as a client that lost the answer.
      if (answer.ok && Math.random() < 0.8) return repeats;
      if (believes && text.includes('no credits were deducted')) {
        request.wasRefused = true;
        return repeats;
      }
    } catch {
      // The connection ended, or the client left.
    }
    await delay(20);
  }
}

async function freeze(service: SpawnedService | undefined, ms: number): Promise<void> {
  if (service === undefined) return;
  process.kill(service.pid, 'SIGSTOP');
  await delay(ms);
  process.kill(service.pid, 'SIGCONT');
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
async function judge(place: Place, sent: readonly Sent[]) {
  const service = await spawnService(place);
  const read = () =>
    withDatabase(place, ({ query }) =>
      query
        .selectFrom('jobs')
        .leftJoin('ledger', 'ledger.job_id', 'jobs.id')
        .select((row) => [
          'jobs.id',
          'jobs.idempotency_key as key',
          'jobs.status',
          'jobs.credits_used as used',
          row.fn.sum<number | null>('ledger.amount').as('paid'),
        ])
        .groupBy(['jobs.id', 'jobs.idempotency_key', 'jobs.status', 'jobs.credits_used'])
        .execute(),
    );
  const deadline = performance.now() + 120_000;
  let jobs = await read();
  while (jobs.some(({ status }) => status === 'processing') && performance.now() < deadline) {
    await delay(500);
    jobs = await read();
  }
  await service.stop();
  const ended = new Set(jobs.flatMap(({ id, status }) => (status === 'processing' ? [] : [id])));
  const chargedKeys = new Set(
    jobs.flatMap(({ key, paid }) => (key !== null && (paid ?? 0) < 0 ? [key] : [])),
  );
  const accepted = sent.filter(({ jobIds }) => jobIds.size > 0);
  const money = await readMoney(place);
  return {
    acceptedOnes: accepted.length,
    doubleCharges: accepted.filter(({ jobIds }) => jobIds.size > 1).length,
    lostJobs: accepted.filter(({ jobIds }) => [...jobIds].some((id) => !ended.has(id))).length,
    falseRefusals: sent.filter(({ key, wasRefused }) => wasRefused && chargedKeys.has(key)).length,
    wrongCredits:
      jobs.filter(({ paid, used }) => (paid ?? 0) !== -(used ?? 0)).length +
      money.mismatches +
      money.doubleRefunds,
  };
}
