/** The gateway's tables, as one schema. What each column holds is said in `schema.ts`. */
import { binaryType, type Engine, type Migration } from '../../store/database.ts';
import { retentionTable } from '../../store/retention.ts';

const tables = (engine: Engine): readonly string[] => [
  `create table gateway_intent (
    id text primary key,
    principal text not null,
    service_key text not null,
    kind text not null,
    subject text not null,
    call_hash text not null,
    open integer not null,
    state text not null,
    price double precision not null,
    charged double precision not null,
    owner text not null,
    deadline bigint not null,
    keyed integer,
    job_id text,
    duration_ms double precision,
    outcome text,
    created_at bigint not null,
    submitted_at bigint,
    finished_at bigint,
    answered_at bigint,
    delivered_at bigint,
    account text,
    params text,
    refusal text,
    input text,
    paid_for text,
    version text,
    drift text
  )`,
  `create table gateway_consent (
    principal text not null,
    consent text not null,
    used_at bigint not null,
    primary key (principal, consent)
  )`,
  `create table gateway_group (
    id text primary key,
    principal text not null,
    action_id text not null,
    call_hash text not null,
    open integer not null,
    allowance double precision,
    confirmed double precision,
    stopped text,
    created_at bigint not null
  )`,
  `create table gateway_member (
    group_id text not null,
    position integer not null,
    params text not null,
    row_id text,
    error text,
    primary key (group_id, position)
  )`,
  `create table gateway_task (
    id text primary key,
    principal text not null,
    row_id text,
    group_id text,
    view text,
    cancelled_at bigint,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  `create table gateway_result (
    principal text not null,
    job_id text not null,
    kept_at bigint not null,
    size integer not null,
    body ${binaryType(engine)} not null,
    primary key (principal, job_id)
  )`,
  `create table gateway_sign_in_page (
    id text primary key,
    principal text not null,
    account text not null,
    address text not null,
    record text not null,
    version integer not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  `create table gateway_subject_key (
    issuer text not null,
    subject text not null,
    key_id text not null,
    encrypted_key text not null,
    added_at bigint not null,
    primary key (issuer, subject)
  )`,
  `create table gateway_profile (
    principal text not null,
    subject text not null,
    account text not null,
    profile text not null,
    updated_at bigint not null,
    primary key (principal, subject, account)
  )`,
  `create table gateway_watch (
    id text primary key,
    principal text not null,
    action_id text not null,
    call_hash text not null,
    params text not null,
    identity text,
    every text not null,
    time_zone text not null,
    anchor bigint not null,
    next_at bigint not null,
    extra_at bigint,
    extra_reason text,
    until_at bigint not null,
    allowance double precision not null,
    confirmed double precision,
    price double precision not null,
    key_field text,
    ignore text,
    unsteady text not null,
    told_when text,
    base_row text,
    first_row text,
    suspect_row text,
    compared_by text,
    fields text,
    state text not null,
    problem text,
    failures integer not null,
    missed integer not null,
    seen_seq integer not null,
    sent_seq integer not null,
    send_at bigint not null,
    send_tries integer not null,
    version text not null,
    created_at bigint not null,
    last_run_at bigint
  )`,
  `create table gateway_watch_run (
    watch_id text not null,
    due_at bigint not null,
    seq integer,
    row_id text,
    reason text not null,
    missed integer not null,
    outcome text,
    told text,
    summary text,
    difference text,
    previous_row text,
    ended_at bigint,
    primary key (watch_id, due_at)
  )`,
  `create table gateway_watch_key (
    principal text primary key,
    key_id text not null,
    encrypted_key text not null
  )`,
  `create table gateway_sign_in (
    principal text not null,
    credential_id text not null,
    signed_in integer not null,
    primary key (principal, credential_id)
  )`,
  'create table gateway_session (id text primary key, used_at bigint not null)',
  ...retentionTable('gateway_retention'),
];

/** Every index of `gateway_intent` is written with each paid call. */
const indexes = [
  // The rule "at most one open row for a call" is the database's, so that it holds across processes.
  'create unique index gateway_intent_open on gateway_intent (principal, call_hash) where open = 1',
  'create unique index gateway_group_open on gateway_group (principal, call_hash) where open = 1',
  'create index gateway_intent_recent on gateway_intent (principal, created_at)',
  'create index gateway_intent_key_day on gateway_intent (service_key, created_at)',
  // How long an action takes is read from its newest runs, however long the history is.
  `create index gateway_intent_completed on gateway_intent (principal, subject, created_at)
    where outcome = 'completed'`,
  // Few calls run or are in doubt, however long the history is.
  `create index gateway_intent_pending on gateway_intent (service_key, subject)
    where state in ('intended', 'submitted', 'unknown')`,
  'create index gateway_intent_closed on gateway_intent (created_at) where open = 0',
  // A row has no job when it is written, and a job is also looked for among the calls of all principals.
  'create index gateway_intent_job on gateway_intent (job_id) where job_id is not null',
  'create index gateway_intent_paid_for on gateway_intent (paid_for) where paid_for is not null',
  'create index gateway_consent_age on gateway_consent (used_at)',
  'create index gateway_group_recent on gateway_group (principal, created_at)',
  'create index gateway_member_row on gateway_member (row_id) where row_id is not null',
  'create index gateway_task_age on gateway_task (expires_at)',
  'create index gateway_result_age on gateway_result (kept_at)',
  // Sums of sizes without reading the bodies.
  'create index gateway_result_sizes on gateway_result (principal, kept_at, job_id, size)',
  'create index gateway_sign_in_page_account on gateway_sign_in_page (principal, account, created_at)',
  'create index gateway_profile_age on gateway_profile (updated_at)',
  "create unique index gateway_watch_call on gateway_watch (principal, call_hash) where state <> 'ended'",
  'create index gateway_watch_principal on gateway_watch (principal, created_at)',
  'create index gateway_watch_run_open on gateway_watch_run (watch_id) where outcome is null',
  'create index gateway_watch_run_told on gateway_watch_run (watch_id, seq) where seq is not null',
  'create index gateway_watch_run_row on gateway_watch_run (row_id) where row_id is not null',
  'create index gateway_session_age on gateway_session (used_at)',
];

export const gatewayMigrations: readonly Migration[] = [(engine) => [...tables(engine), ...indexes]];
