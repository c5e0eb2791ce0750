/** What the caller of a batch gets: a row for each input, in the order of the call. */

import { toExact } from '../catalog/price.ts';
import { creditsText } from '../foundation/text.ts';
import { type ErrorDetail, getError, type JsonObject, type Outcome } from '../interface/outcomes.ts';
import type { GroupRow } from '../store/schema.ts';
import { parseError, parseObject } from './call.ts';
import type { Member } from './group-rows.ts';

export interface AnsweredMember extends Member {
  /** The answer about its run; undefined if it was not sent. */
  readonly answer: Outcome | undefined;
}

export function groupProcessingBody(id: string, rows: number): JsonObject {
  return {
    status: 'processing',
    job_id: id,
    batch_id: id,
    rows_total: rows,
    next: `Call get_job ${JSON.stringify({ job_id: id, wait_seconds: 45 })} to go on waiting: what is left of the batch goes on, and no run is charged twice.`,
  };
}

/** Credits that this answer reports for a member's run, without those that were reported before or paid by an earlier run. */
const getCharged = ({ member, row }: Member): number =>
  row === undefined || member.joined === 1 || row.open !== 1 ? 0 : row.charged;

/** What the distinct rows of a group have cost, by `getCharged`. */
export const sumCharged = (members: readonly Member[], charged = getCharged): number => {
  const byRow = new Map(members.map((one) => [one.row?.id, charged(one)]));
  return toExact([...byRow.values()].reduce((sum, credits) => sum + credits, 0));
};

export function groupBody(
  group: GroupRow,
  answered: readonly AnsweredMember[],
  stopReason: ErrorDetail | undefined,
): JsonObject {
  // A note that all rows share is shown once.
  const notes = new Set(answered.map(({ answer }) => answer?.body.note).filter((note) => note !== undefined));
  const [sharedNote] = notes.size === 1 ? notes : [];
  const rows = answered.map((one) => toRow(group, one, sharedNote));
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  const [completed, notSent, unknown] = [count('completed'), count('not_sent'), count('unknown')];
  const reason = group.stopped === null ? stopReason : parseError(group.stopped);
  const stopped = notSent === 0 ? undefined : reason;
  const facts = {
    job_id: group.id,
    batch_id: group.id,
    rows_total: rows.length,
    rows_completed: completed,
    ...(notSent === 0 ? {} : { rows_not_sent: notSent }),
    credits_used: sumCharged(answered),
    ...(stopped === undefined ? {} : { stopped }),
    ...(sharedNote === undefined ? {} : { note: sharedNote }),
  };
  const next = nextStep(notSent, stopped, unknown);
  if (completed > 0) return { status: 'completed', ...facts, ...next, rows };
  const error = stopped ?? getError(rows[0] ?? {}) ?? noneCompleted(rows.length);
  return { status: 'failed', ...facts, error, ...next, rows };
}

/** The answer of a call that joined a batch which an earlier one began. */
export function withAttachment(outcome: Outcome, { created_at }: GroupRow): Outcome {
  const { rows, ...facts } = outcome.body;
  const attachment = { attached: true, submitted_at: new Date(created_at).toISOString() };
  return { ...outcome, body: { ...facts, ...attachment, ...(rows === undefined ? {} : { rows }) } };
}

function toRow(group: GroupRow, answered: AnsweredMember, sharedNote: unknown): JsonObject {
  const { member, row, answer } = answered;
  const params = parseObject(member.params);
  if (answer === undefined) {
    return member.error === null
      ? { params, status: 'not_sent' }
      : { params, status: 'error', error: parseError(member.error) };
  }
  const { body } = answer;
  const { status, job_id, data, error, truncated, note } = body;
  const identity = row?.account || undefined;
  const next = status === 'unknown' ? singleCall(group.action_id, params, identity) : body.next;
  const charged = getCharged(answered);
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

function nextStep(notSent: number, stopped: ErrorDetail | undefined, unknown: number): { next?: string } {
  if (notSent > 0) {
    const inputs = notSent === 1 ? '1 input was' : `${notSent} inputs were`;
    return {
      next: `${inputs} not sent and cost nothing. ${conditionToGoOn(stopped)} call run_action with a batch of only those params.`,
    };
  }
  return unknown > 0
    ? { next: 'It is not known whether the rows with status "unknown" were paid; each names its next step.' }
    : {};
}

/** When the rest of a batch would not be refused again. */
function conditionToGoOn(stopped: ErrorDetail | undefined): string {
  switch (stopped?.code) {
    case undefined:
    case 'CANCELLED':
      return 'To run them for their price,';
    case 'BUDGET_EXCEEDED':
      return typeof stopped.resets_at === 'string'
        ? `After ${stopped.resets_at}, or when the user has raised the limit that \`stopped\` names,`
        : 'If the user agrees to spend more on them,';
    case 'PRICE_CHANGED':
      return 'To run them at the new price,';
    default:
      return 'When what `stopped` names is mended,';
  }
}

const noneCompleted = (count: number): ErrorDetail => ({
  code: 'EXECUTION_FAILED',
  message: `None of the ${count} runs completed (${creditsText(0)}).`,
});
