/**
 * Tasks as the two revisions write them: the extension of 2026-07-28, and the part of 2025-11-25 that it replaced. A
 * client has them only where it says so: in the capabilities of each request, or by the `task` of a call.
 */
import {
  type CallToolResult,
  type InputRequests,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { readClient } from '../calls/client.ts';

const tasksExtension = 'io.modelcontextprotocol/tasks';
const coreRevision = '2025-11-25';

/** `extension`: 2026-07-28. `core`: 2025-11-25. */
export type TaskForm = 'extension' | 'core';

export const taskCapabilities = {
  extensions: { [tasksExtension]: {} },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

export interface Task {
  readonly id: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** Whether what completed is an error of the tool. */
  readonly isError: boolean;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  readonly pollMs: number;
}

/** A task with its result, its error or its question. */
export interface DetailedTask {
  readonly task: Task;
  readonly result?: CallToolResult;
  readonly error?: { readonly code: number; readonly message: string };
  readonly inputRequests?: InputRequests;
  /** Called once the result was written to the client. */
  readonly delivered?: (() => Promise<void>) | undefined;
}

/** The source of tasks. It resolves to undefined if there is no such task, it has expired, or it is another principal's. */
export interface TaskSource {
  get(id: string, signal: AbortSignal): Promise<DetailedTask | undefined>;
  /** Resolves with the end; what is not an end is answered where waits are being ended. */
  wait(id: string, signal: AbortSignal): Promise<DetailedTask | undefined>;
  /** `inputResponses` by the keys of what was asked; keys that were not are ignored. */
  update(
    id: string,
    inputResponses: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Pick<Task, 'id'>> | undefined>;
  cancel(id: string): Promise<{ readonly task: Task; readonly hadEnded: boolean } | undefined>;
  list(
    cursor: string | undefined,
  ): Promise<{ readonly tasks: readonly Task[]; readonly nextCursor?: string }>;
}

/** The form in which this connection writes tasks; undefined if its revision has none. */
export function getTaskForm(server: Server): TaskForm | undefined {
  const revision = server.getNegotiatedProtocolVersion() ?? '';
  if (revision > coreRevision) return 'extension';
  return revision === coreRevision ? 'core' : undefined;
}

/** The form of a call's task, where its client takes one. */
export function getWantedTaskForm(
  server: Server,
  ctx: ServerContext,
  task: { readonly ttl?: number | undefined } | undefined,
): TaskForm | undefined {
  const form = getTaskForm(server);
  if (form === 'extension') return readClient(server, ctx).takesTasks ? form : undefined;
  return task === undefined ? undefined : form;
}

/** The form for a request about tasks; throws where the revision or the client has none. */
export function requireTaskForm(server: Server, ctx: ServerContext): TaskForm {
  const form = getTaskForm(server);
  if (form === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
  if (form === 'extension' && !readClient(server, ctx).takesTasks) throw missingCapability();
  return form;
}

export const missingCapability = () =>
  new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });

/** What each form's lists and answers say of a task. */
export function toTaskObject(task: Task, form: TaskForm): Record<string, unknown> {
  const common = {
    taskId: task.id,
    statusMessage: task.message,
    createdAt: new Date(task.createdAt).toISOString(),
    // What the task shows may have happened before there was a task.
    lastUpdatedAt: new Date(Math.max(task.createdAt, task.updatedAt)).toISOString(),
  };
  if (form === 'extension') {
    return { ...common, status: task.status, ttlMs: task.ttlMs, pollIntervalMs: task.pollMs };
  }
  // There a tool's own error is a task that failed.
  const status = task.status === 'completed' && task.isError ? 'failed' : task.status;
  return { ...common, status, ttl: task.ttlMs, pollInterval: task.pollMs };
}

/** The answer to a call that became a task. A task begins as working, whatever it is by now. */
export function toCreatedTask(task: Task, form: TaskForm): CallToolResult {
  const message = task.status === 'working' ? task.message : 'The call has begun.';
  const taskObject = toTaskObject({ ...task, status: 'working', message }, form);
  if (form === 'extension') return { content: [], resultType: 'task', ...taskObject };
  return {
    content: [],
    task: taskObject,
    _meta: {
      ...toRelatedTaskMeta(task.id),
      // For hosts that let the model go on meanwhile.
      'io.modelcontextprotocol/model-immediate-response': task.message,
    },
  };
}

export const toRelatedTaskMeta = (taskId: string) => ({ [RELATED_TASK_META_KEY]: { taskId } });
