/** GET /jobs/{id}. */

import * as z from 'zod';
import { openErrors } from '../../contract/errors.ts';
import { notFound, refuse } from '../foundation/request-error.ts';
import { readResult } from '../jobs/end.ts';
import type { ServiceDatabase, ServiceSchema } from '../store/schema.ts';
import { findOutdated } from './catalog-problems.ts';
import type { Context } from './context.ts';

/** The body as JSON text: the data is stored as text and never parsed again (specification: GET /jobs/{id}). */
export async function getJob(context: Context, userId: string, jobId: string): Promise<string> {
  const { database } = context;
  const job = await database.query
    .selectFrom('jobs')
    .select([
      'id',
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
      'wheel_version',
    ])
    // Of an action that its user had repaired: the newest repair.
    .select(({ selectFrom }) =>
      selectFrom('build_requests')
        .select('proof')
        .whereRef('build_requests.user_id', '=', 'jobs.user_id')
        .whereRef('build_requests.action_id', '=', 'jobs.action_id')
        .where('proof', 'is not', null)
        .orderBy('created_at', 'desc')
        .limit(1)
        .as('repair'),
    )
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
      },
      credits_used: 0,
      execution_ms: job.execution_ms,
    });
  }
  const outdated = await findOutdated(context, userId, job.action_id);
  const rest = JSON.stringify({
    credits_used: job.credits_used,
    execution_ms: job.execution_ms,
    // The part of the final cost that exceeded the balance; nobody pays it.
    ...(job.credits_excess ? { credits_excess: job.credits_excess } : {}),
    ...(await newlyRepaired(database, userId, job)),
    ...(outdated === undefined ? {} : { catalog_problem: outdated }),
  });
  return `{"status":"completed","data":${await readResult(job.result)},${rest.slice(1)}`;
}

const Repair = z.object({ version: z.string(), proof: z.record(z.string(), z.unknown()) });

type RepairedRun = Pick<ServiceSchema['jobs'], 'id' | 'action_id' | 'wheel_version' | 'finished_at'> & {
  readonly repair: string | null;
};

/** Of the first run of a repaired version: that it was repaired, and by what proof. */
async function newlyRepaired(database: ServiceDatabase, userId: string, run: RepairedRun) {
  if (run.repair === null) return {};
  const { version, proof } = Repair.parse(JSON.parse(run.repair));
  if (version !== run.wheel_version) return {};
  const earlier = await database.query
    .selectFrom('jobs')
    .select('id')
    .where('user_id', '=', userId)
    .where('action_id', '=', run.action_id)
    .where('wheel_version', '=', version)
    .where('status', '=', 'completed')
    .where((earlier) =>
      earlier.or([
        earlier('finished_at', '<', run.finished_at),
        earlier.and([earlier('finished_at', '=', run.finished_at), earlier('id', '<', run.id)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return earlier === undefined ? { repaired: { version, proof } } : {};
}
