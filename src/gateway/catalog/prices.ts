/**
 * Prices of actions: as listed, as a caller has seen them, and as the service lists them now. The interface has only the
 * base price and does not say which prices are computed from the result; a catalog may declare it by `credits_computed` and
 * `credits_max` (the extension `cost-bound`), as the embedded service does.
 */

import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import { mostCredits, roundedUp } from '../../contract/credits.ts';
import { creditsText, type ListedPrice } from '../../contract/price.ts';
import type { Action, SearchResult } from '../../contract/resources.ts';
import type { Clock } from '../foundation/clock.ts';
import { GatewayError, stopIfCancelled, toRefusal } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { Refused } from '../interface/outcomes.ts';
import type { Catalog } from './catalog.ts';
import type { Snapshot } from './snapshot.ts';

export class SeenPrices {
  /** The prices of the last listed snapshot, or of the first one used if none was listed yet. */
  #listed: Snapshot | undefined;
  /** Prices shown since then by other answers, refusals included. */
  readonly #shownPrices = new Map<string, number>();

  recordListed(snapshot: Snapshot): void {
    this.#listed = snapshot;
    this.#shownPrices.clear();
  }

  recordShown(actionId: string, price: number): void {
    this.#shownPrices.set(actionId, price);
  }

  /** The last price of a call: the snapshot's, or a higher one that was shown since. */
  getPrice(action: SearchResult): number {
    return Math.max(action.credits, this.#shownPrices.get(action.action_id) ?? 0);
  }

  /** `PRICE_CHANGED` where the action costs more than the caller knows. `recordRefusal` when the caller gets it. */
  findRise(actionId: string, price: number, snapshot: Snapshot): Refused | undefined {
    this.#listed ??= snapshot;
    const lastPrice = this.#shownPrices.get(actionId) ?? this.#listed.getCredits(actionId);
    if (lastPrice === undefined || price <= lastPrice) return undefined;
    return toRefusal(
      'PRICE_CHANGED',
      `${cleanText(actionId, 120)} now costs ${creditsText(price)} instead of ${lastPrice}. Nothing was sent.`,
      { kind: 'retry', when: 'at-new-price' },
      { price, previous_price: lastPrice },
    );
  }
  /** After `PRICE_CHANGED` the next call goes on. */
  recordRefusal(actionId: string, { error: { code, price } }: Refused): void {
    if (code === 'PRICE_CHANGED' && typeof price === 'number') this.recordShown(actionId, price);
  }
}

const priceOfAction = (action: Action): ListedPrice => listedPrice(action.credits_per_call, action);

export const priceOfSearchResult = (result: SearchResult): ListedPrice => listedPrice(result.credits, result);

function listedPrice(base: number, declared: Pick<Action, 'credits_computed' | 'credits_max'>): ListedPrice {
  return {
    base,
    computed: declared.credits_computed ?? undefined,
    maximum: isBound(declared.credits_max, base) ? roundedUp(declared.credits_max) : undefined,
  };
}

/** Anything else bounds nothing, so that the cost stays unknown. */
const isBound = (maximum: number | null | undefined, base: number): maximum is number =>
  typeof maximum === 'number' && maximum >= base && maximum <= mostCredits;

/** A price that never differs from what is listed. */
export const fixedPrice = (credits: number): ListedPrice => ({
  base: credits,
  computed: false,
  maximum: credits,
});

/** Credits in thousandths, without the dust of binary fractions. */
export const toExact = (credits: number): number => Math.round(credits * 1000) / 1000;

/** How many earlier runs at the same base price count. */
export const countedRuns = 20;

/** A price with what is reserved for a call. */
export interface Cost extends ListedPrice {
  /** The larger of the announced bound, the base price and, while a limit applies, the dearest of the earlier runs at it. */
  readonly reserve: number;
  /** Whether anything says what a call costs: the catalog, or a completed run. */
  readonly isKnown: boolean;
}

/** `costs`: of the newest completed runs at this base price. */
export function costOf(price: ListedPrice, costs: readonly number[]): Cost {
  return {
    ...price,
    reserve: roundedUp(Math.max(price.base, price.maximum ?? 0, ...costs)),
    isKnown: price.computed === false || price.maximum !== undefined || costs.length > 0,
  };
}

/** The cost of `count` calls together. */
export const times = (cost: Cost, count: number): Cost => ({
  ...cost,
  base: toExact(cost.base * count),
  maximum: cost.maximum === undefined ? undefined : toExact(cost.maximum * count),
  reserve: toExact(cost.reserve * count),
});

const freshMs = 10_000;
const waitMs = 5_000;
/** The shortest pause between two refreshes after a run that cost more than expected, or a price that changed. */
const refreshEveryMs = 60_000;

interface FetchedPrices {
  /** Monotonic milliseconds, before the request was sent. */
  readonly at: number;
  readonly prices: ReadonlyMap<string, ListedPrice>;
  readonly versions: ReadonlyMap<string, string | null>;
}

export class CurrentPrices {
  readonly #api: Api;
  readonly #catalog: Catalog;
  readonly #clock: Clock;
  readonly #fetched = new Map<string, FetchedPrices>();
  readonly #pending = new Map<string, Promise<FetchedPrices>>();
  /** When a list was last refreshed after an unexpected price, by slug; '' stands for the snapshot. */
  readonly #refreshedAt = new Map<string, number>();

