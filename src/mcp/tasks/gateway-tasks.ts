/** The gateway's handles as tasks. */
import type { Gateway, Handle } from '../../gateway/interface/gateway.ts';
import type { Outcome } from '../../gateway/interface/outcomes.ts';
import { toolResult, withResourceAddress } from '../calls/result.ts';
import type { DetailedTask, Task, TaskSource } from './task.ts';

/** How long a request for a task's state waits for its end. */
const lookMs = 300;
/** The longest delay of a timer; the request itself ends sooner. */
const maxWaitMs = 2 ** 31 - 1;

const statuses = {
  'under-way': 'working',
  completed: 'completed',
  failed: 'completed',
  'given-up': 'cancelled',
} as const;

export function gatewayTasks(gateway: Pick<Gateway, 'handles'>): TaskSource {
  const look = async (id: string, signal: AbortSignal, waitMs: number) => {
    const state = await gateway.handles.look(id, { signal, waitMs });
    return state === undefined ? undefined : toDetailedTask(state);
  };
  return {
    get: (id, signal) => look(id, signal, lookMs),
    wait: (id, signal) => look(id, signal, maxWaitMs),
    // Questions are asked before a call becomes a task, so no task waits for input.
    update: async (id) => {
      const state = await gateway.handles.look(id, { signal: new AbortController().signal, waitMs: 0 });
      return state?.handle;
    },
    cancel: async (id) => {
      const cancelled = await gateway.handles.giveUp(id);
      return cancelled && { task: toTask(cancelled.handle), hadEnded: cancelled.previousState === 'ended' };
    },
    list: async (cursor) => {
      const { handles, ...rest } = await gateway.handles.list(cursor);
      return { tasks: handles.map(toTask), ...rest };
    },
  };
}

export function toTask(handle: Handle): Task {
  return {
    id: handle.id,
    status: statuses[handle.state],
    isError: handle.state === 'failed',
    message: handle.message,
    createdAt: handle.createdAt,
    updatedAt: handle.updatedAt,
    ttlMs: handle.expiresAt - handle.createdAt,
    pollMs: handle.pollMs,
  };
}

function toDetailedTask({ handle, outcome }: { handle: Handle; outcome?: Outcome }): DetailedTask {
  const task = toTask(handle);
  if (outcome === undefined) return { task };
  return { task, result: toolResult(withResourceAddress(outcome.body)), delivered: outcome.delivered };
}
