/** What clients asked for, and what they were answered. */
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import type { CallName } from './calls.ts';

/** One request of a client. Times are `performance.now()`. */
export interface Asked {
  readonly call: CallName | undefined;
  readonly jobId: string | undefined;
  /** A row of a batch: `body` is that row once the batch has ended. */
  readonly inBatch: boolean;
  readonly resubmit: boolean;
  /** The answer of a person that the call brought. */
  readonly consent?: string | undefined;
  /** Its client read nothing, and its connection was reset. */
  readonly isUnread?: boolean | undefined;
  /** Its client did not mean to give up. */
  readonly hasStayed?: boolean | undefined;
  readonly from: number;
  /** Undefined while it runs. */
  to: number | undefined;
  /** Undefined where the client had gone or the gateway had; then `failure` says how that showed. */
  body: JsonObject | undefined;
  failure: string | undefined;
  /** From its start to its end nothing else could send the same call, nor a moment before. */
  alone: boolean;
  /** Paid requests of the call that arrived by its start. */
  readonly postsBefore: number;
}

/** A handle: the end comes later. */
export const isHandle = (body: JsonObject | undefined): boolean =>
  body?.status === 'processing' || body?.status === 'pending';
export const isEnd = (body: JsonObject | undefined): boolean =>
  body?.status === 'completed' || body?.status === 'failed' || body?.status === 'success';
export const isOpen = ({ body }: Asked): boolean => body === undefined || isHandle(body);

/** Of the job or the build that an answer is about. */
export function jobIdOf(body: JsonObject | undefined): unknown {
  const { id }: { id?: unknown } = Object(body?.build_request);
  return body?.job_id ?? id;
}

/** The answer to one input of a batch: its row, or where the batch has none the answer to all. */
export function rowOf(body: JsonObject, params: JsonObject): JsonObject {
  const rows: unknown[] = Array.isArray(body.rows) ? body.rows : [];
  for (const row of rows) {
    const own: { params?: unknown } = Object(row);
    if (JSON.stringify(own.params) === JSON.stringify(params)) return { ...own, stopped: body.stopped };
  }
  return body;
}

/** A call may be sent so long after its client has gone. */
export const sentAfterLeavingMs = 2_000;
