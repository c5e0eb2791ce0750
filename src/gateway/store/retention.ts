/**
 * Closes open rows whose time is over, and deletes old results, consents, groups, tasks and closed rows. A principal with too many
 * results loses its oldest ones first. The result of an open row stays, because nobody has read it yet.
 */
import { dayMs, type Retention, type RetentionStep } from '../../store/retention.ts';
import { statement } from '../../store/statement.ts';
import { closesAtSql, notSentText } from './states.ts';

/** Bytes kept for one principal, so that one principal's results cannot push out another's. */
export const keptBytes = 500 * 1024 * 1024;
/** Rows in one batch. */
const results = 20;
const rows = 500;
const groups = 5;

const isOpen = `exists (select 1 from gateway_intent as one where one.principal = kept.principal
  and one.id = kept.job_id and one.open = 1)`;
/** What the next version of a watch is compared with, and both versions of each change that is still told. */
const isOfWatch = `(exists (select 1 from gateway_watch as watch where watch.principal = kept.principal and watch.state <> 'ended'
    and (watch.base_row = kept.job_id or watch.suspect_row = kept.job_id))
  or exists (select 1 from gateway_watch_run as run where run.difference is not null
    and (run.row_id = kept.job_id or run.previous_row = kept.job_id)))`;
const expired = `from gateway_result as kept where kept.kept_at < $1 and not ${isOpen} and not ${isOfWatch}`;
/** The newest of each principal up to the quota stay. */
const beyondQuota = `from (
    select principal, job_id, kept_at, size,
      sum(size) over (partition by principal order by kept_at desc, job_id) as total
    from gateway_result
    where principal in (select principal from gateway_result group by principal having sum(size) > $1)
  ) as kept where kept.total > $1 and not ${isOpen} and not ${isOfWatch}`;
/** An answer is accepted for minutes only: none that is so old pays again. */
const usedConsents = 'from gateway_consent where used_at < $1';
/** What a watch has cost counts until it ends. */
const closed = `from gateway_intent as paid where paid.open = 0 and paid.created_at < $1
  and not exists (select 1 from gateway_watch as watch where watch.id = paid.paid_for and watch.state <> 'ended')`;
/** The newest that a watch told stays until it ends: the next one is numbered after it. */
const oldRuns = `from gateway_watch_run as run where run.due_at < $1 and run.outcome is not null
  and not (run.seq is not null and exists (select 1 from gateway_watch as watch where watch.id = run.watch_id and watch.state <> 'ended')
    and not exists (select 1 from gateway_watch_run as later where later.watch_id = run.watch_id and later.seq > run.seq))`;
/** Without runs, so that nothing is told of it any more. */
const oldWatches = `from gateway_watch as watch where watch.state = 'ended'
  and not exists (select 1 from gateway_watch_run as run where run.watch_id = watch.id)`;
/** Groups at the age limit of paid rows, all of whose rows are closed. */
const oldGroup = `from gateway_group as one where one.created_at < $1 and not exists (
    select 1 from gateway_member as member join gateway_intent as row on row.id = member.row_id
    where member.group_id = one.id and row.open = 1)`;
/** All members of a group go at once, before the group: what is left of it is never read as the whole. */
const oldMembers = `from gateway_member where group_id in (select one.id ${oldGroup}
    and exists (select 1 from gateway_member as member where member.group_id = one.id) limit ${groups})`;
const emptyGroups = `${oldGroup}
    and not exists (select 1 from gateway_member as member where member.group_id = one.id)`;

const deleteResults = (which: string) =>
  `delete from gateway_result where (principal, job_id) in
    (select kept.principal, kept.job_id ${which} order by kept.kept_at limit ${results})`;

const overdue = `from gateway_intent where open = 1 and ${closesAtSql} < $1`;

/** Closes expired rows. The rows and their results are deleted at their own age limits. */
const closingStep: RetentionStep = {
  what: 'open paid calls whose time is over',
  verb: 'Closed',
  remove: (now) =>
    statement(
      `update gateway_intent set open = 0, input = case when state = 'planned' then '{}' end,
          refusal = case when state = 'planned' then $2 else refusal end,
          state = case state when 'planned' then 'refused' when 'intended' then 'unknown' else state end
        where id in (select id ${overdue} limit ${rows})`,
      now,
      notSentText,
    ),
};

export function retentionSteps(
  { resultsDays, intentsDays }: Retention,
  quota: number = keptBytes,
): readonly RetentionStep[] {
  const resultCut = (now: number) => now - resultsDays * dayMs;
  const rowCut = (now: number) => now - intentsDays * dayMs;
  return [
    closingStep,
    {
      what: `kept results that are older than ${resultsDays} days`,
      remove: (now) => statement(deleteResults(expired), resultCut(now)),
    },
    {
      what: 'kept results beyond the quota of a key',
      remove: () => statement(deleteResults(beyondQuota), quota),
    },
    {
      what: `used consents that are older than ${intentsDays} days`,
      remove: (now) =>
        statement(
          `delete from gateway_consent where (principal, consent) in
            (select principal, consent ${usedConsents} limit ${rows})`,
          rowCut(now),
        ),
    },
    {
      what: `profiles of actions that did not run for ${intentsDays} days`,
      remove: (now) =>
        statement(
          `delete from gateway_profile where (principal, subject, account) in
            (select principal, subject, account from gateway_profile where updated_at < $1 limit ${rows})`,
          rowCut(now),
        ),
    },
    {
      what: `due times of watches that are older than ${intentsDays} days`,
      remove: (now) =>
        statement(
          `delete from gateway_watch_run where (watch_id, due_at) in (select watch_id, due_at ${oldRuns} limit ${rows})`,
          rowCut(now),
        ),
    },
    {
      what: `watches that ended more than ${intentsDays} days ago`,
      remove: () =>
        statement(`delete from gateway_watch where id in (select watch.id ${oldWatches} limit ${rows})`),
    },
    // Before their rows, which they name.
    {
      what: `inputs of batches that are older than ${intentsDays} days`,
      remove: (now) => statement(`delete ${oldMembers}`, rowCut(now)),
    },
    {
      what: `batches that are older than ${intentsDays} days`,
      remove: (now) =>
        statement(
          `delete from gateway_group where id in (select one.id ${emptyGroups} limit ${rows})`,
          rowCut(now),
        ),
    },
    {
      what: `closed paid calls that are older than ${intentsDays} days`,
      remove: (now) =>
        statement(`delete from gateway_intent where id in (select id ${closed} limit ${rows})`, rowCut(now)),
    },
  ];
}
