/**
 * What a call may cost before it is sent: its price, its reserve, and whether a limit refuses it or a person must be asked.
 * Where a limit applies, the price is at most 10 s old. The limits of the day and of a group are SQL's (`limits.ts`).
 */
import type { ListedPrice } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import {
  type Cost,
  type CurrentPrices,
  costOf,
  countedRuns,
  priceOfSearchResult,
  type SeenPrices,
  times,
} from '../catalog/prices.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { findCancellation } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { Outcome, Refused } from '../interface/outcomes.ts';
import type { Agreed, PaidCall } from './call.ts';
import {
  aboveCallLimit,
  findConfirmation,
  type LimitSettings,
  overLimit,
  type Priced,
} from './limit-refusals.ts';
import { findExceeded, hasLimits, type SpendLimits } from './limits.ts';
import type { PaidRequest } from './send.ts';
import type { OpenStore } from './store.ts';

/** What a call costs and which limits its insert or claim has to keep. */
export interface Quote {
  readonly priced: Priced;
  readonly limits: SpendLimits;
  /** False while a limit applies and nothing says what a call costs: one run goes first and shows it. */
  readonly isCostKnown: boolean;
}

/** A quote, or why the call is not sent: a refusal, or the question to a person. */
export type Quoted =
  | { readonly quote: Quote; readonly refusal?: never }
  | { readonly quote?: never; readonly refusal: Outcome<Refused> };

export interface QuoteRequest {
  readonly action: SearchResult;
  readonly snapshot: Snapshot;
  /** `max_credits` of the call. */
  readonly maxCredits: number | undefined;
}

export class Quotes {
  readonly #settings: LimitSettings;
  readonly #seen: SeenPrices;
  readonly #current: CurrentPrices;

  constructor(dependencies: { settings: LimitSettings; seen: SeenPrices; current: CurrentPrices }) {
    this.#settings = dependencies.settings;
    this.#seen = dependencies.seen;
    this.#current = dependencies.current;
  }

  /** One run. Rejects with `PRICE_UNAVAILABLE`. */
  async forRun(request: QuoteRequest, store: OpenStore, context: CallContext): Promise<Quoted> {
    const cost = await this.#cost(request, this.#isLimited(request.maxCredits), store, context.signal);
    return this.#check(toPriced(request.action, cost), cost.base, request, store, context);
  }

