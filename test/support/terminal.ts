/**
 * The program on a terminal of its own, by `script` of util-linux. Where there is none, the tests that need it say so and
 * are skipped:
 *
 *     it.skipIf(!hasTerminal)('…', async () => { const terminal = runOnTerminal(['login', 'shop'], environment); … });
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { vi } from 'vitest';
import { type Environment, programFile } from './program.ts';

const terminalTool = '/usr/bin/script';
export const hasTerminal = existsSync(terminalTool);
if (!hasTerminal) {
  process.stderr.write(
    `\nSKIPPED: no ${terminalTool} on this machine. Commands are not tried on a terminal.\n\n`,
  );
}

const running = new Set<ChildProcessWithoutNullStreams>();

/** For `afterEach`: the terminals of failed tests. */
export async function endTerminals(): Promise<void> {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

export interface Terminal {
  readonly exited: Promise<unknown[]>;
  /** Everything that the terminal has shown. */
  readonly output: () => string;
  /** Waits until the question stands on the terminal, after the one answered before; types the line then. */
  answer(question: string, line: string): Promise<void>;
}

export function runOnTerminal(args: readonly string[], environment: Environment): Terminal {
  const command = [process.execPath, programFile, ...args]
    .map((part) => `'${part.replaceAll("'", "'\\''")}'`)
    .join(' ');
  const child = spawn(terminalTool, ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'dumb', ...environment },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let shown = '';
  let answered = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
  });
  return {
    exited: once(child, 'exit'),
    output: () => shown,
    async answer(question, line) {
      await vi
        .waitUntil(() => shown.includes(question, answered), { timeout: 30_000 })
        .catch(() => {
          throw new Error(`The terminal does not ask "${question}":\n${shown}`);
        });
      answered = shown.indexOf(question, answered) + question.length;
      child.stdin.write(`${line}\r`);
    },
  };
}
