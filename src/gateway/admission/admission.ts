/**
 * Whether a call may be paid: its price, every limit and the confirmation. Where a limit applies, the price is read anew
 * before the intent is written, and the limits are checked inside the transaction that writes it.
 */
import type { SearchResult } from '../../contract/resources.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { findCancellation } from '../errors/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { Outcome, Refused } from '../interface/outcomes.ts';
import type { TermsSource } from '../paid-calls/purchase.ts';
import type { CurrentPrices } from '../prices/current-prices.ts';
import { countedRuns, type ExpectedCost, expectedCost, times } from '../prices/expected-cost.ts';
import { type ListedPrice, priceOfSearchResult } from '../prices/listed-price.ts';
import type { SeenPrices } from '../prices/prices.ts';
import type { Intents } from '../store/intents.ts';
import { nothingSpent, type Terms } from '../store/terms.ts';
import { findBudgetRefusal, findConfirmation, isLimited, type Limits, type Purchase } from './budget.ts';

export interface RunPurchase {
  readonly action: SearchResult;
  readonly snapshot: Snapshot;
  /** `max_credits` of the call. */
  readonly maxCredits: number | undefined;
  /** True for a run of a batch: limits on a call were checked for all its runs together. */
  readonly inBatch?: boolean;
}

export class Admission {
  readonly #limits: Limits;
  readonly #seen: SeenPrices;
  readonly #current: CurrentPrices;

  constructor(dependencies: { limits: Limits; seen: SeenPrices; current: CurrentPrices }) {
    this.#limits = dependencies.limits;
    this.#seen = dependencies.seen;
    this.#current = dependencies.current;
  }

  /**
   * The terms of a run. They refuse with `PRICE_CHANGED`, `BUDGET_EXCEEDED` or what the confirmation leads to;
   * reading the price may refuse with `PRICE_UNAVAILABLE`.
   */
  getTerms(purchase: RunPurchase, context: CallContext): TermsSource {
    const { action, maxCredits } = purchase;
    const cachedPrice = this.#getListedPrice(action);
    const limits = this.#getLimits(purchase);
    const priceAt = async (price: ListedPrice, intents: Intents) => {
      const costs = await intents.costs(action.action_id, price.base, countedRuns);
      return this.#terms(purchase, expectedCost(price, costs), context);
    };
    return {
      known: async (intents) => {
        if (!isLimited(limits, maxCredits)) {
          return this.#terms(purchase, expectedCost(cachedPrice, []), context);
        }
        const listedPrice = this.#current.getListed(action);
        return listedPrice && priceAt(listedPrice, intents);
      },
      current: async (intents) => priceAt(await this.#current.read(action, context.signal), intents),
      onRefusal: (refusal) => this.#seen.recordRefusal(action.action_id, refusal),
    };
  }

  /**
   * Checks what all runs of a batch are expected to cost against every limit, and returns the question to a person who
   * must confirm it. The limits of the day are checked again with each run, in the transaction that writes its intent.
   */
  async admitBatch(
    purchase: RunPurchase,
    count: number,
    intents: Intents,
    context: CallContext,
  ): Promise<Outcome<Refused> | undefined> {
    const { action, maxCredits } = purchase;
    const isFree = !isLimited(this.#limits, maxCredits);
    const price = isFree ? this.#getListedPrice(action) : await this.#current.read(action, context.signal);
    const costs = isFree ? [] : await intents.costs(action.action_id, price.base, countedRuns);
    const costOfRun = expectedCost(price, costs);
    const terms = this.#terms(purchase, times(costOfRun, count), context, costOfRun.base);
    const refused = terms.findRefusal(isFree ? nothingSpent : await intents.spentToday());
    if (refused !== undefined) this.#seen.recordRefusal(action.action_id, refused.body);
    return refused;
  }

  /** Called when a run has ended. If it cost more than expected, its price is read again. */
  ended(actionId: string, charged: number, reserved: number): void {
    if (charged > reserved) void this.#current.costMore(actionId);
  }

  /** `unitPrice`: the base price of one run. */
  #terms(run: RunPurchase, cost: ExpectedCost, context: CallContext, unitPrice = cost.base): Terms {
    const { action, snapshot, maxCredits } = run;
    const purchase = {
      actionId: cleanText(action.action_id, 120),
      actionName: cleanText(action.name, 120),
      site: cleanText(action.catalog_name || action.catalog_slug, 80),
      cost,
      maxCredits,
    };
    return termsAt(purchase, this.#getLimits(run), context, () =>
      this.#seen.findRise(action.action_id, unitPrice, snapshot),
    );
  }

  #getListedPrice(action: SearchResult): ListedPrice {
    return { ...priceOfSearchResult(action), base: this.#seen.getPrice(action) };
  }

  #getLimits({ inBatch }: RunPurchase): Limits {
    if (inBatch !== true) return this.#limits;
    return { ...this.#limits, maxCreditsPerCall: undefined, confirmAboveCredits: undefined };
  }
}

/** The terms of a purchase with a fixed price, such as a build. */
export function fixedTerms(purchase: Purchase, limits: Limits, context: CallContext): TermsSource {
  const terms = termsAt(purchase, limits, context);
  return { known: () => Promise.resolve(terms), current: () => Promise.resolve(terms) };
}

const below = (limit: number | undefined, { cost }: Purchase): number | undefined =>
  limit === undefined ? undefined : limit - cost.expected;

function termsAt(
  purchase: Purchase,
  limits: Limits,
  context: CallContext,
  findRise: () => Refused | undefined = () => undefined,
): Terms {
  return {
    price: purchase.cost.base,
    reserved: purchase.cost.expected,
    ceilings: {
      byPrincipal: below(limits.maxCreditsPerDay, purchase),
      byKey: below(limits.maxCreditsPerDayPerKey, purchase),
    },
    findRefusal: (spent) => {
      // The price after the budget: a caller that may not pay the new price must not be told to repeat the call.
      const body =
        findCancellation(context.signal) ?? findBudgetRefusal(purchase, spent, limits) ?? findRise();
      return body === undefined ? findConfirmation(purchase, spent, limits, context.confirmation) : { body };
    },
  };
}
