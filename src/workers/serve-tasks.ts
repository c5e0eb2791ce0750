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
  process.on('message', async ({ task }: { task: Task }) => process.send?.(await reply(work, task)));
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches every process of the terminal; the parent decides when its workers end.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  watchParent();
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

/** An endless task cannot see that the parent was killed, so a thread checks each second. */
function watchParent(): void {
  // Not `process.ppid`, which is another's once the parent is gone.
  const parent = Number(process.argv[2]);
  const program = `
    const parent = ${parent};
    setInterval(() => {
      try {
        process.kill(parent, 0);
        if (process.ppid === parent) return;
      } catch {}
      process.kill(process.pid, 'SIGKILL');
    }, 1000);`;
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
  new Worker(program, { eval: true, execArgv: [], resourceLimits }).on('error', () => {}).unref();
}
