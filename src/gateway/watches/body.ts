/** Watches as callers see them. */
import { toExact } from '../catalog/prices.ts';
import { cleanText } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { ownJobId, parseObject, toJobId } from '../paid/call-identity.ts';
import type { WatchQuote } from '../paid/quote.ts';
import { driftOf, mendFailed } from '../results/job-body.ts';
import type { PaidRow, WatchRow, WatchRunRow } from '../store/schema.ts';
import type { UnreadableRun, UnreadNews, WatchTotals } from '../store/watch-queries.ts';
import { failingFrom, isServed, parseNames, parseProblem } from './stored.ts';

const maxParams = 500;
const maxMessage = 300;
const maxWhen = 200;

const timeOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

/** When it runs next; null where no time will make it run. */
export const nextRunAt = (watch: WatchRow): string | null =>
  isServed(watch) ? timeOf(Math.min(watch.next_at, watch.extra_at ?? watch.next_at)) : null;

const ignoredOf = ({ ignore, unsteady }: WatchRow): readonly string[] =>
  [...new Set([...(ignore === null ? [] : parseNames(ignore)), ...parseNames(unsteady)])].sort();

/** What decides which differences are told; absent: all are. */
const whenOf = ({ told_when: when }: WatchRow): JsonObject =>
  when === null ? {} : { when: cleanText(when, maxWhen) };

/** What is known of a watch beside its own row. */
interface Beside {
  readonly unread: number;
  readonly last: UnreadableRun | undefined;
  readonly failed: PaidRow | undefined;
}

/** One watch in the list of all. */
export function listedWatch(
  watch: WatchRow,
  totals: WatchTotals,
  { unread, last, failed }: Beside,
): JsonObject {
  const { changes, credits, isRunning } = totals;
  const params = parseObject(watch.params);
  return {
    watch_id: watch.id,
    action_id: cleanText(watch.action_id, 200),
    params: JSON.stringify(params).length <= maxParams ? params : `${watch.params.slice(0, maxParams)}…`,
    state: watch.state,
    ...(isRunning && { running: true }),
    every: watch.every,
    ...whenOf(watch),
    next_run_at: nextRunAt(watch),
    last_run_at: timeOf(watch.last_run_at),
    ...lastRunOf(last),
    changes,
    ...(unread > 0 && { unread }),
    credits_used: toExact(credits),
    ...problemOf(watch, totals, failed),
  };
}

/** What became of a last run that brought no version: nothing was compared, which is not the same as no change. */
export const lastRunOf = (run: UnreadableRun | undefined): JsonObject =>
  run === undefined
    ? {}
    : {
        last_run: {
          outcome: run.outcome,
          at: timeOf(run.ended_at),
          message: cleanText(run.summary ?? '', maxMessage),
        },
      };

/** Why a watch does not run as it should, and what helps now. `failed`: the paid row of the run that failed last. */
export function problemOf(
  watch: WatchRow,
  { credits }: Pick<WatchTotals, 'credits'>,
  failed?: PaidRow,
): JsonObject {
  const error = parseProblem(watch.problem);
  const next = nextOf(watch, error?.code ?? '', toExact(credits), failed);
  return {
    ...(error !== undefined && { error: { code: error.code, message: error.message } }),
    ...(next !== undefined && { next }),
  };
}

function nextOf(
  { id: watch_id, state, allowance, price }: WatchRow,
  code: string,
  credits: number,
  failed: PaidRow | undefined,
): NextStep | undefined {
  if (state === 'needs_person') return { kind: 'watch', as: 'resume', once: resumedOnce(code), watch_id };
  if (state === 'failing') return (failed && mendFailed(failed)) ?? { kind: 'watch', as: 'pause', watch_id };
  const isSpent = state === 'active' && credits + price > allowance;
  return isSpent ? { kind: 'watch', as: 'raise-total', watch_id } : undefined;
}

function resumedOnce(code: string) {
  if (code === 'PRICE_CHANGED') return 'price-accepted';
  if (code.startsWith('AUTH_') || code.startsWith('IDENTITY_')) return 'signed-in';
  return code === 'UNAUTHORIZED' ? 'key-accepted' : 'mended';
}

/** How many entries a watch told that nobody has read, by what they tell. */
export const countNews = (unread: readonly UnreadNews[], isCounted: (kind: string) => boolean): number =>
  unread.reduce((sum, { told, runs }) => sum + runs * parseNames(told ?? '[]').filter(isCounted).length, 0);

/** What one run tells: an entry for each kind of news. */
export function toldEntries(run: WatchRunRow, rows: ReadonlyMap<string, PaidRow>): JsonObject[] {
  // What was never sent is no job.
  const jobOf = (name: string, id: string | null) => {
    const row = rows.get(id ?? '');
    if (id === null || (row === undefined ? run.outcome === 'skipped' : row.state === 'refused')) return {};
    return { [name]: row === undefined ? ownJobId(id) : toJobId(row) };
  };
  const difference = run.difference === null ? {} : parseObject(run.difference);
  const row = rows.get(run.row_id ?? '');
  const nothing = { added: [], removed: [], changed: [] };
  return parseNames(run.told ?? '[]').map((kind) => ({
    seq: run.seq,
    at: timeOf(run.ended_at),
    due_at: timeOf(run.due_at),
    kind,
    summary: summaryOf(kind, run.summary),
    ...nothing,
    ...(kind === 'changed' && { ...difference, ...(row !== undefined && driftOf(row)) }),
    ...jobOf('job_id', run.row_id),
    ...(kind === 'changed' && jobOf('previous_job_id', run.previous_row)),
  }));
}

/** What a kind of news means for the watch, before why it came. */
const meanings: Readonly<Record<string, string>> = {
  failing: `${failingFrom} runs in a row have failed; it goes on, at a slower pace.`,
  skipped: 'A due time was skipped, and is not made up.',
  unknown: 'A run is in doubt; the next due time is a run of its own.',
  needs_person: 'It does not run until it is resumed.',
};

const summaryOf = (kind: string, summary: string | null): string | null =>
  kind === 'recovered' ? 'It runs again.' : [meanings[kind], summary].filter(Boolean).join(' ') || null;

/** A watch that was made or changed. */
export function madeBody(watch: WatchRow, { unit, projected }: WatchQuote): JsonObject {
  return {
    watch_id: watch.id,
    state: watch.state,
    compared_by: watch.compared_by,
    ignored: ignoredOf(watch),
    ...whenOf(watch),
    next_run_at: nextRunAt(watch),
    until: new Date(watch.until_at).toISOString(),
    costs: {
      first: unit.reserve,
      each: unit.reserve,
      until_end: projected.reserve,
      max_credits: watch.allowance,
    },
  };
}

/** Where what it may cost, or a day, may skip runs. */
export function skippingNotes({ unit, projected, left, allowance, perDay }: WatchQuote): string[] {
  const limit =
    left < projected.reserve
      ? `max_credits ${left === allowance ? 'allows' : 'leaves'} ${left}`
      : perDay !== undefined && projected.reserve > perDay
        ? `a day ${perDay} (SVC_MAX_CREDITS_PER_DAY)`
        : undefined;
  return limit === undefined
    ? []
    : [
        `All its runs may cost ${projected.reserve} credits, and ${limit}: a run that does not fit (${unit.reserve}) is skipped and told.`,
      ];
}
