/**
 * The SQL that commit af234df issues around a payment, recorded from it: what its processes go on with while a newer
 * version has migrated the database that they have open. `now` and `dayStart` are the engine's texts for these times.
 */
import type { Engine } from '../../../src/store/database.ts';

const times = {
  sqlite: {
    now: "cast(round(unixepoch('subsec') * 1000) as integer)",
    dayStart: "(unixepoch('now', 'start of day') * 1000)",
  },
  postgres: {
    now: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
    dayStart: "(extract(epoch from date_trunc('day', clock_timestamp() at time zone 'UTC')) * 1000)::bigint",
  },
} as const satisfies Record<Engine, object>;

export function earlierStatements(engine: Engine) {
  const { now, dayStart } = times[engine];
  const oldBatch = `from gateway_batch as batch where batch.created_at < $1 and not exists (
    select 1 from gateway_batch_row as input join gateway_intent as intent on intent.id = input.intent_id
    where input.batch_id = batch.id and intent.open = 1)`;
  return {
    // One paid call.
    insert: `insert into gateway_intent (created_at, deadline, id, principal, service_key, kind, subject, call_hash, open,
        state, price, charged, owner, keyed, job_id, duration_ms, outcome, submitted_at, finished_at, answered_at,
        delivered_at, account, params, refusal)
      select ${now}, ${now} + $1, $2, $3, $4, 'run', $5, $6, 1, 'intended', $7, $7, $8, 0, null, null, null, null, null,
        null, null, null, $9, null
      where 1 = 1 and (select coalesce(sum(charged), 0) from gateway_intent where principal = $3
        and created_at >= ${dayStart}) <= $10
      on conflict do nothing returning created_at, deadline`,
    open: `select *, ${now} as now from gateway_intent where principal = $1 and call_hash = $2 and open = 1`,
    byId: 'select * from gateway_intent where id = $1',
    isReady: `select id from gateway_intent
      where id = $1 and owner = $2 and state = 'intended' and deadline >= ${now} + $3`,
    claim: `update gateway_intent set deadline = ${now} + $1
      where id = $2 and owner = $3 and state = 'intended' and deadline >= ${now} returning deadline`,
    accept: `update gateway_intent set state = 'submitted', job_id = $2, submitted_at = ${now}
      where id = $1 and state in ('intended', 'unknown') returning id, state, open, call_hash, created_at`,
    keepResult: `insert into gateway_result (principal, job_id, size, body, kept_at)
      values ($1, $2, $3, $4, ${now}) on conflict do nothing`,
    finish: `update gateway_intent set state = 'finished', finished_at = ${now},
        submitted_at = coalesce(submitted_at, ${now}), job_id = $2, outcome = $3, charged = $4, duration_ms = $5
      where id = $1 and state in ('intended', 'unknown', 'submitted')`,
    deliver: `update gateway_intent set open = 0, delivered_at = ${now},
        state = case when state in ('finished') then 'delivered' else 'lost' end
      where id = $1 and state in ('finished', 'lost')`,
    answered: `update gateway_intent set answered_at = ${now}
      where id = $1 and open = 1 and state in ('finished', 'lost') and answered_at is null`,
    refuse: `update gateway_intent set state = 'refused', open = 0, charged = $2, refusal = $3
      where id = $1 and state in ('intended', 'unknown') returning *`,
    doubt: `update gateway_intent set state = 'unknown' where id = $1 and state in ('intended') returning *`,
    askAgain: `update gateway_intent set state = 'intended', owner = $3, deadline = ${now} + $1
      where id = $2 and open = 1 and state in ('unknown') returning id`,
    lose: `update gateway_intent set state = 'lost', finished_at = ${now}
      where id = $1 and state in ('submitted') returning *`,
    charge: `update gateway_intent set charged = $2 where id = $1 and state = 'submitted'`,
    expireCall: `update gateway_intent set state = 'unknown'
      where state in ('intended') and deadline + 5000 < ${now} and principal = $1 and call_hash = $2 and open = 1`,
    spent: `select coalesce(sum(charged), 0) as "byKey",
        coalesce(sum(case when principal = $1 then charged else 0 end), 0) as "byPrincipal"
      from gateway_intent where service_key = $2 and created_at >= ${dayStart}`,
    // Batches.
    insertBatch: `insert into "gateway_batch" ("id", "principal", "action_id", "call_hash", "open", "owner", "deadline",
        "stopped", "created_at", "finished_at")
      values ($1, $2, $3, $4, 1, $5, ${now} + 20000, null, ${now}, null) on conflict do nothing returning *`,
    insertInput: `insert into "gateway_batch_row" ("batch_id", "position", "params", "call_hash", "intent_id", "refusal")
      values ($1, $2, $3, $4, null, null)`,
    findBatch: `select *, ${now} as "now" from "gateway_batch" where "id" = $1 and "principal" = $2`,
    openBatch: `select *, ${now} as "now" from "gateway_batch"
      where "principal" = $1 and "call_hash" = $2 and "open" = 1`,
    inputs: `select * from "gateway_batch_row" where "batch_id" = $1 order by "position"`,
    link: `update "gateway_batch_row" set "intent_id" = $1 where "batch_id" = $2 and "call_hash" = $3`,
    refuseInput: `update "gateway_batch_row" set "refusal" = $1 where "batch_id" = $2 and "call_hash" = $3`,
    renew: `update "gateway_batch" set "deadline" = ${now} + 20000 where "id" = $1`,
    finishBatch: `update "gateway_batch" set "finished_at" = ${now}, "stopped" = null where "id" = $1`,
    deliverBatch: `update "gateway_batch" set "open" = 0 where "id" = $1 and "finished_at" is not null`,
    // Handles.
    expireHandles: `delete from "gateway_handle" where "expires_at" <= $1`,
    insertHandle: `insert into "gateway_handle" ("id", "principal", "intent_id", "batch_id", "answer", "view",
        "created_at", "expires_at", "given_up_at")
      values ($1, $2, $3, $4, null, null, $5, $6, null) on conflict do nothing`,
    findHandle: `select * from "gateway_handle" where "id" = $1 and "principal" = $2 and "expires_at" > $3`,
    // The list of jobs.
    countJobs: `select count(*) as count from (select 'call' as kind, call.id, call.created_at
        from gateway_intent as call where call.principal = $1 and not exists (
          select 1 from gateway_batch_row as input join gateway_batch as batch on batch.id = input.batch_id
          where input.intent_id = call.id and batch.created_at <= call.created_at)
        union all select 'batch' as kind, id, created_at from gateway_batch where principal = $1) as jobs`,
    // What is too old.
    sweepResults: `delete from gateway_result where (principal, job_id) in (select kept.principal, kept.job_id
      from gateway_result as kept where kept.kept_at < $1 and not exists (
        select 1 from gateway_intent as intent where intent.principal = kept.principal
          and intent.job_id = kept.job_id and intent.open = 1)
      order by kept.kept_at limit 20)`,
    sweepInputs: `delete from gateway_batch_row where batch_id in (select batch.id ${oldBatch}
      and exists (select 1 from gateway_batch_row as input where input.batch_id = batch.id) limit 5)`,
    sweepBatches: `delete from gateway_batch where id in (select batch.id ${oldBatch}
      and not exists (select 1 from gateway_batch_row as input where input.batch_id = batch.id) limit 500)`,
    sweepCalls: `delete from gateway_intent
      where id in (select id from gateway_intent where open = 0 and created_at < $1 limit 500)`,
  };
}

export type EarlierStatement = keyof ReturnType<typeof earlierStatements>;
