/** The thread in which pages are analyzed: one task at a time, one answer each. */
import { parentPort } from 'node:worker_threads';
import { ParseError } from '../recipes/document.ts';
import type { Reply } from '../recipes/thread-pool.ts';
import { type Analysis, type AnalysisTask, analyze } from './analyze.ts';

async function reply(task: AnalysisTask): Promise<Reply<Analysis>> {
  try {
    return { ok: true, result: await analyze(task) };
  } catch (error) {
    const message = error instanceof ParseError ? error.message : undefined;
    return { ok: false, message, reason: error instanceof Error ? String(error.stack) : String(error) };
  }
}

parentPort?.on('message', async (task: AnalysisTask) => parentPort?.postMessage(await reply(task)));
