/** Watches as they are shown: all of them, or what one has told. */
import { toExact } from '../catalog/prices.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext, ListWatchesInput } from '../interface/gateway.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import type { GatewayStore, OpenStore } from '../paid/store.ts';
import type { PaidRow } from '../store/schema.ts';
import { maxListedWatches, type UnreadableRun, type WatchTotals } from '../store/watch-queries.ts';
import { countNews, lastRunOf, listedWatch, nextRunAt, problemOf, toldEntries } from './body.ts';

/** Runs with something to tell in one answer, and the characters that they may take. */
const maxTold = 50;
const defaultChars = 20_000;

interface Dependencies {
  readonly store: GatewayStore;
  /** Called when something of a watch was changed or read. */
  readonly onChange: (watchId: string) => void;
}

export async function listedWatches(
  { watch_id: id, after = 0, marksRead = true }: ListWatchesInput,
  context: CallContext,
  { store: opening, onChange }: Dependencies,
): Promise<Outcome> {
  const store = await opening.open();
  if (id !== undefined) {
    const newest = await store.watchQueries.newest(id);
    // A place that was never told would hide what is told until then.
    const start =
      after === 'newest' ? Math.max(0, newest - maxTold) : after === 'end' ? newest : Math.min(after, newest);
    const isNewest = after === 'newest';
    const { body, last } = await changesOf(id, { start, newest, isNewest }, context, store);
    if (marksRead) {
      await store.watches.markSeen(id, last);
      onChange(id);
    }
    return { body };
  }
  return { body: await allWatches(store) };
}

async function allWatches(store: OpenStore): Promise<JsonObject> {
  const [found, totals, unread, last] = await Promise.all([
    store.watchQueries.list(),
    store.watchQueries.totals(),
    store.watchQueries.unread(),
    store.watchQueries.unreadable(),
  ]);
  const failed = await failedRows([...last.values()], store);
  const watches = found.slice(0, maxListedWatches).map((watch) =>
    listedWatch(watch, totals.get(watch.id) ?? nothing, {
      unread: countNews(
        unread.filter(({ watch_id }) => watch_id === watch.id),
        () => true,
      ),
      last: last.get(watch.id),
      failed: failed.get(last.get(watch.id)?.failed_row ?? ''),
    }),
  );
  return {
    watches,
    ...(found.length > maxListedWatches && {
      note: `Only the newest ${maxListedWatches} are listed: older ones have ended.`,
    }),
  };
}

const nothing: WatchTotals = { changes: 0, credits: 0, isRunning: false };

/** Of watches that are failing, what was paid for the last failure. */
const failedRows = (
  runs: readonly UnreadableRun[],
  { rows }: OpenStore,
): Promise<ReadonlyMap<string, PaidRow>> =>
  rows.getAll(runs.map(({ failed_row }) => failed_row).filter((id) => id !== null));

interface Wanted {
  /** The place behind which it begins. */
  readonly start: number;
  /** The place of what was told last. */
  readonly newest: number;
  /** What is too much is left out at the beginning. */
  readonly isNewest: boolean;
}

/** What a watch has told. */
async function changesOf(
  id: string,
  { start, newest, isNewest }: Wanted,
  context: CallContext,
  store: OpenStore,
): Promise<{ readonly body: JsonObject; readonly last: number }> {
  const watch = await store.watchQueries.get(id);
  if (watch === undefined) throw watchNotFound(id);
  // Read first: what a run that has ended told is then among the changes.
  const totals = (await store.watchQueries.totals(id)).get(id) ?? nothing;
  const last = (await store.watchQueries.unreadable(id)).get(id);
  const failed = await failedRows(last === undefined ? [] : [last], store);
  const runs = await store.watchQueries.told(id, start, maxTold);
  const ids = runs
    .flatMap(({ row_id, previous_row }) => [row_id, previous_row])
    .filter((row) => row !== null);
  const rows = await store.rows.getAll([...new Set(ids)]);
  const told = runs.map((run) => ({ seq: run.seq ?? start, entries: toldEntries(run, rows) }));
  const shown = fitting(isNewest ? told.toReversed() : told, context.resultChars ?? defaultChars);
  if (isNewest) shown.reverse();
  const [first, end] = [shown[0]?.seq ?? start, shown.at(-1)?.seq ?? start];
  const body = {
    watch_id: id,
    changes: shown.flatMap(({ entries }) => entries),
    next_after: end,
    ...(end < newest && { has_more: true }),
    ...(isNewest && (await earlierOf(id, first, store))),
    state: watch.state,
    ...(totals.isRunning && { running: true }),
    next_run_at: nextRunAt(watch),
    ...lastRunOf(last),
    credits_used: toExact(totals.credits),
    missed: watch.missed,
    ...problemOf(watch, totals, failed.get(last?.failed_row ?? '')),
  };
  return { body, last: end };
}

/** As many from the beginning as there is room for; one at least. */
function fitting<Told extends { readonly entries: readonly JsonObject[] }>(
  told: readonly Told[],
  budget: number,
): Told[] {
  let chars = 0;
  const end = told.findIndex(({ entries }, index) => {
    chars += JSON.stringify(entries).length;
    return chars > budget && index > 0;
  });
  return told.slice(0, end < 0 ? told.length : end);
}

/** Says that there are entries before the first that is shown. */
async function earlierOf(id: string, first: number, { watchQueries }: OpenStore): Promise<JsonObject> {
  const [oldest] = await watchQueries.told(id, 0, 1);
  if (oldest?.seq == null || oldest.seq >= first) return {};
  return { truncated: { entries_before: first, next: { kind: 'watch', as: 'earlier', watch_id: id } } };
}

export const watchNotFound = (id: string): GatewayError =>
  new GatewayError('WATCH_NOT_FOUND', `No watch of yours has the id ${cleanText(id, 80)}, or it has ended.`, {
    kind: 'watch',
    as: 'list',
  });
