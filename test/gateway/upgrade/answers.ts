/** What every id of `issued-ids.ts` must answer, as the earlier version did. */
import { batches, builds, inputJobs, jobs, type tasks } from './issued-ids.ts';

const completed = (data: unknown, more: object = {}) => ({ status: 'completed', data, ...more });
const result = (q: string, credits_used: number) => completed({ params: { q } }, { credits_used });
const lost = { status: 'error', error: { code: 'JOB_LOST', credits_at_stake: 4 } };
const unknown = (credits_at_stake: number) => ({
  status: 'unknown',
  error: { code: 'SUBMISSION_UNKNOWN', credits_at_stake },
});

/** `get_job` with each id of `jobs`. A delivered answer was paid for before, so that this one costs nothing. */
export const jobAnswers: { readonly [Name in keyof typeof jobs]: object } = {
  delivered: result('delivered', 0),
  deliveredInline: result('delivered', 0),
  finished: result('finished', 3),
  finishedInline: result('finished', 6),
  finishedLarge: { status: 'completed', credits_used: 7, truncated: { total_chars: 100_002 } },
  finishedComputed: completed(
    { params: { q: 'finished', text: 'long '.repeat(100) } },
    { credits_used: 2.5 },
  ),
  finishedOfAccount: { ...result('finished', 5), account: 'work' },
  unconfirmed: result('unconfirmed', 3),
  finishedByTask: result('finished by task', 3),
  underWay: completed('late underWay', { credits_used: 4 }),
  underWayByTask: completed('late underWayByTask', { credits_used: 4 }),
  givenUp: completed('late givenUp', { credits_used: 4 }),
  lost,
  lostAndTold: lost,
  refused: { status: 'error', error: { code: 'INSUFFICIENT_CREDITS' } },
  unknown: unknown(3),
  unknownWithKey: unknown(3),
  unknownInBatch: unknown(2),
  intended: unknown(3),
  intendedWithKey: unknown(3),
};

/** Its end was kept, so that the service is not asked for it. */
export const keptJobs = [
  ...['delivered', 'deliveredInline', 'finished', 'finishedInline', 'finishedLarge', 'finishedComputed'],
  ...['finishedOfAccount', 'unconfirmed', 'finishedByTask'],
] as const satisfies readonly (keyof typeof jobs)[];

/** `get_job` with each id of `inputJobs`. */
export const inputAnswers: { readonly [Name in keyof typeof inputJobs]: object } = {
  'delivered 1': result('delivered 1', 0),
  'delivered 2': result('delivered 2', 0),
  'ended 1': result('ended 1', 2),
  'ended 2': result('ended 2', 2),
  'linked 1': result('linked 1', 2),
  'linked 2': result('linked 2', 2),
  'gate failed and linked': { status: 'failed', error: { code: 'EXECUTION_FAILED' }, credits_used: 0 },
  'slow 1': completed('late slow 1', { credits_used: 2 }),
  'slow 2': completed('late slow 2', { credits_used: 2 }),
  'slow 3': completed('late slow 3', { credits_used: 2 }),
  'slow 4': completed('late slow 4', { credits_used: 2 }),
  intended: unknown(2),
};

const row = (q: string, status: string, job_id?: string, more: object = {}) => ({
  params: { q },
  status,
  ...(job_id !== undefined && { job_id }),
  ...more,
});
const completedRow = (q: keyof typeof inputJobs) =>
  row(q, 'completed', inputJobs[q], Object.fromEntries(Object.entries(inputAnswers[q]).filter(isData)));
const isData = ([name]: readonly [string, unknown]) => name === 'data';

/** The rows of the batch whose process died, but for those that were not begun. */
export const begunRows = [
  completedRow('linked 1'),
  completedRow('linked 2'),
  row('unknown before', 'error', undefined, { error: { code: 'SUBMISSION_UNKNOWN' } }),
  row('gate failed and linked', 'failed', inputJobs['gate failed and linked']),
  ...(['slow 1', 'slow 2', 'slow 3', 'slow 4'] as const).map(completedRow),
  row('intended', 'unknown'),
];
export const leftInputs = ['left 1', 'left 2', 'left 3'] as const;

const batch = (id: string, rows: readonly object[], credits_used: number, more: object = {}) => ({
  status: 'completed',
  job_id: id,
  batch_id: id,
  rows_total: rows.length,
  credits_used,
  rows,
  ...more,
});

/** `get_job` with each id of `batches`. */
export const batchAnswers: { readonly [Name in keyof typeof batches]: object } = {
  delivered: batch(batches.delivered, [completedRow('delivered 1'), completedRow('delivered 2')], 0),
  ended: batch(batches.ended, [completedRow('ended 1'), completedRow('ended 2'), completedRow('ended 1')], 4),
  halfDone: batch(batches.halfDone, [...begunRows, ...leftInputs.map((q) => row(q, 'not_sent'))], 14, {
    rows_completed: 6,
    rows_not_sent: 3,
  }),
};

const build = (id: string, status: string) => ({ build_requests: [{ id, status }] });

/** `list_build_requests` with each id of `builds`; the list settles the doubt. */
export const buildAnswers: { readonly [Name in keyof typeof builds]: object } = {
  finished: build(builds.finished, 'success'),
  pending: build(builds.pending, 'pending'),
  inDoubt: build(builds.inDoubt, 'pending'),
};

/** `tasks.look` with each id of `tasks`. */
export const taskAnswers: { readonly [Name in keyof typeof tasks]: object } = {
  finished: {
    task: { state: 'completed' },
    outcome: { body: completed('finished by task', { job_id: jobs.finishedByTask }) },
  },
  underWay: {
    task: { state: 'completed' },
    outcome: { body: completed('late underWayByTask', { job_id: jobs.underWayByTask }) },
  },
  givenUp: {
    task: { state: 'cancelled' },
    outcome: { body: { status: 'error', error: { code: 'CANCELLED', job_id: jobs.givenUp } } },
  },
  ended: { task: { state: 'completed' }, outcome: { body: batchAnswers.ended } },
  halfDone: { task: { state: 'completed' }, outcome: { body: batchAnswers.halfDone } },
  build: { task: { state: 'completed' }, outcome: { body: { status: 'success' } } },
};
