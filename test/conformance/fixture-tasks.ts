/** The tools and tasks that the suite's tasks scenarios ask for, in memory, behind the program's own handlers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Task, Tasks } from '../../src/gateway/interface/gateway.ts';
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';

type Arguments = Readonly<Record<string, unknown>>;

interface MemoryTask {
  readonly stop: AbortController;
  readonly createdAt: number;
  state: Task['state'];
  updatedAt: number;
  body: JsonObject;
}

/** Survives the server of one request: each request of 2026-07-28 has a server of its own. */
export class MemoryTasks implements Pick<Tasks, 'look' | 'cancel'> {
  readonly #tasks = new Map<string, MemoryTask>();

  start(work: (signal: AbortSignal) => Promise<JsonObject>): Task {
    const id = randomUUID();
    const stop = new AbortController();
    const createdAt = Date.now();
    const task: MemoryTask = { stop, createdAt, state: 'under-way', updatedAt: createdAt, body: {} };
    this.#tasks.set(id, task);
    const end = (state: Task['state'], body: JsonObject = {}) =>
      Object.assign(task, { state, body, updatedAt: Date.now() });
    work(stop.signal).then(
      (body) => end(body.status === 'failed' ? 'failed' : 'completed', body),
      () => end('cancelled'),
    );
    return toTask(id, task);
  }

  async look(id: string) {
    const found = this.#tasks.get(id);
    if (found === undefined) return undefined;
    const task = toTask(id, found);
    return task.state === 'under-way' ? { task } : { task, outcome: { body: found.body } };
  }

  async cancel(id: string) {
    const found = this.#tasks.get(id);
    if (found === undefined) return undefined;
    if (found.state === 'under-way') found.state = 'cancelled';
    found.stop.abort();
    return { task: toTask(id, found) };
  }
}

const toTask = (id: string, { state, createdAt, updatedAt }: MemoryTask): Task => ({
  ...{ id, state, createdAt, updatedAt },
  message: state,
  expiresAt: createdAt + 3_600_000,
  pollMs: 500,
});

interface TaskTool {
  readonly properties: readonly string[];
  /** A client without tasks cannot be served. */
  readonly needsTask?: boolean;
  /** Asks before the call becomes a task. */
  readonly first?: (ctx: ServerContext) => InputRequiredResult | undefined;
  run(args: Arguments, signal: AbortSignal, ctx: ServerContext): Promise<JsonObject>;
}

const nameOf = ({ mcpReq }: ServerContext) => acceptedContent(mcpReq.inputResponses, 'user_name')?.name;

export const taskTools: Readonly<Record<string, TaskTool>> = {
  slow_compute: {
    properties: ['seconds', 'label'],
    run: async ({ seconds = 0, label }, signal) => {
      await delay(Number(seconds) * 1000, undefined, { signal });
      return { status: 'completed', data: `Computed ${label}` };
    },
  },
  failing_job: {
    properties: [],
    needsTask: true,
    run: async (_, signal) => {
      await delay(1000, undefined, { signal });
      return { status: 'failed', error: { code: 'ALWAYS', message: 'This job always fails' } };
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
    run: async (_args, _signal, ctx) => ({ status: 'completed', data: `Hello, ${nameOf(ctx)}!` }),
  },
};

/** For a tool that asks within its task, which no task of the program does: it is answered at once. */
export const confirmDelete = (): CallToolResult => ({
  content: [{ type: 'text', text: 'Nothing was deleted.' }],
});
