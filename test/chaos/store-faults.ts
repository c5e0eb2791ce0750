/** What may happen to the store of a run: to the SQLite file, or to the database of a lane. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import Libsql from 'libsql';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import type { Database, Target } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts';

const hourMs = 3_600_000;

/** A lane's PostgreSQL: the gateways reach it through a proxy that can fall silent, the test directly. */
export interface LaneDatabase {
  readonly url: string;
  readonly proxy: SilentProxy;
}

export async function openLaneDatabase(url: string): Promise<LaneDatabase> {
  await withStore({ url }, async ({ query }) => {
    await sql`create table chaos (failing_state text, commit_seconds float8 not null)`.execute(query);
    await sql`insert into chaos values (null, 0)`.execute(query);
    await sql`create function fail_write() returns trigger language plpgsql as $$ begin
      if exists (select from chaos where failing_state = new.state) then
        raise exception 'the disk is full' using errcode = '53100';
      end if;
      return new; end $$`.execute(query);
    await sql`create trigger fail_write before update on gateway_intent
      for each row execute function fail_write()`.execute(query);
    await sql`create function delay_commit() returns trigger language plpgsql as $$ begin
      perform pg_sleep((select commit_seconds from chaos)); return null; end $$`.execute(query);
    await sql`create constraint trigger delay_commit after insert or update on gateway_intent
      deferrable initially deferred for each row execute function delay_commit()`.execute(query);
  });
  return { url, proxy: await startSilentProxy(url) };
}

/** Another process holds the write lock of the file, or of the table. */
export async function lockStore(store: Target, ms: number): Promise<void> {
  if ('url' in store) {
    await withStore(store, ({ query }) =>
      query.transaction().execute(async (transaction) => {
        await sql`lock table gateway_intent in exclusive mode`.execute(transaction);
        await delay(ms);
      }),
    );
    return;
  }
  const connection = new Libsql(store.file);
  try {
    connection.exec('begin immediate');
    await delay(ms);
    connection.exec('rollback');
  } catch {
    // Somebody else writes just now.
  } finally {
    connection.close();
  }
}

/** Changes of intents to a state fail. */
export function failWrites(store: Target, state: string, ms: number): Promise<void> {
  return withStore(store, async ({ query, engine }) => {
    if (engine === 'postgres') {
      await sql`update chaos set failing_state = ${state}`.execute(query);
      await delay(ms);
      await sql`update chaos set failing_state = null`.execute(query);
      return;
    }
    const name = `fail_${state}`;
    await sql`create trigger if not exists ${sql.id(name)} before update on gateway_intent
      when new.state = ${sql.lit(state)} begin select raise(abort, 'the disk is full'); end`.execute(query);
    await delay(ms);
    await sql`drop trigger if exists ${sql.id(name)}`.execute(query);
  });
}

export function delayCommits(store: Target, commitMs: number, ms: number): Promise<void> {
  return withStore(store, async ({ query }) => {
    await sql`update chaos set commit_seconds = ${commitMs / 1000}`.execute(query);
    await delay(ms);
    await sql`update chaos set commit_seconds = 0`.execute(query);
  });
}

export async function silenceStore({ proxy }: LaneDatabase, ms: number): Promise<void> {
  proxy.fallSilent();
  await delay(ms);
  proxy.heal();
}

export async function withStore<Result>(
  target: Target,
  work: (database: Database<GatewaySchema>) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase<GatewaySchema>(target, gatewayMigrations, 'gateway');
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** As if so many hours had passed for everything that is stored. */
export async function moveTimesBack(target: Target, hours: number): Promise<void> {
  const ms = Math.round(hours * hourMs);
  await withStore(target, async ({ query }) => {
    for (const column of [
      'created_at',
      'submitted_at',
      'finished_at',
      'answered_at',
      'delivered_at',
      'deadline',
    ])
      await sql`update gateway_intent set ${sql.ref(column)} = ${sql.ref(column)} - ${ms}`.execute(query);
  });
}

/** As if a process had stood still for an hour: its requests are given up, and what was planned is dropped. */
export function ageRows(target: Target, pid: number): Promise<void> {
  return withStore(target, async ({ query }) => {
    await sql`update gateway_intent set deadline = deadline - ${hourMs}
      where state = 'intended' and owner like ${`%:${pid}:%`}`.execute(query);
    await sql`update gateway_intent set created_at = created_at - ${hourMs} where state = 'planned'`.execute(
      query,
    );
  });
}

/** The server goes on with what a killed process had sent: a commit that is held up would be a row of the next run. */
export const emptyStore = (target: Target): Promise<void> =>
  withStore(target, async ({ query }) => {
    const underWay = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`.execute(query);
    while ((await underWay()).rows.length > 0) await delay(20);
    await query.deleteFrom('gateway_intent').execute();
    await query.deleteFrom('gateway_result').execute();
    await query.deleteFrom('gateway_member').execute();
    await query.deleteFrom('gateway_group').execute();
  });
