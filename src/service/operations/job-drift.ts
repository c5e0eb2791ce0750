/** Whether a task's result departs from those before it, judged when it is looked at, as callers judge theirs at its end. */
import { type Drift, judge, namesOfParams, type Profile } from '../../compare/drift.ts';
import { shapeOf } from '../../compare/shape.ts';
import { findVersion, parseAction } from '../catalog/definition-rows.ts';
import { readResult } from '../jobs/end.ts';
import type { Context } from './context.ts';

/** Earlier runs that tell what is usual. */
const earlierRuns = 20;
/** Compressed bytes of all results together; where they are larger nothing is said. */
const maxBytes = 512 * 1024;

/** Undefined where it is as usual, too few runs tell what is, or one of the results is not kept. */
export async function findJobDrift(
  { database }: Context,
  userId: string,
  jobId: string,
): Promise<Drift | undefined> {
  const completed = database.query
    .selectFrom('jobs')
    .select(['params', 'result', 'finished_at'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'task')
    .where('status', '=', 'completed')
    .where('result', 'is not', null);
  const run = await completed
    .where('id', '=', jobId)
    .select(['action_id', 'credential_id', 'wheel_version'])
    .executeTakeFirst();
  if (run === undefined) return undefined;
  const { action_id, credential_id, finished_at, wheel_version } = run;
  const earlier = await completed
    .where('action_id', '=', action_id)
    .where('credential_id', credential_id === null ? 'is' : '=', credential_id)
    .where('finished_at', '<', finished_at)
    .orderBy('finished_at', 'desc')
    .limit(earlierRuns)
    .execute();
  const runs = [...earlier.reverse(), run];
  if (runs.reduce((sum, { result }) => sum + (result?.byteLength ?? 0), 0) > maxBytes) return undefined;
  const version = await findVersion(database.query, action_id ?? '', wheel_version ?? '');
  const { usual } = version === undefined ? {} : parseAction(version.definition);
  let profile: Profile = { runs: [], known: {} };
  let drift: Drift | undefined;
  for (const { params, result, finished_at: at } of runs) {
    if (result === null) continue;
    const call = params ?? '{}';
    const judged = judge(
      profile,
      { at: at ?? 0, call, ...namesOfParams(call, call) },
      shapeOf(JSON.parse(await readResult(result))),
      usual,
    );
    ({ profile, drift } = judged);
  }
  return drift;
}
