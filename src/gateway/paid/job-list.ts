/** `get_job` without an id: the paid calls and batches of this principal, the newest first. */
import type { Snapshot } from '../catalog/snapshot.ts';
import { cleanText } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { GroupRow, PaidRow } from '../store/schema.ts';
import { isPlanned, isUnderWay, undeliveredMs } from '../store/states.ts';
import { parseError, toJobId } from './call-identity.ts';
import { getGroupState, getPaid, sumCharged, toAccountMembers, wasNotSent } from './group-body.ts';
import type { Member } from './group-rows.ts';
import type { GatewayStore } from './store.ts';

const defaultLimit = 25;
const maxLimit = 100;
/** Characters that are shown of the inputs of a batch. */
const maxParams = 120;

/** Uses a fixed number of queries, however many jobs or rows are listed. */
export async function listPaidJobs(
  store: GatewayStore,
  snapshot: Snapshot,
  { limit, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): Promise<JsonObject> {
  const { rows, orders, queries, groups } = await store.open();
  const count = Math.min(limit ?? defaultLimit, maxLimit);
  const [{ jobs: page, total }, spent] = await Promise.all([
    queries.recentJobs(count, offset),
    orders.readSpent(),
  ]);
  const idsOf = (kind: string) => page.filter((job) => job.kind === kind).map(({ id }) => id);
  const [calls, groupRows, members] = await Promise.all([
    rows.getAll(idsOf('call')),
    groups.byIds(idsOf('group')),
    groups.membersOf(idsOf('group')),
  ]);
  const byId = new Map(groupRows.map((group) => [group.id, group]));
  const jobs = page.map(({ kind, id }) => {
    const group = kind === 'group' ? byId.get(id) : undefined;
    const row = calls.get(id);
    if (group !== undefined) return listedGroup(group, members.get(id) ?? [], snapshot, spent.now);
    return row && listedCall(row, snapshot, spent.now);
  });
  const end = offset + page.length;
  const hasMore = end < total;
  return {
    returned: page.length,
    total,
    has_more: hasMore,
    credits_spent_today: spent.byPrincipal,
    ...(hasMore && {
      next: {
        kind: 'list',
        of: 'jobs',
        why: 'older',
        page: { offset: end, limit: count },
      } satisfies NextStep,
    }),
    // A row that was deleted meanwhile is left out.
    jobs: jobs.filter((job) => job !== undefined),
  };
}

const toIsoTime = (time: number | null) => (time === null ? null : new Date(time).toISOString());
/** By the store's clock, as what closes the row. */
const isLongAgo = (finishedAt: number, now: number) => now > finishedAt + undeliveredMs;
const toAction = (id: string, snapshot: Snapshot) => ({
  action_id: cleanText(id, 200),
  tool: snapshot.getToolName(id) ?? null,
});

function listedCall(row: PaidRow, snapshot: Snapshot, now: number): JsonObject {
  const abandoned = row.state === 'finished' && isLongAgo(row.finished_at ?? 0, now);
  const status = row.outcome ?? (isUnderWay(row) || isPlanned(row) ? 'processing' : row.state);
  return {
    job_id: toJobId(row),
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

const listParams = (members: readonly Member[]): string =>
  `[${members
    .slice(0, maxParams)
    .map(({ member }) => member.params.slice(0, maxParams))
    .join(',')}]`;

function listedGroup(
  group: GroupRow,
  members: readonly Member[],
  snapshot: Snapshot,
  now: number,
): JsonObject {
  const { state, completed, endedAt } = getGroupState(group, members);
  const unsent = state === 'under-way' ? 0 : members.filter(wasNotSent).length;
  const credits = sumCharged(members, getPaid);
  return {
    job_id: group.id,
    kind: 'batch',
    ...toAction(group.action_id, snapshot),
    rows_total: members.length,
    rows_completed: completed,
    ...(unsent === 0 ? {} : { rows_not_sent: unsent }),
    params: cleanText(listParams(members), maxParams),
    ...toAccountMembers(members),
    status: state === 'under-way' ? 'processing' : state,
    delivered: group.open === 0 || (endedAt !== undefined && isLongAgo(endedAt, now)),
    credits,
    created_at: toIsoTime(group.created_at),
    ...(endedAt === undefined ? {} : { completed_at: toIsoTime(endedAt) }),
    ...(group.stopped === null ? {} : { error: parseError(group.stopped) }),
  };
}
