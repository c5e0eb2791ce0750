/**
 * What the gateway deletes in time: kept results, those of a principal that has too many first, batches, and intents
 * that are closed. The result of an open intent stays: nobody has read it yet.
 */
import { dayMs, type Retention, type Step } from '../../store/retention.ts';
import { statement } from '../../store/statement.ts';

/** Bytes kept for one principal, so that nobody's results push out another's. */
export const keptBytes = 500 * 1024 * 1024;
/** Rows in one batch. */
const results = 20;
const intents = 500;
const batches = 5;

const isOpen = `exists (select 1 from gateway_intent as intent where intent.principal = kept.principal
  and intent.job_id = kept.job_id and intent.open = 1)`;
const expired = `from gateway_result as kept where kept.kept_at < $1 and not ${isOpen}`;
/** The newest of each principal up to the quota stay. */
const beyondQuota = `from (
    select principal, job_id, kept_at, size,
      sum(size) over (partition by principal order by kept_at desc, job_id) as total
    from gateway_result
    where principal in (select principal from gateway_result group by principal having sum(size) > $1)
  ) as kept where kept.total > $1 and not ${isOpen}`;
const closed = 'from gateway_intent where open = 0 and created_at < $1';
/** As old as a paid call may be, with no run that nobody has read. */
const oldBatch = `from gateway_batch as batch where batch.created_at < $1 and not exists (
    select 1 from gateway_batch_row as input join gateway_intent as intent on intent.id = input.intent_id
    where input.batch_id = batch.id and intent.open = 1)`;
/** All inputs of a batch go at once, before the batch: what is left of it is never read as the whole. */
const oldInputs = `from gateway_batch_row where batch_id in (select batch.id ${oldBatch}
    and exists (select 1 from gateway_batch_row as input where input.batch_id = batch.id) limit ${batches})`;
const emptyBatches = `${oldBatch}
    and not exists (select 1 from gateway_batch_row as input where input.batch_id = batch.id)`;

const resultsWhere = (rows: string) => ({
  count: `select count(*) as count, sum(kept.size) as bytes ${rows}`,
  remove: `delete from gateway_result where (principal, job_id) in
    (select kept.principal, kept.job_id ${rows} order by kept.kept_at limit ${results})`,
});

export function retentionSteps(
  { resultsDays, intentsDays }: Retention,
  quota: number = keptBytes,
): readonly Step[] {
  const [old, many] = [resultsWhere(expired), resultsWhere(beyondQuota)];
  const resultCut = (now: number) => now - resultsDays * dayMs;
  const intentCut = (now: number) => now - intentsDays * dayMs;
  return [
    {
      what: `kept results that are older than ${resultsDays} days`,
      count: (now) => statement(old.count, resultCut(now)),
      remove: (now) => statement(old.remove, resultCut(now)),
    },
    {
      what: 'kept results beyond the quota of a key',
      count: () => statement(many.count, quota),
      remove: () => statement(many.remove, quota),
    },
    // Before their runs, which they name.
    {
      what: `inputs of batches that are older than ${intentsDays} days`,
      count: (now) =>
        statement(
          `select count(*) as count, null as bytes from gateway_batch_row where batch_id in (select batch.id ${oldBatch})`,
          intentCut(now),
        ),
      remove: (now) => statement(`delete ${oldInputs}`, intentCut(now)),
    },
    {
      what: `batches that are older than ${intentsDays} days`,
      count: (now) => statement(`select count(*) as count, null as bytes ${emptyBatches}`, intentCut(now)),
      remove: (now) =>
        statement(
          `delete from gateway_batch where id in (select batch.id ${emptyBatches} limit ${intents})`,
          intentCut(now),
        ),
    },
    {
      what: `closed paid calls that are older than ${intentsDays} days`,
      count: (now) => statement(`select count(*) as count, null as bytes ${closed}`, intentCut(now)),
      remove: (now) =>
        statement(
          `delete from gateway_intent where id in (select id ${closed} limit ${intents})`,
          intentCut(now),
        ),
    },
  ];
}
