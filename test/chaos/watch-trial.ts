/**
 * One trial of watches: some run by clocks of their own in several zones, served by gateways that are killed and started
 * again, while time passes in steps of minutes or days, forth and back. Then what was paid, run and told is compared with
 * what the schedules and the pages say.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createHttpClient } from '../../src/client/http-client.ts';
import type { Api } from '../../src/contract/api.ts';
import { SnapshotFile } from '../../src/gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import type { Gateway } from '../../src/gateway/interface/gateway.ts';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings } from '../../src/gateway/interface/settings.ts';
import type { WatchRow, WatchRunRow } from '../../src/gateway/store/schema.ts';
import type { Target } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { limitsInProcess } from './gateway-in-process.ts';
import { VirtualDatabase, type VirtualTime } from './virtual-store.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const rows = 5;
const processes = 2;
/** Minutes after the last step; a run that has no outcome then is unexplained. */
const leftRounds = 15;
/** Several offsets, both directions of daylight saving, and half an hour. */
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];

export interface WatchTrial {
  readonly random: () => number;
  readonly watches: number;
  readonly steps: number;
  /** PostgreSQL; undefined: a file. */
  readonly databaseUrl: string | undefined;
}

export interface WatchVerdict {
  readonly dueTimes: number;
  readonly payments: number;
  readonly told: number;
  readonly kills: number;
  readonly doublePayments: readonly string[];
  readonly unexplained: readonly string[];
  readonly toldTwice: readonly string[];
}

