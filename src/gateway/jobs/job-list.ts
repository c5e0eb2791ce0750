/** `get_job` without an id: the paid calls and batches of this principal, the newest first. */

import type { Snapshot } from '../catalog/snapshot.ts';
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { GatewayStore } from '../store/gateway-store.ts';
import type { Intent } from '../store/intents.ts';
import { ownJobId } from '../store/job-ids.ts';
import type { BatchProgress } from '../store/kept-batches.ts';
import { undeliveredMs } from '../store/states.ts';
import { parseError } from '../store/stored-json.ts';

const defaultLimit = 25;
const maxLimit = 100;
/** Characters that are shown of the first input of a batch. */
const maxParams = 120;

export async function listJobs(
  store: GatewayStore,
  snapshot: Snapshot,
  { limit, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): Promise<JsonObject> {
  const { intents, batches, recent } = await store.open();
  const count = Math.min(limit ?? defaultLimit, maxLimit);
  const [rows, total, spent] = await Promise.all([
    recent.page(count, offset),
    recent.count(),
    intents.spentToday(),
  ]);
  const jobs = await Promise.all(
    rows.map(async ({ kind, id }) => {
      if (kind === 'batch') {
        const progress = await batches.progress(id);
        return progress && listedBatch(progress, snapshot);
      }
      const intent = await intents.reread(id);
      return intent && listedCall(intent, snapshot);
    }),
  );
  const end = offset + rows.length;
  const hasMore = end < total;
  return {
    returned: rows.length,
    total,
    has_more: hasMore,
    credits_spent_today: spent.byPrincipal,
    ...(hasMore && {
      next: `Call get_job ${JSON.stringify({ offset: end, limit: count })} for older jobs; it costs nothing.`,
    }),
    // One that was deleted meanwhile is missing.
    jobs: jobs.filter((job) => job !== undefined),
  };
}

const toIsoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());
const isLongAgo = (finishedAt: number) => Date.now() > finishedAt + undeliveredMs;
const toAction = (id: string, snapshot: Snapshot) => ({
  action_id: cleanText(id, 200),
  tool: snapshot.getToolName(id) ?? null,
});

function listedCall(row: Intent, snapshot: Snapshot): JsonObject {
  const abandoned = row.state === 'finished' && isLongAgo(row.finished_at ?? 0);
  const status =
    row.outcome ?? (row.state === 'submitted' || row.state === 'intended' ? 'processing' : row.state);
  return {
    job_id: row.job_id ?? ownJobId(row.id),
    kind: row.kind,
    ...(row.kind === 'run' ? toAction(row.subject, snapshot) : { website_url: cleanText(row.subject, 500) }),
    ...(row.params === null || row.params === '{}' ? {} : { params: row.params }),
    ...(row.account === null ? {} : { account: row.account || null }),
    status,
    delivered: row.state === 'delivered' || abandoned,
    credits: row.charged,
    created_at: toIsoTime(row.created_at),
    ...(row.finished_at === null ? {} : { completed_at: toIsoTime(row.finished_at) }),
    ...(row.refusal === null ? {} : { error: parseError(row.refusal) }),
  };
}

function listedBatch(
  { batch, state, rows, intents, completed }: BatchProgress,
  snapshot: Snapshot,
): JsonObject {
  // Equal inputs are one run, and what was joined or taken from earlier runs cost this batch nothing.
  const ownIntents = new Map(
    intents.filter((run) => run.created_at >= batch.created_at).map((run) => [run.id, run.charged]),
  );
  const account = intents[0]?.account ?? null;
  return {
    job_id: batch.id,
    kind: 'batch',
    ...toAction(batch.action_id, snapshot),
    rows_total: rows.length,
    rows_completed: completed,
    params: cleanText(rows[0]?.params ?? '', maxParams),
    ...(account === null ? {} : { account: account || null }),
    status: state === 'under-way' ? 'processing' : state,
    delivered: batch.open === 0 || (batch.finished_at !== null && isLongAgo(batch.finished_at)),
    credits: [...ownIntents.values()].reduce((sum, credits) => sum + credits, 0),
    created_at: toIsoTime(batch.created_at),
    ...(batch.finished_at === null ? {} : { completed_at: toIsoTime(batch.finished_at) }),
    ...(batch.stopped === null ? {} : { error: parseError(batch.stopped) }),
  };
}
