/** Questions to a person at a terminal. */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { PromptAbortedError } from '../config/errors.ts';
import { escaped } from './terminal.ts';

export interface Prompt {
  /** What is typed to a `secret` question is not shown. Rejects with `PromptAbortedError` on Ctrl-C and Ctrl-D. */
  ask(question: string, options: { readonly secret: boolean }): Promise<string>;
  close(): void;
}

/** Asks on stderr, so that stdout holds results only. From here to `close` the terminal echoes nothing by itself. */
export function openPrompt(): Prompt {
  let silent = true;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!silent) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const unreadLines: string[] = [];
  let waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  let closed = false;
  lines.on('line', (line) => {
    if (waiting === undefined) unreadLines.push(line);
    else waiting.resolve(line);
  });
  lines.on('SIGINT', () => lines.close());
  lines.on('close', () => {
    closed = true;
    waiting?.reject(new PromptAbortedError());
  });
  return {
    async ask(question, { secret }) {
      const line = unreadLines.shift();
      process.stderr.write(secret || line !== undefined ? question : '');
      if (!secret && line === undefined) {
        silent = false;
        // Shown by readline, beside what it writes to move the cursor.
        lines.setPrompt(escaped(question));
        lines.prompt();
      }
      try {
        if (line !== undefined) return line;
        if (closed) throw new PromptAbortedError();
        return await new Promise<string>((resolve, reject) => {
          waiting = { resolve, reject };
        });
      } finally {
        waiting = undefined;
        silent = true;
        if (secret || line !== undefined) process.stderr.write('\n');
      }
    },
    close: () => lines.close(),
  };
}
