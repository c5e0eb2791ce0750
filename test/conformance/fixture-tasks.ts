/** The tools and tasks that the suite's tasks scenarios ask for, in memory, behind the program's own handlers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { DetailedTask, Task, TaskSource } from '../../src/mcp/tasks/task.ts';

type Arguments = Readonly<Record<string, unknown>>;
type Asked = Readonly<Record<string, unknown>>;

const said = (text: string, isError = false): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
});

class ProtocolFailure extends Error {}

const question = (message: string): InputRequests[string] => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } } },
  },
});

class MemoryTask {
  readonly id = randomUUID();
  readonly stop = new AbortController();
  readonly end: Promise<void>;
  readonly #createdAt = Date.now();
  #updatedAt = this.#createdAt;
  #status: Task['status'] = 'working';
  #result: CallToolResult | undefined;
  #error: DetailedTask['error'];
  #open: InputRequests = {};
  #answers: Record<string, unknown> = {};
  #answered: () => void = () => undefined;

  constructor(work: (task: MemoryTask) => Promise<CallToolResult>) {
    this.end = work(this).then(
      (result) => {
        this.#result = result;
        this.#become('completed');
      },
      (error: unknown) => {
        if (error instanceof ProtocolFailure) this.#error = { code: -32_603, message: error.message };
        this.#become(error instanceof ProtocolFailure ? 'failed' : 'cancelled');
      },
    );
  }

  get hasEnded(): boolean {
    return !['working', 'input_required'].includes(this.#status);
  }

  get task(): Task {
    return {
      id: this.id,
      status: this.#status,
      isError: this.#result?.isError === true,
      message: this.#status,
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      ttlMs: 3_600_000,
      pollMs: 500,
    };
  }

  get detailed(): DetailedTask {
    return {
      task: this.task,
      inputRequests: this.#open,
      ...(this.#result && { result: this.#result }),
      ...(this.#error && { error: this.#error }),
    };
  }

  async ask(requests: InputRequests): Promise<Asked> {
    this.#open = requests;
    this.#become('input_required');
    await new Promise<void>((resolve, reject) => {
      this.#answered = resolve;
      this.stop.signal.addEventListener('abort', () => reject(new Error('cancelled')));
    });
    this.#become('working');
    return this.#answers;
  }

  answer(responses: Asked): void {
    for (const [key, response] of Object.entries(responses)) {
      if (!Object.hasOwn(this.#open, key)) continue;
      this.#answers = { ...this.#answers, [key]: response };
      const { [key]: _, ...open } = this.#open;
      this.#open = open;
    }
    if (Object.keys(this.#open).length === 0) this.#answered();
  }

  #become(status: Task['status']): void {
    if (this.hasEnded) return;
    this.#status = status;
    this.#updatedAt = Date.now();
  }
}

/** Survives the server of one request: each request of 2026-07-28 has a server of its own. */
export class MemoryTasks implements TaskSource {
  readonly #tasks = new Map<string, MemoryTask>();

  start(work: (task: MemoryTask) => Promise<CallToolResult>): Task {
    const started = new MemoryTask(work);
    this.#tasks.set(started.id, started);
    return started.task;
  }

  async get(id: string) {
    return this.#tasks.get(id)?.detailed;
  }
  async wait(id: string) {
    const task = this.#tasks.get(id);
    await task?.end;
    return task?.detailed;
  }
  async update(id: string, inputResponses: Asked) {
    this.#tasks.get(id)?.answer(inputResponses);
    return this.#tasks.get(id)?.task;
  }
  async cancel(id: string) {
    const task = this.#tasks.get(id);
    if (task === undefined) return undefined;
    const { hasEnded: hadEnded } = task;
    task.stop.abort();
    if (!hadEnded) await task.end;
    return { task: task.task, hadEnded };
  }
  async list() {
    return { tasks: [...this.#tasks.values()].map(({ task }) => task) };
  }
}

export interface TaskTool {
  readonly properties: readonly string[];
  /** A client without tasks cannot be served. */
  readonly needsTask?: boolean;
  /** Asks before the call becomes a task. */
  readonly first?: (ctx: ServerContext) => InputRequiredResult | undefined;
  run(args: Arguments, task: MemoryTask | undefined, ctx: ServerContext): Promise<CallToolResult>;
}

const nameOf = ({ mcpReq }: ServerContext) => acceptedContent(mcpReq.inputResponses, 'user_name')?.name;

export const taskTools: Readonly<Record<string, TaskTool>> = {
  slow_compute: {
    properties: ['seconds', 'label'],
    run: async ({ seconds = 0, label }, task) => {
      await delay(Number(seconds) * 1000, undefined, task && { signal: task.stop.signal });
      return said(`Computed ${label}`);
    },
  },
  failing_job: {
    properties: [],
    needsTask: true,
    run: async (_, task) => {
      await delay(1000, undefined, task && { signal: task.stop.signal });
      return said('This job always fails', true);
    },
  },
  protocol_error_job: {
    properties: [],
    run: async () => {
      throw new ProtocolFailure('The job could not be carried out');
    },
  },
  confirm_delete: {
    properties: ['filename'],
    run: async ({ filename }, task) => {
      const answers = await task?.ask({ [randomUUID()]: question(`Delete ${filename}?`) });
      return said(`Answered: ${JSON.stringify(answers)}`);
    },
  },
  multi_input: {
    properties: [],
    run: async (_, task) => {
      const answers = await task?.ask({
        [randomUUID()]: question('The first?'),
        [randomUUID()]: question('The second?'),
      });
      return said(`Answered: ${JSON.stringify(answers)}`);
    },
  },
  test_tool_with_task: {
    properties: [],
    needsTask: true,
    first: (ctx) =>
      nameOf(ctx) === undefined
        ? inputRequired({
            inputRequests: {
              user_name: inputRequired.elicit({
                message: 'What is your name?',
                requestedSchema: {
                  type: 'object',
                  properties: { name: { type: 'string' } },
                  required: ['name'],
                },
              }),
            },
          })
        : undefined,
    run: async (_args, _task, ctx) => said(`Hello, ${nameOf(ctx)}!`),
  },
};
