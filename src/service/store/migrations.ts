/** The schema's history. A released step never changes; new ones are appended. */
import { sql } from 'kysely';
import { afterCopy, binaryType, type Migration } from '../../store/database.ts';
import { createRetentionTable } from '../../store/retention.ts';
import { moveDefinitions } from './move-definitions.ts';
import { splitBuiltCatalogs } from './split-catalogs.ts';

const createTables: Migration = async ({ engine, transaction }) => {
  const bytes = sql.raw(binaryType(engine));
  const statements = [
    sql`create table users (
      id text primary key,
      name text not null unique,
      balance bigint not null check (balance >= 0),
      created_at bigint not null
    )`,
    sql`create table api_keys (
      id text primary key,
      user_id text not null references users (id),
      label text not null,
      key_hash text not null unique,
      created_at bigint not null,
      revoked_at bigint
    )`,
    sql`create table ledger (
      id text primary key,
      user_id text not null references users (id),
      kind text not null,
      amount bigint not null,
      job_id text,
      created_at bigint not null,
      unique (job_id, kind)
    )`,
    sql`create index ledger_by_user on ledger (user_id)`,
    sql`create table catalogs (
      id text primary key,
      slug text not null unique,
      content_hash text not null,
      definition text,
      status text not null,
      owner_user_id text references users (id),
      created_at bigint not null,
      updated_at bigint not null
    )`,
    sql`create table actions (
      id text primary key,
      action_id text not null unique,
      catalog_id text not null references catalogs (id),
      content_hash text not null,
      definition text,
      status text not null,
      owner_user_id text references users (id),
      created_at bigint not null,
      updated_at bigint not null
    )`,
    sql`create table action_versions (
      action_id text not null,
      wheel_version text not null,
      definition text not null,
      primary key (action_id, wheel_version)
    )`,
    sql`create table publications (version bigint not null)`,
    sql`insert into publications values (0)`,
    sql`create table jobs (
      id text primary key,
      kind text not null,
      user_id text not null references users (id),
      status text not null,
      action_id text,
      wheel_version text,
      params text,
      credential_id text,
      site text not null,
      price bigint not null,
      credits_used bigint,
      credits_excess bigint,
      result ${bytes},
      error_code text,
      error_message text,
      execution_ms bigint,
      created_at bigint not null,
      finished_at bigint,
      run_after bigint not null,
      attempts integer not null,
      lease_owner text,
      lease_until bigint not null,
      fence integer not null
    )`,
    sql`create index jobs_to_run on jobs (created_at) where status = 'processing'`,
    sql`create index jobs_by_status on jobs (status)`,
    sql`create table identities (
      id text primary key,
      user_id text not null references users (id),
      catalog_id text not null references catalogs (id),
      name text not null,
      is_default integer not null,
      created_at bigint not null,
      unique (user_id, catalog_id, name)
    )`,
    sql`create table credentials (
      id text primary key,
      identity_id text not null references identities (id),
      credential_type text not null,
      status text not null,
      expires_at bigint not null,
      last_used_at bigint,
      created_at bigint not null,
      key_id text,
      encrypted_data text,
      unique (identity_id, credential_type)
    )`,
    sql`create table build_requests (
      id text primary key,
      user_id text not null references users (id),
      job_id text not null unique references jobs (id),
      website_url text not null,
      domain text not null,
      goal text not null,
      catalog_id text references catalogs (id),
      visibility text not null,
      status text not null,
      action_id text,
      error text,
      error_type text,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    // The shape that rate-limiter-flexible expects; used where several processes share PostgreSQL.
    sql`create table rate_limits (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    )`,
    sql`create index build_requests_by_user on build_requests (user_id, created_at)`,
  ];
  for (const statement of statements) await statement.execute(transaction);
};

/** The progress of a build, and its final sample. */
const addBuildProgress: Migration = async ({ transaction }) => {
  for (const column of ['progress', 'sample', 'others'])
    await sql`alter table build_requests add column ${sql.ref(column)} text`.execute(transaction);
};

/** Console sessions, and the indexes that its pages need. */
const addConsole: Migration = async ({ transaction }) => {
  const statements = [
    sql`create table console_sessions (
      token_hash text primary key,
      user_id text not null references users (id),
      api_key_id text not null references api_keys (id),
      created_at bigint not null,
      expires_at bigint not null
    )`,
    sql`create index jobs_by_user on jobs (user_id, created_at)`,
    sql`create index ledger_by_user_and_time on ledger (user_id, created_at)`,
  ];
  for (const statement of statements) await statement.execute(transaction);
};

/** All steps of a build instead of the last one, and what else was found as data: both JSON arrays. */
const keepBuildSteps: Migration = async ({ transaction }) => {
  for (const [old, name] of [
    ['progress', 'steps'],
    ['others', 'alternatives'],
  ] as const) {
    await sql`alter table build_requests rename column ${sql.ref(old)} to ${sql.ref(name)}`.execute(
      transaction,
    );
    await sql`update build_requests set ${sql.ref(name)} = null`.execute(transaction);
  }
};

/** The fields that a successful build did not find. */
const addMissingFields: Migration = async ({ transaction }) => {
  await sql`alter table build_requests add column missing_fields text`.execute(transaction);
};

/** A repeated request with the same key finds the first one's job. */
const addIdempotencyKeys: Migration = async ({ transaction }) => {
  const statements = [
    sql`alter table jobs add column idempotency_key text`,
    sql`alter table jobs add column request_hash text`,
    sql`create unique index jobs_by_idempotency_key on jobs (user_id, idempotency_key)
      where idempotency_key is not null`,
  ];
  for (const statement of statements) await statement.execute(transaction);
};

/** Finds expired data without reading the other jobs. */
const addRetention: Migration = async (step) => {
  await createRetentionTable('retention')(step);
  const { transaction } = step;
  await sql`create index jobs_with_data on jobs (finished_at)
    where finished_at is not null and (result is not null or params is not null)`.execute(transaction);
};

/** Sums for the metrics. */
const addUserTotals: Migration = async ({ transaction }) => {
  const statements = [
    sql`create table user_totals (
      user_id text not null references users (id),
      name text not null,
      value bigint not null,
      primary key (user_id, name)
    )`,
    sql`insert into user_totals select user_id, kind, sum(amount) from ledger group by user_id, kind`,
    sql`insert into user_totals select user_id, status, count(*) from jobs where status <> 'processing'
      group by user_id, status`,
  ];
  for (const statement of statements) await statement.execute(transaction);
};

/**
 * The columns chosen for a build, the candidates, and the builder's guess. `missing_fields` and `alternatives` of
 * earlier builds are unused.
 */
const addBuildChoice: Migration = async ({ transaction }) => {
  for (const column of ['choose', 'candidates', 'guess'])
    await sql`alter table build_requests add column ${sql.ref(column)} text`.execute(transaction);
};

/** The trace of a job's submission, which its runs continue. */
const addTraceparent: Migration = async ({ transaction }) => {
  await sql`alter table jobs add column traceparent text`.execute(transaction);
};

/**
 * The metrics sum up an index, so no charge has to keep totals. `user_totals` stays for processes of the version before, which
 * may run on beside this one and write it; the next version drops it.
 */
const sumLedgerByIndex: Migration = async ({ transaction }) => {
  await sql`create index ledger_by_kind on ledger (kind, amount)`.execute(transaction);
};

/** The first characters of a key, its last use, and when a user was removed. */
const describeKeysAndUsers: Migration = async ({ transaction }) => {
  await sql`alter table api_keys add column key_prefix text`.execute(transaction);
  await sql`alter table api_keys add column last_used_at bigint`.execute(transaction);
  await sql`alter table users add column removed_at bigint`.execute(transaction);
};

/** Two identities may be the same account of a site. */
const addSiteUser: Migration = async ({ transaction }) => {
  await sql`alter table credentials add column site_user text`.execute(transaction);
};

export const migrations: readonly Migration[] = [
  createTables,
  addBuildProgress,
  addConsole,
  keepBuildSteps,
  addMissingFields,
  addIdempotencyKeys,
  splitBuiltCatalogs,
  addRetention,
  addUserTotals,
  addBuildChoice,
  addTraceparent,
  sumLedgerByIndex,
  afterCopy(moveDefinitions),
  describeKeysAndUsers,
  addSiteUser,
];
