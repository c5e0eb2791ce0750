/** Whether a page shows its readers the numbers that it states for programs. */
import { countAmounts } from '../../compare/money.ts';
import type { Document } from './document.ts';
import { shownText } from './elements.ts';

/** Whether a text has the number, with marks and groups of any country; cents may be raised, and so have no mark. */
function shows(text: string, number: number): boolean {
  const [whole = '', cents = ''] = number.toFixed(2).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, "[.,'’\\s]?");
  // "20:00" is a time.
  const fraction =
    cents === '00' ? '(?:[.,]?(?:00|[-–—]+)|:[-–—]+)?' : `[.,:\\s]?${cents.replace(/0$/, '0?')}`;
  return new RegExp(`(?<!\\d|\\d[.,])${grouped}${fraction}(?![.,:]?\\d)`).test(text);
}

/** All that a page shows its readers. */
export function pageText({ html }: Document): string {
  const [body] = html('body').toArray();
  return body === undefined ? '' : shownText(body);
}

/** Those of the numbers that the page does not show, as they are or rounded. */
export function findUnshown(document: Document, numbers: readonly number[]): readonly number[] {
  const text = numbers.length === 0 ? '' : pageText(document);
  const rounded = (number: number) => [number, Number(number.toFixed(1))];
  return numbers.filter((number) => !rounded(number).some((one) => shows(text, one)));
}

/** Those of the prices that the page does not show; none where it shows no amounts at all. */
export function findUnshownPrices(document: Document, prices: readonly number[]): readonly number[] {
  const text = prices.length === 0 ? '' : pageText(document);
  return countAmounts(text) === 0 ? [] : prices.filter((price) => !shows(text, price));
}
