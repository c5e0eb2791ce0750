/** What may be spent: the figure of the day, the limits of the day and of a batch, and a person's answer that pays once. */
import type { JsonObject } from '../../src/gateway/interface/outcomes.ts';
import { startOfDay } from '../../src/gateway/paid/spending-limits.ts';
import type { PaidRow } from '../../src/gateway/store/schema.ts';
import { type Asked, isOpen } from './asked.ts';
import { type CallName, costOf, excessOf, isSync, scriptOf } from './calls.ts';
import { ChaosFailure } from './chaos-failure.ts';
import type { Accepted, GroupedRow, RunRecord } from './run-record.ts';
import { requestsOf, type Story } from './story.ts';

/** What counts as spent is the reserve of every doubt, and of every job what it cost in the end. */
export function checkBudget(
  stories: readonly Story[],
  record: Pick<RunRecord, 'jumps'> & { readonly place: Pick<RunRecord['place'], 'maxCreditsPerDay'> },
  listed: JsonObject | undefined,
): void {
  const midnight = startOfDay(Date.now());
  let spent = 0;
  for (const { call, intents, accepted } of stories) {
    for (const intent of intents) {
      if (intent.created_at < midnight || intent.state === 'refused' || intent.state === 'planned') continue;
      spent += countedOf(call, intent, accepted);
    }
  }
  // Without the dust of binary fractions.
  spent = Math.round(spent * 1000) / 1000;
  if (listed?.credits_spent_today !== spent) {
    throw new ChaosFailure('wrong budget', 'all', `${listed?.credits_spent_today} instead of ${spent}`);
  }
  const limit = record.place.maxCreditsPerDay;
  if (limit === undefined) return;
  // Nothing bounds what the first run of such an action costs, nor one that a person sends past a doubt.
  const unbounded = stories.filter(({ call, intents }) => excessOf(call) > 0 && intents.length > 0);
  const resubmits = unbounded.flatMap(({ call, asked }) =>
    asked.filter((one) => one.call === call && one.resubmit),
  );
  const excess =
    Math.max(0, ...unbounded.map(({ call }) => excessOf(call))) *
    (1 + record.jumps.length + resubmits.length);
  if (spent > limit + excess) {
    throw new ChaosFailure('wrong budget', 'all', `${spent} spent, ${limit} allowed`);
  }
}

/** An end that was read counts with its cost, all else with what was reserved: the price, its bound, or an earlier cost. */
function countedOf(
  call: CallName,
  { state, job_id, charged }: PaidRow,
  accepted: readonly Accepted[],
): number {
  const { credits } = scriptOf(call);
  const cost = costOf(call);
  const isKnown = state !== 'unknown' && accepted.some(({ id }) => isSync(call) || id === job_id);
  if (isKnown && (state === 'finished' || state === 'delivered')) return cost;
  if (charged !== credits && charged !== cost) {
    throw new ChaosFailure('wrong budget', call, `${job_id} (${state}) counts as ${charged}`);
  }
  return charged;
}

/** A batch costs no more than it may, but for the first run of an action that nothing bounds. */
export function checkAllowances(stories: readonly Story[], rows: readonly GroupedRow[]): void {
  const callOf = new Map(
    stories.flatMap(({ call, intents }) => intents.map(({ id }) => [id, call] as const)),
  );
  for (const id of new Set(rows.map(({ group_id }) => group_id))) {
    // What single calls or other batches have claimed is theirs.
    const own = rows.filter(({ group_id, paid_for }) => group_id === id && paid_for === id);
    const allowance = own[0]?.allowance ?? undefined;
    if (allowance === undefined) continue;
    // Equal inputs share one row.
    const charges = new Map(own.map((row) => [row.id, row.charged]));
    const spent = [...charges.values()].reduce((sum, charged) => sum + charged, 0);
    const excess = Math.max(0, ...own.map((row) => excessOf(callOf.get(row.id) ?? 'quick 0')));
    if (spent > allowance + excess)
      throw new ChaosFailure('wrong budget', 'all', `${id} cost ${spent}, ${allowance} were allowed`);
  }
}

/**
 * Each answer of a person pays once, however often it is sent: each job is paid by an answer of its own, that was sent when
 * the job began. `isNeeded`: without one nothing is paid.
 */
export function checkConsents(
  { call, accepted, asked }: Pick<Story, 'call' | 'accepted' | 'asked'>,
  isNeeded: boolean,
): void {
  const own = asked.filter((one) => one.call === call);
  const consents = new Set(own.flatMap(({ consent }) => consent ?? []));
  if (consents.size === 0) return;
  const isSentAt = (one: Asked, { startedAt }: Accepted) =>
    one.from <= startedAt && (isOpen(one) || (one.to ?? Number.POSITIVE_INFINITY) >= startedAt);
  const plain = isNeeded ? [] : own.filter(({ consent }) => consent === undefined).map((one) => [one]);
  const payers = [...consents].map((name) => own.filter(({ consent }) => consent === name)).concat(plain);
  const unpaid = findUnmatched(accepted, payers, (job, asks) => asks.some((one) => isSentAt(one, job)));
  if (unpaid === undefined) return;
  throw new ChaosFailure(
    'double charge',
    call,
    `${unpaid.id} has none of its own: ${accepted.length} paid by ${consents.size} consents`,
  );
}

/** An item that gets no partner of its own in the best matching; undefined where all do. */
function findUnmatched<Item, Partner>(
  items: readonly Item[],
  partners: readonly Partner[],
  fits: (item: Item, partner: Partner) => boolean,
): Item | undefined {
  const itemOf = new Map<Partner, Item>();
  const place = (item: Item, tried: Set<Partner>): boolean => {
    for (const partner of partners) {
      if (tried.has(partner) || !fits(item, partner)) continue;
      tried.add(partner);
      const other = itemOf.get(partner);
      if (other !== undefined && !place(other, tried)) continue;
      itemOf.set(partner, item);
      return true;
    }
    return false;
  };
  return items.find((item) => !place(item, new Set()));
}

/** Once both gateways have begun anew with limits that allow nothing, no further request is paid. */
export function checkLowered(
  { call, posts }: Pick<Story, 'call' | 'posts'>,
  { loweredAt }: Pick<RunRecord, 'loweredAt'>,
): void {
  if (loweredAt === undefined) return;
  // What was in doubt before is asked again by its key, which pays nothing.
  const late = requestsOf(posts).find(([first]) => first !== undefined && first.at > loweredAt);
  if (late !== undefined)
    throw new ChaosFailure('wrong budget', call, 'paid for although the limits allow nothing');
}
