/** Paid calls as tasks: the extension of 2026-07-28, over the gateway's. Earlier revisions have no tasks here. */
import {
  type CallToolResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { GatewayError } from '../../gateway/foundation/errors.ts';
import type { Task, Tasks } from '../../gateway/interface/gateway.ts';
import { readClient, tasksExtension } from '../calls/client.ts';
import type { Deliveries } from '../calls/delivery.ts';
import { traceRequest } from '../calls/request-span.ts';
import { toolResult, withResourceAddress } from '../calls/result.ts';
import { writeForAgent } from '../steps/next-steps.ts';

/** How long a request for a task's state waits for its end. */
const lookMs = 300;

const TaskParams = z.object({ taskId: z.string() });

/** A tool's own error is a result: `failed` is for errors of the protocol, which no paid call ends with. */
const statuses = {
  'under-way': 'working',
  completed: 'completed',
  failed: 'completed',
  cancelled: 'cancelled',
} as const satisfies Record<Task['state'], string>;

export function registerTasks(
  server: Server,
  tasks: Pick<Tasks, 'look' | 'cancel'>,
  deliveries?: Deliveries,
): void {
  server.setRequestHandler('tasks/get', { params: TaskParams }, async ({ taskId }, ctx) => {
    requireTasks(server, ctx);
    return traceRequest(server, ctx, { method: 'tasks/get' }, async () => {
      const { id, signal } = ctx.mcpReq;
      const { task, outcome } = await find(tasks.look(taskId, { signal, waitMs: lookMs }));
      const taskObject = toTaskObject(task);
      if (outcome === undefined || taskObject.status !== 'completed') return taskObject;
      // The SDK adds `resultType` to the results of calls only.
      const result = { ...toolResult(withResourceAddress(outcome.body)), resultType: 'complete' };
      deliveries?.expect(id, signal, outcome);
      return { ...taskObject, result };
    });
  });
  // Questions are asked before a call becomes a task, so no task waits for input.
  server.setRequestHandler('tasks/update', { params: TaskParams }, async ({ taskId }, ctx) => {
    requireTasks(server, ctx);
    await find(tasks.look(taskId, { signal: ctx.mcpReq.signal, waitMs: 0 }));
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: TaskParams }, async ({ taskId }, ctx) => {
    requireTasks(server, ctx);
    await find(tasks.cancel(taskId));
    return {};
  });
}

/** The answer to a call that became a task. A task begins as working, whatever it is by now. */
export function toCreatedTask(task: Task): CallToolResult {
  const taskObject = toTaskObject(task);
  return {
    content: [],
    resultType: 'task',
    ...taskObject,
    status: 'working',
    ...(taskObject.status !== 'working' && { statusMessage: 'The call has begun.' }),
  };
}

export const missingCapability = () =>
  new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });

function toTaskObject({ id, state, message, next, createdAt, updatedAt, expiresAt, pollMs }: Task) {
  return {
    taskId: id,
    status: statuses[state],
    statusMessage: next === undefined ? message : `${message} ${writeForAgent(next)}`,
    createdAt: new Date(createdAt).toISOString(),
    // The change that the task shows may have happened before the task existed.
    lastUpdatedAt: new Date(Math.max(createdAt, updatedAt)).toISOString(),
    ttlMs: expiresAt - createdAt,
    pollIntervalMs: pollMs,
  };
}

function requireTasks(server: Server, ctx: ServerContext): void {
  const { stateless, takesTasks } = readClient(server, ctx);
  if (!stateless) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
  if (!takesTasks) throw missingCapability();
}

/** The same error for every id that is not the caller's. The gateway's refusals say why, all other errors stay internal. */
async function find<Found>(finding: Promise<Found | undefined>): Promise<Found> {
  const found = await finding.catch((error: unknown) => {
    const reason =
      error instanceof GatewayError
        ? `${error.message} ${writeForAgent(error.body.next)}`
        : 'The task could not be read; ask again.';
    throw new ProtocolError(ProtocolErrorCode.InternalError, reason);
  });
  if (found !== undefined) return found;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Task not found or expired. Results stay readable by their job ids.',
  );
}
