/** What a caller says of a watch, read and checked. */
import { hash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { SearchResult } from '../../contract/resources.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { NewWatchInput } from '../interface/gateway.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { callHash } from '../paid/call-identity.ts';
import type { WatchRow } from '../store/schema.ts';
import type { Compared } from './compare-versions.ts';
import { type Clockwork, isTimeZone, parseSchedule } from './schedule.ts';
import { problemOfWhen } from './when.ts';

const dayMs = 24 * 60 * 60_000;
const usualDays = 30;
const mostDays = 366;
const defaultZone = 'UTC';
const maxNamed = 5;
/** Of `when`: what there is, so all of it. */
const tellAll = '@';

/** Throws `INVALID_PARAMS` for one argument. */
export function refuseArgument(path: string, message: string): never {
  throw new GatewayError(
    'INVALID_PARAMS',
    `The arguments do not match the input schema of watch (${path}); see issues. Nothing was sent.`,
    { kind: 'correct', named: 'issues', tool: 'watch' },
    { issues: [{ path, message }] },
  );
}

/** Settings that a caller may give a watch, as they are stored; members that were not given are absent. */
export function readSettings(
  input: NewWatchInput,
  now: number,
): Partial<Pick<WatchRow, 'every' | 'time_zone' | 'key_field' | 'ignore' | 'told_when' | 'until_at'>> {
  const { every, time_zone: zone, key, ignore, when, until } = input;
  if (zone !== undefined && !isTimeZone(zone))
    refuseArgument('time_zone', 'must be a name such as Europe/Berlin or UTC');
  if (every !== undefined) {
    const schedule = parseSchedule(every, zone ?? defaultZone);
    if ('problem' in schedule) refuseArgument('every', schedule.problem);
  }
  const problem = when === undefined ? undefined : problemOfWhen(when);
  if (problem !== undefined) refuseArgument('when', problem);
  return {
    ...(every !== undefined && { every }),
    ...(zone !== undefined && { time_zone: zone }),
    ...(key !== undefined && { key_field: key }),
    ...(ignore !== undefined && { ignore: JSON.stringify([...ignore]) }),
    ...(when !== undefined && { told_when: when.trim() === tellAll ? null : when }),
    ...(until !== undefined && { until_at: readUntil(until, zone ?? defaultZone, now) }),
  };
}

export const defaults = (now: number) => ({ time_zone: defaultZone, until_at: now + usualDays * dayMs });

/** Said of a version that does not hold all rows. `data`: of its run. */
export function partialNote(data: unknown, version: 'first' | 'last' = 'first'): string | undefined {
  const { has_more, returned, total }: Readonly<Record<string, unknown>> = Object(data);
  if (has_more !== true && has_more !== null) return undefined;
  const count =
    typeof returned === 'number' && typeof total === 'number'
      ? `${returned} of ${total} rows`
      : 'not all rows';
  const holds = has_more === null ? 'may not hold all rows' : `holds ${count}`;
  return `The ${version} version ${holds}: what is beyond them is not watched, and no row is told as removed. A param such as max_pages may read more.`;
}

/**
 * Said of names that a version does not have: they may be mistaken, or of a field that is not always there. And of rows that no
 * key tells apart, of which no change of a field is known.
 */
export function missingNotes(
  key: string | null,
  {
    comparedBy,
    rows,
    wholeRows,
    missing,
    whenDoubt,
  }: Pick<Compared, 'comparedBy' | 'rows' | 'wholeRows' | 'missing' | 'whenDoubt'>,
): string[] {
  const ignored = missing.filter((name) => name !== key);
  const list = ignored.slice(0, maxNamed).map((name) => cleanText(name, 60));
  const more = ignored.length > maxNamed ? ` and ${ignored.length - maxNamed} more` : '';
  return [
    ...(key !== null && missing.includes(key)
      ? [
          `Nothing in the version that was read has the key ${cleanText(key, 60)}: it is compared by ${comparedBy}.`,
        ]
      : []),
    ...(wholeRows > 0
      ? [
          `${wholeRows} of ${rows} rows share what tells rows apart (${cleanText(comparedBy, 60)}) or lack it: a change of one of them is told as a row removed and a row added, never in \`changed\`.`,
        ]
      : []),
    ...(list.length > 0
      ? [`Nothing in the version that was read has what is to be ignored: ${list.join(', ')}${more}.`]
      : []),
    ...(whenDoubt === undefined ? [] : [cleanText(whenDoubt, 400)]),
  ];
}

/** A day means its end. */
function readUntil(until: string, zone: string, now: number): number {
  const time = DateTime.fromISO(until.trim(), { zone });
  if (!time.isValid) return refuseArgument('until', 'must be a day or a time, such as 2027-01-31');
  const end = (/^[\d-]+$/.test(until.trim()) ? time.endOf('day') : time).toMillis();
  if (end <= now || end > now + mostDays * dayMs)
    return refuseArgument('until', 'must be in the future, at most a year from now');
  return end;
}

/** What makes two watches the same: the action, its params and the account, by name. */
export const watchHash = (action: SearchResult, params: JsonObject, account: string | null): string =>
  hash(
    'sha256',
    callHash({ kind: 'run', subject: action.action_id, params, credentialId: account ?? undefined }),
  );

/** What the due times of a watch follow from. Its schedule was read before it was stored. */
export function clockworkOf({ id, every, time_zone, anchor }: WatchRow): Clockwork {
  const schedule = parseSchedule(every, time_zone);
  if ('problem' in schedule) throw new Error(`The schedule of ${id} ${schedule.problem}`);
  return { schedule, anchor, id };
}
