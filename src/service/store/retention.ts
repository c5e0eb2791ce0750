/** Deletes expired data of finished jobs. The jobs, their costs and the ledger stay. */
import { dayMs, type RetentionStep } from '../../store/retention.ts';
import { statement } from '../../store/statement.ts';

/** How long `revert` can go back to a version of a built action. */
export const versionsKeptDays = 30;

/** How long the ids of a preview mean what it showed. */
export const shownKeptMs = dayMs;

/** Jobs whose data is deleted in one batch: results have up to 15 MiB. */
const batchSize = 20;
/** The same condition as that of the index `jobs_with_data`. */
const isExpired = `finished_at is not null and finished_at < $1 and (result is not null or params is not null)`;

export const retentionSteps = (resultsDays: number): readonly RetentionStep[] => {
  const cut = (now: number) => now - resultsDays * dayMs;
  return [
    {
      what: `results of jobs that ended more than ${resultsDays} days ago`,
      remove: (now) =>
        statement(
          `update jobs set result = null, params = null
           where id in (select id from jobs where ${isExpired} order by finished_at limit ${batchSize})`,
          cut(now),
        ),
    },
    {
      what: 'columns that were shown more than a day ago',
      remove: (now) =>
        statement(
          `delete from shown_candidates where (user_id, page_hash, candidate_id) in (
             select user_id, page_hash, candidate_id from shown_candidates where shown_at < $1 limit ${batchSize})`,
          now - shownKeptMs,
        ),
    },
    {
      // The last version stays also of an action that was removed: its id is never given to another user's.
      what: `versions of built actions that others replaced more than ${versionsKeptDays} days ago`,
      remove: (now) =>
        statement(
          `delete from actions where (action_id, version) in (
             select old.action_id, old.version from actions old
             where old.source = 'built' and old.retired_at < $1 and exists (
               select 1 from actions later where later.action_id = old.action_id
                 and (later.retired_at is null or later.retired_at > old.retired_at))
             limit ${batchSize})`,
          now - versionsKeptDays * dayMs,
        ),
    },
  ];
};
