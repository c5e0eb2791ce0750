/**
 * Reads results of more than a megabyte in another process: parsed here, they would hold up every other call. No caller's
 * expression is evaluated there, so that slow ones are not in the way of what was just paid for.
 */

import { checkJob } from '../../client/answers.ts';
import { ContractError } from '../../client/errors.ts';
import { type ResultShape, shapeOf } from '../../compare/shape.ts';
import type { Answer, JobAnswer, LargeAnswer } from '../../contract/api.ts';
import type { Job } from '../../contract/resources.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import type { Completed, Failed } from '../interface/outcomes.ts';
import { defaultResultChars } from '../interface/settings.ts';
import { type Attachment, endBody, getEnd, type RunFacts } from './job-body.ts';
import { dataLength, type ShownData } from './preview.ts';
import type { WholeAnswer, WholeTask } from './whole-answer.ts';

const pool = new WorkerPool<WholeTask, WholeAnswer>({
  entry: '#worker/gateway/results/view-worker',
  // Covers the largest answers on a small machine under load.
  deadlineMs: 30_000,
  memoryMb: 768,
});

/** The job without its data where the answer is large. Rejects with a `ContractError` where it is no job. */
export const readAnswer = (answer: JobAnswer): Answer<Job> | Promise<Answer<Job>> =>
  'gzip' in answer ? readLarge(answer) : answer;

async function readLarge({ gzip }: LargeAnswer): Promise<Answer<Job>> {
  const budget = lastBudget;
  const { head, chars, ...data } = await pool.run({ kind: 'whole', gzip, budget }).catch((error: unknown) => {
    throw unreadable(error instanceof Error ? error.message : 'for an unknown reason', error);
  });
  const body = checkJob({ endpoint: 'getJob', status: 200, value: head });
  if (body.status === 'error') throw unreadable('it is an error');
  const text = { length: chars, gzip };
  seen.set(text, { budget, ...data });
  return { body, text };
}

/** The one that was asked for last: a process has few clients, and an answer need not be read again to be shown. */
let lastBudget = defaultResultChars;

/** What is known of large answers, whose data stay in the other process. */
const seen = new WeakMap<object, Pick<WholeAnswer, 'shape' | 'shown'> & Pick<WholeTask, 'budget'>>();

/** What the data of an answer look like; undefined where that is not known. */
export const shapeOfAnswer = ({ body, text }: Answer<Job>): ResultShape | undefined =>
  typeof text === 'string' ? shapeOf(body.data) : seen.get(text)?.shape;

const unreadable = (reason: string, cause?: unknown) =>
  new ContractError('getJob', 200, `A large answer cannot be read: ${reason}`, cause);

/** The body of a job that ended. `job`: the answer's, with what is known of its cost. */
export async function showEnd(
  jobId: string,
  { body, text }: Answer<Job>,
  job: Job,
  options: { readonly budget: number; readonly attachment?: Attachment | undefined } & RunFacts,
): Promise<Completed | Failed> {
  const textLength = dataLength(body, text);
  const isLarge = typeof text !== 'string' && getEnd(job) === 'completed';
  const shown = isLarge ? await previewLarge(text, options.budget) : undefined;
  return endBody(jobId, job, { ...options, textLength, shown });
}

/** A paid result that cannot be shown is no error: it is kept, and the answer says how to read it. */
async function previewLarge(text: LargeAnswer, budget: number): Promise<ShownData | 'unreadable'> {
  lastBudget = budget;
  const known = seen.get(text);
  if (known?.shown !== undefined && known.budget === budget) return known.shown;
  const answer = await pool.run({ kind: 'whole', gzip: text.gzip, budget }).catch(() => undefined);
  return answer?.shown ?? 'unreadable';
}
