/** The answer of a group: what became of each of its rows. */
import type { Clock } from '../foundation/clock.ts';
import type { CallContext, GetJobInput } from '../interface/gateway.ts';
import type { ErrorDetail, Outcome, ViewRequest } from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import type { GroupRow } from '../store/schema.ts';
import { type AnsweredMember, groupBody, isOnPage, wasNotSent } from './group-body.ts';
import type { Member } from './group-rows.ts';
import type { Jobs } from './jobs.ts';
import type { OpenStore } from './store.ts';

/** Characters that each row gets at least. */
const leastChars = 200;

interface Dependencies {
  readonly jobs: Jobs;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
}

/** A group as this process knows it, for a store that fails meanwhile. */
interface KnownGroup {
  readonly group: GroupRow;
  readonly members: readonly Member[];
  /** The outcomes of the rows that this process has paid, by their ids. */
  readonly outcomes: ReadonlyMap<string, Outcome> | undefined;
  /** Why this process stopped sending. The store forgets the reason when another call continues the group. */
  readonly stopReason: ErrorDetail | undefined;
}

interface Request {
  readonly view: ViewRequest & Pick<GetJobInput, 'maxChars'>;
  /** By the monotonic clock. */
  readonly deadline: number;
  readonly context: CallContext;
}

export class GroupAnswers {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Characters of data that each row may show. */
  charsOf(members: readonly Member[], { maxChars }: Request['view'], context: CallContext): number {
    const all = maxChars ?? resultBudget(this.#dependencies.settings, context);
    return Math.max(leastChars, Math.floor(all / members.length));
  }

  /** Undefined while a row is under way at the deadline. */
  async forGroup(known: KnownGroup, request: Request, store: OpenStore): Promise<Outcome | undefined> {
    const { id } = known.group;
    const [group = known.group, stored] = await Promise.all([
      store.groups.find(id).catch(() => known.group),
      store.groups.members(id).catch(() => undefined),
    ]);
    // A group has members, unless the database has lost it.
    const current = stored?.length === 0 ? undefined : stored;
    const members = current ?? known.members;
    const { offset, limit, ...view } = request.view;
    const page =
      offset === undefined && limit === undefined
        ? undefined
        : { offset: offset ?? 0, limit: limit ?? members.length };
    const isShown = (_: unknown, index: number) => isOnPage(page, index);
    const shown = members.filter(isShown);
    const shownChars = this.charsOf(shown.length === 0 ? members : shown, view, request.context);
    const answered = await Promise.all(
      members.map((member, index) => {
        const memory = known.outcomes?.get(member.row?.id ?? '');
        // A row that is planned by now was not sent, whatever became of the attempt.
        const isUnsent = current !== undefined || memory === undefined ? wasNotSent(member) : false;
        if (isUnsent) return { ...member, answer: undefined };
        const maxChars = isOnPage(page, index) ? shownChars : leastChars;
        return this.#forMember(member, memory, { ...request, view, maxChars }, store);
      }),
    );
    if (answered.some(({ answer }) => answer?.body.status === 'processing')) return undefined;
    // What was not given was not delivered either.
    const given = answered.filter(isShown);
    let delivering = Promise.resolve(false);
    return {
      body: groupBody(group, answered, {
        stopReason: known.stopReason,
        view,
        page,
      }),
      batch: id,
      view,
      delivered: async () => {
        const rows = Promise.all(given.map(({ answer }) => answer?.delivered?.()));
        delivering = rows.then(() => store.groups.deliver(id, page === undefined ? 'whole' : 'page'));
        await delivering;
      },
      written: () => {
        const takeBacks = given.map(({ answer }) => answer?.written?.());
        return () => {
          for (const takeBack of takeBacks) takeBack?.();
        };
      },
      unconfirmed: async () => {
        const wasDelivered = await delivering.catch(() => false);
        await Promise.all(given.map(({ answer }) => answer?.unconfirmed?.()));
        if (wasDelivered) await store.groups.takeBack(id);
      },
    };
  }

  async #forMember(
    { member, row }: Member,
    memory: Outcome | undefined,
    { view, deadline, context, maxChars }: Request & { readonly maxChars: number },
    store: OpenStore,
  ): Promise<AnsweredMember> {
    const { clock, jobs, answering } = this.#dependencies;
    if (row === undefined) return { member, row, answer: noLongerKept };
    const waitMs = Math.max(0, deadline - clock.monotonic());
    const isPayer = row.paid_for === member.group_id;
    // CSV of a batch is one table, which is written when the rows of all are there.
    const format = view.format === 'csv' ? 'rows' : view.format;
    const answer = await answering(() =>
      jobs.ofRow(row, { ...view, format, maxChars }, { ...context, waitMs }, isPayer),
    );
    const current = await store.rows.get(row.id).catch(() => undefined);
    if (current !== undefined) return { member, row: { ...current, open: row.open }, answer };
    // A result that this process knows is shown even if the store fails.
    const known = memory ?? answer;
    const { job_credits } = known.body;
    const charged = typeof job_credits === 'number' ? job_credits : row.charged;
    return { member, row: { ...row, charged }, answer: known };
  }
}

const noLongerKept: Outcome = {
  body: {
    status: 'error',
    error: { code: 'RESULT_EXPIRED', message: 'This run is no longer kept (SVC_KEEP_INTENTS_DAYS).' },
  },
};
