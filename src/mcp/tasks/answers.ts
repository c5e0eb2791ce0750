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
import { relatedTask, type TaskForm, type TaskSource, written } from './task.ts';

interface Asked {
  readonly source: TaskSource;
  readonly form: TaskForm;
  readonly ctx: ServerContext;
  readonly deliveries: Deliveries | undefined;
}

export async function get(id: string, { source, form, ctx, deliveries }: Asked): Promise<Result> {
  const found = await trying(source.get(id, ctx.mcpReq.signal));
  if (found === undefined) throw notFound();
  const { task, result, error, inputRequests } = found;
  const shown = written(task, form);
  if (form === 'core') return shown;
  if (result !== undefined) expectDelivery(found, ctx, deliveries);
  return {
    ...shown,
    // As the call itself would have been answered, which the SDK completes for calls only.
    ...(task.status === 'completed' && { result: { ...result, resultType: 'complete' } }),
    ...(task.status === 'failed' && { error }),
    ...(task.status === 'input_required' && { inputRequests }),
  };
}

/** Waits for the end, and answers what the call would have. */
export async function result(
  id: string,
  { source, ctx, deliveries }: Omit<Asked, 'form'>,
): Promise<CallToolResult> {
  const found = await trying(source.wait(id, ctx.mcpReq.signal));
  if (found === undefined) throw notFound();
  if (found.error !== undefined) throw new ProtocolError(found.error.code, found.error.message);
  if (found.result === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'Waiting was stopped; the task is still running. Ask again.',
    );
  }
  expectDelivery(found, ctx, deliveries);
  return { ...found.result, _meta: { ...found.result._meta, ...relatedTask(id) } };
}

export async function update(
  id: string,
  inputResponses: Readonly<Record<string, unknown>>,
  { source }: Pick<Asked, 'source'>,
): Promise<Result> {
  if ((await trying(source.update(id, inputResponses))) === undefined) throw notFound();
  return {};
}

export async function cancel(id: string, { source, form }: Pick<Asked, 'source' | 'form'>): Promise<Result> {
  const cancelled = await trying(source.cancel(id));
  if (cancelled === undefined) throw notFound();
  if (form === 'extension') return {};
  if (cancelled.hadEnded) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The task has ended: nothing is left to cancel.',
    );
  }
  return written(cancelled.task, form);
}

export async function list(cursor: string | undefined, { source }: Pick<Asked, 'source'>): Promise<Result> {
  const { tasks, nextCursor } = await trying(source.list(cursor));
  return {
    tasks: tasks.map((task) => written(task, 'core')),
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

/** The same words for every id that is not one of the caller's. */
const notFound = () =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Task not found or expired. Results stay readable by their job ids.',
  );

/** What the gateway refuses has words for the caller; everything else stays inside. */
async function trying<Value>(work: Promise<Value>): Promise<Value> {
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
