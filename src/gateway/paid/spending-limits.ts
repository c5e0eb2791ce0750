/**
 * The limits on what may be spent: one SQL condition, used by the insert of a single call, by every claim and by a
 * resubmit. Money is summed in thousandths of a credit, so that SQL and this program never disagree about a fraction.
 */
import { costThousandths, limitThousandths } from '../../contract/credits.ts';

/** In credits; undefined: no such limit. */
export interface SpendLimits {
  /** What one principal may spend in a UTC day. */
  readonly perDay?: number | undefined;
  /** What all principals that act with one service key may spend in a UTC day. */
  readonly perDayPerKey?: number | undefined;
  /** What the rows that a group pays may cost in all. */
  readonly allowance?: Allowance | undefined;
}

export interface Allowance {
  readonly groupId: string;
  readonly credits: number;
  /** Absent: of a batch. */
  readonly of?: 'batch' | 'watch';
  /** The setting of this process that allows no more; absent: the group itself. */
  readonly setting?: 'SVC_MAX_CREDITS_PER_CALL' | 'SVC_CONFIRM_ABOVE_CREDITS' | undefined;
}

/** Credits that count since the start of the UTC day, what is under way included; and what a group has cost. */
export interface Spending {
  readonly byPrincipal: number;
  /** By all principals that act with the same service key. */
  readonly byKey: number;
  /** By the rows that the group of the allowance pays. */
  readonly byGroup: number;
  /** When it was summed, by the store's clock, which says what today is: milliseconds since the epoch. */
  readonly now: number;
}

export const nothingSpent: Omit<Spending, 'now'> = { byPrincipal: 0, byKey: 0, byGroup: 0 };

const dayMs = 86_400_000;

/** Midnight UTC, when the day's limits start anew. */
export const startOfDay = (now: number): number => Math.floor(now / dayMs) * dayMs;
/** When the day's limits restart, in RFC 3339. */
export const endOfDay = (now: number): string => new Date(startOfDay(now) + dayMs).toISOString();

const toCredits = (thousandths: number): number => thousandths / 1000;

/** Whether `reserve` more credits fit. The SQL condition says the same of the same figures. */
export function findExceeded(
  reserve: number,
  spent: Omit<Spending, 'now'>,
  { perDay, perDayPerKey, allowance }: SpendLimits,
): 'perDay' | 'perDayPerKey' | 'allowance' | undefined {
  const isOver = (limit: number | undefined, used: number) =>
    limit !== undefined && costThousandths(used) + costThousandths(reserve) > limitThousandths(limit);
  if (isOver(allowance?.credits, spent.byGroup)) return 'allowance';
  if (isOver(perDay, spent.byPrincipal)) return 'perDay';
  return isOver(perDayPerKey, spent.byKey) ? 'perDayPerKey' : undefined;
}

export const hasLimits = ({ perDay, perDayPerKey, allowance }: SpendLimits): boolean =>
  perDay !== undefined || perDayPerKey !== undefined || allowance !== undefined;

/** Whose spending is looked at. */
export interface Spender {
  readonly principal: string;
  readonly serviceKey: string;
}

/** What a row counts, in thousandths. */
export const chargedSql = 'cast(round(charged * 1000) as bigint)';
const sumOf = (where: string): string =>
  `(select coalesce(sum(${chargedSql}), 0) from gateway_intent where ${where})`;
/** Rows of the day. One that was written while the clock was ahead belongs to no day of now. */
const ofDay = (dayStart: string): string =>
  `created_at >= ${dayStart} and created_at < ${dayStart} + ${dayMs}`;
const groupRows = (groupId: string): string => `paid_for = ${groupId}`;

/** The condition. `parameter` adds a value to the statement and returns its name there; `dayStart` is SQL. */
export function limitsSql(
  reserve: number,
  { perDay, perDayPerKey, allowance }: SpendLimits,
  { principal, serviceKey }: Spender,
  { parameter, dayStart }: { parameter: (value: unknown) => string; dayStart: string },
): string {
  const below = (where: string, limit: number) =>
    `${sumOf(where)} <= ${parameter(limitThousandths(limit) - costThousandths(reserve))}`;
  const today = ofDay(dayStart);
  return [
    '1 = 1',
    ...(perDay === undefined ? [] : [below(`principal = ${parameter(principal)} and ${today}`, perDay)]),
    ...(perDayPerKey === undefined
      ? []
      : [below(`service_key = ${parameter(serviceKey)} and ${today}`, perDayPerKey)]),
    ...(allowance === undefined ? [] : [below(groupRows(parameter(allowance.groupId)), allowance.credits)]),
  ].join(' and ');
}

/** A row of `spentSql`. */
export interface SpentRow {
  readonly by_principal: number;
  readonly by_key: number;
  readonly by_group: number;
  readonly now: number;
}

/** What was spent, in thousandths. Its parameters are the principal, the service key and the group. */
export const spentSql = (now: string, dayStart: string): string => `select
  ${sumOf(`principal = $1 and ${ofDay(dayStart)}`)} as by_principal,
  ${sumOf(`service_key = $2 and ${ofDay(dayStart)}`)} as by_key,
  ${sumOf(groupRows('$3'))} as by_group,
  ${now} as now`;

export function readSpent(row: SpentRow | undefined): Spending {
  if (row === undefined) throw new Error('A sum without a row');
  return {
    byPrincipal: toCredits(Number(row.by_principal)),
    byKey: toCredits(Number(row.by_key)),
    byGroup: toCredits(Number(row.by_group)),
    now: Number(row.now),
  };
}