  /** A row of a group, whose total was checked before. Rejects with `PRICE_UNAVAILABLE`. */
  async forMember(
    request: QuoteRequest,
    allowance: SpendLimits['allowance'],
    store: OpenStore,
    context: Pick<CallContext, 'signal'>,
  ): Promise<Quoted> {
    const isLimited = allowance !== undefined || this.#isLimited(undefined);
    const cost = await this.#cost(request, isLimited, store, context.signal);
    const priced = toPriced(request.action, cost);
    // The caller is told of it with the group's answer: until then none of its rows is paid at the new price.
    const rise = this.#seen.findRise(request.action.action_id, cost.base, request.snapshot);
    if (rise !== undefined) return { refusal: { body: rise } };
    return { quote: { priced, limits: { ...this.#limits, allowance }, isCostKnown: cost.isKnown } };
  }

  /**
   * All runs of a group together. Its allowance is the smallest of `max_credits`, the limit of a call and the total that a
   * person confirmed; it is refused where the base prices exceed it.
   */
  async forGroup(
    request: QuoteRequest,
    count: number,
    store: OpenStore,
    context: CallContext,
  ): Promise<{ allowance: number | undefined; refusal?: never } | { refusal: Outcome<Refused> }> {
    const { maxCreditsPerCall } = this.#settings;
    const unit = await this.#cost(request, this.#isLimited(request.maxCredits), store, context.signal);
    const priced = toPriced(request.action, times(unit, count));
    const basePriced = { ...priced, cost: { ...priced.cost, reserve: priced.cost.base } };
    const { quote, refusal } = await this.#check(basePriced, unit.base, request, store, context, priced);
    if (quote === undefined) return { refusal };
    if (hasLimits(quote.limits)) {
      const spent = await store.rows.readSpent();
      const exceeded = findExceeded(basePriced.cost.reserve, spent, quote.limits);
      if (exceeded !== undefined) {
        return { refusal: { body: overLimit(exceeded, basePriced, spent, quote.limits) } };
      }
    }
    const { confirmation } = context;
    const confirmed =
      typeof confirmation === 'object' && confirmation.answer === 'accepted'
        ? confirmation.credits
        : undefined;
    const caps = [request.maxCredits, maxCreditsPerCall, confirmed].filter((cap) => cap !== undefined);
    return { allowance: caps.length === 0 ? undefined : Math.min(...caps) };
  }

  /** A quote for a fixed price, such as that of a build. */
  forFixed(priced: Priced, store: OpenStore, context: CallContext): Promise<Quoted> {
    return this.#check(priced, undefined, { maxCredits: undefined }, store, context);
  }

  /** The group's answer shows its caller the new price. */
  shown(actionId: string, price: number): void {
    this.#seen.recordShown(actionId, price);
  }

  /** Called when a run has ended. If it cost more than was reserved, its price is read again. */
  ended(actionId: string, charged: number, reserved: number): void {
    if (charged > reserved) void this.#current.costMore(actionId);
  }

  /** `asked`: the cost to show and to confirm, if it differs from the one that the limits are compared with. */
  async #check(
    priced: Priced,
    unitPrice: number | undefined,
    request: Pick<QuoteRequest, 'maxCredits'> & Partial<QuoteRequest>,
    store: OpenStore,
    context: CallContext,
    asked = priced,
  ): Promise<Quoted> {
    const limits = this.#limits;
    const refuse = (body: Refused): Quoted => ({ refusal: { body } });
    const cancelled = findCancellation(context.signal);
    if (cancelled !== undefined) return refuse(cancelled);
    const above = aboveCallLimit(priced, request.maxCredits, this.#settings, asked);
    if (above !== undefined) return refuse(above(await store.rows.readSpent()));
    const { action, snapshot } = request;
    const rise =
      action === undefined || snapshot === undefined || unitPrice === undefined
        ? undefined
        : this.#seen.findRise(action.action_id, unitPrice, snapshot);
    const question = findConfirmation(asked, this.#settings, context.confirmation);
    if (rise === undefined && question === undefined) {
      return { quote: { priced, limits, isCostKnown: priced.cost.isKnown } };
    }
    // Limits come first: callers over a limit must not be told to repeat the call, nor be asked to confirm.
    const spent = await store.rows.readSpent();
    const exceeded = findExceeded(priced.cost.reserve, spent, limits);
    if (exceeded !== undefined) return refuse(overLimit(exceeded, priced, spent, limits));
    if (rise !== undefined && action !== undefined) {
      this.#seen.recordRefusal(action.action_id, rise);
      return refuse(rise);
    }
    return question === undefined
      ? { quote: { priced, limits, isCostKnown: priced.cost.isKnown } }
      : { refusal: question(spent) };
  }

  async #cost(
    { action }: QuoteRequest,
    isLimited: boolean,
    { queries }: OpenStore,
    signal: AbortSignal,
  ): Promise<Cost> {
    if (!isLimited) {
      const price = { ...priceOfSearchResult(action), base: this.#seen.getPrice(action) };
      return { ...costOf(price, []), isKnown: true };
    }
    const price: ListedPrice = await this.#current.read(action, signal);
    return costOf(price, await queries.costs(action.action_id, countedRuns, price.base));
  }

  get #limits(): SpendLimits {
    const { maxCreditsPerDay, maxCreditsPerDayPerKey } = this.#settings;
    return { perDay: maxCreditsPerDay, perDayPerKey: maxCreditsPerDayPerKey };
  }

  /** Whether anything may refuse a call for its price, so that its price and what was spent must be known. */
  #isLimited(maxCredits: number | undefined): boolean {
    const { maxCreditsPerCall, maxCreditsPerDay, maxCreditsPerDayPerKey, confirmAboveCredits } =
      this.#settings;
    return [
      maxCredits,
      maxCreditsPerCall,
      maxCreditsPerDay,
      maxCreditsPerDayPerKey,
      confirmAboveCredits,
    ].some((limit) => limit !== undefined);
  }
}

function toPriced(action: SearchResult, cost: Cost): Priced {
  return {
    actionId: cleanText(action.action_id, 120),
    actionName: cleanText(action.name, 120),
    site: cleanText(action.catalog_name || action.catalog_slug, 80),
    cost,
  };
}

/** One paid call, ready to be sent. */
export interface Purchase {
  readonly call: PaidCall;
  readonly request: PaidRequest;
  readonly resubmit: boolean;
  /** As of `PaidRow`. */
  readonly account: string | null;
  /** What the caller agreed to, for a row that waits for its claim. */
  readonly agreed: Agreed;
  /** What a further run costs, in words. */
  readonly repeatCosts: string;
  /** The price now, or why it is not paid. */
  quote(store: OpenStore, context: CallContext): Promise<Quoted>;
  /** The progress message while the request is sent. */
  announcement(quote: Quote): string;
}

/** The same call after its consent has paid for an earlier one: the person is asked anew. */
export const withoutConsent = (context: CallContext): CallContext => ({
  ...context,
  confirmation: 'unasked',
});

/** The credits that a person confirmed. */
export const getConfirmed = ({ confirmation }: Pick<CallContext, 'confirmation'>): number | undefined =>
  typeof confirmation === 'object' && confirmation.answer === 'accepted' ? confirmation.credits : undefined;

/** The person's answer that this call uses up. */
export const getConsent = ({ confirmation }: Pick<CallContext, 'confirmation'>): string | undefined =>
  typeof confirmation === 'object' && confirmation.answer === 'accepted' ? confirmation.consent : undefined;
