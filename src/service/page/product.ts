/** The product of a page and what it costs, as the page states it for programs. */
import { toPlainDigits } from '../../compare/digits.ts';
import { findCurrency } from '../../compare/money.ts';
import { type DecimalMark, type Exact, readNumber } from '../../compare/number.ts';
import { toldMarks } from '../../compare/number-set.ts';
import type { Document } from './document.ts';
import { isObject, type JsonObject } from './json.ts';
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
  /^\d+\.\d+$/.test(text) && (mark !== ',' || !isGroup.test(text));
const isGroup = /^[1-9]\d{0,2}\.\d{3}$/;

/** The mark of stated amounts: `12.665` is none of thousands where the page shows it as "12,67", or shows no numbers at all. */
export function markOfStated(texts: readonly (string | undefined)[], document: Document): DecimalMark {
  const { text: shown, decimalMark = '.', toldMark = '.' } = document;
  const group = texts.find((text) => text !== undefined && isGroup.test(text));
  if (group === undefined || shown.includes(group)) return decimalMark;
  const rounded = [Math.floor, Math.ceil].map((round) => round(Number(group) * 100) / 100);
  const isRounded = rounded.some((one) =>
    new RegExp(`(?<![\\d.])${one.toFixed(2).replace('.', ',')}(?!\\d)`).test(shown),
  );
  return isRounded ? '.' : toldMark;
}

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

