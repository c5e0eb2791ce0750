/** Starts `service-process.ts` as a process that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
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

/** Bundled once, so that hundreds of starts are quick. The place lets it find the native package. */
const program = join(
  import.meta.dirname,
  '../../node_modules/.cache/svc-mcp',
  `service-process-${process.pid}.mjs`,
);
process.once('exit', () => rmSync(program, { force: true }));
let bundled: Promise<unknown> | undefined;
const bundle = () => {
  bundled ??= build({
    entryPoints: [join(import.meta.dirname, 'service-process.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['libsql', 'pg-native'],
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return bundled;
};

/** Undefined if it ended before it listened, for one that dies at a point of its start. */
export async function trySpawnService(options: ProcessOptions): Promise<SpawnedService | undefined> {
  await bundle();
  const child: ChildProcess = spawn(process.execPath, [program], {
    env: { ...process.env, SVC_TEST_OPTIONS: JSON.stringify(options) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  if (child.stdout === null || child.pid === undefined) throw new Error('The process has no output');
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    new Promise<string>((resolve) => lines.once('line', resolve)),
    ended.then(() => undefined),
  ]);
  if (line === undefined) return undefined;
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
      await ended;
    },
  };
}

export async function spawnService(options: ProcessOptions): Promise<SpawnedService> {
  const service = await trySpawnService(options);
  if (service === undefined) throw new Error('The service ended before it listened');
  return service;
}
