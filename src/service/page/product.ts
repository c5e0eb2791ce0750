/** The product of a page and what it costs: as the page states it, else as it shows it. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { findCurrency, saysMoney } from '../../compare/money.ts';
import { type DecimalMark, type Exact, readNumber } from '../../compare/number.ts';
import type { Document } from './document.ts';
import { shownText } from './elements.ts';
import { isObject, type JsonObject } from './json-values.ts';
import { getFragmentText } from './text.ts';
import { toWords } from './words.ts';

export const oneOrMore = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

export const typesOf = (node: JsonObject): string[] =>
  oneOrMore(node['@type'])
    .filter((type) => typeof type === 'string')
    .map((type) => type.replace(/^.*[/#:]/, ''));

/** Some sites escape texts as if JSON were HTML. */
const withoutEntities = (text: string) =>
  /&(?:#\d+|#x[\da-f]+|[a-z]+);/i.test(text) ? getFragmentText(text.replaceAll('<', '&lt;')) : text;

export const textOf = (value: unknown): string | undefined => {
  for (const one of oneOrMore(value)) {
    if (typeof one === 'number') return String(one);
    if (typeof one === 'string' && one.trim() !== '') return withoutEntities(one.replace(/\s+/g, ' ').trim());
    const inner: string | undefined = isObject(one)
      ? textOf(one.name ?? one['@value'] ?? one.value)
      : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
};

export const isProduct = (node: JsonObject) =>
  typesOf(node).some((type) =>
    /^(?:Product|ProductGroup|IndividualProduct|ProductModel|Vehicle|Car|Book)$/.test(type),
  );

const states = [
  'InStock',
  'OutOfStock',
  'PreOrder',
  'BackOrder',
  'LimitedAvailability',
  'SoldOut',
  'Discontinued',
  'InStoreOnly',
  'OnlineOnly',
  'PreSale',
  'MadeToOrder',
];
const otherStates: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:oos|(?:currently|temporarily)?(?:unavailable|notavailable|outofstock|notinstock|soldout))$/,
    'OutOfStock',
  ],
  [
    /^(?:ausverkauft|vergriffen|nicht(?:auflager|verfügbar|lieferbar)|indisponible|épuisé|(?:en)?rupture(?:destock)?)$/,
    'OutOfStock',
  ],
  [
    /^(?:agotado|sinstock|nodisponible|esgotado|esaurito|nondisponibile|uitverkocht|nietopvoorraad)$/,
    'OutOfStock',
  ],
  [
    /^(?:available|(?:only)?\d+(?:left)?(?:instock|available)|(?:sofort)?(?:verfügbar|lieferbar)|auflager)$/,
    'InStock',
  ],
  [/^(?:enstock|disponible|disponibile|disponível|opvoorraad)$/, 'InStock'],
  [/^(?:on)backorder$/, 'BackOrder'],
  [/^pending$/, 'PreOrder'],
];

