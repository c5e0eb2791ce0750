/** Starts the measuring service in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export async function startUpstream(actions: number): Promise<{ origin: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'bench/upstream.ts', String(actions)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
