/**
 * Runs tasks on hostile input in processes of their own, each with a deadline and a memory limit.
 *
 * Processes, not threads: V8 aborts the whole process, not the thread, when one allocation exceeds the limit of a
 * worker thread. A JMESPath expression of thirty characters is enough for that.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { TaskFailedError, TaskStoppedError } from './errors.ts';
import { FairTurns } from './fair-turns.ts';
import { hasOverrunSignal, overrunSignal, type Reply } from './serve-tasks.ts';

export interface WorkerPoolOptions {
  /** Import name of the worker's file, which calls `serveTasks`: `#worker/gateway/schemas/check-worker`. */
  readonly entry: string;
  /**
   * Milliseconds of processor time for one task: on a busy machine the same task takes longer by the clock, at most
   * `lateFactor` times as long. Starting a process and waiting for a turn do not count.
   */
  readonly deadlineMs: number;
  /** Megabytes of the heap of one process; default 256. */
  readonly memoryMb?: number;
  /** Tasks that run at the same time; default 2. */
  readonly workers?: number;
  /** Tasks of one key that may wait for their turn; default: any number. */
  readonly maxWaiting?: number;
}

interface TaskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whose task it is. The keys share the processes fairly. */
  readonly key?: string | undefined;
  /** Instead of the pool's. */
  readonly deadlineMs?: number | undefined;
}

/** An idle process ends after this time. */
const idleMs = 10_000;
const startMs = 30_000;
const lateFactor = 5;

/** Starts no process before the first task. Idle processes never keep this one alive, and all end with it. */
export class WorkerPool<Task, Result> {
  readonly #entry: string;
  readonly #deadlineMs: number;
  readonly #memoryMb: number;
  readonly #turns: FairTurns;
  readonly #idle: ChildProcess[] = [];
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({
    entry,
    deadlineMs,
    memoryMb = 256,
    workers = 2,
    maxWaiting = Number.POSITIVE_INFINITY,
  }: WorkerPoolOptions) {
    this.#entry = entry;
    this.#deadlineMs = deadlineMs;
    this.#memoryMb = memoryMb;
    this.#turns = new FairTurns(workers, maxWaiting);
  }

  /**
   * Task and result are copied between processes: plain data, `Map`, `Set` and `Uint8Array`. Rejects with `TaskFailedError`
   * when the task threw, with `TaskStoppedError` when it was ended, with `TooManyTasksError`, and with the signal's reason.
   */
  async run<Answer extends Result>(
    task: Task,
    { signal, key = '', deadlineMs = this.#deadlineMs }: TaskOptions = {},
  ): Promise<Answer> {
    await this.#turns.enter(key, signal);
    try {
      const worker = this.#wake() ?? (await this.#start(signal));
      const clockMs = hasOverrunSignal ? deadlineMs * lateFactor : deadlineMs;
      const answer = nextMessage<Reply<Answer>>(worker, clockMs, signal);
      // Failures arrive as `error` or `exit`.
      worker.send({ task, cpuMs: deadlineMs }, () => {});
      const reply = await answer;
      this.#rest(worker);
      if (reply.ok) return reply.result;
      throw new TaskFailedError(reply);
    } finally {
      this.#turns.leave(key);
    }
  }

  /** Ends the idle processes. Those at work end with their task. */
  close(): void {
    clearTimeout(this.#idleTimer);
    for (const worker of this.#idle.splice(0)) worker.kill('SIGKILL');
  }

  #rest(worker: ChildProcess): void {
    worker.unref();
    worker.channel?.unref();
    this.#idle.push(worker);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.close(), idleMs).unref();
  }

  #wake(): ChildProcess | undefined {
    const worker = this.#idle.pop();
    worker?.ref();
    worker?.channel?.ref();
    return worker;
  }

  async #start(signal: AbortSignal | undefined): Promise<ChildProcess> {
    const worker = startProcess(this.#entry, this.#memoryMb);
    // A process that dies while idle is only forgotten.
    worker.on('exit', () => {
      const index = this.#idle.indexOf(worker);
      if (index >= 0) this.#idle.splice(index, 1);
    });
    await nextMessage(worker, startMs, signal);
    return worker;
  }
}

function startProcess(entry: string, memoryMb: number): ChildProcess {
  const { ELECTRON_RUN_AS_NODE } = process.env;
  const worker = fork(createRequire(import.meta.url).resolve(entry), [String(process.pid)], {
    // The process reads hostile input: it gets no settings, and nothing it prints reaches our own output.
    env: ELECTRON_RUN_AS_NODE === undefined ? {} : { ELECTRON_RUN_AS_NODE },
    execArgv: [`--max-old-space-size=${memoryMb}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Binary data is copied as it is.
    serialization: 'advanced',
    // A group of its own: Ctrl-C reaches every process of the terminal's, also one that does not ignore it yet.
    detached: process.platform !== 'win32',
  });
  const kill = () => worker.kill('SIGKILL');
  process.on('exit', kill);
  worker.on('exit', () => process.off('exit', kill)).on('error', () => {});
  return worker;
}

/** The next message of the process. The process is killed if none comes in time. */
function nextMessage<Message>(
  worker: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const fail = (error: unknown) => {
      settle();
      worker.kill('SIGKILL');
      reject(error);
    };
    const onMessage = (message: Message) => {
      settle();
      resolve(message);
    };
    const onAbort = () => fail(signal?.reason);
    const onError = (error: unknown) => fail(new TaskStoppedError('exit', { cause: error }));
    const onExit = (code: number | null, by: string | null) =>
      fail(
        new TaskStoppedError(by === overrunSignal ? 'deadline' : isOutOfMemory(code, by) ? 'memory' : 'exit'),
      );
    const timer = setTimeout(
      () => fail(new TaskStoppedError(hasOverrunSignal ? 'late' : 'deadline')),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    if (signal?.aborted) onAbort();
  });
}

/** V8 aborts when the heap is full (exit code 134 on Windows), and a system without memory kills. */
const isOutOfMemory = (code: number | null, signal: string | null) =>
  code === 134 || (signal !== null && ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL'].includes(signal));
