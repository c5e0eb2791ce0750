/** `get_job` without an id: the paid calls of this principal, the newest first. */
import type { Snapshot } from './catalog/snapshot.ts';
import type { JsonObject } from './outcomes.ts';
import type { Intent } from './paid-calls/intents.ts';
import { ownJobId } from './paid-calls/job-ids.ts';
import { undeliveredMs } from './paid-calls/states.ts';
import type { GatewayStore } from './store/gateway-store.ts';
import { cleanText } from './text.ts';

const defaultLimit = 25;
const maxLimit = 100;

export async function listJobs(
  store: GatewayStore,
  snapshot: Snapshot,
  { limit, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): Promise<JsonObject> {
  const { intents } = await store.open();
  const count = Math.min(limit ?? defaultLimit, maxLimit);
  const [rows, total, spent] = await Promise.all([
    intents.recent(count, offset),
    intents.count(),
    intents.spentToday(),
  ]);
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
    jobs: rows.map((row) => shownJob(row, snapshot)),
  };
}

function shownJob(row: Intent, snapshot: Snapshot): JsonObject {
  const at = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  const abandoned = row.state === 'finished' && Date.now() > (row.finished_at ?? 0) + undeliveredMs;
  const status =
    row.outcome ?? (row.state === 'submitted' || row.state === 'intended' ? 'processing' : row.state);
  return {
    job_id: row.job_id ?? ownJobId(row.id),
    kind: row.kind,
    ...(row.kind === 'run'
      ? { action_id: cleanText(row.subject, 200), tool: snapshot.toolNameOf(row.subject) ?? null }
      : { website_url: cleanText(row.subject, 500) }),
    ...(row.params === null || row.params === '{}' ? {} : { params: row.params }),
    ...(row.account === null ? {} : { account: row.account || null }),
    status,
    delivered: row.state === 'delivered' || abandoned,
    credits: row.charged,
    created_at: at(row.created_at),
    ...(row.finished_at === null ? {} : { completed_at: at(row.finished_at) }),
    ...(row.refusal === null ? {} : { error: JSON.parse(row.refusal) }),
  };
}
