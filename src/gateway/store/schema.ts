/** The gateway's own tables: intents to spend, and the results that were paid for. */
import { sql } from 'kysely';
import type { Migration } from '../../store/database.ts';
import { binaryType } from '../../store/database.ts';
import { createRetentionTable } from '../../store/retention.ts';

const intentStates = [
  'intended',
  'submitted',
  'finished',
  'delivered',
  'refused',
  'unknown',
  'lost',
] as const;
export type IntentState = (typeof intentStates)[number];

/** One paid request, written before it is sent. Times are milliseconds since the epoch. */
export interface IntentRow {
  id: string;
  principal: string;
  /** Fingerprint of the service key, which several principals may act with. */
  service_key: string;
  kind: 'run' | 'build';
  /** The action's id; for a build the website's URL. */
  subject: string;
  call_hash: string;
  /** 1 while the same call attaches to this intent or is blocked by it. At most one for a principal and hash. */
  open: number;
  state: IntentState;
  /** The listed price in credits. */
  price: number;
  /** What counts against the day's budget: the price, then what the service says, 0 once refunded. */
  charged: number;
  /** The process that sends the request: `host:pid:nonce`. */
  owner: string;
  /** An `intended` of another machine is given up after this. */
  deadline: number;
  /** 1 where the request carries the intent's id as its idempotency key, so that the service can be asked again. */
  keyed: number | null;
  job_id: string | null;
  /** How long the job took, for the poll schedule. */
  duration_ms: number | null;
  outcome: 'completed' | 'failed' | null;
  created_at: number;
  submitted_at: number | null;
  finished_at: number | null;
  /** When the end was written to a client that left before anything showed that it had read it. */
  answered_at: number | null;
  delivered_at: number | null;
  /** Name of the account that the run acts for; empty: an anonymous run; null: the action has no accounts. */
  account: string | null;
  /** The params as JSON, cut for a list. */
  params: string | null;
  /** JSON of `{code, message}`: why the service refused. */
  refusal: string | null;
}

/** A job's final answer, whole: JSON text, gzipped unless it is short. */
interface ResultRow {
  principal: string;
  job_id: string;
  kept_at: number;
  /** Bytes as stored. */
  size: number;
  body: Uint8Array;
}

/** A sign-in page that replicas share. Without its address, which is stored nowhere in the clear, it tells nothing. */
export interface SignInPageRow {
  /** Digest of the address. */
  id: string;
  principal: string;
  /** Digest of the account that is wanted. */
  account: string;
  /** JWE for those who have the principal's key. */
  address: string;
  /** JWE of everything else, for those who have the address. */
  record: string;
  version: number;
  created_at: number;
  expires_at: number;
}

/** The service key that a subject of an authorization server acts with, encrypted. */
interface SubjectKeyRow {
  issuer: string;
  subject: string;
  /** Of the key in the key file. */
  key_id: string;
  encrypted_key: string;
  added_at: number;
}

/** What a caller holds of a paid call, or of an answer that cost nothing. Times are milliseconds since the epoch. */
export interface HandleRow {
  /** Its holder shows it to get the answer: it cannot be guessed. */
  id: string;
  principal: string;
  /** The paid call, or the batch of them; both null: there is none, and `answer` is all there is. */
  intent_id: string | null;
  batch_id: string | null;
  /** The JSON text of a body. */
  answer: string | null;
  created_at: number;
  expires_at: number;
  /** JSON of the part of the result that the call asked for; null: the whole. */
  view: string | null;
  /** When its holder stopped to wait for it. */
  given_up_at: number | null;
}

/** A session of a client over HTTP that has not ended. */
interface SessionRow {
  /** SHA-256 of the session's id. */
  id: string;
  used_at: number;
}

/** Many inputs of one action in one call. Times are milliseconds since the epoch. */
export interface BatchRow {
  id: string;
  principal: string;
  action_id: string;
  call_hash: string;
  /** 1 while the same call attaches to this batch. At most one for a principal and hash. */
  open: number;
  /** The process that runs it, and until when it counts as alive. */
  owner: string;
  deadline: number;
  /** JSON of the error that stopped it. */
  stopped: string | null;
  created_at: number;
  finished_at: number | null;
}

/** One input of a batch, written before anything of the batch is paid. */
export interface BatchRowRow {
  batch_id: string;
  position: number;
  /** JSON. */
  params: string;
  /** As of `IntentRow`: equal inputs have the same. */
  call_hash: string;
  intent_id: string | null;
  /** JSON of the error, where it was refused before an intent was written. */
  refusal: string | null;
}

export interface GatewaySchema {
  gateway_batch: BatchRow;
  gateway_batch_row: BatchRowRow;
  gateway_intent: IntentRow;
  gateway_result: ResultRow;
  gateway_sign_in_page: SignInPageRow;
  gateway_subject_key: SubjectKeyRow;
  gateway_handle: HandleRow;
  gateway_session: SessionRow;
}

