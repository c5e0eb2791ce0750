/** GET /jobs/{id}. */

import { openErrors } from '../../contract/errors.ts';
import { buildCredits } from '../../contract/limits.ts';
import { siteChanged } from '../foundation/errors.ts';
import { notFound, refuse } from '../foundation/request-error.ts';
import { readResult } from '../jobs/end.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import type { Context } from './context.ts';
import { listBuiltActions } from './manage-builds.ts';

/** The body as JSON text: the data is stored as text and never parsed again (specification: GET /jobs/{id}). */
export async function getJob({ database }: Context, userId: string, jobId: string): Promise<string> {
  const job = await database.query
    .selectFrom('jobs')
    .select([
      'status',
      'action_id',
      'result',
      'credits_used',
      'credits_excess',
      'execution_ms',
      'error_code',
      'error_message',
      'error_reason',
      'finished_at',
    ])
    .where('id', '=', jobId)
    .where('user_id', '=', userId)
    .where('kind', '=', 'task')
    .executeTakeFirst();
  if (job === undefined) throw notFound('job');
  if (job.status === 'processing') return '{"status":"processing"}';
  if (job.status === 'completed' && job.result === null) {
    throw refuse(openErrors, 'RESULT_EXPIRED', 'The result of this job has been deleted', {
      credits_used: job.credits_used,
      finished_at: new Date(job.finished_at ?? 0).toISOString(),
    });
  }
  if (job.status === 'failed' || job.result === null) {
    return JSON.stringify({
      status: 'failed',
      error: {
        code: job.error_code,
        message: job.error_message,
        ...(job.error_reason === null ? {} : { reason: job.error_reason }),
        ...(await findRepair(database, userId, job)),
      },
      credits_used: 0,
      execution_ms: job.execution_ms,
    });
  }
  const rest = JSON.stringify({
    credits_used: job.credits_used,
    execution_ms: job.execution_ms,
    // The part of the final cost that exceeded the balance; nobody pays it.
    ...(job.credits_excess ? { credits_excess: job.credits_excess } : {}),
  });
  return `{"status":"completed","data":${await readResult(job.result)},${rest.slice(1)}`;
}

/** That the requester can have this own action repaired after its site has changed. */
async function findRepair(
  database: ServiceDatabase,
  userId: string,
  job: { readonly error_code: string | null; readonly action_id: string | null },
) {
  if (job.error_code !== siteChanged || job.action_id === null) return {};
  const [action] = await listBuiltActions(database, { userId, actionId: job.action_id });
  return action === undefined ? {} : { repair: { action_id: action.actionId, credits: buildCredits } };
}
