/** What the caller of a batch gets: a row for each input, in the order of the call. */

import { creditsText } from '../foundation/text.ts';
import type { ErrorDetail, JsonObject } from '../interface/outcomes.ts';
import type { BatchRow, BatchRowRow } from '../store/schema.ts';
import { parseError, parseObject } from '../store/stored-json.ts';

export interface AnsweredRow {
  readonly row: BatchRowRow;
  /** What `get_job` says of its run; undefined where nothing of it was sent. */
  readonly body: JsonObject | undefined;
  /** The account's name, where it acts for one that has a name. */
  readonly identity: string | undefined;
  /** Credits that this batch paid for it. */
  readonly charged: number;
  readonly delivered: (() => Promise<void>) | undefined;
}

/** A row without a paid call: it was not sent, or its call is so old that it is no longer kept. */
export function unansweredRow(row: BatchRowRow): AnsweredRow {
  const expired = {
    code: 'RESULT_EXPIRED',
    message: 'This run is no longer kept (SVC_KEEP_INTENTS_DAYS).',
  };
  const body = row.intent_id === null ? undefined : { status: 'error', error: expired };
  return { row, body, identity: undefined, charged: 0, delivered: undefined };
}

export function processingBatch(id: string, rows: number): JsonObject {
  return {
    status: 'processing',
    job_id: id,
    batch_id: id,
    rows_total: rows,
    next: `Call get_job ${JSON.stringify({ job_id: id, wait_seconds: 45 })} to go on waiting; the runs go on and are not charged again.`,
  };
}

export function batchBody(batch: BatchRow, answered: readonly AnsweredRow[]): JsonObject {
  // A note that all rows share is shown once.
  const notes = new Set(answered.map(({ body }) => body?.note).filter((note) => note !== undefined));
  const [sharedNote] = notes.size === 1 ? notes : [];
  const rows = answered.map((row) => toRow(batch, row, sharedNote));
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  const [completed, notSent, unknown] = [count('completed'), count('not_sent'), count('unknown')];
  const stopped = batch.stopped === null ? undefined : parseError(batch.stopped);
  // Equal inputs are one run, which is charged once.
  const charged = new Map(answered.map(({ row, charged: credits }) => [row.call_hash, credits]));
  const facts = {
    job_id: batch.id,
    batch_id: batch.id,
    rows_total: rows.length,
    rows_completed: completed,
    ...(notSent === 0 ? {} : { rows_not_sent: notSent }),
    credits_used: [...charged.values()].reduce((sum, credits) => sum + credits, 0),
    ...(stopped === undefined ? {} : { stopped }),
    ...(sharedNote === undefined ? {} : { note: sharedNote }),
  };
  const next = nextStep(batch, notSent, unknown);
  if (completed > 0) return { status: 'completed', ...facts, ...next, rows };
  const [first] = rows;
  const error = stopped ?? errorMember(first) ?? noneCompleted(rows.length);
  return { status: 'failed', ...facts, error, ...next, rows };
}

function toRow(
  batch: BatchRow,
  { row, body, charged, identity }: AnsweredRow,
  sharedNote: unknown,
): JsonObject {
  const params = parseObject(row.params);
  if (body === undefined) {
    return row.refusal === null
      ? { params, status: 'not_sent' }
      : { params, status: 'error', error: parseError(row.refusal) };
  }
  const { status, job_id, data, error, truncated, note } = body;
  const next = status === 'unknown' ? singleCall(batch.action_id, params, identity) : body.next;
  return {
    params,
    status,
    ...(job_id === undefined ? {} : { job_id }),
    ...(charged === 0 ? {} : { credits_used: charged }),
    ...(error === undefined ? {} : { error }),
    ...(next === undefined || status === 'completed' ? {} : { next }),
    ...(note === undefined || note === sharedNote ? {} : { note }),
    ...(truncated === undefined ? {} : { truncated }),
    ...(data === undefined ? {} : { data }),
  };
}

/** The single call to repeat a row in doubt: a batch cannot resubmit, because that is a decision about one run. */
function singleCall(actionId: string, params: unknown, identity: string | undefined): string {
  const call = JSON.stringify({ action_id: actionId, params, identity, resubmit: true });
  return `Check the account at the service; to run it again anyway, at the risk of paying twice, call run_action ${call}.`;
}

function nextStep(batch: BatchRow, notSent: number, unknown: number): { next?: string } {
  if (notSent > 0 && batch.finished_at === null) {
    return {
      next: `${notSent} inputs were not sent, because the server ended: call run_action with the same batch to run them for their price; the others are not paid again.`,
    };
  }
  if (notSent > 0) {
    return {
      next: `${notSent} inputs were not sent and cost nothing: to run them for their price, call run_action with a batch of only those params.`,
    };
  }
  return unknown > 0
    ? { next: 'It is not known whether the rows with status "unknown" were paid; each names its next step.' }
    : {};
}

function errorMember(row: JsonObject | undefined): ErrorDetail | undefined {
  const { code, message }: { code?: unknown; message?: unknown } = Object(row?.error);
  return typeof code === 'string' && typeof message === 'string' ? { code, message } : undefined;
}

const noneCompleted = (count: number): ErrorDetail => ({
  code: 'EXECUTION_FAILED',
  message: `None of the ${count} runs completed (${creditsText(0)}).`,
});
