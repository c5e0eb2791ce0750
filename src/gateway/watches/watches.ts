/** The watches of one principal, for its callers: made, changed and listed. */
import type { Api } from '../../contract/api.ts';
import type { Encrypted } from '../../store/encryption.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { actionNotFound } from '../catalog/unknown-names.ts';
import { GatewayError, stopIfCancelled } from '../foundation/errors.ts';
import type { CallContext, ChangeWatchInput, ListWatchesInput, NewWatchInput } from '../interface/gateway.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import { begunElsewhere, maxBeginnings } from '../paid/answers.ts';
import { ownJobId, toJobId } from '../paid/call-identity.ts';
import type { Offer, Order } from '../paid/order.ts';
import type { Quotes } from '../paid/quote.ts';
import type { ActingAccount, Runs } from '../paid/runs.ts';
import type { GatewayStore, OpenStore } from '../paid/store.ts';
import type { WatchRow, WatchRunRow } from '../store/schema.ts';
import { maxWatches } from '../store/watch-queries.ts';
import type { NewWatch, WatchChange } from '../store/watch-rows.ts';
import { madeBody, nextRunAt, problemOf, skippingNotes } from './body.ts';
import { endOf } from './conclusion.ts';
import { readWanted, toDraft, unwritten, type Wanted } from './new-watch.ts';
import { duesBetween, nextDue } from './schedule.ts';
import { clockworkOf, missingNotes, partialNote, readSettings, refuseArgument } from './watch-input.ts';
import { listedWatches, watchNotFound } from './watch-lists.ts';
import { agreementOf, type WatchRuns } from './watch-runs.ts';

interface Dependencies {
  readonly api: Api;
  readonly store: GatewayStore;
  readonly catalog: Catalog;
  readonly runs: Runs;
  readonly quotes: Quotes;
  readonly watchRuns: WatchRuns;
  /** Encrypts what runs its watches while the caller is away; undefined: this process has the key itself. */
  readonly sealKey: (() => Promise<Encrypted>) | undefined;
  /** Called when something of a watch was changed or read. */
  readonly onChange: (watchId: string) => void;
}

export class Watches {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Makes a watch with its first run; the same call again is the same watch, with these settings. Rejects as a run does. */
  async make(input: NewWatchInput, context: CallContext): Promise<Outcome> {
    const store = await this.#dependencies.store.open();
    const wanted = await readWanted(input, context, store, this.#dependencies);
    for (let attempt = 0; attempt < maxBeginnings; attempt += 1) {
      const existing = await store.watchQueries.findByCall(wanted.callHash);
      const outcome =
        existing === undefined
          ? await this.#create(input, wanted, context, store)
          : await this.#replace(existing, input, wanted, context, store);
      // Another process has made or changed the same watch: it is read again.
      if (outcome !== undefined) return outcome;
    }
    throw begunElsewhere('call');
  }

  async #create(
    input: NewWatchInput,
    wanted: Wanted,
    context: CallContext,
    store: OpenStore,
  ): Promise<Outcome | undefined> {
    const { quotes, watchRuns, onChange } = this.#dependencies;
    if (input.every === undefined) refuseArgument('every', 'is needed for a new watch');
    const { offer, params, account, now } = wanted;
    const draft = toDraft(input, wanted);
    const { count } = duesBetween(clockworkOf({ ...draft, ...unwritten }), now, draft.until_at);
    const quote = await quotes.forWatch(
      { offer, maxCredits: input.max_credits, confirmed: null, account: account.account },
      { count: count + 1, spent: 0 },
      store,
      context,
    );
    if (quote.refusal !== undefined) return quote.refusal;
    const watch: NewWatch = {
      ...draft,
      allowance: quote.allowance,
      confirmed: quote.confirmed ?? null,
      price: quote.unit.base,
    };
    const order = this.#order(
      offer,
      { params, identity: input.identity },
      account,
      { ...watch, ...unwritten },
      now,
    );
    const payment = store.orders.paymentOf(order, quote.consent);
    const begun = await watchRuns.making(watch.id, () => this.#begin(watch, payment, context, store));
    if (begun === undefined) {
      const { watches } = await store.watchQueries.readAll();
      if (watches.length >= maxWatches) throw tooMany();
      return undefined;
    }
    const { made, run, first, failure } = begun;
    if (failure !== undefined) return failure;
    onChange(watch.id);
    const current = (await store.watchQueries.get(watch.id)) ?? made;
    const body = madeBody(current, quote);
    const hints = [account.hint, partialNote(first?.outcome.body.data)].filter((note) => note !== undefined);
    const seen = first?.version;
    const missing = seen === undefined ? [] : missingNotes(current.key_field, seen);
    const notes = [...hints, ...skippingNotes(quote), ...missing];
    return { body: { ...body, first: await this.#firstOf(run, first, store), ...noteOf(notes) } };
  }

  /** Writes the watch and runs it first. `failure`: there is no watch. Undefined: another process was faster. */
  async #begin(
    watch: NewWatch,
    payment: Parameters<OpenStore['watches']['create']>[1],
    context: CallContext,
    store: OpenStore,
  ) {
    const { watchRuns, sealKey } = this.#dependencies;
    if (!(await store.watches.create(watch, payment, await sealKey?.()))) return undefined;
    const [made, run] = await Promise.all([
      store.watchQueries.get(watch.id),
      store.watchQueries.run(watch.id, watch.anchor),
    ]);
    if (made === undefined || run === undefined) return undefined;
    const first = await watchRuns.first(made, run, context);
    return { made, run, first, failure: await this.#discardUnless(first?.outcome, made, run, store) };
  }

  /** A first run that failed at once, or was not sent, makes no watch: its outcome is the answer. */
  async #discardUnless(
    first: Outcome | undefined,
    { id }: WatchRow,
    run: WatchRunRow,
    store: OpenStore,
  ): Promise<Outcome | undefined> {
    const status = first?.body.status;
    if (first === undefined || (status !== 'error' && status !== 'failed')) return undefined;
    const row = run.row_id === null ? undefined : await store.rows.get(run.row_id);
    // The call was cancelled after it was sent: what was paid, or may be, is the first version.
    const isUnsent = row === undefined || row.state === 'planned' || row.state === 'refused';
    if (status === 'error' && !isUnsent && row.state !== 'lost') return undefined;
    if (row?.state === 'planned' && (await store.rows.drop(row.id, errorOf(first))) === undefined)
      return undefined;
    await store.watches.discard(id);
    if (row !== undefined) await store.rows.deliver(row.id);
    return first;
  }

  async #firstOf(
    run: WatchRunRow,
    first: Awaited<ReturnType<WatchRuns['first']>>,
    store: OpenStore,
  ): Promise<JsonObject> {
    const row = run.row_id === null ? undefined : await store.rows.get(run.row_id);
    const job_id = row === undefined ? ownJobId(run.row_id ?? '') : toJobId(row);
    const status = first?.outcome.body.status;
    if (status !== 'completed') return { job_id, status: status === 'unknown' ? 'unknown' : 'processing' };
    return { ...(first?.version !== undefined && { rows: first.version.rows }), job_id };
  }

