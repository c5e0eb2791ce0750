/** The thread in which pages are parsed: one task at a time, one answer each. */
import { parentPort } from 'node:worker_threads';
import { ParseError } from './document.ts';
import { type ParseResult, type ParseTask, parse } from './parse.ts';

export type ParseReply =
  | { readonly ok: true; readonly result: ParseResult }
  /** `message` is our own sentence; absent for what nobody foresaw. */
  | { readonly ok: false; readonly message: string | undefined };

/** Characters of JSON that one page may yield; a page can repeat its text in thousands of rows. */
const maxResultLength = 15 * 1024 * 1024;

async function reply(task: ParseTask): Promise<ParseReply> {
  try {
    const result = await parse(task);
    if (JSON.stringify(result).length > maxResultLength)
      return { ok: false, message: 'The page yields more than 15 MiB of data' };
    return { ok: true, result };
  } catch (error) {
    return { ok: false, message: error instanceof ParseError ? error.message : undefined };
  }
}

parentPort?.on('message', async (task: ParseTask) => parentPort?.postMessage(await reply(task)));
