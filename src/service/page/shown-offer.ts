/** What a page shows its readers of what it states for programs: an offer, found by classes and forms, and numbers. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { localCurrency, withLocal } from '../../compare/local-currency.ts';
import { countAmounts, findCurrency, saysMoney } from '../../compare/money.ts';
import type { Document } from './document.ts';
import { shownText } from './elements.ts';
import { type Priced, toAmount, toAvailability } from './product.ts';
import { toWords } from './words.ts';

/** Without the price that is crossed out beside the one that holds. */
function withoutOld(html: CheerioAPI, element: Element): Element {
  if (html(element).find('del, s, strike').length === 0) return element;
  const copy = html(element).clone();
  copy.find('del, s, strike').remove();
  return copy.get(0) ?? element;
}

/** Words of classes and of texts that tell another amount than the price. */
const otherNames =
  /(?:^| )(?:old|was|before|compared?|strike|striked|strikethrough|crossed|msrp|rrp|uvp|srp|original|regular|previous|retail|list|saved?|savings?|discount|shipping|delivery|versand|inst?al?lments?|unit|ppu|deposit|pfand|tax|vat|fee|points|rewards?)(?: |$)/;
const otherText =
  /(?<!\p{L})(?:sav(?:e|ings?)|off|was|before|rrp|msrp|uvp|statt|shipping|delivery|versand|deposit|pfand)(?!\p{L})|^\W*(?:\/|per |pro |je )/iu;
const elsewhere =
  'del, s, strike, nav, footer, aside, [class*="related" i], [class*="recommend" i], [class*="upsell" i], [class*="cross-sell" i], [class*="cart" i], [hidden]';

interface Shown {
  readonly element: Element;
  readonly text: string;
}

/** The texts of what matches, those behind the heading first: before it stand other products as often. */
function shownIn({ html }: Document, select: string): Shown[] {
  const found = html(`h1, ${select}`).toArray().filter(isTag);
  const heading = found.findIndex(({ name }) => name === 'h1');
  return [...found.slice(heading + 1), ...found.slice(0, Math.max(heading, 0))]
    .filter((element) => element.name !== 'h1' && html(element).closest(elsewhere).length === 0)
    .slice(0, 60)
    .map((element) => {
      const text = shownText(withoutOld(html, element));
      const { content, 'data-price': price } = element.attribs;
      return { element, text: saysMoney(text) ? text : (content ?? price ?? text) };
    });
}

function currencyIn(text: string, { language, page }: Document): string | undefined {
  const local = localCurrency(text, { language, host: new URL(page.url).hostname });
  return withLocal(findCurrency(text), local)?.code;
}

const prices = '[itemprop="price"], [class*="price" i], [data-price], [id*="price" i]';
/** Elements that look alike, such as the prices of a list. */
const lookOf = ({ name, attribs, parent }: Element, depth = 0): string =>
  `${name} ${attribs.class ?? ''}${depth < 2 && parent !== null && isTag(parent) ? `/${lookOf(parent, depth + 1)}` : ''}`;

/** Of one piece, and of an amount of a currency that the page does not name: `299,- / stk`. */
const onePiece =
  /\s*(?:\/|(?<!\p{L})(?:per|pro|je|pr\.?|par|por|al|за))\s*(?:stk|stck|stück|st|styck|stuk|pieces?|pcs?|each|ea|unit|unidad|unité|pièce|pieza|pezzo|szt|ks|kpl|db|шт)\.?(?!\p{L})/iu;
const bareAmount = /(\d),[-–—]+/;
const isBare = (text: string) => bareAmount.test(text);

/** What the page shows where a price stands, as it is written; undefined where that has no number. */
export const findPriceText = (document: Document): string | undefined =>
  shownIn(document, prices).find(({ text }) => text.length < 40 && /\d/.test(text))?.text;

/** Whether the page shows an amount where a price stands. */
export const showsAsPrice = (document: Document, price: number): boolean =>
  shownIn(document, prices).some(({ text }) => toAmount(text, document.decimalMark)?.low === price);