/** A stated number that has one reading which can be meant; else the text as the page says it. */
function toStated(value: unknown, isPossible: (number: number) => boolean): Exact | undefined {
  const text = textOf(value);
  const reading =
    text === undefined || !/^[\d.,' ]+$/.test(toPlainDigits(text)) ? undefined : readNumber(text);
  const readings =
    reading?.kind === 'one' ? [reading.value] : reading?.kind === 'open' ? Object.values(reading.values) : [];
  const [number, ...others] = readings.filter((one) => isPossible(Number(one)));
  return number !== undefined && others.length === 0 ? number : text;
}

/** A rating between nothing and the best, and how many gave one: both may have a point or a comma. */
function readRating(product: JsonObject) {
  const rating = oneOrMore(product.aggregateRating).find(isObject);
  const best = toStated(rating?.bestRating, (number) => number <= mostRating);
  return {
    rating: toStated(
      rating?.ratingValue,
      (number) => number <= (typeof best === 'number' ? best : mostRating),
    ),
    best_rating: best,
    reviews: toStated(rating?.reviewCount ?? rating?.ratingCount, Number.isInteger),
  };
}
const mostRating = 100;

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

export interface Priced extends Amount {
  readonly currency: string | undefined;
}

/** The price of an offer with its own currency. */
function readPrice(offer: JsonObject, mark: DecimalMark): Priced | undefined {
  const specifications = oneOrMore(offer.priceSpecification).filter(isObject);
  const places = [offer, ...specifications.filter((one) => !isOtherPrice(one))];
  const place = places.find(({ price }) => toAmount(price, mark) !== undefined);
  const amounts = [place?.price, offer.lowPrice, offer.highPrice].flatMap(
    (price) => toAmount(price, mark) ?? [],
  );
  const [first] = amounts;
  if (first === undefined) return undefined;
  const currency =
    toCurrency(place?.priceCurrency) ??
    toCurrency(offer.priceCurrency) ??
    findCurrency(textOf(place?.price) ?? '')?.code;
  const ends = amounts.flatMap(({ low, high = low }) => [low, high]).filter((end) => typeof end === 'number');
  // An amount that has two readings is no end of a range.
  if (ends.length < 2 * amounts.length) return { ...first, currency };
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return { low, ...(low < high && { high }), currency };
}

/** An offer of a product or of its variant, with what it is called. */
interface Offer {
  readonly node: JsonObject;
  readonly name: string | undefined;
  readonly state: string | undefined;
}

function findOffers(product: JsonObject): Offer[] {
  const title = textOf(product.name);
  const offersOf = (item: JsonObject) =>
    oneOrMore(item.offers)
      .filter(isObject)
      .flatMap((offer) => [offer, ...oneOrMore(offer.offers).filter(isObject)])
      .map((node) => ({
        node,
        name: [node.name, item === product ? undefined : item.name, node.sku, item.sku]
          .map(textOf)
          .find((name) => name !== undefined && name !== title),
        state: toAvailability(node.availability),
      }));
  return [product, ...oneOrMore(product.hasVariant).filter(isObject)].flatMap(offersOf);
}

const mostNames = 5;

/** What one price and one availability do not tell of offers that differ. */
function explainOffers(
  all: readonly Offer[],
  availability: string | undefined,
  cheaper: number | undefined,
): string[] {
  const others = all.filter(({ state }) => state !== undefined && state !== availability);
  const names = others.map(({ name, state }) => (name === undefined ? state : `${name} (${state})`));
  const more = names.length > mostNames ? [`${names.length - mostNames} more`] : [];
  const few = [...new Set(names.slice(0, mostNames)), ...more].join(', ');
  return [
    ...(others.length > 0
      ? [
          `\`data.price\` and \`data.availability\` are without ${others.length} of ${all.length} offers, which are not ${availability}: ${few}.`,
        ]
      : []),
    ...(cheaper !== undefined
      ? [`\`data.price\` is the one that the page states for itself; other offers begin at ${cheaper}.`]
      : []),
  ];
}

/** The comma where an amount of the offers has it before decimals; else what the page tells. */
function markOf(offers: readonly Offer[], document: Document): DecimalMark {
  const texts = offers.flatMap(({ node }) => [node.price, node.lowPrice, node.highPrice].flatMap(textOf));
  const told = toldMarks(texts.map((text) => (text === undefined ? undefined : readNumber(text))));
  return told.size === 1 && told.has(',') ? ',' : markOfStated(texts, document);
}

/** One price, or the ends of a range where offers differ; `said` is the price that the page's metadata tells. */
function readOffer(product: JsonObject, document: Document, said: Exact | undefined): Product {
  const all = findOffers(product);
  const mark = markOf(all, document);
  const stock = all.flatMap(({ state }) => state ?? []);
  const availability = stock.find((state) => state === 'InStock') ?? stock[0];
  // What is sold out has no price beside one that is in stock.
  const held = all.filter(({ state }) => [availability, undefined].includes(state));
  const prices = held.flatMap(({ node }) => readPrice(node, mark) ?? []);
  const [first] = prices;
  const ends = prices
    .filter(({ currency }) => currency === undefined || currency === first?.currency)
    .flatMap(({ low, high }) => (high === undefined ? [low] : [low, high]))
    .filter((end) => typeof end === 'number');
  const isSaid = said !== undefined && prices.some(({ low }) => low === said);
  const isRange = new Set(ends).size > 1;
  const price = isSaid ? said : isRange ? Math.min(...ends) : first?.low;
  const [lowest, highest] = isRange ? [Math.min(...ends), Math.max(...ends)] : [];
  const stated = (read: (offer: JsonObject) => unknown) => textOf(all.map(({ node }) => read(node)));
  return {
    fields: {
      price,
      high_price: highest === price ? undefined : highest,
      currency: first === undefined ? toCurrency(stated((offer) => offer.priceCurrency)) : first.currency,
      availability,
      sku: textOf(product.sku) ?? stated((offer) => offer.sku) ?? textOf(product.productID),
    },
    left: explainOffers(all, availability, lowest === price ? undefined : lowest),
  };
}

/** The product that the page is about: the only one, or the one that its title names. */
function findProduct(nodes: readonly JsonObject[], { html }: Document): JsonObject | undefined {
  const products = nodes.filter(isProduct);
  const offered = products.filter(
    ({ offers, hasVariant }) => offers !== undefined || hasVariant !== undefined,
  );
  const names = new Set(offered.map(({ name }) => textOf(name)));
  if (names.size < 2) return offered[0] ?? products[0];
  const titles = new Set(toWords(`${html('title').first().text()} ${html('h1').text()}`));
  const isNamed = ({ name }: JsonObject) => {
    const words = toWords(textOf(name) ?? '');
    const shared = words.filter((word) => titles.has(word)).length;
    return words.length > 0 && shared >= words.length * 0.8;
  };
  return offered.find(isNamed);
}

export interface Product {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Sentences about offers that the fields do not tell. */
  readonly left: readonly string[];
}

export function readProduct(
  nodes: readonly JsonObject[],
  document: Document,
  said: Exact | undefined,
): Product {
  const product = findProduct(nodes, document);
  if (product === undefined) return { fields: {}, left: [] };
  const { fields, left } = readOffer(product, document, said);
  return {
    left,
    fields: {
      ...fields,
      name: textOf(product.name),
      brand: textOf(product.brand),
      gtin: textOf(
        product.gtin13 ?? product.gtin ?? product.gtin12 ?? product.gtin8 ?? product.gtin14 ?? product.isbn,
      ),
      mpn: textOf(product.mpn),
      ...readRating(product),
    },
  };
}
