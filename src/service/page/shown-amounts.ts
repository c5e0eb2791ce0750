/** Whether a page shows its readers the amounts that it states for programs. */
import { countAmounts } from '../../compare/money.ts';
import type { Document } from './document.ts';
import { shownText } from './elements.ts';

/** Whether a text has the amount, with marks and groups of any country; cents may be raised, and so have no mark. */
function showsAmount(text: string, price: number): boolean {
  const [whole = '', cents = ''] = price.toFixed(2).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, "[.,'’\\s]?");
  const fraction = cents === '00' ? '(?:[.,:]?(?:00|[-–—]+))?' : `[.,:\\s]?${cents.replace(/0$/, '0?')}`;
  return new RegExp(`(?<!\\d|\\d[.,])${grouped}${fraction}(?![.,]?\\d)`).test(text);
}

/** Those of the amounts that the page does not show; none where it shows no amounts at all. */
export function findUnshown({ html }: Document, prices: readonly number[]): readonly number[] {
  const [body] = html('body').toArray();
  const text = body === undefined ? '' : shownText(body);
  if (prices.length === 0 || countAmounts(text) === 0) return [];
  return prices.filter((price) => !showsAmount(text, price));
}
