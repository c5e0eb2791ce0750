/** The thread in which pages are parsed: one task at a time, one answer each. */
import { parentPort } from 'node:worker_threads';
import { ParseError } from './document.ts';
import { type ParseResult, type ParseTask, parse } from './parse.ts';

export type ParseReply =
  | { readonly ok: true; readonly result: ParseResult }
  /** `message` is our own sentence; absent for what nobody foresaw. */
  | { readonly ok: false; readonly message: string | undefined };

function reply(task: ParseTask): ParseReply {
  try {
    return { ok: true, result: parse(task) };
  } catch (error) {
    return { ok: false, message: error instanceof ParseError ? error.message : undefined };
  }
}

parentPort?.on('message', (task: ParseTask) => parentPort?.postMessage(reply(task)));
