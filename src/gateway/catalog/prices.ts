/** The prices that the caller has seen: the first call after a rise is refused with the new price. */
import { creditsText } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { toRefusal } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { Refused } from '../interface/outcomes.ts';
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
      'Repeat the same call to run it at the new price.',
      { price, previous_price: lastPrice },
    );
  }
  /** After `PRICE_CHANGED` the next call goes on. */
  recordRefusal(actionId: string, { error: { code, price } }: Refused): void {
    if (code === 'PRICE_CHANGED' && typeof price === 'number') this.recordShown(actionId, price);
  }
}
