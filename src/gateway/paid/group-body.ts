/** How far a group has come, and what the caller of a batch gets: a row for each input, in the order of the call. */

import { creditsText } from '../../contract/price.ts';
import { toExact } from '../catalog/prices.ts';
import type { NextStep } from '../interface/next-step.ts';
import {
  type ErrorDetail,
  getError,
  type JsonObject,
  type Outcome,
  type ViewRequest,
} from '../interface/outcomes.ts';
import { partPage } from '../results/slice.ts';
import type { GroupRow } from '../store/schema.ts';
import { isPlanned, isUnderWay, wasDropped } from '../store/states.ts';
import { toAttachment } from './answers.ts';
import { parseError, parseObject } from './call-identity.ts';
import type { Member } from './group-rows.ts';
import { batchTable } from './group-table.ts';

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
    next: { kind: 'wait', for: 'batch', call: { job_id: id, wait_seconds: 45 } } satisfies NextStep,
  };
}

export interface RowPage {
  readonly offset: number;
  readonly limit: number;
}

/** Whether a page holds a place, counted from 0; without a page all are held. */
export const isOnPage = (page: RowPage | undefined, index: number): boolean =>
  page === undefined || (index >= page.offset && index < page.offset + page.limit);

/** Credits that this answer tells of a member's run: not those that were told before, or that another call paid. */
const getCharged = ({ answer, ...member }: AnsweredMember): number =>
  member.row?.open === 1 && member.row.delivered_at === null && answer?.body.credits_used !== 0
    ? getPaid(member)
    : 0;

/** What this answer tells of the cost of each member, which is told with its row: at the first of the inputs that share one. */
function toldCosts(answered: readonly AnsweredMember[], page: RowPage | undefined): readonly number[] {
  const told = new Set<string>();
  return answered.map((one, index) => {
    const id = one.row?.id ?? '';
    if (!isOnPage(page, index) || told.has(id)) return 0;
    told.add(id);
    return getCharged(one);
  });
}

/** What a member's run has cost, whoever paid for it. */
const getJobCredits = ({ answer }: AnsweredMember): number =>
  typeof answer?.body.job_credits === 'number' ? answer.body.job_credits : 0;

/** What the group of a member pays for its row. */
export const getPaid = ({ member, row }: Member): number =>
  row?.paid_for === member.group_id ? row.charged : 0;

/** Credits of the distinct rows of a group. */
export function sumCharged<One extends Member>(
  members: readonly One[],
  charged: (one: One) => number,
): number {
  const byRow = new Map<string | undefined, number>();
  for (const one of members) {
    const id = one.row?.id;
    byRow.set(id, Math.max(charged(one), byRow.get(id) ?? 0));
  }
  return toExact([...byRow.values()].reduce((sum, credits) => sum + credits, 0));
}

interface GroupShown {
  readonly stopReason: ErrorDetail | undefined;
  /** How each of their results is shown. */
  readonly view: Pick<ViewRequest, 'select' | 'format'>;
  /** Which of the rows are shown: all, unless the caller pages them. The counts and `job_credits` are those of all. */
  readonly page?: RowPage | undefined;
}

export function groupBody(
  group: GroupRow,
  answered: readonly AnsweredMember[],
  { stopReason, view, page }: GroupShown,
): JsonObject {
  // A note that all rows share is shown once.
  const notes = new Set(answered.map(({ answer }) => answer?.body.note));
  const [sharedNote] = notes.size === 1 ? notes : [];
  const account = toAccountMember(answered);
  const hasOwnAccount = account === undefined;
  const told = toldCosts(answered, page);
  const all = answered.map((one, index) =>
    toRow(group, one, { sharedNote, hasOwnAccount, told: told[index] ?? 0 }),
  );
  const rows = all.filter((_, index) => isOnPage(page, index));
  const paging = page && partPage(page.offset, rows.length, all.length);
  const count = (...statuses: string[]) => all.filter((row) => statuses.includes(row.status)).length;
  const [completed, failed, notSent] = [count('completed'), count('failed', 'error'), count('not_sent')];
  const reason = group.stopped === null ? stopReason : parseError(group.stopped);
  const stopped = notSent === 0 ? undefined : reason;
  const facts = {
    job_id: group.id,
    batch_id: group.id,
    rows_total: all.length,
    rows_completed: completed,
    ...(failed === 0 ? {} : { rows_failed: failed }),
    ...(notSent === 0 ? {} : { rows_not_sent: notSent }),
    ...account,
    credits_used: toExact(told.reduce((sum, credits) => sum + credits, 0)),
    job_credits: sumCharged(answered, getJobCredits),
    ...(stopped === undefined ? {} : { stopped }),
    ...(sharedNote === undefined ? {} : { note: sharedNote }),
    ...(paging !== undefined && { page: paging }),
  };
  const next = pageStep(group.id, paging, { ...view, limit: page?.limit }) ?? nextStep(all, stopped);
  const csv = view.format === 'csv' ? toTable(all, page) : undefined;
  if (csv !== undefined) return { status: 'completed', ...facts, ...next, rows: csv.rows, ...csv.table };
  if (completed > 0) return { status: 'completed', ...facts, ...next, rows };
  const error = stopped ?? getError(all[0] ?? {}) ?? noneCompleted(all.length);
  return { status: 'failed', ...facts, error, ...next, rows };
}

