/** What an attack is, and the started programs that it is tried on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { standalone } from '../support/http.ts';
import { programFile } from '../support/program.ts';

export interface Attack {
  readonly name: string;
  /** Rejects with what it broke. */
  run(): Promise<void>;
}

/** Is called with what ends the programs and servers of a family. */
export type CloseLater = (close: () => Promise<unknown>) => void;

export interface Family {
  readonly name: string;
  prepare(closeLater: CloseLater): Promise<readonly Attack[]>;
}

/** Milliseconds of processor time that one request may hold the main thread of a program. */
const maxHeldMs = 100;

export interface Target {
  /** `http://host:port` */
  readonly origin: string;
  readonly apiKey: string;
  readonly folder: string;
  readonly errors: () => string;
  /**
   * Does the work of one request, then rejects where the program held its main thread for too long, or does not answer
   * `/healthz` within a second.
   */
  survive<Value>(request: () => Promise<Value>, mostMs?: number): Promise<Value>;
  /** The most MiB that were in memory so far, or since `resetPeakMemory`; 0 where the system does not tell. */
  peakMemory(): number;
  /** Measures the peak anew; returns the MiB that are in memory now. */
  resetPeakMemory(): number;
  /** The most milliseconds of processor time for which others waited while the work was done. */
  longestHold(work: () => Promise<unknown>): Promise<number>;
  signal(name: NodeJS.Signals): void;
  /** Ends the program and removes its folder. */
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** `uid`: as another user. */
export function spawnNode(args: readonly string[], environment: Environment, uid?: number): ChildProcess {
  const env = { PATH: process.env.PATH ?? '', HOME: tmpdir(), SVC_PRACTICE_SITES: 'off', ...environment };
  return spawn(process.execPath, [programFile, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
}

/** Starts `svc-mcp service` or `svc-mcp http` in a new folder, which Node writes what it is asked for to, too. */
export async function startTarget(
  command: 'service' | 'http',
  environment: Environment = {},
  nodeOptions: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-attack-'));
  const child = spawnNode([command, '--port', '0', ...flags], {
    SVC_DATA_DIR: folder,
    SVC_LOG_LEVEL: 'error',
    NODE_OPTIONS: [`--diagnostic-dir=${folder}`, ...nodeOptions].join(' '),
    ...environment,
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  if (child.stdout === null) throw new Error('The program has no output');
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [''])]);
  if (line === '') throw new Error(`svc-mcp ${command} did not start: ${errors}`);
  const address: Record<string, string> = JSON.parse(line);
  const origin = (address.base_url ?? address.listening_on ?? '').replace('0.0.0.0', '127.0.0.1');
  return {
    origin,
    apiKey: address.api_key ?? environment.SVC_API_KEY ?? '',
    folder,
    errors: () => errors,
    async survive(request, mostMs = maxHeldMs) {
      const before = mainThreadMs(child.pid);
      const value = await request();
      const heldMs = mainThreadMs(child.pid) - before;
      await expectAlive(origin);
      if (heldMs > mostMs) throw new Error(`held the process for ${Math.round(heldMs)} ms`);
      return value;
    },
    peakMemory: () => readPeakMemory(child.pid),
    resetPeakMemory() {
      try {
        writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
      } catch {
        // The peak until now counts where the system cannot forget it.
      }
      return readPeakMemory(child.pid);
    },
    longestHold: (work) => longestHold(origin, child.pid, work),
    signal: (name) => child.kill(name),
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A program that is held up for good does not answer within this time, on however busy a machine. */
export async function expectAlive(origin: string): Promise<void> {
  const { status } = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(10_000) });
  expectTrue(status === 200, `/healthz answers ${status}`);
}

/** Processor time of the thread that serves everybody; 0 where the system does not tell. */
function mainThreadMs(pid: number | undefined): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}

async function longestHold(
  origin: string,
  pid: number | undefined,
  work: () => Promise<unknown>,
): Promise<number> {
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const before = mainThreadMs(pid);
    await (await fetch(`${origin}/healthz`)).text();
    longest = Math.max(longest, mainThreadMs(pid) - before);
    await delay(5);
  }
  await working;
  return longest;
}

function readPeakMemory(pid: number | undefined): number {
  try {
    const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) / 1024;
  } catch {
    return 0;
  }
}

/** Calls a tool of `svc-mcp http`; rejects where the answer is no documented one. */
export async function callTool(
  origin: string,
  name: string,
  args: object,
  sent: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const { headers, ...rest } = standalone('tools/call', { name, arguments: args });
  const answer = await fetch(`${origin}/mcp`, { ...rest, headers: { ...headers, ...sent } });
  return answeredTool(await answer.text());
}

/** The tools that `svc-mcp http` lists. */
export async function listTools(origin: string): Promise<z.infer<typeof ListAnswer>['result']['tools']> {
  const answer = await fetch(`${origin}/mcp`, standalone('tools/list'));
  return ListAnswer.parse(await answer.json()).result.tools;
}

const ListAnswer = z.object({
  result: z.object({
    tools: z.array(
      z.looseObject({ name: z.string(), title: z.string().optional(), description: z.string().optional() }),
    ),
  }),
});

/** Throws where the text is no documented answer. */
export function answeredTool(text: string): Answered {
  const { result } = ToolAnswer.parse(JSON.parse(text));
  const { status, error } = result.structuredContent;
  expectTrue(
    status === undefined || statuses.includes(status),
    `an answer with the status ${status}: ${text.slice(0, 200)}`,
  );
  expectTrue(error?.code !== 'INTERNAL_ERROR', `an internal error: ${text.slice(0, 300)}`);
  return { ...result.structuredContent, text };
}

const statuses = [
  'completed',
  'processing',
  'failed',
  'error',
  'unknown',
  'verified',
  'sign_in_required',
  'ok',
  'pending',
];
const ToolBody = z.looseObject({
  status: z.string().optional(),
  job_id: z.string().optional(),
  error: z.looseObject({ code: z.string() }).optional(),
});
const ToolAnswer = z.object({ result: z.object({ structuredContent: ToolBody }) });
export type Answered = z.infer<typeof ToolBody> & { readonly text: string };

export function expectTrue(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** One of these statuses, and no stack trace of ours in the text. */
export function expectRefused(status: number, text: string, allowed: readonly number[]): void {
  expectTrue(allowed.includes(status), `HTTP ${status}: ${text.slice(0, 200)}`);
  expectTrue(!/\n\s+at \S+ \(/.test(text), 'a stack trace in the answer');
}

/** Tries every attack of a family: how many held, and what the others broke, a line each. */
export async function tryFamily({
  prepare,
}: Family): Promise<{ readonly held: number; readonly failures: readonly string[] }> {
  const closers: (() => Promise<unknown>)[] = [];
  const failures: string[] = [];
  try {
    const attacks = await prepare((close) => closers.push(close));
    for (const attack of attacks) {
      await attack.run().catch((error: unknown) => {
        failures.push(`${attack.name}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
    return { held: attacks.length - failures.length, failures };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
