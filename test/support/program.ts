/**
 * The built program, spawned as its users spawn it. The tests need `dist/`: `npm test` builds it first
 * (`npm run build` by itself).
 *
 *     const folder = await temporaryFolder();
 *     const { client, child } = await connectProgram('legacy', environmentOf(upstream, folder));
 *     const { stdout, code } = await runProgram(['call', 'get_job', '--json'], { SVC_DATA_DIR: folder });
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstLineClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstLineTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Upstream } from './upstream.ts';

export const programFile = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export function expectBuilt(): void {
  if (!existsSync(programFile)) throw new Error('dist/ is missing: run `npm run build` before these tests');
}

export type Environment = Readonly<Record<string, string>>;

/** The settings that point the program at the scripted upstream. */
export const environmentOf = (
  upstream: Pick<Upstream, 'origin' | 'apiKey'>,
  folder: string,
): Environment => ({
  SVC_BASE_URL: upstream.origin,
  SVC_API_KEY: upstream.apiKey,
  SVC_DATA_DIR: folder,
});

/** Nothing of the tests' own settings, and no proxy, gets into the program. */
export function cleanEnvironment(environment: Environment): Record<string, string> {
  const inherited = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...environment };
}

const running = new Set<ChildProcessWithoutNullStreams>();
const closers: (() => Promise<void>)[] = [];

/** Ends everything that was spawned: for `afterEach`, before the folders are removed. */
export async function endPrograms(): Promise<void> {
  for (const close of closers.splice(0)) await close();
  for (const child of running) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  running.clear();
}

export interface Spawned {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;
  readonly out: () => string;
  readonly err: () => string;
}

export function spawnProgram(args: readonly string[], environment: Environment): Spawned {
  expectBuilt();
  const child = spawn(process.execPath, [programFile, ...args], { env: cleanEnvironment(environment) });
  running.add(child);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => {});
  const exited = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve([code, signal]);
    });
  });
  const text = (chunks: readonly Buffer[]) => () => Buffer.concat(chunks).toString('utf8');
  return { child, exited, out: text(out), err: text(err) };
}

/** Runs a command to its end. */
export async function runProgram(args: readonly string[], environment: Environment) {
  const { child, exited, out, err } = spawnProgram(args, environment);
  child.stdin.end();
  const [code] = await exited;
  return { code, stdout: out(), stderr: err() };
}

export type Mode = 'legacy' | 'auto' | { readonly pin: string };

const parameters = (environment: Environment, args: readonly string[]) => ({
  command: process.execPath,
  args: [programFile, ...args],
  env: cleanEnvironment(environment),
  stderr: 'ignore' as const,
});

/** The current client on a server of its own. `prepare` is called before the handshake. */
export async function connectProgram(
  mode: Mode,
  environment: Environment,
  options: ClientOptions & {
    name?: string;
    prepare?: (client: Client) => void;
    args?: readonly string[];
  } = {},
): Promise<{ client: Client; pid: () => number | null }> {
  expectBuilt();
  const { name = 'a-test', prepare, args = [], ...rest } = options;
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode }, ...rest });
  prepare?.(client);
  const transport = new StdioClientTransport(parameters(environment, args));
  closers.push(() => client.close());
  await client.connect(transport);
  return { client, pid: () => transport.pid };
}

/** The client of the protocol's first line of packages. */
export async function connectFirstLine(environment: Environment): Promise<FirstLineClient> {
  expectBuilt();
  const client = new FirstLineClient({ name: 'a-test', version: '1' });
  closers.push(() => client.close());
  await client.connect(new FirstLineTransport(parameters(environment, [])));
  return client;
}
