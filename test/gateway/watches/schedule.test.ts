import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Clockwork,
  duesBetween,
  isTimeZone,
  nextDue,
  parseSchedule,
} from '../../../src/gateway/watches/schedule.ts';

const dayMs = 24 * 60 * 60_000;
const anchor = Date.parse('2026-01-01T00:00:00Z');

function clockwork(every: string, zone = 'UTC', id = 'watch-a'): Clockwork {
  const schedule = parseSchedule(every, zone);
  if ('problem' in schedule) throw new Error(schedule.problem);
  return { schedule, anchor, id };
}

/** Due times to the minute, as UTC. */
function dues(every: string, zone: string, from: string, count: number): string[] {
  const work = clockwork(every, zone);
  let time = Date.parse(from);
  return Array.from({ length: count }, () => {
    time = nextDue(work, time);
    return new Date(time).toISOString().slice(5, 16);
  });
}

describe('a schedule', () => {
  it.each([
    '15m',
    '90m',
    '6h',
    '1d',
    '30d',
    ' 2 h ',
    '0 8 * * 1-5',
    '*/15 * * * *',
    '50,5 * * * *',
    '55,5 8 * * *',
    '0 8 * * MON',
    '0 0 L * *',
  ])('may be %s', (every) => expect(parseSchedule(every, 'UTC')).not.toHaveProperty('problem'));

  it.each([
    ['14m', /15m to 30d/],
    ['31d', /15m to 30d/],
    ['0m', /15m to 30d/],
    ['*/10 * * * *', /denser/],
    ['* * * * *', /denser/],
    ['55,5 * * * *', /denser/],
    ['0 0 30 2 *', /ever due/],
    ['61 * * * *', /ever due/],
    ['0 0 8 * * *', /five cron fields/],
    ['H 8 * * *', /five cron fields/],
    ['@hourly', /five cron fields/],
    ['daily', /five cron fields/],
    ['', /five cron fields/],
  ])('may not be %s', (every, problem) => {
    expect(parseSchedule(every, 'UTC')).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('knows the names of time zones', () => {
    expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false]);
  });
});

describe('where clocks are put forward', () => {
  it('a time that does not exist is due at the next one that does', () => {
    expect(dues('30 2 * * *', 'America/New_York', '2026-03-07T00:00:00Z', 3)).toEqual([
      '03-07T07:30',
      '03-08T07:00',
      '03-09T06:30',
    ]);
    expect(dues('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', 2)).toEqual([
      '10-03T15:30',
      '10-04T15:15',
    ]);
  });

  it('several such times are due once', () => {
    expect(dues('*/15 2 * * *', 'Europe/Berlin', '2026-03-29T00:30:00Z', 2)).toEqual([
      '03-29T01:00',
      '03-30T00:00',
    ]);
  });
});

describe('where clocks are put back', () => {
  it('a time that exists twice is due at the first', () => {
    expect(dues('30 1 * * *', 'America/New_York', '2026-10-31T06:00:00Z', 2)).toEqual([
      '11-01T05:30',
      '11-02T06:30',
    ]);
    expect(dues('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 3)).toEqual([
      '10-25T00:00',
      '10-25T02:00',
      '10-25T03:00',
    ]);
  });
});

describe('due times', () => {
  it('are later than the schedule by a share of their own: of cron at most a minute, else 5 %, at most 10 minutes', () => {
    const lateness = (every: string) =>
      Array.from({ length: 200 }, (_, index) => {
        const plain = every === '0 * * * *' ? 60 * 60_000 : Number.parseInt(every, 10) * 60_000;
        return (nextDue(clockwork(every, 'UTC', `watch-${index}`), anchor) - anchor) % plain;
      });
    for (const [every, most] of [
      ['0 * * * *', 60_000],
      ['20m', 60_000],
      ['1440m', 600_000],
    ] as const) {
      const late = lateness(every);
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...late)).toBeLessThan(most);
      expect(new Set(late).size).toBeGreaterThan(150);
    }
  });

  it('follow from the anchor alone, whatever the clock did meanwhile', () => {
    const work = clockwork('7h');
    const due = nextDue(work, anchor + 100 * dayMs);
    expect(nextDue(work, due - 1)).toBe(due);
    expect(nextDue(work, anchor - 50 * dayMs)).toBe(nextDue(work, anchor));
  });

  it('that were missed are counted, and the last one of them is known', () => {
    const work = clockwork('6h');
    const first = nextDue(work, anchor);
    expect(duesBetween(work, first, first + 2 * dayMs)).toEqual({ count: 8, last: first + 2 * dayMs });
    expect(duesBetween(work, first, first + 1000)).toEqual({ count: 0, last: undefined });
  });

  it('of a whole year are projected', () => {
    const { count, last = 0 } = duesBetween(
      clockwork('*/15 * * * *', 'Europe/Berlin'),
      anchor,
      anchor + 365 * dayMs,
    );
    expect(Math.abs(count - 365 * 96)).toBeLessThan(200);
    expect(anchor + 365 * dayMs - last).toBeLessThan(15 * 60_000);
  });

  const zones = fc.constantFrom(
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Casablanca',
  );
  const schedules = fc.constantFrom(
    '15m',
    '7h',
    '1d',
    '*/15 * * * *',
    '30 1-3 * * *',
    '0 0 1 * *',
    '45 2 * * 0',
  );

  it('only grow, never lie before what was asked for, and are counted one by one', () => {
    const offsets = fc.integer({ min: 0, max: 400 * dayMs });
    fc.assert(
      fc.property(schedules, zones, offsets, (every, zone, offset) => {
        const work = clockwork(every, zone);
        const times = [anchor + offset];
        for (let index = 0; index < 6; index += 1) times.push(nextDue(work, times.at(-1) ?? 0));
        for (const [index, time] of times.entries()) expect(time).toBeGreaterThan(times[index - 1] ?? 0);
        expect(duesBetween(work, times[0] ?? 0, times[6] ?? 0)).toEqual({ count: 6, last: times[6] });
        expect(nextDue(work, (times[4] ?? 0) - 1)).toBe(times[4]);
      }),
      { numRuns: 60 },
    );
  });
});
