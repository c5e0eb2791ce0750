/** The worker processes in which pages are read. */

import { TaskFailedError, TaskStoppedError, TooManyTasksError } from '../../workers/errors.ts';
import { FairTurns } from '../../workers/fair-turns.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import { PageChangedError, PageTooLargeError, PageUnfitError, ParseError } from '../foundation/errors.ts';
import type { ParseResult, ParseTask } from './parse.ts';

/** Milliseconds for each kind of work on a page. */
const deadlines = { extract: 5_000, reading: 20_000, candidates: 30_000 };
export type PageWork = keyof typeof deadlines;

export interface PagePool<Task, Result> {
  /**
   * Users share the processes fairly; `user` is undefined where the service itself asks. Rejects with a `ParseError`, or with
   * the signal's reason.
   */
  parse(task: Task, signal: AbortSignal, user?: string): Promise<Result>;
}

/** The processes that all users and all kinds of work share. */
export interface PageProcesses {
  for<Task, Result>(work: PageWork): PagePool<Task, Result>;
  close(): Promise<void>;
}

interface PageLimits {
  readonly workers?: number;
  /** Replaces the deadline of each kind of work. */
  readonly deadlineMs?: number;
  readonly memoryMb?: number;
}

export type ParsePool = PagePool<ParseTask, ParseResult>;

/** One user can occupy two of them. */
const processes = 3;
/** Pages of one user that may wait: more than its jobs and previews read at once. */
const maxWaiting = 50;

export function createPageProcesses({
  workers = processes,
  deadlineMs,
  memoryMb,
}: PageLimits = {}): PageProcesses {
  const pool = new WorkerPool<{ work: PageWork; task: unknown }, unknown>({
    entry: '#worker/service/pages/read-page-worker',
    deadlineMs: deadlineMs ?? deadlines.extract,
    workers,
    maxWaiting,
    ...(memoryMb !== undefined && { memoryMb }),
  });
  // One page at a time, so that builds leave a core to the runs.
  const builds = new FairTurns(1, maxWaiting);

  async function run<Result>(
    work: PageWork,
    task: unknown,
    signal: AbortSignal,
    user?: string,
  ): Promise<Result> {
    const options = { signal, key: user, deadlineMs: deadlineMs ?? deadlines[work] };
    if (work !== 'candidates') return pool.run<Result>({ work, task }, options);
    await builds.enter(user ?? '', signal);
    try {
      return await pool.run<Result>({ work, task }, options);
    } finally {
      builds.leave(user ?? '');
    }
  }

  return {
    for: <Task, Result>(work: PageWork): PagePool<Task, Result> => ({
      async parse(task, signal, user) {
        try {
          return await run<Result>(work, task, signal, user);
        } catch (error) {
          throw parseError(error);
        }
      },
    }),
    close: async () => pool.close(),
  };
}

const stopped = {
  deadline: 'Parsing the page takes too long',
  late: 'This machine was too busy to parse the page',
  memory: 'Parsing the page needs too much memory',
  exit: 'The page could not be parsed',
};

/** Keeps messages of unexpected errors in the log. */
function parseError(error: unknown): unknown {
  if (error instanceof TooManyTasksError)
    return new ParseError('Too many pages of this user wait to be read; try again later', { cause: error });
  if (error instanceof TaskStoppedError) return new ParseError(stopped[error.reason], { cause: error });
  if (!(error instanceof TaskFailedError)) return error;
  const { errorName, message, cause } = error;
  switch (errorName) {
    case 'PageChangedError':
      return new PageChangedError(message, { cause });
    case 'PageUnfitError':
      return new PageUnfitError(message, { cause });
    case 'PageTooLargeError':
      return new PageTooLargeError(message, { cause });
    default:
      return new ParseError(errorName === 'ParseError' ? message : stopped.exit, { cause });
  }
}
