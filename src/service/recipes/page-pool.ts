/** The worker processes in which pages are read. */

import { TaskFailedError, TaskStoppedError } from '../../workers/errors.ts';
import { createWorkerPool } from '../../workers/worker-pool.ts';
import { ParseError } from '../foundation/errors.ts';
import type { ParseResult, ParseTask } from './parse.ts';

export interface PagePool<Task, Result> {
  /** Rejects with a `ParseError`, or with the signal's reason. */
  parse(task: Task, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

/** See `WorkerPoolOptions`; by default two workers with 5 s a page. */
export interface PageLimits {
  readonly workers?: number;
  readonly deadlineMs?: number;
  readonly memoryMb?: number;
}

export type ParsePool = PagePool<ParseTask, ParseResult>;

export const createParsePool = (limits: PageLimits = {}): ParsePool =>
  createPagePool('#worker/service/recipes/parse-worker', limits);

export function createPagePool<Task, Result>(
  entry: string,
  { deadlineMs = 5_000, ...limits }: PageLimits,
): PagePool<Task, Result> {
  const pool = createWorkerPool<Task, Result>({ entry, deadlineMs, ...limits });
  return {
    async parse(task, signal) {
      try {
        return await pool.run(task, { signal });
      } catch (error) {
        throw parseError(error);
      }
    },
    close: async () => pool.close(),
  };
}

const stopped = {
  deadline: 'Parsing the page takes too long',
  memory: 'Parsing the page needs too much memory',
  exit: 'The page could not be parsed',
};

/** Messages of unexpected errors stay in the log. */
function parseError(error: unknown): unknown {
  if (error instanceof TaskStoppedError) return new ParseError(stopped[error.reason], { cause: error });
  if (!(error instanceof TaskFailedError)) return error;
  const message = error.errorName === 'ParseError' ? error.message : stopped.exit;
  return new ParseError(message, { cause: error.cause });
}
