/**
 * When a watch is due: pure functions of a schedule, an anchor and a time. A cron expression is read in the wall time of its
 * zone: a time that does not exist there is due at the next one that does, one that exists twice at the first.
 */
import { hash } from 'node:crypto';
import { CronExpressionParser } from 'cron-parser';
import { IANAZone } from 'luxon';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The shortest and the longest pause between two due times. */
const pause = { leastMs: 15 * minuteMs, mostMs: 30 * dayMs };
/** A schedule that is counted further is projected from its first due times. */
const maxCounted = 1_000;
/** More than any zone's clock jumps. */
const jumpMs = dayMs;

export type Schedule =
  | { readonly kind: 'every'; readonly ms: number }
  | { readonly kind: 'cron'; readonly fields: string; readonly zone: string };

/** What the due times of one watch follow from. */
export interface Clockwork {
  readonly schedule: Schedule;
  /** When the schedule began: milliseconds since the epoch. */
  readonly anchor: number;
  /** Its due times are a little later than the schedule's, by a share of its own, so that watches do not all run at once. */
  readonly id: string;
}

export const isTimeZone = (zone: string): boolean => IANAZone.isValidZone(zone);

/** A schedule as a caller writes it, or what is wrong with it. */
export function parseSchedule(every: string, zone: string): Schedule | { readonly problem: string } {
  const text = every.trim();
  const [, count, unit = 'd'] = /^(\d{1,5}) ?(m|h|d)$/i.exec(text) ?? [];
  if (count === undefined) return parseCron(text, zone);
  const ms = Number(count) * (/m/i.test(unit) ? minuteMs : /h/i.test(unit) ? 60 * minuteMs : dayMs);
  return ms < pause.leastMs || ms > pause.mostMs
    ? { problem: 'must be from 15m to 30d' }
    : { kind: 'every', ms };
}

function parseCron(text: string, zone: string): Schedule | { readonly problem: string } {
  const parts = text.split(/\s+/);
  // `H` stands for a random value.
  if (parts.length !== 5 || parts.some((part) => /[^\w*,/#-]|(?:^|,)h/i.test(part)))
    return {
      problem: 'must be a pause such as "15m", "6h" or "1d", or five cron fields such as "0 8 * * 1-5"',
    };
  try {
    const fields = parts.join(' ');
    const expression = CronExpressionParser.parse(fields, { tz: 'UTC' });
    expression.next();
    const { minute, hour } = expression.fields;
    return isTooDense(toNumbers(minute.values), toNumbers(hour.values))
      ? { problem: 'must not be denser than every 15 minutes' }
      : { kind: 'cron', fields, zone };
  } catch {
    return { problem: 'is no cron expression that is ever due' };
  }
}

const toNumbers = (values: readonly unknown[]): number[] =>
  values.map(Number).sort((one, other) => one - other);

function isTooDense(minutes: readonly number[], hours: readonly number[]): boolean {
  const [first = 0, last = 0] = [minutes[0], minutes.at(-1)];
  const hasNext = hours.some((hour) => hours.includes((hour + 1) % 24));
  const gaps = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0));
  return [...gaps, ...(hasNext ? [60 - last + first] : [])].some((gap) => gap * minuteMs < pause.leastMs);
}

/** The first due time after a time. */
export function nextDue(clockwork: Clockwork, after: number): number {
  for (const due of duesAfter(clockwork, after)) return due;
  throw new Error('A schedule without a next time');
}

/**
 * How many due times there are after `from`, up to and with `to`, and the last of them. A number beyond 1,000 is projected
 * from those.
 */
export function duesBetween(
  clockwork: Clockwork,
  from: number,
  to: number,
): { readonly count: number; readonly last: number | undefined } {
  const { schedule } = clockwork;
  if (schedule.kind === 'every') {
    const first = nextDue(clockwork, from);
    if (first > to) return { count: 0, last: undefined };
    const further = Math.floor((to - first) / schedule.ms);
    return { count: further + 1, last: first + further * schedule.ms };
  }
  let last: number | undefined;
  let count = 0;
  for (const due of duesAfter(clockwork, from)) {
    if (due > to) break;
    last = due;
    count += 1;
    if (count < maxCounted) continue;
    const projected = Math.ceil((count * (to - from)) / (last - from));
    return { count: projected, last: lastBefore(clockwork, to) };
  }
  return { count, last };
}

/** The last due time up to a time, of a schedule that was due often before. */
function lastBefore(clockwork: Clockwork, to: number): number | undefined {
  for (const days of [1, 8, 32, 366]) {
    let last: number | undefined;
    for (const due of duesAfter(clockwork, to - days * dayMs)) {
      if (due > to) break;
      last = due;
    }
    if (last !== undefined) return last;
  }
  return undefined;
}

function* duesAfter(clockwork: Clockwork, after: number): Generator<number> {
  const { schedule, anchor } = clockwork;
  const jitter = jitterOf(clockwork);
  const from = Math.max(after - jitter, anchor);
  if (schedule.kind === 'cron') {
    for (const time of cronTimesAfter(schedule, from)) yield time + jitter;
    return;
  }
  for (let step = Math.floor((from - anchor) / schedule.ms) + 1; ; step += 1)
    yield anchor + step * schedule.ms + jitter;
}

/** The share of a schedule's pause by which a watch is later than it: at most 60 s for cron, else 5 %, at most 10 minutes. */
function jitterOf({ schedule, id }: Clockwork): number {
  const most = schedule.kind === 'cron' ? minuteMs : Math.min(schedule.ms / 20, 10 * minuteMs);
  return Math.floor((Number.parseInt(hash('sha256', id).slice(0, 8), 16) / 2 ** 32) * most);
}

/** By wall times, read as if they were UTC: how a zone's clock jumps is decided here, not by the parser. */
function* cronTimesAfter({ fields, zone: name }: Extract<Schedule, { kind: 'cron' }>, after: number) {
  const zone = IANAZone.create(name);
  // Around a jump of the clock earlier wall times may be later times.
  const isSteady = zone.offset(after - jumpMs) === zone.offset(after + jumpMs);
  const wall = after + zone.offset(after) * minuteMs - (isSteady ? 0 : jumpMs);
  const expression = CronExpressionParser.parse(fields, { tz: 'UTC', currentDate: wall });
  for (let last = after; ; ) {
    const time = atWallTime(expression.next().getTime(), zone);
    if (time <= last) continue;
    last = time;
    yield time;
  }
}

/** The first time at which the clock of a zone shows a wall time, or has jumped over it. */
function atWallTime(wall: number, zone: IANAZone): number {
  const offsetAt = (time: number) => zone.offset(time) * minuteMs;
  // Offsets before and after a jump nearby; with the earlier one the reading is the first.
  const [old, now] = [offsetAt(wall - dayMs), offsetAt(wall + dayMs)];
  const first = [wall - old, wall - now].find((time) => time + offsetAt(time) === wall);
  if (first !== undefined) return first;
  let [before, after] = [wall - dayMs, wall + dayMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === old) before = middle;
    else after = middle;
  }
  return after;
}