export const gatewayMigrations: readonly Migration[] = [
  async ({ schema, engine }) => {
    await schema
      .createTable('gateway_intent')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('call_hash', 'text', (column) => column.notNull())
      .addColumn('open', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('price', 'real', (column) => column.notNull())
      .addColumn('charged', 'real', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('deadline', 'bigint', (column) => column.notNull())
      .addColumn('job_id', 'text')
      .addColumn('duration_ms', 'real')
      .addColumn('outcome', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('submitted_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      .addColumn('delivered_at', 'bigint')
      .execute();
    // The rule "at most one open intent for a call" is the database's, so that it holds across processes.
    await schema
      .createIndex('gateway_intent_open')
      .unique()
      .on('gateway_intent')
      .columns(['principal', 'call_hash', 'open'])
      .where('open', '=', 1)
      .execute();
    await schema
      .createIndex('gateway_intent_recent')
      .on('gateway_intent')
      .columns(['principal', 'created_at'])
      .execute();
    await schema
      .createIndex('gateway_intent_job')
      .on('gateway_intent')
      .columns(['principal', 'job_id'])
      .execute();
    await schema
      .createTable('gateway_result')
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('job_id', 'text', (column) => column.notNull())
      .addColumn('kept_at', 'bigint', (column) => column.notNull())
      .addColumn('size', 'integer', (column) => column.notNull())
      .addColumn('body', binaryType(engine), (column) => column.notNull())
      .addPrimaryKeyConstraint('gateway_result_key', ['principal', 'job_id'])
      .execute();
    await schema.createIndex('gateway_result_age').on('gateway_result').column('kept_at').execute();
  },
  async ({ schema }) => {
    await schema
      .createTable('gateway_sign_in_page')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('account', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('record', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('gateway_sign_in_page_account')
      .on('gateway_sign_in_page')
      .columns(['principal', 'account', 'created_at'])
      .execute();
  },
  async ({ schema }) => {
    await schema
      .createTable('gateway_subject_key')
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('encrypted_key', 'text', (column) => column.notNull())
      .addColumn('added_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('gateway_subject_key_key', ['issuer', 'subject'])
      .execute();
  },
  async ({ schema }) => {
    await schema
      .createTable('gateway_handle')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('intent_id', 'text')
      .addColumn('answer', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('given_up_at', 'bigint')
      .execute();
    await schema
      .createIndex('gateway_handle_recent')
      .on('gateway_handle')
      .columns(['principal', 'created_at', 'id'])
      .execute();
    await schema.createIndex('gateway_handle_age').on('gateway_handle').column('expires_at').execute();
  },
  async ({ schema, engine, transaction }) => {
    // Counts of requests in a minute, of all replicas; the columns are those that the limiter's library asks for.
    if (engine !== 'postgres') return;
    await schema
      .createTable('gateway_request_rate')
      .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
      .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('expire', 'bigint')
      .execute();
    // Lost in a crash of the database, which costs nothing; so a request waits for no disk.
    await sql`alter table gateway_request_rate set unlogged`.execute(transaction);
  },
  async ({ schema }) => {
    for (const column of ['account', 'params', 'refusal']) {
      await schema.alterTable('gateway_intent').addColumn(column, 'text').execute();
    }
  },
  async ({ schema }) => {
    await schema
      .createTable('gateway_session')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('gateway_session_age').on('gateway_session').column('used_at').execute();
  },
  async ({ schema, transaction }) => {
    await schema
      .alterTable('gateway_intent')
      .addColumn('service_key', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    // Only the day's spending is read by key. Where a principal has no subject, it is the key's own fingerprint.
    const yesterday = Date.now() - 48 * 60 * 60_000;
    await sql`update gateway_intent set service_key = principal where created_at > ${yesterday}`.execute(
      transaction,
    );
    await schema
      .createIndex('gateway_intent_key_day')
      .on('gateway_intent')
      .columns(['service_key', 'created_at'])
      .execute();
    await schema
      .createIndex('gateway_intent_completed')
      .on('gateway_intent')
      .columns(['principal', 'subject', 'created_at'])
      .where(sql.ref('outcome'), '=', sql.lit('completed'))
      .execute();
  },
  createRetentionTable('gateway_retention'),
  async ({ schema, transaction }) => {
    // How long an action takes is read from its newest runs, however long the history is.
    await sql`create index gateway_intent_durations on gateway_intent (principal, subject, created_at)
      where duration_ms is not null`.execute(transaction);
    await sql`create index gateway_intent_closed on gateway_intent (created_at) where open = 0`.execute(
      transaction,
    );
    // Sums of sizes without reading the bodies.
    await schema
      .createIndex('gateway_result_sizes')
      .on('gateway_result')
      .columns(['principal', 'kept_at', 'job_id', 'size'])
      .execute();
  },
  async ({ schema }) => {
    const table = () => schema.alterTable('gateway_intent');
    await table().addColumn('keyed', 'integer').execute();
    await table().addColumn('answered_at', 'bigint').execute();
  },
  async ({ schema }) => {
    await schema.alterTable('gateway_handle').addColumn('view', 'text').execute();
  },
  async ({ schema }) => {
    await schema
      .createTable('gateway_batch')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('action_id', 'text', (column) => column.notNull())
      .addColumn('call_hash', 'text', (column) => column.notNull())
      .addColumn('open', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('deadline', 'bigint', (column) => column.notNull())
      .addColumn('stopped', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .execute();
    await schema
      .createIndex('gateway_batch_open')
      .unique()
      .on('gateway_batch')
      .columns(['principal', 'call_hash', 'open'])
      .where('open', '=', 1)
      .execute();
    await schema
      .createTable('gateway_batch_row')
      .addColumn('batch_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('params', 'text', (column) => column.notNull())
      .addColumn('call_hash', 'text', (column) => column.notNull())
      .addColumn('intent_id', 'text')
      .addColumn('refusal', 'text')
      .addPrimaryKeyConstraint('gateway_batch_row_key', ['batch_id', 'position'])
      .execute();
  },
  async ({ schema, transaction }) => {
    await schema.alterTable('gateway_handle').addColumn('batch_id', 'text').execute();
    const index = (name: string) => schema.createIndex(name);
    await index('gateway_batch_recent').on('gateway_batch').columns(['principal', 'created_at']).execute();
    await index('gateway_batch_age').on('gateway_batch').column('created_at').execute();
    await sql`create index gateway_batch_row_intent on gateway_batch_row (intent_id)
      where intent_id is not null`.execute(transaction);
  },
];
