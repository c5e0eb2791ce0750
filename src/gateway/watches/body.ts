/** Watches as callers see them. */
import { toExact } from '../catalog/prices.ts';
import { cleanText } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { ownJobId, parseObject, toJobId } from '../paid/call.ts';
import { driftOf, mendFailed } from '../results/job-body.ts';
import type { PaidRow, WatchRow, WatchRunRow } from '../store/schema.ts';
import type { WatchTotals } from '../store/watch-queries.ts';
import { isServed, parseNames } from './stored.ts';
import { parseProblem } from './watch-runs.ts';

const maxParams = 500;

const timeOf = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

/** When it runs next; null where no time will make it run. */
export const nextRunAt = (watch: WatchRow): string | null =>
  isServed(watch) ? timeOf(Math.min(watch.next_at, watch.extra_at ?? watch.next_at)) : null;

export const ignoredOf = ({ ignore, unsteady }: WatchRow): readonly string[] =>
  [...new Set([...(ignore === null ? [] : parseNames(ignore)), ...parseNames(unsteady)])].sort();

/** One watch in the list of all. */
export function listedWatch(
  watch: WatchRow,
  { changes, credits, isRunning, unseen }: WatchTotals & { readonly unseen: number },
): JsonObject {
  const params = parseObject(watch.params);
  return {
    watch_id: watch.id,
    action_id: cleanText(watch.action_id, 200),
    params: JSON.stringify(params).length <= maxParams ? params : `${watch.params.slice(0, maxParams)}…`,
    state: watch.state,
    ...(isRunning && { running: true }),
    every: watch.every,
    next_run_at: nextRunAt(watch),
    last_run_at: timeOf(watch.last_run_at),
    changes,
    ...(unseen > 0 && { unread: unseen }),
    credits_used: toExact(credits),
    ...problemOf(watch),
  };
}

export function problemOf({ problem }: WatchRow): JsonObject {
  const error = parseProblem(problem);
  return error === undefined ? {} : { error: { code: error.code, message: error.message } };
}

/** What one run tells: an entry for each kind of news. */
export function toldEntries(run: WatchRunRow, rows: ReadonlyMap<string, PaidRow>): JsonObject[] {
  const jobOf = (id: string | null) => {
    const row = rows.get(id ?? '');
    return row === undefined ? (id === null ? undefined : ownJobId(id)) : toJobId(row);
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
    ...(run.row_id !== null && { job_id: jobOf(run.row_id) }),
    ...(kind === 'changed' && run.previous_row !== null && { previous_job_id: jobOf(run.previous_row) }),
    ...(kind === 'failing' && row !== undefined && nextOf(row)),
  }));
}

function nextOf(row: PaidRow): { next?: NextStep } {
  const next = mendFailed(row);
  return next === undefined ? {} : { next };
}

const summaryOf = (kind: string, summary: string | null): string | null =>
  kind === 'recovered' ? 'It runs again.' : summary;
