/** The thread in which pages are parsed: one task at a time, one answer each. */
import { parentPort } from 'node:worker_threads';
import { ParseError } from './document.ts';
import { type ParseResult, type ParseTask, parse } from './parse.ts';
import type { Reply } from './thread-pool.ts';

async function reply(task: ParseTask): Promise<Reply<ParseResult>> {
  try {
    return { ok: true, result: await parse(task) };
  } catch (error) {
    return {
      ok: false,
      message: error instanceof ParseError ? error.message : undefined,
      reason: String(error),
    };
  }
}

parentPort?.on('message', async (task: ParseTask) => parentPort?.postMessage(await reply(task)));
