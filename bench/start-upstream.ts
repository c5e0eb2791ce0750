/** Starts the measuring service in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** `extensions` as in the header with which a service announces them. */
export async function startUpstream(
  actions: number,
  extensions?: string,
): Promise<{ origin: string; close(): Promise<void> }> {
  const args = ['--import', 'tsx', 'bench/upstream.ts', String(actions), ...(extensions ? [extensions] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return {
    origin: String(line).trim(),
    async close() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}