/** "https://schema.org/InStock" and "in stock" are both "InStock". */
export function toAvailability(value: unknown): string | undefined {
  const [first] = oneOrMore(value);
  const name = textOf((isObject(first) && first['@id']) || value)
    ?.replace(/^.*[/#:]/, '')
    .replace(/[\s_.!-]+/g, '')
    .toLowerCase();
  if (name === undefined) return undefined;
  return (
    states.find((state) => state.toLowerCase() === name) ??
    otherStates.find(([words]) => words.test(name))?.[1]
  );
}

interface Amount {
  readonly low: Exact;
  readonly high?: Exact;
}

/** A number as programs write it; `1.299` only where the page does not write a comma before decimals. */
const isPlain = (text: string, mark: DecimalMark | undefined) =>
  /^\d+\.\d+$/.test(text) && (mark !== ',' || !/^[1-9]\d{0,2}\.\d{3}$/.test(text));

/**
 * An amount, or the two ends of a range; none is negative. Schema.org writes a point before decimals, and nothing else; a text
 * with two readings that nothing decides stays the text.
 */
export function toAmount(value: unknown, mark?: DecimalMark): Amount | undefined {
  const [first] = oneOrMore(value);
  const text = textOf(first);
  const reading =
    text === undefined
      ? undefined
      : readNumber(text, typeof first === 'number' || isPlain(text, mark) ? '.' : undefined);
  if (text === undefined || reading === undefined || reading.kind === 'unclear') return undefined;
  if (reading.kind === 'range') return Number(reading.low) < 0 ? undefined : reading;
  if (reading.kind === 'open') return { low: mark === undefined ? text : reading.values[mark] };
  return Number(reading.value) < 0 ? undefined : { low: reading.value };
}

/** What is not the price that is to be paid for the product: an old one, one of a unit, the delivery, a rate, one for members. */
const isOtherPrice = (specification: JsonObject) =>
  typesOf(specification).some((type) => /^(?:DeliveryCharge|PaymentCharge)Specification$/.test(type)) ||
  /(?:List|Strikethrough|Installment|Downpayment|Msrp|Srp|Invoice)/i.test(
    `${textOf(specification.priceType)} ${textOf(specification.priceComponentType)}`,
  ) ||
  ['referenceQuantity', 'validForMemberTier', 'billingDuration', 'billingIncrement'].some(
    (name) => specification[name] !== undefined,
  );

const toCurrency = (value: unknown): string | undefined => {
  const text = textOf(value);
  if (text === undefined) return undefined;
  return /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : (findCurrency(text)?.code ?? text);
};

interface Priced extends Amount {
  readonly currency: string | undefined;
}

/** The price of an offer with its own currency. */
function readPrice(offer: JsonObject, mark: DecimalMark): Priced | undefined {
  const specifications = oneOrMore(offer.priceSpecification).filter(isObject);
  const places = [offer, ...specifications.filter((one) => !isOtherPrice(one))];
  const place = places.find(({ price }) => toAmount(price, mark) !== undefined);
  const [low, high] = [toAmount(place?.price ?? offer.lowPrice, mark), toAmount(offer.highPrice, mark)];
  if (low === undefined) return undefined;
  const currency =
    toCurrency(place?.priceCurrency) ??
    toCurrency(offer.priceCurrency) ??
    findCurrency(textOf(place?.price) ?? '')?.code;
  const end = low.high ?? (place === undefined ? high?.low : undefined);
  return { low: low.low, ...(end !== undefined && end !== low.low && { high: end }), currency };
}

/** One price, or the ends of a range where offers differ; `said` is the price that the page's metadata tells. */
function readOffer(product: JsonObject, mark: DecimalMark, said: Exact | undefined): Record<string, unknown> {
  const offersOf = (node: JsonObject) =>
    oneOrMore(node.offers)
      .filter(isObject)
      .flatMap((offer) => [offer, ...oneOrMore(offer.offers).filter(isObject)]);
  const all = [product, ...oneOrMore(product.hasVariant).filter(isObject)].flatMap(offersOf);
  const stateOf = ({ availability }: JsonObject) => toAvailability(availability);
  const stock = all.flatMap((offer) => stateOf(offer) ?? []);
  const availability = stock.find((state) => state === 'InStock') ?? stock[0];
  // What is sold out has no price beside one that is in stock.
  const held = all.filter((offer) => [availability, undefined].includes(stateOf(offer)));
  const prices = held.flatMap((offer) => readPrice(offer, mark) ?? []);
  const [first] = prices;
  const ends = prices
    .filter(({ currency }) => currency === undefined || currency === first?.currency)
    .flatMap(({ low, high }) => (high === undefined ? [low] : [low, high]))
    .filter((end) => typeof end === 'number');
  const isSaid = said !== undefined && prices.some(({ low }) => low === said);
  const isRange = !isSaid && new Set(ends).size > 1;
  const stated = (read: (offer: JsonObject) => unknown) => textOf(all.map(read));
  return {
    price: isSaid ? said : isRange ? Math.min(...ends) : first?.low,
    high_price: isRange ? Math.max(...ends) : undefined,
    currency: first === undefined ? toCurrency(stated((offer) => offer.priceCurrency)) : first.currency,
    availability,
    sku: textOf(product.sku) ?? stated((offer) => offer.sku) ?? textOf(product.productID),
  };
}

/** The product that the page is about: the only one, or the one that its title or address names. */
function findProduct(nodes: readonly JsonObject[], { html, page }: Document): JsonObject | undefined {
  const products = nodes.filter(isProduct);
  const offered = products.filter(
    ({ offers, hasVariant }) => offers !== undefined || hasVariant !== undefined,
  );
  const names = new Set(offered.map(({ name }) => textOf(name)));
  if (names.size < 2) return offered[0] ?? products[0];
  const titles = new Set(toWords(`${html('title').first().text()} ${html('h1').text()}`));
  const path = (address: string) => address.replace(/^https?:\/\/[^/]*|[?#].*$/g, '');
  const isNamed = ({ name, url, '@id': id }: JsonObject) => {
    const words = toWords(textOf(name) ?? '');
    const shared = words.filter((word) => titles.has(word)).length;
    const addresses = [url, id].flatMap((address) => textOf(address) ?? []);
    return (
      (words.length > 0 && shared >= words.length * 0.8) ||
      addresses.some((address) => path(address) !== '/' && path(address) === path(page.url))
    );
  };
  return offered.find(isNamed);
}

export function readProduct(
  nodes: readonly JsonObject[],
  document: Document,
  said: Exact | undefined,
): Record<string, unknown> {
  const product = findProduct(nodes, document);
  if (product === undefined) return {};
  const rating = oneOrMore(product.aggregateRating).find(isObject);
  return {
    ...readOffer(product, document.decimalMark ?? '.', said),
    name: textOf(product.name),
    brand: textOf(product.brand),
    gtin: textOf(
      product.gtin13 ?? product.gtin ?? product.gtin12 ?? product.gtin8 ?? product.gtin14 ?? product.isbn,
    ),
    mpn: textOf(product.mpn),
    rating: textOf(rating?.ratingValue),
    reviews: textOf(rating?.reviewCount ?? rating?.ratingCount),
  };
}

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

const prices = '[itemprop="price"], [class*="price" i], [data-price], [id*="price" i]';
/** Elements that look alike, such as the prices of a list. */
const lookOf = ({ name, attribs, parent }: Element, depth = 0): string =>
  `${name} ${attribs.class ?? ''}${depth < 2 && parent !== null && isTag(parent) ? `/${lookOf(parent, depth + 1)}` : ''}`;

/** The price that is shown by itself; undefined where another one stands beside it and nothing tells which holds. */
function readShownPrice(document: Document): Priced | undefined {
  const { decimalMark } = document;
  const isOther = ({ attribs }: Element) =>
    otherNames.test(toWords(`${attribs.class ?? ''} ${attribs.id ?? ''}`).join(' '));
  const priced = shownIn(document, prices).flatMap(({ element, text }) => {
    const amount = text.length < 40 && saysMoney(text) ? toAmount(text, decimalMark) : undefined;
    const isPrice =
      amount !== undefined && !(Number(amount.low) <= 0) && !otherText.test(text.replace(/[\d.,]+/g, ''));
    return isPrice ? [{ element, amount, currency: findCurrency(text)?.code }] : [];
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
function readShownStock(document: Document): string | undefined {
  const shown = shownIn(document, '[itemprop="availability"], [class*="stock" i], [class*="availability" i]');
  const stock = shown.map(({ text }) => toAvailability(text)).find((state) => state !== undefined);
  const buy = document.html(buttons).toArray().filter(isTag);
  if (stock !== undefined || buy.length === 0) return stock;
  return buy.every(isDisabled) ? 'OutOfStock' : 'InStock';
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
