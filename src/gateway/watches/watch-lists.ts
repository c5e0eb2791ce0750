/** Watches as they are shown: all of them, or what one has told. */
import type { Catalog } from '../catalog/catalog.ts';
import { toExact } from '../catalog/prices.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext, ListWatchesInput } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import type { GatewayStore, OpenStore } from '../paid/store.ts';
import { readPart } from '../results/viewer.ts';
import type { PaidRow, WatchRow } from '../store/schema.ts';
import { maxListedWatches, type UnreadableRun, type WatchTotals } from '../store/watch-queries.ts';
import { countNews, lastRunOf, listedWatch, nextRunAt, problemOf, toldEntries } from './body.ts';
import { isServed } from './stored.ts';
import { partialNote } from './watch-input.ts';

/** Runs with something to tell in one answer, and the characters that they may take. */
const maxTold = 50;
const defaultChars = 20_000;

/** Who reads results: the principal's id, and its call. */
type Reader = Parameters<typeof readPart>[1];

interface Dependencies {
  readonly store: GatewayStore;
  readonly catalog: Pick<Catalog, 'snapshotFor'>;
  /** Called when something of a watch was changed or read. */
  readonly onChange: (watchId: string) => void;
}

export async function listedWatches(
  { watch_id: id, after = 0, marksRead = true }: ListWatchesInput,
  context: CallContext,
  { store: opening, catalog, onChange }: Dependencies,
): Promise<Outcome> {
  const store = await opening.open();
  const reader = { key: opening.principalId, signal: context.signal };
  if (id !== undefined) {
    const newest = await store.watchQueries.newest(id);
    // A place that was never told would hide what is told until then.
    const start =
      after === 'newest' ? Math.max(0, newest - maxTold) : after === 'end' ? newest : Math.min(after, newest);
    const isNewest = after === 'newest';
    const { body, last } = await changesOf(
      id,
      { start, newest, isNewest },
      { ...reader, chars: context.resultChars ?? defaultChars },
      store,
      catalog,
    );
    if (marksRead) {
      await store.watches.markSeen(id, last);
      onChange(id);
    }
    return { body };
  }
  return { body: await allWatches(store, reader, catalog) };
}

async function allWatches(
  store: OpenStore,
  reader: Reader,
  catalog: Dependencies['catalog'],
): Promise<JsonObject> {
  const [found, totals, unread, last] = await Promise.all([
    store.watchQueries.list(),
    store.watchQueries.totals(),
    store.watchQueries.unread(),
    store.watchQueries.unreadable(),
  ]);
  const failed = await failedRows([...last.values()], store);
  const listed = found.slice(0, maxListedWatches).map(async (watch) => ({
    ...listedWatch(watch, totals.get(watch.id) ?? nothing, {
      unread: countNews(
        unread.filter(({ watch_id }) => watch_id === watch.id),
        () => true,
      ),
      last: last.get(watch.id),
      failed: failed.get(last.get(watch.id)?.failed_row ?? ''),
    }),
    ...(await notesOf(watch, store, reader)),
    ...(await absenceOf(watch, catalog)),
  }));
  const watches = await Promise.all(listed);
  return {
    watches,
    ...(watches.length === 0 && { next: { kind: 'nothing-yet', of: 'watches' } satisfies NextStep }),
    ...(found.length > maxListedWatches && {
      note: `Only the newest ${maxListedWatches} are listed: older ones have ended.`,
    }),
  };
}

/** Says that a watch which would run lacks its action: it fails at its due times until there is one again. */
async function absenceOf(watch: WatchRow, catalog: Dependencies['catalog']): Promise<JsonObject> {
  if (!isServed(watch)) return {};
  const snapshot = await catalog.snapshotFor(watch.action_id).catch(() => undefined);
  if (snapshot === undefined || snapshot.action(watch.action_id) !== undefined) return {};
  const message = `There is no visible action ${cleanText(watch.action_id, 200)} any more.`;
  const next: NextStep = { kind: 'watch', as: 'without-action', watch_id: watch.id };
  return { error: { code: 'ACTION_NOT_FOUND', message }, next };
}

/** What the list of changes alone would not say. */
async function notesOf(watch: WatchRow, store: OpenStore, reader: Reader): Promise<{ note?: string }> {
  const notes = [unsettledNote(watch), await partialNoteOf(watch, store, reader)];
  const said = notes.filter((note) => note !== undefined);
  return said.length === 0 ? {} : { note: said.join(' ') };
}

/** Says that the last run found something that is not told yet. */
function unsettledNote(watch: WatchRow): string | undefined {
  if (watch.suspect_row === null || !isServed(watch)) return undefined;
  return `Its last run found so much else that nothing of it is told before the page was read once more, at ${nextRunAt(watch)}.`;
}

/** Says again that a watch does not see all rows: those of the version that it compares with, where that can be read. */
async function partialNoteOf(
  { state, base_row: base }: WatchRow,
  { results }: OpenStore,
  reader: Reader,
): Promise<string | undefined> {
  if (base === null || state === 'ended') return undefined;
  const kept = await results.readBytes(base);
  if (kept === undefined) return undefined;
  const read = async (select: string): Promise<unknown> => {
    const { data, missing } = await readPart({ kept, budget: 1_000, select }, reader);
    return missing === undefined ? data : undefined;
  };
  // What is only a hint keeps nobody from the list.
  const has_more = await read('has_more').catch(() => undefined);
  if (has_more !== true && has_more !== null) return undefined;
  const [returned, total] = await Promise.all(
    ['returned', 'total'].map((name) => read(name).catch(() => undefined)),
  );
  return partialNote({ has_more, returned, total }, 'last');
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
  { chars, ...reader }: Reader & { readonly chars: number },
  store: OpenStore,
  catalog: Dependencies['catalog'],
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
  const shown = fitting(isNewest ? told.toReversed() : told, chars);
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
    ...(await notesOf(watch, store, reader)),
    ...problemOf(watch, totals, failed.get(last?.failed_row ?? '')),
    ...(await absenceOf(watch, catalog)),
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