interface Process {
  readonly gateway: Gateway;
  readonly database: VirtualDatabase;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export async function tryWatches(trial: WatchTrial): Promise<WatchVerdict> {
  const { random, databaseUrl } = trial;
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-watches-'));
  const target: Target =
    databaseUrl === undefined ? { file: join(folder, 'gateway.db') } : { url: databaseUrl };
  const versions = new Map<number, number>();
  const isKeyed = random() < 0.5;
  const upstream = await startUpstream({
    balance: 1e9,
    ...(isKeyed && { extensions: 'idempotency' }),
    actions: ['async', 'sync'].map((mode) => ({
      action_id: `shop-${mode}`,
      catalog_slug: 'shop',
      type: 'scrape',
      mode,
      job: (params: unknown) => ({ data: page(versions.get(numberOf(params)) ?? 0) }),
    })),
  });
  const time: VirtualTime = { aheadMs: 0 };
  const open = () => openProcess(upstream, folder, new VirtualDatabase(target, time));
  const running: Process[] = Array.from({ length: processes }, open);
  try {
    await makeWatches(trial, running[0]);
    let kills = 0;
    for (let step = 0; step < trial.steps; step += 1) {
      time.aheadMs += stepMs(random);
      for (let watch = 0; watch < trial.watches; watch += 1)
        if (random() < 0.4) versions.set(watch, (versions.get(watch) ?? 0) + 1);
      const victim = random() < 0.3 ? running[Math.floor(random() * processes)] : undefined;
      victim?.database.killAfter(Math.floor(random() * 80), random() < 0.5);
      await Promise.all(running.map(look));
      for (const [index, { database }] of running.entries()) {
        if (!database.isGone) {
          database.killAfter(Number.POSITIVE_INFINITY, false);
          continue;
        }
        kills += 1;
        running[index] = open();
      }
    }
    // What was left is taken up: deadlines of senders that died have passed by then, and the time in which a doubt is asked about.
    for (let round = 0; round < leftRounds && (round < 3 || (await isRunLeft(target, time))); round += 1) {
      time.aheadMs += minuteMs;
      await Promise.all(running.map(look));
    }
    return { kills, ...(await judge(upstream, new VirtualDatabase(target, time))) };
  } finally {
    for (const { gateway, database } of running) {
      await gateway.close();
      await database.close();
    }
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const numberOf = (params: unknown): number => Number(Object(params).n);

/** One row in five changes with each version, so that no change looks like noise. */
const page = (version: number) => ({
  rows: Array.from({ length: rows }, (_, id) => ({
    url: `https://shop.example/${id}`,
    v: id === 0 ? version : 0,
  })),
});

function openProcess(upstream: Upstream, folder: string, database: VirtualDatabase): Process {
  const client = createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey });
  const principal = createPrincipal(client.origin, upstream.apiKey);
  const submit = client.submitTask.bind(client);
  // A process that is gone sends nothing.
  const api: Api = Object.assign(client, {
    submitTask: (...given: Parameters<Api['submitTask']>) =>
      database.isGone ? new Promise<never>(() => undefined) : submit(...given),
  });
  const gateway = createGateway({
    api,
    principal,
    settings: defaultGatewaySettings,
    snapshotFile: new SnapshotFile(folder, principal.id),
    store: database,
    logger: silent,
    limits: limitsInProcess,
  });
  return { gateway, database };
}

/** Mostly less than a pause, sometimes a laptop that slept for days, sometimes a clock that is set back a day. */
function stepMs(random: () => number): number {
  const kind = random();
  if (kind < 0.03) return -dayMs;
  if (kind < 0.06) return dayMs;
  if (kind < 0.08) return Math.floor(random() * 4 * dayMs);
  return Math.floor((5 + random() * 40) * minuteMs);
}

async function makeWatches({ random, watches }: WatchTrial, by: Process | undefined): Promise<void> {
  for (let n = 0; n < watches; n += 1) {
    const zone = zones[Math.floor(random() * zones.length)] ?? 'UTC';
    const [minute, hour] = [Math.floor(random() * 60), Math.floor(random() * 24)];
    const every = [
      { every: '15m' },
      { every: `${1 + Math.floor(random() * 6)}h` },
      { every: `${minute} */${1 + Math.floor(random() * 5)} * * *`, time_zone: zone },
      { every: `${minute} ${hour} * * *`, time_zone: zone },
    ][Math.floor(random() * 4)];
    const context = {
      signal: new AbortController().signal,
      waitMs: 5_000,
      progress: () => {},
      confirmation: 'cannot-ask',
    } as const;
    const action_id = random() < 0.5 ? 'shop-sync' : 'shop-async';
    const until = new Date(Date.now() + 300 * dayMs).toISOString();
    const input = { action_id, params: { n }, until, max_credits: 1e8, every: '15m', ...every };
    const outcome = await by?.gateway.watch(input, context);
    if (outcome?.body.watch_id === undefined) throw new Error(`No watch: ${JSON.stringify(outcome?.body)}`);
  }
}

/** One look of a process at what is due, which its death or a standstill may end. */
async function look({ gateway, database }: Process): Promise<void> {
  await Promise.race([gateway.runDueWatches(), database.gone, delay(20_000, undefined, { ref: false })]);
}

/** Whether a run has no outcome yet. */
async function isRunLeft(target: Target, time: VirtualTime): Promise<boolean> {
  const database = new VirtualDatabase(target, time);
  const store = await database.open();
  const left = await store.read(statement('select 1 from gateway_watch_run where outcome is null limit 1'));
  await database.close();
  return left.length > 0;
}

async function judge(upstream: Upstream, database: VirtualDatabase): Promise<Omit<WatchVerdict, 'kills'>> {
  const store = await database.open();
  try {
    const watches = await store.read(statement<WatchRow>('select * from gateway_watch'));
    const runs = await store.read(statement<WatchRunRow>('select * from gateway_watch_run order by seq'));
    const verdicts = watches.map((watch) =>
      judgeWatch(
        watch,
        runs.filter((run) => run.watch_id === watch.id),
        upstream,
      ),
    );
    const all = <Name extends 'doublePayments' | 'unexplained' | 'toldTwice'>(name: Name) =>
      verdicts.flatMap((verdict) => verdict[name]);
    const sum = (name: 'dueTimes' | 'payments' | 'told') =>
      verdicts.reduce((total, verdict) => total + verdict[name], 0);
    return {
      dueTimes: sum('dueTimes'),
      payments: sum('payments'),
      told: sum('told'),
      doublePayments: all('doublePayments'),
      unexplained: all('unexplained'),
      toldTwice: all('toldTwice'),
    };
  } finally {
    await database.close();
  }
}

function judgeWatch(watch: WatchRow, runs: readonly WatchRunRow[], upstream: Upstream) {
  const paid = runs.filter(({ row_id }) => row_id !== null).length;
  const jobs = [...upstream.service.jobs.values()].filter(
    ({ actionId, params }) =>
      actionId === watch.action_id && numberOf(params) === numberOf(JSON.parse(watch.params)),
  ).length;
  const open = runs.filter(({ outcome }) => outcome === null);
  const due = runs.filter(({ reason }) => reason === 'due');
  const newest = Math.max(...due.map(({ due_at }) => due_at));
  const expected = dueTimesUntil(watch, newest);
  // The first run is that of the call that made the watch.
  const explained = due.length - 1 + watch.missed;
  const where = `${watch.every} in ${watch.time_zone}`;
  return {
    dueTimes: expected,
    payments: jobs,
    told: runs.filter(({ seq }) => seq !== null).length,
    doublePayments: jobs > paid ? [`${where}: ${jobs} jobs for ${paid} runs`] : [],
    unexplained: [
      ...(explained < expected ? [`${where}: ${explained} of ${expected} due times`] : []),
      ...open.map(({ due_at }) => `${where}: ${new Date(due_at).toISOString()} has no outcome`),
    ],
    toldTwice: repeatedDifferences(runs).map((text) => `${where}: ${text}`),
  };
}

/** Each difference begins with the version that the one before ended with, because versions only grow. */
function repeatedDifferences(runs: readonly WatchRunRow[]): string[] {
  const told = runs.flatMap(({ seq, told: kinds, difference }): { before: number; after: number }[] => {
    if (seq === null || difference === null || kinds?.includes('changed') !== true) return [];
    const [change] = Object(JSON.parse(difference)).changed;
    return [{ before: Number(change.before), after: Number(change.after) }];
  });
  return told.flatMap(({ before, after }, index) => {
    const last = index === 0 ? 0 : told[index - 1]?.after;
    if (before === last && after > before) return [];
    return [`${before} -> ${after} was told where ${last} was known`];
  });
}

/** Counted by the clock on the wall of the zone, minute by minute, and not by the program's own schedule. */
function dueTimesUntil({ every, time_zone: zone, anchor }: WatchRow, until: number): number {
  const [, count, unit] = /^(\d+)([mh])$/.exec(every) ?? [];
  if (count !== undefined) {
    const ms = Number(count) * (unit === 'h' ? 60 : 1) * minuteMs;
    return Math.max(0, Math.floor((until - anchor) / ms));
  }
  const [minute = '', hour = ''] = every.split(' ');
  const wall = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  });
  const isDue = (text: string) => {
    const [, hours = '', minutes = ''] = /(\d\d):(\d\d)$/.exec(text) ?? [];
    const step = /^\*\/(\d+)$/.exec(hour)?.[1];
    return (
      Number(minutes) === Number(minute) &&
      (step === undefined ? Number(hours) === Number(hour) : Number(hours) % Number(step) === 0)
    );
  };
  const seen = new Set<string>();
  for (let at = Math.ceil(anchor / minuteMs) * minuteMs; at <= until; at += minuteMs) {
    const text = wall.format(at);
    if (isDue(text)) seen.add(text);
  }
  return seen.size;
}