  constructor(api: Api, catalog: Catalog, clock: Clock) {
    this.#api = api;
    this.#catalog = catalog;
    this.#clock = clock;
  }

  /** Whether a catalog is being read for the price of a call. */
  get isReading(): boolean {
    return this.#pending.size > 0;
  }

  /** The price of an action if it was read within the last 10 s. */
  getListed({ catalog_slug, action_id }: SearchResult): ListedPrice | undefined {
    return this.#getFetched(catalog_slug)?.prices.get(action_id);
  }

  #getFetched(slug: string): FetchedPrices | undefined {
    const fetched = this.#fetched.get(slug);
    return fetched !== undefined && this.#clock.monotonic() - fetched.at < freshMs ? fetched : undefined;
  }

  /**
   * The price of an action, at most 10 s old. Rejects with `PRICE_UNAVAILABLE` where none comes within 5 s, and with the service's
   * own refusal of a key: only another key helps then.
   */
  async read(action: SearchResult, signal: AbortSignal): Promise<ListedPrice> {
    const listedPrice = this.getListed(action);
    if (listedPrice !== undefined) return listedPrice;
    const fetched = await this.#fetch(action.catalog_slug).catch((error: unknown) => {
      stopIfCancelled(signal);
      if (isApiError(error) && error.kind === 'service' && error.code === 'UNAUTHORIZED') throw error;
      throw unavailable(action, getReason(error), error);
    });
    stopIfCancelled(signal);
    const price = fetched.prices.get(action.action_id);
    if (price === undefined) throw unavailable(action, 'its catalog does not list it any more');
    if (price.base !== action.credits) this.#refreshSnapshot();
    return price;
  }

  /** Whether the version of an action is the service's, as it was at most 10 s ago; one that cannot be read is taken for current. */
  async isCurrent({ action_id, catalog_slug, wheel_version }: SearchResult): Promise<boolean> {
    if (wheel_version === undefined || wheel_version === null) return true;
    const known = this.#getFetched(catalog_slug);
    const fetched = known ?? (await this.#fetch(catalog_slug).catch(() => undefined));
    const version = fetched?.versions.get(action_id) ?? wheel_version;
    if (version !== wheel_version) this.#refreshSnapshot();
    return version === wheel_version;
  }

  /** A run cost more than was expected: its price may have risen. Reads that catalog again, at most once a minute. */
  async costMore(actionId: string): Promise<void> {
    const action = (await this.#catalog.snapshot()).action(actionId);
    if (action === undefined || !this.#mayRefresh(action.catalog_slug)) return;
    // Nobody waits for it: if it fails, the next unexpected price or the catalog's timer reads the price.
    const fetched = await this.#fetch(action.catalog_slug).catch(() => undefined);
    const price = fetched?.prices.get(actionId);
    if (price !== undefined && price.base !== action.credits) this.#refreshSnapshot();
  }

  #fetch(slug: string): Promise<FetchedPrices> {
    const pending = this.#pending.get(slug);
    if (pending !== undefined) return pending;
    const asking = this.#ask(slug).finally(() => this.#pending.delete(slug));
    this.#pending.set(slug, asking);
    return asking;
  }

  async #ask(slug: string): Promise<FetchedPrices> {
    const fetchedAt = this.#clock.monotonic();
    const { actions } = await this.#api.getCatalog(slug, { timeoutMs: waitMs });
    // Of two actions with the same id the dearer counts.
    const ascending = actions.toSorted((a, b) => a.credits_per_call - b.credits_per_call);
    const prices = new Map(ascending.map((action) => [action.action_id, priceOfAction(action)]));
    const versions = new Map(actions.map(({ action_id, wheel_version }) => [action_id, wheel_version]));
    const fetched = { at: fetchedAt, prices, versions };
    this.#fetched.set(slug, fetched);
    return fetched;
  }

  #refreshSnapshot(): void {
    if (this.#mayRefresh('')) void this.#catalog.refresh();
  }

  #mayRefresh(slug: string): boolean {
    const before = this.#refreshedAt.get(slug);
    if (before !== undefined && this.#clock.monotonic() - before < refreshEveryMs) return false;
    this.#refreshedAt.set(slug, this.#clock.monotonic());
    return true;
  }
}

function getReason(error: unknown): string {
  if (!isApiError(error)) throw error;
  switch (error.kind) {
    case 'timeout':
      return `the service did not answer within ${waitMs / 1000} s`;
    case 'rate-limit':
      return 'too many requests to the service';
    case 'service':
      return `the service refused (${cleanText(error.code, 60)})`;
    case 'contract':
      return `the service's answer could not be read (HTTP ${error.httpStatus})`;
    default:
      return 'the service could not be reached';
  }
}

function unavailable(action: SearchResult, reason: string, cause?: unknown): GatewayError {
  return new GatewayError(
    'PRICE_UNAVAILABLE',
    `The current price of ${cleanText(action.action_id, 120)} could not be read: ${reason}. A limit on credits applies to this call, so nothing was sent.`,
    { kind: 'retry', when: 'connected' },
    {},
    { cause },
  );
}
