/** The worker's side of a pool: one task at a time, one reply each. */
import { Worker } from 'node:worker_threads';

/** The answer of a worker process to a task. */
export type Reply<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly errorName: string; readonly message: string; readonly stack: string };

/**
 * Called once by a worker's file, with the function that does its tasks. What the function throws rejects the task with
 * `TaskFailedError`.
 */
export function serveTasks<Task>(work: (task: Task) => unknown): void {
  // Microseconds of processor time at which the task has used up its share; 0 between tasks.
  const limit = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  process.on('message', async ({ task, cpuMs }: { task: Task; cpuMs: number }) => {
    const { user, system } = process.cpuUsage();
    limit[0] = user + system + cpuMs * 1_000;
    const answer = await reply(work, task);
    limit[0] = 0;
    process.send?.(answer);
  });
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches every process of the terminal; the parent decides when its workers end.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  watch(limit);
  process.send?.('ready');
}

async function reply<Task>(work: (task: Task) => unknown, task: Task): Promise<Reply<unknown>> {
  try {
    return { ok: true, result: await work(task) };
  } catch (error) {
    const { name: errorName, message, stack } = error instanceof Error ? error : new Error(String(error));
    return { ok: false, errorName, message, stack: String(stack) };
  }
}

/** What ends a process that has used up its processor time. Windows has no such signal: there the clock counts. */
export const overrunSignal = 'SIGVTALRM';
export const hasOverrunSignal = process.platform !== 'win32';

/** An endless task sees neither its deadline nor that the parent was killed, so a thread does. */
function watch(limit: Float64Array): void {
  // Not `process.ppid`, which is another's once the parent is gone.
  const parent = Number(process.argv[2]);
  const program = `
    const { workerData: limit } = require('node:worker_threads');
    const parent = ${parent};
    if (${hasOverrunSignal}) setInterval(() => {
      const { user, system } = process.cpuUsage();
      if (limit[0] > 0 && user + system > limit[0]) process.kill(process.pid, '${overrunSignal}');
    }, 25);
    setInterval(() => {
      try {
        process.kill(parent, 0);
        if (process.ppid === parent) return;
      } catch {}
      process.kill(process.pid, 'SIGKILL');
    }, 1000);`;
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
  new Worker(program, { eval: true, execArgv: [], resourceLimits, workerData: limit })
    .on('error', () => {})
    .unref();
}
