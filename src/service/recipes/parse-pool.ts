/** The threads in which the pages of runs and logins are parsed. */
import type { ParseResult, ParseTask } from './parse.ts';
import { createThreadPool, type ThreadLimits, type ThreadPool } from './thread-pool.ts';

export type ParsePool = ThreadPool<ParseTask, ParseResult>;

export const createParsePool = (limits: ThreadLimits = {}): ParsePool =>
  createThreadPool('#worker/service/recipes/parse-worker', limits);
