/** The service's tables, as one schema. What each column holds is said in `schema.ts`. */
import { binaryType, type Engine, type Migration } from '../../store/database.ts';
import { retentionTable } from '../../store/retention.ts';

const tables = (engine: Engine): readonly string[] => [
  `create table users (
    id text primary key,
    name text not null unique,
    balance bigint not null check (balance >= 0),
    created_at bigint not null,
    removed_at bigint
  )`,
  `create table api_keys (
    id text primary key,
    user_id text not null references users (id),
    label text not null,
    key_hash text not null unique,
    key_prefix text,
    created_at bigint not null,
    last_used_at bigint,
    revoked_at bigint
  )`,
  `create table ledger (
    id text primary key,
    user_id text not null references users (id),
    kind text not null,
    amount bigint not null,
    job_id text,
    created_at bigint not null,
    unique (job_id, kind)
  )`,
  `create table catalogs (
    id text primary key,
    slug text not null unique,
    source text not null,
    owner text references users (id),
    domain text not null,
    definition text not null,
    retired_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create table actions (
    action_id text not null,
    version text not null,
    id text not null,
    catalog_id text not null references catalogs (id),
    owner text references users (id),
    status text not null,
    source text not null,
    definition text not null,
    retired_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (action_id, version)
  )`,
  'create table publications (version bigint not null)',
  'insert into publications values (0)',
  `create table jobs (
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
    result ${binaryType(engine)},
    error_code text,
    error_message text,
    error_reason text,
    execution_ms bigint,
    created_at bigint not null,
    finished_at bigint,
    not_before bigint not null,
    traceparent text,
    attempts integer not null,
    lease_owner text,
    lease_until bigint not null,
    fence integer not null,
    idempotency_key text,
    request_hash text
  )`,
  `create table identities (
    id text primary key,
    user_id text not null references users (id),
    catalog_id text not null references catalogs (id),
    name text not null,
    is_default integer not null,
    created_at bigint not null,
    unique (user_id, catalog_id, name)
  )`,
  `create table credentials (
    id text primary key,
    identity_id text not null references identities (id),
    credential_type text not null,
    status text not null,
    expires_at bigint not null,
    last_used_at bigint,
    created_at bigint not null,
    site_user text,
    signed_in_at bigint not null,
    key_id text,
    encrypted_data text,
    unique (identity_id, credential_type)
  )`,
  `create table build_requests (
    id text primary key,
    user_id text not null references users (id),
    job_id text not null unique references jobs (id),
    website_url text not null,
    domain text not null,
    goal text not null,
    catalog_id text references catalogs (id),
    visibility text not null,
    replaces text,
    status text not null,
    action_id text,
    error text,
    error_type text,
    steps text,
    sample text,
    choose text,
    name text,
    repair_by text,
    proof text,
    candidates text,
    guess text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create table console_sessions (
    token_hash text primary key,
    user_id text not null references users (id),
    api_key_id text not null references api_keys (id),
    created_at bigint not null,
    expires_at bigint not null
  )`,
  // The shape that rate-limiter-flexible expects; used where several processes share PostgreSQL.
  `create table rate_limits (
    key varchar(255) primary key,
    points integer not null default 0,
    expire bigint
  )`,
  ...retentionTable('retention'),
];

const indexes = [
  'create index ledger_by_user_and_time on ledger (user_id, created_at)',
  // The metrics sum it up, so no charge has to keep totals.
  'create index ledger_by_kind on ledger (kind, amount)',
  'create unique index current_actions on actions (action_id) where retired_at is null',
  "create index jobs_to_run on jobs (created_at) where status = 'processing'",
  'create index jobs_by_status on jobs (status)',
  'create index jobs_by_user on jobs (user_id, created_at)',
  // A repeated request with the same key finds the first one's job.
  `create unique index jobs_by_idempotency_key on jobs (user_id, idempotency_key)
    where idempotency_key is not null`,
  // Finds expired data without reading the other jobs.
  `create index jobs_with_data on jobs (finished_at)
    where finished_at is not null and (result is not null or params is not null)`,
  'create index build_requests_by_user on build_requests (user_id, created_at)',
];

/** What previews and failed builds showed, for the choice that follows. */
const shownCandidates = `create table shown_candidates (
  user_id text not null references users (id),
  page_hash text not null,
  candidate_id text not null,
  shown text not null,
  shown_at bigint not null,
  primary key (user_id, page_hash, candidate_id)
)`;

export const migrations: readonly Migration[] = [
  (engine) => [...tables(engine), ...indexes],
  () => [shownCandidates, 'alter table build_requests add column missing text'],
];
