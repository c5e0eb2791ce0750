/** What a measured process uses, from its own accounting, and the core it is kept on. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const taskset = '/usr/bin/taskset';
/** The servers share the last core; the client and the service have the others. */
const core = availableParallelism() - 1;
const ticksPerSecond = 100;

/** The command that starts Node, kept on the measured core where the system can do that. */
export function pinnedNode(args: readonly string[]): [command: string, args: string[]] {
  if (!existsSync(taskset) || core === 0) return [process.execPath, [...args]];
  return [taskset, ['-c', String(core), process.execPath, ...args]];
}

/** Milliseconds of CPU that the process and its living children have used; NaN where the system does not tell. */
export function cpuMs(pid: number | undefined): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may have spaces: utime and stime, and those of children that have ended.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * (1000 / ticksPerSecond);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuMs(Number(child)), own);
  } catch {
    return Number.NaN;
  }
}

/** Resident memory in MB. */
export const memoryMb = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