/** The answer of a call that joined a batch which an earlier one began. */
export function withAttachment(outcome: Outcome, { created_at }: GroupRow): Outcome {
  const { rows, next, ...facts } = outcome.body;
  const attachment = { attached: true, submitted_at: new Date(created_at).toISOString() };
  const again: NextStep = { kind: 'run-again', earlierFor: 'the price of its inputs' };
  return {
    ...outcome,
    body: { ...facts, ...attachment, next: next ?? again, ...(rows === undefined ? {} : { rows }) },
  };
}

/** What `account` is in their rows: empty for anonymous runs, null where the action has no accounts. Each once. */
const accountsOf = (members: readonly Member[]): (string | null)[] => [
  ...new Set(members.flatMap(({ row }) => (row === undefined ? [] : [row.account]))),
];

/**
 * The account that all rows act for: its name, null for anonymous runs, none where the action has no accounts. Undefined where
 * they act for several.
 */
function toAccountMember(members: readonly Member[]): { account?: string | null } | undefined {
  const [account = null, ...others] = accountsOf(members);
  if (others.length > 0) return undefined;
  return account === null ? {} : { account: account || null };
}

/** The account that all rows act for, or each of theirs. */
export const toAccountMembers = (members: readonly Member[]) =>
  toAccountMember(members) ?? { accounts: accountsOf(members).map((account) => account || null) };

/** A row that `max_age_seconds` answered: its run had ended before the batch was called. */
const getEarlierEnd = (group: GroupRow, { row }: Member): number | undefined =>
  row !== undefined && row.finished_at !== null && row.finished_at < group.created_at
    ? row.finished_at
    : undefined;

/** A row that an open call had begun before the batch, and that call pays. */
const toAttached = (group: GroupRow, { row }: Member): JsonObject | undefined =>
  row !== undefined && row.paid_for !== group.id ? { ...toAttachment(row) } : undefined;

interface RowShown {
  readonly sharedNote: unknown;
  readonly hasOwnAccount: boolean;
  /** Credits that the answer tells of it. */
  readonly told: number;
}

function toRow(
  group: GroupRow,
  answered: AnsweredMember,
  { sharedNote, hasOwnAccount, told }: RowShown,
): BatchRow {
  const { member, row, answer } = answered;
  const params = parseObject(member.params);
  if (answer === undefined) {
    return member.error === null
      ? { params, status: 'not_sent' }
      : { params, status: 'error', error: parseError(member.error) };
  }
  const { body } = answer;
  const { status, job_id, data, error, truncated, note, beside, drift, repaired } = body;
  const identity = row?.account || undefined;
  const isBlocked = status === 'unknown' && row?.keyed !== 1;
  const next = isBlocked ? singleCall(group.action_id, params, identity) : body.next;
  const earlierEnd = status === 'completed' ? getEarlierEnd(group, answered) : undefined;
  return {
    params,
    ...(hasOwnAccount && { account: row?.account || null }),
    status: String(status),
    ...(job_id === undefined ? {} : { job_id }),
    ...(body.job_credits === undefined ? {} : { credits_used: told, job_credits: body.job_credits }),
    ...(earlierEnd === undefined
      ? toAttached(group, answered)
      : { cached: true, completed_at: new Date(earlierEnd).toISOString() }),
    ...(drift === undefined ? {} : { drift }),
    ...(repaired === undefined ? {} : { repaired }),
    ...(error === undefined ? {} : { error }),
    ...(next === undefined || status === 'completed' ? {} : { next }),
    ...(note === undefined || note === sharedNote ? {} : { note }),
    ...(truncated === undefined ? {} : { truncated }),
    ...(beside === undefined ? {} : { beside }),
    ...(data === undefined ? {} : { data }),
  };
}

/** The single call to repeat a row in doubt: a batch cannot resubmit, because that is a decision about one run. */
const singleCall = (actionId: string, params: unknown, identity: string | undefined): NextStep => ({
  kind: 'resubmit',
  of: 'run',
  call: { action_id: actionId, params, identity, resubmit: true },
});

