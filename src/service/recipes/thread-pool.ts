/** A few threads that read hostile pages: started when needed, killed when a task overruns, ended when nothing is to do. */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ParseError } from './document.ts';

/** What a thread answers to a task. */
export type Reply<Result> =
  | { readonly ok: true; readonly result: Result }
  /** `message` is our own sentence; absent for what nobody foresaw, of which `reason` tells the log. */
  | { readonly ok: false; readonly message: string | undefined; readonly reason: string };

export interface ThreadPool<Task, Result> {
  /** Rejects with a `ParseError`, or with the signal's reason. */
  parse(task: Task, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
}

export interface ThreadLimits {
  readonly threads?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly memoryMb?: number | undefined;
}

const idleMs = 10_000;

/** `entry` is the worker's import name, such as `#worker/service/recipes/parse-worker`. */
export function createThreadPool<Task, Result>(
  entry: string,
  limits: ThreadLimits = {},
): ThreadPool<Task, Result> {
  const { threads = 2, deadlineMs = 5_000, memoryMb = 256 } = limits;
  const idle: Worker[] = [];
  const waiting: (() => void)[] = [];
  let running = 0;
  let idleTimer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const file = createRequire(import.meta.url).resolve(entry);
    const worker = new Worker(file, {
      // The thread reads hostile pages: it gets no settings, and nothing it prints reaches our own output.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    });
    // A thread that dies while idle is only forgotten.
    worker.on('error', () => {});
    worker.on('exit', () => {
      const index = idle.indexOf(worker);
      if (index >= 0) idle.splice(index, 1);
    });
    return worker;
  }

  function rest(worker: Worker): void {
    worker.unref();
    idle.push(worker);
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => {
      for (const each of idle.splice(0)) void each.terminate();
    }, idleMs).unref();
  }

  /** One task on one thread. The thread is kept only after an answer in time. */
  function ask(worker: Worker, task: Task, signal: AbortSignal): Promise<Reply<Result>> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        act();
      };
      const fail = (error: unknown) =>
        settle(() => {
          void worker.terminate();
          reject(error);
        });
      const onMessage = (answer: Reply<Result>) => settle(() => resolve(answer));
      const onAbort = () => fail(signal.reason);
      const onExit = () => fail(new ParseError('The page could not be parsed'));
      const onError = (error: unknown) => {
        const outOfMemory =
          error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        const message = outOfMemory
          ? 'Parsing the page needs too much memory'
          : 'The page could not be parsed';
        fail(new ParseError(message, { cause: error }));
      };
      const onTimeout = () => fail(new ParseError('Parsing the page takes too long'));
      const timer = setTimeout(onTimeout, deadlineMs);
      signal.addEventListener('abort', onAbort);
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.ref();
      worker.postMessage(task);
    });
  }

  async function turn(): Promise<void> {
    if (running >= threads) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
  }
  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    async parse(task, signal) {
      await turn();
      try {
        signal.throwIfAborted();
        const worker = idle.pop() ?? start();
        const answer = await ask(worker, task, signal);
        rest(worker);
        if (answer.ok) return answer.result;
        throw new ParseError(answer.message ?? 'The page could not be parsed', { cause: answer.reason });
      } finally {
        leave();
      }
    },
    async close() {
      clearTimeout(idleTimer);
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
    },
  };
}
