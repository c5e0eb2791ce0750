/**
 * What a call may cost before it is sent: its price, its reserve, and whether a limit refuses it or a person must be asked.
 * Where a limit applies, the price is at most 10 s old. The limits of the day and of a group are SQL's (`limits.ts`).
 */
import { creditsText, type ListedPrice } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import {
  type Cost,
  type CurrentPrices,
  costOf,
  countedRuns,
  priceOfSearchResult,
  type SeenPrices,
  times,
  toExact,
} from '../catalog/prices.ts';
import { findCancellation, toRefusal } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { Outcome, Refused } from '../interface/outcomes.ts';
import type { PaidRow } from '../store/schema.ts';
import type { GroupTerms } from './group-rows.ts';
import {
  aboveCallLimit,
  type CallPrice,
  findConfirmation,
  type LimitSettings,
  overLimit,
  usedUp,
} from './limit-refusals.ts';
import type { GroupAgreement, Offer, Order, Quote } from './order.ts';
import {
  type Allowance,
  findExceeded,
  hasLimits,
  nothingSpent,
  type SpendLimits,
  startOfDay,
} from './spending-limits.ts';
import type { OpenStore } from './store.ts';

/** A quote, or why the call is not sent: a refusal, or the question to a person. `told`: called where the caller gets it. */
export type QuoteResult =
  | { readonly quote: Quote; readonly refusal?: never }
  | { readonly quote?: never; readonly refusal: Outcome<Refused>; readonly told?: () => void };

/** The terms of a group, or why it is not begun. */
type GroupQuoteResult = (GroupTerms & { readonly refusal?: never }) | { readonly refusal: Outcome<Refused> };

/** The terms of a watch. */
export interface WatchQuote extends Omit<GroupTerms, 'allowance'> {
  readonly refusal?: never;
  readonly allowance: number;
  /** What its runs have not cost yet of that. */
  readonly left: number;
  /** Of one run, and of those that are still to come. */
  readonly unit: Cost;
  readonly projected: Cost;
  /** The limit of a day, which may skip some of them. */
  readonly perDay: number | undefined;
}

interface CheckOptions {
  readonly unitPrice?: number;
  readonly asked?: { readonly priced: CallPrice; readonly before: number };
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

  /** What an order costs now. Rejects with `PRICE_UNAVAILABLE`. */
  forOrder(order: Order, store: OpenStore, context: CallContext): Promise<QuoteResult> {
    const { offer, group } = order;
    if (offer === undefined) return this.#forBuild(order, store, context);
    if (group !== undefined) return this.#forMember(offer, group, store, context);
    const { action } = offer;
    const check = (cost: Cost) =>
      this.#check(toPriced(action, cost), order, store, context, { unitPrice: cost.base });
    return this.isLimited(order)
      ? this.#currentCost(action, store, context.signal).then(check)
      : check(this.#listedCost(action));
  }

  /** A service may charge more for a build than the specification says. */
  async #forBuild(order: Order, store: OpenStore, context: CallContext): Promise<QuoteResult> {
    const cost = costOf(order.listed, await store.queries.buildCosts(countedRuns));
    return this.#check({ actionId: 'request_build', actionName: order.name, cost }, order, store, context);
  }

