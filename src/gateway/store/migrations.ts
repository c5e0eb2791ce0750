/** The steps that make the gateway's tables. A step that was released never changes; new ones are appended. */
import { type QueryExecutorProvider, sql } from 'kysely';
import { afterCopy, binaryType, type Migration } from '../../store/database.ts';
import { createRetentionTable } from '../../store/retention.ts';

/** Of groups, tasks and what they point to. */
const groupIndexes = [
  'create index gateway_group_recent on gateway_group (principal, created_at)',
  'create unique index gateway_group_open on gateway_group (principal, call_hash) where open = 1',
  'create index gateway_member_row on gateway_member (row_id) where row_id is not null',
  // Few calls run or are in doubt, however long the history is.
  `create index gateway_intent_pending on gateway_intent (service_key, subject)
    where state in ('intended', 'submitted', 'unknown')`,
  ...['gateway_intent', 'gateway_group'].map(
    (table) =>
      `create unique index ${table}_consent on ${table} (principal, consent) where consent is not null`,
  ),
];

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
    // Unlogged: a crash of the database may lose the counts, and requests do not wait for the disk.
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
  async ({ transaction }) => {
    // Every index is written with each paid call. Runs with a duration are among the completed ones, which have an index.
    await sql`drop index gateway_intent_durations`.execute(transaction);
    // An intent has no job when it is written, and a job is also looked for among the calls of all principals.
    await sql`drop index gateway_intent_job`.execute(transaction);
    await sql`create index gateway_intent_job on gateway_intent (job_id) where job_id is not null`.execute(
      transaction,
    );
  },
  afterCopy(async ({ schema, engine, transaction }) => {
    for (const column of ['input', 'consent']) {
      await schema.alterTable('gateway_intent').addColumn(column, 'text').execute();
    }
    if (engine === 'postgres') {
      // `real` is exact in SQLite, and has seven digits here.
      await sql`alter table gateway_intent
        alter column price type double precision using price::text::double precision,
        alter column charged type double precision using charged::text::double precision`.execute(
        transaction,
      );
    }
    await schema
      .createTable('gateway_group')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('action_id', 'text', (column) => column.notNull())
      .addColumn('call_hash', 'text', (column) => column.notNull())
      .addColumn('open', 'integer', (column) => column.notNull())
      .addColumn('allowance', 'double precision')
      .addColumn('consent', 'text')
      .addColumn('stopped', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('gateway_member')
      .addColumn('group_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('params', 'text', (column) => column.notNull())
      .addColumn('row_id', 'text')
      .addColumn('error', 'text')
      .addColumn('joined', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('gateway_member_key', ['group_id', 'position'])
      .execute();
    await schema
      .createTable('gateway_task')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('row_id', 'text')
      .addColumn('group_id', 'text')
      .addColumn('view', 'text')
      .addColumn('cancelled_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('gateway_task_age').on('gateway_task').column('expires_at').execute();
    for (const index of groupIndexes) await sql.raw(index).execute(transaction);
    await moveEarlierBatches(transaction);
  }),
  afterCopy(async ({ schema, transaction }) => {
    await schema
      .createTable('gateway_consent')
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('consent', 'text', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('gateway_consent_key', ['principal', 'consent'])
      .execute();
    await schema.createIndex('gateway_consent_age').on('gateway_consent').column('used_at').execute();
    for (const table of ['gateway_intent', 'gateway_group']) {
      await sql`insert into gateway_consent select principal, consent, created_at from ${sql.table(table)}
        where consent is not null on conflict do nothing`.execute(transaction);
      await schema.dropIndex(`${table}_consent`).execute();
      await schema.alterTable(table).dropColumn('consent').execute();
    }
    await schema.alterTable('gateway_group').addColumn('confirmed', 'double precision').execute();
    await schema.alterTable('gateway_intent').addColumn('paid_for', 'text').execute();
    await sql`update gateway_intent set paid_for = (select max(group_id) from gateway_member
      where row_id = gateway_intent.id and joined = 0)`.execute(transaction);
    await sql`create index gateway_intent_paid_for on gateway_intent (paid_for)
      where paid_for is not null`.execute(transaction);
    await schema.alterTable('gateway_member').dropColumn('joined').execute();
  }),
];

/** Batches become groups, and handles tasks. Rows that a batch began and did not link are found by its runner's name. */
async function moveEarlierBatches(transaction: QueryExecutorProvider): Promise<void> {
  await sql`insert into gateway_group (id, principal, action_id, call_hash, open, stopped, created_at)
    select id, principal, action_id, call_hash, open, stopped, created_at from gateway_batch`.execute(
    transaction,
  );
  await sql`create index gateway_intent_moving on gateway_intent (principal, call_hash)`.execute(transaction);
  await sql`insert into gateway_member (group_id, position, params, row_id, error, joined)
    select input.batch_id, input.position, input.params, coalesce(input.intent_id, (
        select call.id from gateway_intent as call
        where call.principal = batch.principal and call.call_hash = input.call_hash
          and call.owner = batch.owner and call.created_at >= batch.created_at
        order by call.created_at limit 1)),
      input.refusal, 0
    from gateway_batch_row as input join gateway_batch as batch on batch.id = input.batch_id`.execute(
    transaction,
  );
  await sql`drop index gateway_intent_moving`.execute(transaction);
  // Rows that were begun before the batch cost it nothing.
  await sql`update gateway_member set joined = 1 where exists (
    select 1 from gateway_intent as call join gateway_group as one on one.id = gateway_member.group_id
    where call.id = gateway_member.row_id and call.created_at < one.created_at)`.execute(transaction);
  await sql`insert into gateway_task (id, principal, row_id, group_id, view, cancelled_at, created_at, expires_at)
    select id, principal, intent_id, batch_id, view, given_up_at, created_at, expires_at from gateway_handle
    where (intent_id is not null or batch_id is not null) and id not like 'batch-%'`.execute(transaction);
  for (const table of ['gateway_batch_row', 'gateway_batch', 'gateway_handle']) {
    await sql`delete from ${sql.table(table)}`.execute(transaction);
  }
}
