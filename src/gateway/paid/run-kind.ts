/** Runs of actions as a kind of paid calls: POST /task, polled by GET /jobs/{id} (specification: Job). */
import type { Api } from '../../contract/api.ts';
import { taskErrors } from '../../contract/errors.ts';
import type { Job } from '../../contract/resources.ts';
import { toGatewayError } from '../foundation/failures.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { getEnd, processingBody, runFacts, serviceStatus } from '../results/job-body.ts';
import { readAnswer, showEnd } from '../results/large-answers.ts';
import type { PaidRow } from '../store/schema.ts';
import { ownJobId } from './call-identity.ts';
import type { Drifts } from './drifts.ts';
import { costOfEnd, type EndFacts, type Ending, type Look, type PaidKind } from './kind.ts';

const unreadableInARow = 3;

export const createRunKind = (api: Api, drifts: Drifts): PaidKind => ({
  refusals: Object.keys(taskErrors),
  notDeducted: ['EXECUTION_FAILED'],
  leastAnswerMs: 0,
  pace: { growth: 0.08, leastMs: 50, mostMs: 60_000 },
  backgroundMs: undefined,
  look: (jobId, options) =>
    api
      .getJob(jobId, options)
      .then(readAnswer)
      .then((answer) => ({ kind: 'run', answer })),
  getEnding: getRunEnding,
  // Whatever else fails may be over at the next look: the API client has repeated the request already.
  isFatal: (error, inARow) =>
    error.kind === 'contract'
      ? inARow >= unreadableInARow
      : error.kind === 'service' && error.httpStatus < 500 && error.httpStatus !== 429,
  createReport: (tell) => ({
    look: () => undefined,
    tick: (seconds) => tell(`The service is working on it (${seconds} s)`),
  }),
  unanswered: (row) => processingBody(ownJobId(row.id)),
  running: (jobId, look, attachment) =>
    processingBody(jobId, {
      ...attachment,
      ...(look?.kind === 'run' ? serviceStatus(look.answer.body) : {}),
    }),
  ended: (jobId, look, facts) => toEndBody(jobId, look, facts, drifts),
  lookError: (error, jobId) =>
    toGatewayError(error, {
      extra: { job_id: jobId },
      next: { kind: 'wait', for: 'job', call: { job_id: jobId }, isLater: true },
    }),
});

function getRunEnding(look: Look): Ending | undefined {
  if (look.kind !== 'run') return undefined;
  const { body } = look.answer;
  const outcome = getEnd(body);
  return outcome && { outcome, reported: body.credits_used, result: look.answer };
}

/** The job with what it has cost, where that is known. */
export function withCost(job: Job, row: PaidRow | undefined): Job {
  const outcome = getEnd(job);
  return outcome === undefined
    ? job
    : { ...job, credits_used: costOfEnd({ outcome, reported: job.credits_used }, row) };
}

async function toEndBody(
  jobId: string,
  look: Look,
  { row, attachment, budget, isTold }: EndFacts,
  drifts: Drifts,
): Promise<JsonObject> {
  if (look.kind !== 'run') return processingBody(jobId);
  const { body } = look.answer;
  // Of a row that this process ends, the verdict is not in the row yet.
  const judged = row?.outcome === null ? await drifts.judge(row, look.answer) : undefined;
  const ended = await showEnd(jobId, look.answer, withCost(body, row), {
    budget,
    attachment,
    isTold,
    ...runFacts(row),
    ...(judged !== undefined && { verdict: judged.verdict }),
  });
  if (look.note === undefined) return ended;
  const { data, ...others } = ended;
  return { ...others, note: look.note, ...('data' in ended && { data }) };
}
