/**
 * Prices as the service lists them now, for calls that a limit or a confirmation applies to. The snapshot may be five
 * minutes old; these are at most 10 s old, from `GET /catalog/{slug}`, and all calls that wait share one request.
 */
import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { ListedPrice } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Clock } from '../foundation/clock.ts';
import { GatewayError, stopIfCancelled } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { Catalog } from './catalog.ts';
import { priceOfAction } from './price.ts';

const freshMs = 10_000;
const waitMs = 5_000;
/** The shortest pause between two refreshes after a run that cost more than expected, or a price that changed. */
const refreshEveryMs = 60_000;

interface FetchedPrices {
  /** Monotonic milliseconds, before the request was sent. */
  readonly at: number;
  readonly prices: ReadonlyMap<string, ListedPrice>;
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
    const fetched = this.#fetched.get(catalog_slug);
    return fetched !== undefined && this.#clock.monotonic() - fetched.at < freshMs
      ? fetched.prices.get(action_id)
      : undefined;
  }

  /** The price of an action, at most 10 s old. Rejects with `PRICE_UNAVAILABLE` where none comes within 5 s. */
  async read(action: SearchResult, signal: AbortSignal): Promise<ListedPrice> {
    const listedPrice = this.getListed(action);
    if (listedPrice !== undefined) return listedPrice;
    const fetched = await this.#fetch(action.catalog_slug).catch((error: unknown) => {
      stopIfCancelled(signal);
      throw unavailable(action, getReason(error), error);
    });
    stopIfCancelled(signal);
    const price = fetched.prices.get(action.action_id);
    if (price === undefined) throw unavailable(action, 'its catalog does not list it any more');
    if (price.base !== action.credits) this.#refreshSnapshot();
    return price;
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
    const fetched = { at: fetchedAt, prices };
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
    'Call again in a moment; `svc-mcp doctor` checks the connection.',
    {},
    { cause },
  );
}