/** The price that is shown by itself; undefined where another one stands beside it and nothing tells which holds. */
function readShownPrice(document: Document): Priced | undefined {
  const { decimalMark } = document;
  const isOther = ({ attribs }: Element) =>
    otherNames.test(toWords(`${attribs.class ?? ''} ${attribs.id ?? ''}`).join(' '));
  const priced = shownIn(document, prices).flatMap(({ element, text: written }) => {
    const text = written.replace(onePiece, '');
    const isAmount = text.length < 40 && (saysMoney(text) || isBare(text));
    const amount = isAmount ? toAmount(text.replace(bareAmount, '$1'), decimalMark) : undefined;
    const isPrice =
      amount !== undefined && !(Number(amount.low) <= 0) && !otherText.test(text.replace(/[\d.,]+/g, ''));
    return isPrice ? [{ element, amount, currency: currencyIn(text, document) }] : [];
  });
  const usual = priced.filter(({ element }) => !isOther(element));
  const all = usual.length > 0 ? usual : priced;
  const seen = all.map((one) => ({ ...one, look: lookOf(one.element) }));
  const single = seen.filter(({ look, amount }) =>
    seen.every((one) => one.look !== look || one.amount.low === amount.low),
  );
  const [first, ...others] = single;
  if (first === undefined) return undefined;
  const isRival = others.some(
    ({ element, amount }) => element.parent === first.element.parent && amount.low !== first.amount.low,
  );
  return isRival ? undefined : { ...first.amount, currency: first.currency };
}

const buttons =
  'form[action*="cart" i] [type="submit"], form[action*="cart" i] button, button[name="add"], [class*="add-to-cart" i], [class*="addtocart" i], [id*="add-to-cart" i]';
const isDisabled = ({ attribs }: Element) => 'disabled' in attribs || attribs['aria-disabled'] === 'true';
/** What a text says where the stock stands. */
export const findStockText = (document: Document): string | undefined =>
  shownIn(document, '[itemprop="availability"], [class*="stock" i], [class*="availability" i]')
    .map(({ text }) => toAvailability(text))
    .find((state) => state !== undefined);

function readShownStock(document: Document): string | undefined {
  const stock = findStockText(document);
  const buy = document.html(buttons).toArray().filter(isTag);
  if (stock !== undefined || buy.length === 0) return stock;
  return buy.every(isDisabled) ? 'OutOfStock' : 'InStock';
}

/** What the button says that puts a thing into a basket, in more than one word: one alone leads to the basket. */
const buyText =
  /^(?=.*\p{L}[^\p{L}]+\p{L}).{0,30}(?:cart|basket|warenkorb|panier|carrito|cesta|carrello|winkel(?:wagen|mand)|kundvagn|varukorg|handlekurv|kurven|koszyk|košík|carrinho|корзин|buy now)/iu;

/** Whether one thing is for sale on the page: there is one button to buy, and a price. */
export function sellsOne(document: Document): boolean {
  const { html } = document;
  const texts = html('button, [role="button"], input[type="submit"]')
    .not('nav *, header *, footer *, aside *')
    .toArray()
    .map((button) => shownText(button) || (button.attribs.value ?? ''));
  return texts.filter((text) => buyText.test(text)).length === 1 && readShownPrice(document) !== undefined;
}

/** Whether the page of a product shows that it cannot be bought now, whatever it states for programs. */
export function showsNoStock(document: Document): boolean {
  const controls = document.html('main button, main [type="submit"]').toArray();
  return readShownStock(document) === 'OutOfStock' || (controls.length > 0 && controls.every(isDisabled));
}

/** The offer on a product page without structured data, found by classes and forms. */
export function readShownOffer(document: Document): Record<string, unknown> {
  const price = readShownPrice(document);
  return {
    price: price?.low,
    high_price: price?.high,
    currency: price?.currency,
    availability: readShownStock(document),
    sku: shownIn(document, '[itemprop="sku"], [class~="sku"], [class*="product-sku" i] > *')
      .map(({ text }) => text.replace(/^\W*(?:sku|art\.?(?:\s?-?nr)?|item|model)\W*/i, ''))
      .find((text) => /^[\w./-]{2,40}$/.test(text)),
  };
}

/** Whether a text has the number, with marks and groups of any country; cents may be raised, and so have no mark. */
function shows(text: string, number: number): boolean {
  const [whole = '', cents = ''] = number.toFixed(2).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, "[.,'’\\s]?");
  // "20:00" is a time.
  const fraction =
    cents === '00' ? '(?:[.,]?(?:00|[-–—]+)|:[-–—]+)?' : `[.,:\\s]?${cents.replace(/0$/, '0?')}`;
  return new RegExp(`(?<!\\d|\\d[.,])${grouped}${fraction}(?![.,:]?\\d)`).test(text);
}

/** Those of the numbers that the page does not show, as they are or rounded. */
export function findUnshown(document: Document, numbers: readonly number[]): readonly number[] {
  const rounded = (number: number) => [number, Number(number.toFixed(1))];
  return numbers.filter((number) => !rounded(number).some((one) => shows(document.text, one)));
}

/** Those of the prices that the page does not show; none where it shows no amounts at all. */
export function findUnshownPrices(document: Document, prices: readonly number[]): readonly number[] {
  const unshown = prices.filter((price) => !shows(document.text, price));
  return unshown.length === 0 || countAmounts(document.text) === 0 ? [] : unshown;
}
