/** Moves the batches and handles of versions before groups and tasks. */
import { type QueryExecutorProvider, sql } from 'kysely';

/** Batches become groups, and handles tasks. Rows that a batch began and did not link are found by its runner's name. */
export async function moveEarlierBatches(transaction: QueryExecutorProvider): Promise<void> {
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
