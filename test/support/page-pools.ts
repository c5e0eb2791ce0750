/**
 * Worker processes that all tests share: each of their own would be started and warmed for one page. They end when they
 * are idle, and keep no process alive, so nobody closes them.
 */
import type { AnalysisPool } from '../../src/service/builder/visits/page-visits.ts';
import { createPagePool, createParsePool } from '../../src/service/recipes/page-pool.ts';
import type { ReadingPool } from '../../src/service/web/runner.ts';

export const parsePool = createParsePool();
export const readingPool: ReadingPool = createPagePool('#worker/service/web/read-page-worker', {
  deadlineMs: 20_000,
});
export const analysisPool: AnalysisPool = createPagePool('#worker/service/builder/analysis/analyze-worker', {
  workers: 1,
  deadlineMs: 30_000,
});
