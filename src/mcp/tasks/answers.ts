/** The answers to requests about tasks, as each revision wants them. */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { GatewayError } from '../../gateway/errors/errors.ts';
import type { Deliveries, Delivery } from '../calls/delivery.ts';
import { type TaskForm, type TaskSource, toRelatedTaskMeta, toTaskObject } from './task.ts';

interface TaskRequest {
  readonly source: TaskSource;
  readonly form: TaskForm;
  readonly ctx: ServerContext;
  readonly deliveries: Deliveries | undefined;
}

export async function get(id: string, { source, form, ctx, deliveries }: TaskRequest): Promise<Result> {
  const detailedTask = await toProtocolErrors(source.get(id, ctx.mcpReq.signal));
  if (detailedTask === undefined) throw taskNotFound();
  const { task, result, error, inputRequests } = detailedTask;
  const taskObject = toTaskObject(task, form);
  if (form === 'core') return taskObject;
  if (result !== undefined) expectDelivery(detailedTask, ctx, deliveries);
  return {
    ...taskObject,
    // As the call itself would have been answered, which the SDK completes for calls only.
    ...(task.status === 'completed' && { result: { ...result, resultType: 'complete' } }),
    ...(task.status === 'failed' && { error }),
    ...(task.status === 'input_required' && { inputRequests }),
  };
}

/** Waits for the end, and answers what the call would have. */
export async function result(
  id: string,
  { source, ctx, deliveries }: Omit<TaskRequest, 'form'>,
): Promise<CallToolResult> {
  const detailedTask = await toProtocolErrors(source.wait(id, ctx.mcpReq.signal));
  if (detailedTask === undefined) throw taskNotFound();
  if (detailedTask.error !== undefined)
    throw new ProtocolError(detailedTask.error.code, detailedTask.error.message);
  if (detailedTask.result === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'Waiting was stopped; the task is still running. Ask again.',
    );
  }
  expectDelivery(detailedTask, ctx, deliveries);
  return { ...detailedTask.result, _meta: { ...detailedTask.result._meta, ...toRelatedTaskMeta(id) } };
}

export async function update(
  id: string,
  inputResponses: Readonly<Record<string, unknown>>,
  { source }: Pick<TaskRequest, 'source'>,
): Promise<Result> {
  if ((await toProtocolErrors(source.update(id, inputResponses))) === undefined) throw taskNotFound();
  return {};
}

export async function cancel(
  id: string,
  { source, form }: Pick<TaskRequest, 'source' | 'form'>,
): Promise<Result> {
  const cancelled = await toProtocolErrors(source.cancel(id));
  if (cancelled === undefined) throw taskNotFound();
  if (form === 'extension') return {};
  if (cancelled.hadEnded) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The task has ended: nothing is left to cancel.',
    );
  }
  return toTaskObject(cancelled.task, form);
}

export async function list(
  cursor: string | undefined,
  { source }: Pick<TaskRequest, 'source'>,
): Promise<Result> {
  const { tasks, nextCursor } = await toProtocolErrors(source.list(cursor));
  return {
    tasks: tasks.map((task) => toTaskObject(task, 'core')),
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

function expectDelivery(
  delivery: Delivery,
  { mcpReq }: ServerContext,
  deliveries: Deliveries | undefined,
): void {
  deliveries?.expect(mcpReq.id, mcpReq.signal, delivery);
}

/** The same message for every id that is not the caller's. */
const taskNotFound = () =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Task not found or expired. Results stay readable by their job ids.',
  );

/** Passes on the messages of the gateway's refusals; all other errors stay internal. */
async function toProtocolErrors<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!(error instanceof GatewayError)) {
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The task could not be read; ask again.');
    }
    const isCaller = error.body.error.code === 'INVALID_PARAMS';
    throw new ProtocolError(
      isCaller ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      `${error.message} ${error.body.next}`,
    );
  }
}
