/** Starts `service-process.ts` as a process that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleProgram } from './bundled-program.ts';
import { type Call, callerOf } from './service.ts';
import type { ProcessOptions } from './service-process.ts';

export interface SpawnedService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pid: number;
  readonly call: Call;
  /** How the process ended. */
  readonly ended: Promise<NodeJS.Signals | number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export async function spawnService(options: ProcessOptions): Promise<SpawnedService> {
  const program = await bundleProgram(new URL('service-process.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: { ...process.env, SVC_TEST_OPTIONS: JSON.stringify(options) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  if (child.stdout === null || child.pid === undefined) throw new Error('The process has no output');
  const lines = createInterface({ input: child.stdout });
  const line = await within(child, 'start', [
    new Promise<string>((resolve) => lines.once('line', resolve)),
    ended.then(() => undefined),
  ]);
  if (line === undefined) throw new Error(`The service ended before it listened: ${await ended}`);
  const address: { baseUrl: string; apiKey: string } = JSON.parse(line);
  return {
    ...address,
    pid: child.pid,
    call: callerOf(address),
    ended,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.stdin?.end();
      await within(child, 'stop', [ended]);
    },
  };
}

/** Milliseconds for a start or a stop. */
const limitMs = 120_000;

/** The first of the outcomes; kills a process that reaches none of them, and throws. */
async function within<Outcome>(
  child: ChildProcess,
  what: 'start' | 'stop',
  outcomes: readonly Promise<Outcome>[],
): Promise<Outcome> {
  const reached = new AbortController();
  const tooLate = delay(limitMs, undefined, { signal: reached.signal }).then(() => {
    child.kill('SIGKILL');
    throw new Error(`The service did not ${what} within ${limitMs / 1000} s`);
  });
  try {
    return await Promise.race([...outcomes, tooLate]);
  } finally {
    reached.abort();
    tooLate.catch(() => undefined);
  }
}
