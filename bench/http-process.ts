/** A server over HTTP in a process of its own, as the benchmarks start it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pinnedNode } from './process.ts';

export const httpServer = ['dist/cli/main.js', 'http', '--port', '0'];
export const minimalHttpServer = ['bench/minimal-http-server.js'];

/** Resolves when it listens: it says where in its first line. */
export async function startHttpProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { pinned = false }: { pinned?: boolean } = {},
): Promise<{ readonly child: ChildProcess; readonly origin: string }> {
  const [command, all] = pinned ? pinnedNode(args) : [process.execPath, [...args]];
  const child = spawn(command, all, {
    env: { PATH: process.env.PATH, SVC_API_KEY: 'bench', SVC_LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { child, origin: JSON.parse(String(line)).listening_on };
}