  /**
   * A row of a group, whose total was checked before, perhaps by a process with other limits: those of this process apply,
   * too.
   */
  async #forMember(
    { action, snapshot }: Offer,
    group: GroupAgreement,
    store: OpenStore,
    { signal }: CallContext,
  ): Promise<QuoteResult> {
    const allowance = this.#allowanceOf(group);
    const isLimited = allowance !== undefined || this.#hasLimit(undefined);
    const cost = isLimited ? await this.#currentCost(action, store, signal) : this.#listedCost(action);
    const priced = toPriced(action, cost);
    const above =
      group.watch && aboveCallLimit(priced, undefined, this.#settings, { asked: priced, before: 0 });
    if (above !== undefined) return { refusal: { body: above(await store.orders.readSpent()) } };
    // The caller is told of it with the group's answer: until then none of its rows is paid at the new price.
    const rise =
      group.watch === undefined
        ? this.#seen.findRise(action.action_id, cost.base, snapshot)
        : findRiseAbove(group.watch.price, action.action_id, cost.base);
    if (rise !== undefined) return { refusal: { body: rise } };
    return { quote: { priced, limits: { ...this.#limits, allowance }, isCostKnown: cost.isKnown } };
  }

  /**
   * `count` runs of a group together, which has cost `spent` so far. Its allowance is the smallest of `max_credits`, the limit
   * of a call and the total that a person confirmed; it is refused where the base prices exceed it.
   */
  async forGroup(
    request: {
      readonly offer: Offer;
      readonly maxCredits: number | undefined;
      readonly account?: string | undefined;
    },
    { count, spent: before }: { readonly count: number; readonly spent: number },
    store: OpenStore,
    context: CallContext,
  ): Promise<GroupQuoteResult> {
    const { maxCreditsPerCall } = this.#settings;
    const { action } = request.offer;
    const unit = this.#hasLimit(request.maxCredits)
      ? await this.#currentCost(action, store, context.signal)
      : this.#listedCost(action);
    const priced = { ...toPriced(action, times(unit, count)), ...(count > 1 && { runs: count }) };
    const basePriced = { ...priced, cost: { ...priced.cost, reserve: priced.cost.base } };
    const quoted = await this.#check(basePriced, request, store, context, {
      unitPrice: unit.base,
      asked: { priced, before },
    });
    if (quoted.refusal !== undefined) {
      quoted.told?.();
      return { refusal: quoted.refusal };
    }
    const { quote } = quoted;
    if (hasLimits(quote.limits)) {
      const spent = await store.orders.readSpent();
      const exceeded = findExceeded(basePriced.cost.reserve, spent, quote.limits);
      if (exceeded !== undefined) {
        return { refusal: { body: overLimit(exceeded, basePriced, spent, quote.limits) } };
      }
    }
    const { consent } = quote;
    const confirmed = consent === undefined ? undefined : getConfirmed(context)?.credits;
    const caps = [request.maxCredits, maxCreditsPerCall, confirmed].filter((cap) => cap !== undefined);
    return { allowance: caps.length === 0 ? undefined : Math.min(...caps), confirmed, consent };
  }

  /**
   * The runs of a watch that has cost `spent` so far, `count` more: one of them must be within the limits of a call and a day,
   * and a person confirms the total once. Without `max_credits` they may cost what is reserved for them.
   */
  async forWatch(
    request: {
      readonly offer: Offer;
      readonly maxCredits: number | undefined;
      readonly account?: string | null | undefined;
      /** The total that a person has confirmed already. */
      readonly confirmed: number | null;
    },
    { count, spent: before }: { readonly count: number; readonly spent: number },
    store: OpenStore,
    context: CallContext,
  ): Promise<WatchQuote | { readonly refusal: Outcome<Refused> }> {
    const { action } = request.offer;
    const unit = await this.#currentCost(action, store, context.signal);
    const priced = toPriced(action, unit);
    const left = request.maxCredits === undefined ? undefined : toExact(request.maxCredits - before);
    if (left !== undefined && before > 0 && left < unit.reserve) {
      const spent = await store.orders.readSpent();
      return { refusal: { body: usedUp(priced, spent, { allowance: request.maxCredits, before }) } };
    }
    const above = aboveCallLimit(priced, left, this.#settings, { asked: priced, before: 0 });
    if (above !== undefined) return { refusal: { body: above(await store.orders.readSpent()) } };
    const exceeded = findExceeded(unit.reserve, nothingSpent, this.#limits);
    if (exceeded !== undefined) {
      const spent = await store.orders.readSpent();
      return { refusal: { body: overLimit(exceeded, priced, { ...spent, ...nothingSpent }, this.#limits) } };
    }
    const projected = times(unit, count);
    const allowance = request.maxCredits ?? toExact(before + projected.reserve);
    const total = { base: toExact(before + projected.base), reserve: allowance, isKnown: true };
    const confirmation = await unlessUsed(context.confirmation, store);
    const account = request.account || undefined;
    const cost = { ...total, computed: false, maximum: allowance };
    const asked = { ...priced, account, cost, runs: 'of-watch' as const };
    const isConfirmed = request.confirmed !== null && allowance <= request.confirmed;
    const question = isConfirmed ? undefined : findConfirmation(asked, this.#settings, confirmation, 0);
    if (question !== undefined) return { refusal: question(await store.orders.readSpent()) };
    const confirmed = isConfirmed ? undefined : getConfirmed({ confirmation });
    return {
      unit,
      projected,
      allowance,
      left: toExact(allowance - before),
      confirmed: confirmed?.credits,
      consent: confirmed?.consent,
      perDay: this.#limits.perDay,
    };
  }

  /** The smallest of what the group was allowed, of this process's limit of a call, and of what needs no further consent. */
  #allowanceOf({ groupId, allowance, confirmed, watch }: GroupAgreement): Allowance | undefined {
    const { maxCreditsPerCall, confirmAboveCredits } = this.#settings;
    const caps: Omit<Allowance, 'groupId'>[] = [];
    if (allowance !== null) caps.push({ credits: allowance, ...(watch !== undefined && { of: 'watch' }) });
    if (maxCreditsPerCall !== undefined && watch === undefined)
      caps.push({ credits: maxCreditsPerCall, setting: 'SVC_MAX_CREDITS_PER_CALL' });
    if (confirmAboveCredits !== undefined) {
      const credits = Math.max(confirmAboveCredits, confirmed ?? 0);
      caps.push({ credits, setting: 'SVC_CONFIRM_ABOVE_CREDITS' });
    }
    // Where two are equal, the group's own is named.
    const [least] = caps.sort((one, other) => one.credits - other.credits);
    return least && { groupId, ...least };
  }

  /**
   * The limit of now that leaves no room for a row in doubt: it counts already, but if the service never took it, asking by
   * its key buys it.
   */
  async findDoubtLimit(
    { charged, created_at, paid_for }: PaidRow,
    { maxCredits = Number.POSITIVE_INFINITY, group }: Pick<Order, 'maxCredits' | 'group'>,
    { orders }: OpenStore,
  ): Promise<NextStep<'raise-limit'>['limit'] | undefined> {
    const { maxCreditsPerCall = Number.POSITIVE_INFINITY } = this.#settings;
    if (charged > maxCredits) return 'max_credits';
    if (charged > maxCreditsPerCall) return 'SVC_MAX_CREDITS_PER_CALL';
    const allowance =
      group !== undefined && paid_for === group.groupId ? this.#allowanceOf(group) : undefined;
    const limits = { ...this.#limits, allowance };
    if (!hasLimits(limits)) return undefined;
    const spent = await orders.readSpent(limits);
    const exceeded = findExceeded(created_at < startOfDay(spent.now) ? charged : 0, spent, limits);
    if (exceeded === 'allowance') return allowance?.setting ?? 'max_credits';
    return (
      exceeded && (exceeded === 'perDay' ? 'SVC_MAX_CREDITS_PER_DAY' : 'SVC_MAX_CREDITS_PER_DAY_PER_KEY')
    );
  }

  /** The group's answer shows its caller the new price. */
  shown(actionId: string, price: number): void {
    this.#seen.recordShown(actionId, price);
  }

  /** Told of every end with its final cost. Where a run cost more than was reserved, its price is read again. */
  ended({ kind, subject, charged: reserved }: PaidRow, charged: number): void {
    if (kind === 'run' && charged > reserved) void this.#current.costMore(subject);
  }

  /**
   * `unitPrice`: the base price of one run. `asked`: the cost to show and to confirm, if it differs from the one that the limits
   * are compared with, and what the same group has cost `before`.
   */
  async #check(
    priced: CallPrice,
    {
      offer,
      maxCredits,
      account,
    }: Pick<Order, 'offer' | 'maxCredits'> & { readonly account?: string | null | undefined },
    store: OpenStore,
    context: CallContext,
    { unitPrice, asked: { priced: asked, before } = { priced, before: 0 } }: CheckOptions = {},
  ): Promise<QuoteResult> {
    const limits = this.#limits;
    const refuse = (body: Refused): QuoteResult => ({ refusal: { body } });
    const cancelled = findCancellation(context.signal);
    if (cancelled !== undefined) return refuse(cancelled);
    const above = aboveCallLimit(priced, maxCredits, this.#settings, { asked, before });
    if (above !== undefined) return refuse(above(await store.orders.readSpent()));
    const rise =
      offer === undefined || unitPrice === undefined
        ? undefined
        : this.#seen.findRise(offer.action.action_id, unitPrice, offer.snapshot);
    const confirmation =
      getConsent(context) === undefined
        ? context.confirmation
        : await unlessUsed(context.confirmation, store);
    // Whoever sends it once more is asked again, also where this process asks nobody: it is no second order.
    const isUsed = confirmation !== context.confirmation;
    const terms = isUsed ? { confirmAboveCredits: 0 } : this.#settings;
    const asking = { ...asked, account: account || undefined };
    const question = findConfirmation(asking, terms, confirmation, before);
    const quote = { priced, limits, isCostKnown: priced.cost.isKnown, consent: getConsent({ confirmation }) };
    if (rise === undefined && question === undefined) return { quote };
    // Limits come first: callers over a limit must not be told to repeat the call, nor be asked to confirm.
    const spent = await store.orders.readSpent();
    const exceeded = findExceeded(priced.cost.reserve, spent, limits);
    if (exceeded !== undefined) return refuse(overLimit(exceeded, priced, spent, limits));
    if (rise !== undefined && offer !== undefined) {
      return { refusal: { body: rise }, told: () => this.#seen.recordRefusal(offer.action.action_id, rise) };
    }
    return question === undefined ? { quote } : { refusal: question(spent) };
  }

  /** Where nothing may refuse a call for its price. */
  #listedCost(action: SearchResult): Cost {
    const price = { ...priceOfSearchResult(action), base: this.#seen.getPrice(action) };
    return { ...costOf(price, []), isKnown: true };
  }

  async #currentCost(action: SearchResult, { queries }: OpenStore, signal: AbortSignal): Promise<Cost> {
    const price: ListedPrice = await this.#current.read(action, signal);
    return costOf(price, await queries.costs(action.action_id, countedRuns, price.base));
  }

  get #limits(): SpendLimits {
    const { maxCreditsPerDay, maxCreditsPerDayPerKey } = this.#settings;
    return { perDay: maxCreditsPerDay, perDayPerKey: maxCreditsPerDayPerKey };
  }

  /** Whether the quote of a single call must read what was spent, or costs. */
  isLimited({ offer, maxCredits }: Pick<Order, 'offer' | 'maxCredits'>): boolean {
    return offer === undefined || this.#hasLimit(maxCredits);
  }

  /** Whether anything may refuse a call for its price, so that its price and what was spent must be known. */
  #hasLimit(maxCredits: number | undefined): boolean {
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

function toPriced(action: SearchResult, cost: Cost): CallPrice {
  return {
    actionId: cleanText(action.action_id, 120),
    actionName: cleanText(action.name, 120),
    site: cleanText(action.catalog_name || action.catalog_slug, 80),
    cost,
  };
}

/** A price above the one that was agreed to; undefined: any is. */
function findRiseAbove(agreed: number | undefined, actionId: string, price: number): Refused | undefined {
  if (agreed === undefined || price <= agreed) return undefined;
  return toRefusal(
    'PRICE_CHANGED',
    `${cleanText(actionId, 120)} now costs ${creditsText(price)} instead of ${agreed}. Nothing was sent.`,
    { kind: 'retry', when: 'at-new-price' },
    { price, previous_price: agreed },
  );
}

type Confirming = Pick<CallContext, 'confirmation'>;

/** An answer that has paid for something counts for nothing more: the person is asked anew. */
async function unlessUsed(
  confirmation: CallContext['confirmation'],
  { orders }: OpenStore,
): Promise<CallContext['confirmation']> {
  const consent = getConsent({ confirmation });
  return consent !== undefined && (await orders.isConsentUsed(consent)) ? 'unasked' : confirmation;
}

/** What a person confirmed. */
const getConfirmed = ({ confirmation }: Confirming) =>
  typeof confirmation === 'object' && confirmation.answer === 'accepted'
    ? { credits: confirmation.credits, consent: confirmation.consent }
    : undefined;

const getConsent = (context: Confirming): string | undefined => getConfirmed(context)?.consent;
