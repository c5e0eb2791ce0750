/** The requests about tasks of both revisions, answered from a source of tasks. */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type CallObserver, observeCall } from '../calls/calls.ts';
import type { Deliveries } from '../calls/delivery.ts';
import { traceRequest } from '../calls/request-span.ts';
import { requireTaskForm, type TaskSource } from './task.ts';

const TaskParams = z.object({ taskId: z.string() });
const Page = z.object({ cursor: z.string().optional() });

/** Reading and writing the answers is loaded with the first request. */
const answers = () => import('./answers.ts');

export interface TaskOptions {
  readonly deliveries?: Deliveries;
  /** Observes every wait for a result, like every call. */
  readonly calls?: CallObserver | undefined;
}

export function registerTasks(
  server: Server,
  source: TaskSource,
  { deliveries, calls }: TaskOptions = {},
): void {
  server.setRequestHandler('tasks/get', { params: TaskParams }, async ({ taskId }, ctx) => {
    const form = requireTaskForm(server, ctx);
    return traceRequest(server, ctx, { method: 'tasks/get' }, async () =>
      (await answers()).get(taskId, { source, form, ctx, deliveries }),
    );
  });
  server.setRequestHandler('tasks/cancel', { params: TaskParams }, async ({ taskId }, ctx) => {
    const form = requireTaskForm(server, ctx);
    return (await answers()).cancel(taskId, { source, form });
  });
  server.setRequestHandler('tasks/update', { params: TaskParams }, async ({ taskId }, ctx) => {
    if (requireTaskForm(server, ctx) === 'core') throw methodNotFound();
    // The SDK reads the answers of people for every request, and passes on those that are well-formed.
    return (await answers()).update(taskId, ctx.mcpReq.inputResponses ?? {}, { source });
  });
  // These two are no requests of 2026-07-28, and the SDK says so before they are asked.
  server.setRequestHandler('tasks/result', { params: TaskParams }, async ({ taskId }, ctx) => {
    if (requireTaskForm(server, ctx) === 'extension') throw methodNotFound();
    const { result } = await answers();
    return traceRequest(server, ctx, { method: 'tasks/result' }, () =>
      observeCall(calls, { id: ctx.mcpReq.id, tool: 'tasks/result', asTask: true }, async () => ({
        result: await result(taskId, { source, ctx, deliveries }),
        // The call itself was counted with its job.
        body: {},
      })),
    );
  });
  server.setRequestHandler('tasks/list', { params: Page }, async ({ cursor }, ctx) => {
    if (requireTaskForm(server, ctx) === 'extension') throw methodNotFound();
    return (await answers()).list(cursor, { source });
  });
}

const methodNotFound = () => new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
