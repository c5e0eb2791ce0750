/**
 * Worker processes that all tests share: each of their own would be started and warmed for one page. They end when they
 * are idle, and keep no process alive, so nobody closes them.
 */
import type { AnalysisPool } from '../../src/service/builder/visits/page-visits.ts';
import { createPageProcesses, type ParsePool } from '../../src/service/recipes/page-pool.ts';
import type { ReadingPool } from '../../src/service/web/runner.ts';

const processes = createPageProcesses();
export const parsePool: ParsePool = processes.for('extract');
export const readingPool: ReadingPool = processes.for('reading');
export const analysisPool: AnalysisPool = processes.for('candidates');