/** The page after this one. */
const pageStep = (
  job_id: string,
  paging: ReturnType<typeof partPage> | undefined,
  { select, format, limit }: Pick<ViewRequest, 'select' | 'format' | 'limit'>,
): { next: NextStep } | undefined =>
  paging === undefined || paging.next_offset === null
    ? undefined
    : {
        next: {
          kind: 'read',
          call: { job_id, select, offset: paging.next_offset, limit, format },
          what: 'rest',
        },
      };

function nextStep(rows: readonly BatchRow[], stopped: ErrorDetail | undefined): { next?: NextStep } {
  const placesOf = (...statuses: string[]) =>
    rows.flatMap(({ status }, index) => (statuses.includes(status) ? [index + 1] : []));
  const inputs = placesOf('not_sent').length;
  if (inputs > 0) return { next: { kind: 'run-rest', inputs, ...conditionToGoOn(stopped) } };
  if (placesOf('unknown').length > 0) return { next: { kind: 'see-rows', rows: 'unknown' } };
  const failed = placesOf('failed', 'error').map(String);
  if (failed.length === 0 || failed.length === rows.length) return {};
  const names = failed.slice(0, maxPlaces);
  return { next: { kind: 'see-rows', rows: { names, more: failed.length - names.length } } };
}

const maxPlaces = 20;

/** When the rest of a batch would not be refused again. */
function conditionToGoOn(
  stopped: ErrorDetail | undefined,
): Pick<NextStep<'run-rest'>, 'condition' | 'until'> {
  switch (stopped?.code) {
    case undefined:
    case 'CANCELLED':
      return { condition: 'price' };
    case 'BUDGET_EXCEEDED':
      return typeof stopped.resets_at === 'string'
        ? { condition: 'limit', until: stopped.resets_at }
        : { condition: 'agreed' };
    case 'CONFIRMATION_UNAVAILABLE':
      return { condition: 'confirmed' };
    case 'PRICE_CHANGED':
      return { condition: 'new-price' };
    default:
      return { condition: 'mended' };
  }
}

const noneCompleted = (count: number): ErrorDetail => ({
  code: 'EXECUTION_FAILED',
  message: `None of the ${count} runs completed (${creditsText(0)}).`,
});

/** What the answer says of one input. */
interface BatchRow extends JsonObject {
  readonly params: unknown;
  readonly status: string;
}

/** The rows of a result; undefined where it has none, or its first row alone is too long and is shown as JSON. */
const rowsOf = ({ status, data, truncated }: BatchRow): readonly unknown[] | undefined =>
  status === 'completed' && Array.isArray(data) && Object(truncated).total_chars === undefined
    ? data
    : undefined;

/** The rows of the results on a page as one table; undefined where none has rows. What fits no table keeps its data. */
function toTable(
  all: readonly BatchRow[],
  page: RowPage | undefined,
): { readonly rows: readonly BatchRow[]; readonly table: JsonObject } | undefined {
  const table = batchTable(
    all.map((row, index) => ({
      isShown: isOnPage(page, index),
      params: Object(row.params),
      identity: typeof row.account === 'string' ? row.account : undefined,
      rows: rowsOf(row),
      beside: Object(row.beside),
      failure: row.status === 'completed' ? undefined : (getError(row)?.code ?? row.status),
    })),
  );
  if (table === undefined) return undefined;
  const rows = all.filter((_, index) => isOnPage(page, index));
  const withoutData = rows.map((row) => {
    const shown = rowsOf(row);
    if (shown === undefined) return row;
    const { data: _data, ...others } = row;
    return { ...others, rows_shown: shown.length };
  });
  return { rows: withoutData, table: { ...table } };
}

export interface GroupState {
  readonly state: 'under-way' | 'completed' | 'failed';
  /** Rows that have ended, and those of them that completed. */
  readonly ended: number;
  readonly completed: number;
  /** When the last of them ended, in milliseconds since the epoch; undefined while it is under way. */
  readonly endedAt: number | undefined;
}

export function getGroupState({ stopped }: GroupRow, members: readonly Member[]): GroupState {
  const rows = members.map(({ row }) => row).filter((row) => row !== undefined);
  const completed = rows.filter(({ outcome }) => outcome === 'completed').length;
  const running = rows.filter(isUnderWay).length;
  const planned = rows.filter(isPlanned).length;
  const isGoing = running > 0 || (planned > 0 && stopped === null);
  const ends = rows.map(({ finished_at }) => finished_at).filter((at) => at !== null);
  return {
    state: isGoing ? 'under-way' : completed > 0 ? 'completed' : 'failed',
    ended: rows.length - running - planned,
    completed,
    endedAt: isGoing || ends.length === 0 ? undefined : Math.max(...ends),
  };
}

/** Whether nothing of the input was sent, by now. */
export const wasNotSent = ({ member, row }: Member): boolean =>
  member.row_id === null || (row !== undefined && (isPlanned(row) || wasDropped(row)));
