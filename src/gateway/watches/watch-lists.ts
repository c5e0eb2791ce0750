/** Watches as they are shown: all of them, or what one has told. */
import { toExact } from '../catalog/prices.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext, ListWatchesInput } from '../interface/gateway.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import type { GatewayStore, OpenStore } from '../paid/store.ts';
import { listedWatch, nextRunAt, problemOf, toldEntries } from './body.ts';

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
    const { body, last } = await changesOf(id, { start, newest }, context, store);
    if (marksRead) {
      await store.watches.markSeen(id, last);
      onChange(id);
    }
    return { body };
  }
  const [watches, totals, unseen] = await Promise.all([
    store.watchQueries.list(),
    store.watchQueries.totals(),
    store.watchQueries.unseen(),
  ]);
  const unread = (watchId: string) => unseen.filter(({ watch_id }) => watch_id === watchId).length;
  const listed = watches.map((watch) =>
    listedWatch(watch, {
      changes: 0,
      credits: 0,
      isRunning: false,
      ...totals.get(watch.id),
      unseen: unread(watch.id),
    }),
  );
  return { body: { watches: listed } };
}

/** What a watch has told. */
async function changesOf(
  id: string,
  { start, newest }: { readonly start: number; readonly newest: number },
  context: CallContext,
  store: OpenStore,
): Promise<{ readonly body: JsonObject; readonly last: number }> {
  const watch = await store.watchQueries.get(id);
  if (watch === undefined) throw watchNotFound(id);
  // Read first: what a run that has ended told is then among the changes.
  const totals = (await store.watchQueries.totals(id)).get(id);
  const runs = await store.watchQueries.told(id, start, maxTold);
  const ids = runs
    .flatMap(({ row_id, previous_row }) => [row_id, previous_row])
    .filter((row) => row !== null);
  const rows = await store.rows.getAll([...new Set(ids)]);
  const budget = context.resultChars ?? defaultChars;
  const changes: JsonObject[] = [];
  let chars = 0;
  let last = start;
  for (const run of runs) {
    const entries = toldEntries(run, rows);
    chars += JSON.stringify(entries).length;
    if (chars > budget && changes.length > 0) break;
    changes.push(...entries);
    last = run.seq ?? last;
  }
  const hasMore = last !== (runs.at(-1)?.seq ?? last) || last < newest;
  const body = {
    watch_id: id,
    changes,
    next_after: last,
    ...(hasMore && { has_more: true }),
    state: watch.state,
    ...(totals?.isRunning === true && { running: true }),
    next_run_at: nextRunAt(watch),
    credits_used: toExact(totals?.credits ?? 0),
    missed: watch.missed,
    ...problemOf(watch),
  };
  return { body, last };
}

export const watchNotFound = (id: string): GatewayError =>
  new GatewayError('WATCH_NOT_FOUND', `No watch of yours has the id ${cleanText(id, 80)}, or it has ended.`, {
    kind: 'watch',
    as: 'list',
  });