  /** Undefined: the watch was changed meanwhile. */
  async #replace(
    watch: WatchRow,
    input: NewWatchInput,
    { offer, now }: Wanted,
    context: CallContext,
    store: OpenStore,
  ): Promise<Outcome | undefined> {
    const settings = readSettings(input, now);
    const isNew = (name: keyof typeof settings) =>
      settings[name] !== undefined && settings[name] !== watch[name];
    const hasNewTimes = isNew('every') || isNew('time_zone');
    const moved = { ...watch, ...settings, ...(hasNewTimes && { anchor: now }) };
    if (hasNewTimes) moved.next_at = nextDue(clockworkOf(moved), now);
    const spent = (await store.watchQueries.totals(watch.id)).get(watch.id)?.credits ?? 0;
    const { count } = duesBetween(clockworkOf(moved), now, moved.until_at);
    const isLonger = hasNewTimes || isNew('until_at');
    const maxCredits = input.max_credits ?? (isLonger ? undefined : watch.allowance);
    const { confirmed } = watch;
    const request = { offer, maxCredits, confirmed };
    const quoted = await this.#dependencies.quotes.forWatch(request, { count, spent }, store, context);
    if (quoted.refusal !== undefined) return quoted.refusal;
    const change: WatchChange = {
      ...settings,
      ...(hasNewTimes && { anchor: moved.anchor, next_at: moved.next_at }),
      allowance: quoted.allowance,
      ...(quoted.confirmed !== undefined && { confirmed: quoted.confirmed }),
    };
    const replaced = [
      ...(['every', 'time_zone', 'until_at', 'key_field', 'ignore', 'told_when'] as const)
        .filter(isNew)
        .map((name) => argumentNames[name]),
      ...(quoted.allowance === watch.allowance ? [] : ['max_credits']),
    ];
    if (replaced.length > 0) {
      const use = (version: string) => store.orders.useConsent(quoted.consent, { watch: watch.id, version });
      if (!(await store.watches.change(watch, change, use))) return undefined;
    }
    const current = (await store.watchQueries.get(watch.id)) ?? watch;
    const isAskedAnew = isNew('key_field') || isNew('ignore') || isNew('told_when');
    const seen = isAskedAnew ? await this.#dependencies.watchRuns.seenIn(current, store) : undefined;
    const missing = seen === undefined ? [] : missingNotes(current.key_field, seen);
    return {
      body: {
        ...madeBody({ ...current, compared_by: seen?.comparedBy ?? current.compared_by }, quoted),
        replaced,
        ...noteOf([...skippingNotes(quoted), ...missing]),
        ...problemOf(current, { credits: spent }),
      },
    };
  }

  /** Pauses, resumes, runs or ends a watch. */
  async change({ watch_id: id, set }: ChangeWatchInput, context: CallContext): Promise<Outcome> {
    const store = await this.#dependencies.store.open();
    for (let attempt = 0; attempt < maxBeginnings; attempt += 1) {
      const watch = await store.watchQueries.get(id);
      if (watch === undefined || watch.state === 'ended') throw watchNotFound(id);
      stopIfCancelled(context.signal);
      if (set === 'run') return this.#runNow(watch, context, store);
      const isDone =
        set === 'end'
          ? await store.watches.tell(watch, endOf('It was ended by a caller.'), ended)
          : await store.watches.change(watch, set === 'pause' ? paused : await this.#resumed(watch, store));
      if (!isDone) continue;
      this.#dependencies.onChange(id);
      const current = (await store.watchQueries.get(id)) ?? watch;
      return { body: { watch_id: id, state: current.state, next_run_at: nextRunAt(current) } };
    }
    throw begunElsewhere('call');
  }

  /** Goes on at the next due time, at the price of now: the total that was agreed to stays. */
  async #resumed(watch: WatchRow, store: OpenStore): Promise<WatchChange> {
    const snapshot = await this.#dependencies.catalog.snapshotFor(watch.action_id);
    const price = snapshot.action(watch.action_id)?.credits ?? watch.price;
    const now = await store.watchQueries.now();
    const next_at = nextDue(clockworkOf(watch), now);
    return { state: 'active', next_at, failures: 0, problem: null, price: Math.max(price, watch.price) };
  }

  /** Runs it now, whatever its state: the answer does not wait for it. */
  async #runNow(watch: WatchRow, { signal }: CallContext, store: OpenStore): Promise<Outcome> {
    const order = await this.orderFor(watch, await store.watchQueries.now(), 'asked', signal);
    const planned = await store.watches.planAsked(watch.id, store.orders.paymentOf(order));
    const run = planned ?? (await store.watchQueries.lastAsked(watch.id));
    if (run === undefined || run.row_id === null) throw watchNotFound(watch.id);
    if (planned !== undefined) void this.#dependencies.watchRuns.pursue(watch, planned);
    const row = await store.rows.get(run.row_id);
    return {
      body: {
        watch_id: watch.id,
        job_id: row === undefined ? ownJobId(run.row_id) : toJobId(row),
        status: 'processing',
        next: { kind: 'watch', as: 'read', watch_id: watch.id },
      },
    };
  }

  /** What a due time buys. Rejects as a run does, before anything is planned. */
  async orderFor(
    watch: WatchRow,
    dueAt: number,
    reason: WatchRunRow['reason'],
    signal: AbortSignal,
  ): Promise<Order> {
    const { catalog, runs } = this.#dependencies;
    const snapshot = await catalog.snapshotFor(watch.action_id);
    const action = snapshot.action(watch.action_id);
    if (action === undefined) throw actionNotFound(watch.action_id, snapshot);
    const input = { params: JSON.parse(watch.params), identity: watch.identity ?? undefined };
    const account = await runs.chooseAccount(action, input, signal);
    return this.#order({ action, snapshot }, input, account, watch, dueAt, reason);
  }

  #order(
    offer: Offer,
    input: { readonly params: JsonObject; readonly identity: string | undefined },
    account: ActingAccount,
    watch: WatchRow,
    dueAt: number,
    reason: WatchRunRow['reason'] = 'due',
  ): Order {
    const order = this.#dependencies.runs.order(offer, input, account, agreementOf(watch, { reason }));
    return { ...order, dueAt };
  }

  list(input: ListWatchesInput, context: CallContext): Promise<Outcome> {
    return listedWatches(input, context, this.#dependencies);
  }
}

const argumentNames = {
  every: 'every',
  time_zone: 'time_zone',
  until_at: 'until',
  key_field: 'key',
  ignore: 'ignore',
  told_when: 'when',
} as const;

const paused: WatchChange = { state: 'paused', extra_at: null, extra_reason: null };
export const ended: WatchChange = { state: 'ended', extra_at: null, extra_reason: null };

const noteOf = (notes: readonly string[]): JsonObject =>
  notes.length === 0 ? {} : { note: notes.join(' ') };

const errorOf = ({ body }: Outcome) => {
  const { code, message }: { code?: unknown; message?: unknown } = Object(body.error);
  return { code: String(code), message: String(message) };
};

const tooMany = (): GatewayError =>
  new GatewayError(
    'TOO_MANY_WATCHES',
    `There are ${maxWatches} watches that have not ended. Nothing was sent.`,
    {
      kind: 'watch',
      as: 'end-one',
    },
  );
