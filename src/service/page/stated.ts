/** The page's data about itself as fields: JSON-LD, microdata, Open Graph and other metadata. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { findCurrency, saysMoney } from '../../compare/money.ts';
import { type DecimalMark, type Exact, readNumber } from '../../compare/number.ts';
import type { Document } from './document.ts';
import { isObject, type JsonObject } from './json-values.ts';
import { readScriptValues } from './scripts.ts';
import { getText } from './text.ts';

type Node = JsonObject;

const toList = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
const maxNodes = 2_000;

const typesOf = (node: Node): string[] =>
  toList(node['@type'])
    .filter((type) => typeof type === 'string')
    .map((type) => type.replace(/^.*[/#:]/, ''));

/** Microdata and RDFa that are no part of another item. */
const items = '[itemscope][itemtype]:not([itemprop]), [typeof]:not([property])';
const jsonLd = 'script[type^="application/ld+json" i]';

/** The things of JSON-LD, microdata and RDFa, references resolved, also those inside of graphs and lists. */
function readThings(html: CheerioAPI): Node[] {
  const nodes: Node[] = [];
  const seen = new Set<string>();
  const add = (value: unknown) => {
    if (nodes.length >= maxNodes) return;
    if (Array.isArray(value)) value.forEach(add);
    else if (isObject(value)) {
      const id = value['@id'];
      // A reference that was followed is a copy of its target.
      if (typeof id === 'string' && seen.has(id)) return;
      if (value['@type'] !== undefined) {
        nodes.push(value);
        if (typeof id === 'string') seen.add(id);
      }
      add(value['@graph']);
      add(value.mainEntity);
      add(value.mainEntityOfPage);
    }
  };
  for (const selector of [jsonLd, items])
    for (const { value } of readScriptValues(html, selector)) add(value);
  return nodes;
}

type Meta = (...names: string[]) => string | undefined;

export interface PageFacts {
  readonly types: readonly string[];
  readonly nodes: readonly Node[];
  /** The description in the product's own data. */
  readonly description: string | undefined;
  /** The first value among the metadata with these names. */
  readonly meta: Meta;
  readonly product: Readonly<Record<string, unknown>>;
  readonly headline: string | undefined;
  readonly author: string | undefined;
  readonly published: string | undefined;
  readonly modified: string | undefined;
}

const textOf = (value: unknown): string | undefined => {
  for (const one of toList(value)) {
    if (typeof one === 'number') return String(one);
    if (typeof one === 'string' && one.trim() !== '') return one.replace(/\s+/g, ' ').trim();
    const inner: string | undefined = isObject(one)
      ? textOf(one.name ?? one['@value'] ?? one.value)
      : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
};

const namesOf = (value: unknown): string | undefined =>
  toList(value)
    .slice(0, 5)
    .flatMap((one) => textOf(one) ?? [])
    .join(', ') || undefined;

const isProduct = (node: Node) =>
  typesOf(node).some((type) =>
    /^(?:Product|ProductGroup|IndividualProduct|ProductModel|Vehicle|Car|Book)$/.test(type),
  );
const isText = (node: Node) =>
  typesOf(node).some((type) =>
    /(?:Article|Posting|BlogPost|Report|Recipe|WebPage|QAPage|Question|Review|VideoObject|Course|Event)$/.test(
      type,
    ),
  );

/** "https://schema.org/InStock" and "in stock" are both "InStock". */
function toAvailability(value: unknown): string | undefined {
  const name = textOf(value)
    ?.replace(/^.*[/#:]/, '')
    .replace(/[\s_-]+/g, '')
    .toLowerCase();
  if (name === undefined) return undefined;
  const known = [
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
  const short: Readonly<Record<string, string>> = {
    oos: 'OutOfStock',
    available: 'InStock',
    instock: 'InStock',
    onbackorder: 'BackOrder',
    unavailable: 'OutOfStock',
    pending: 'PreOrder',
  };
  return short[name] ?? known.find((one) => one.toLowerCase() === name);
}

interface Amount {
  readonly low: Exact;
  readonly high?: Exact;
}

/**
 * An amount, or the two ends of a range. Schema.org writes a point before decimals, and nothing else; a text with two readings
 * that nothing decides stays the text.
 */
function toAmount(value: unknown, mark?: DecimalMark): Amount | undefined {
  const [first] = toList(value);
  if (typeof first === 'number') return { low: first };
  const text = textOf(value);
  const reading =
    text === undefined ? undefined : readNumber(text, /^\d+\.\d+$/.test(text) ? '.' : undefined);
  if (text === undefined || reading === undefined || reading.kind === 'unclear') return undefined;
  if (reading.kind === 'range') return reading;
  if (reading.kind === 'one') return { low: reading.value };
  return { low: mark === undefined ? text : reading.values[mark] };
}

function readOffer(product: Node, mark: DecimalMark): Record<string, unknown> {
  const offers = toList(product.offers).flatMap((offer) =>
    isObject(offer) ? [offer, ...toList(offer.offers).filter(isObject)] : [],
  );
  const variants = toList(product.hasVariant)
    .filter(isObject)
    .flatMap((variant) => toList(variant.offers).filter(isObject));
  const all = [...offers, ...variants];
  const specifications = all.flatMap((offer) => toList(offer.priceSpecification).filter(isObject));
  const first = <Value>(pick: (offer: Node) => Value | undefined) =>
    [...all, ...specifications].map(pick).find((value) => value !== undefined);
  const price = first((offer) => toAmount(offer.price, mark));
  const states = all
    .map(({ availability }) => toAvailability(availability))
    .filter((state) => state !== undefined);
  return {
    price: price?.low ?? first(({ lowPrice }) => toAmount(lowPrice, mark)?.low),
    high_price: price?.high ?? first(({ highPrice }) => toAmount(highPrice, mark)?.low),
    currency: first(({ priceCurrency }) => textOf(priceCurrency)),
    availability: states.find((state) => state === 'InStock') ?? states[0],
    sku: textOf(product.sku) ?? first(({ sku }) => textOf(sku)) ?? textOf(product.productID),
  };
}

function readProduct(nodes: readonly Node[], mark: DecimalMark): Record<string, unknown> {
  const product =
    nodes.find((node) => isProduct(node) && (node.offers !== undefined || node.hasVariant !== undefined)) ??
    nodes.find(isProduct);
  if (product === undefined) return {};
  const rating = toList(product.aggregateRating).find(isObject);
  return {
    ...readOffer(product, mark),
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

function createMeta(html: CheerioAPI): Meta {
  const metas = new Map<string, string>();
  for (const { attribs } of html('meta[content]').toArray()) {
    const name = (attribs.property ?? attribs.name ?? attribs.itemprop ?? '').toLowerCase();
    const content = attribs.content?.replace(/\s+/g, ' ').trim() ?? '';
    if (name !== '' && content !== '' && !metas.has(name)) metas.set(name, content);
  }
  return (...names) => names.map((name) => metas.get(name)).find((value) => value !== undefined);
}

/** Without the price that is crossed out beside the one that holds. */
function withoutOld(html: CheerioAPI, element: Element): Element {
  if (html(element).find('del, s, strike').length === 0) return element;
  const copy = html(element).clone();
  copy.find('del, s, strike').remove();
  return copy.get(0) ?? element;
}

/** The offer on a product page without structured data, found by classes and forms. */
function readShownOffer({ html, decimalMark }: Document): Record<string, unknown> {
  const shown = (select: string) =>
    html(select)
      .toArray()
      .filter(isTag)
      .slice(0, 60)
      .filter(
        (element) =>
          html(element).closest(
            'del, s, strike, nav, footer, aside, [class*="related" i], [class*="old" i], [class*="was" i], [class*="compare" i], [class*="cart" i], [hidden]',
          ).length === 0,
      )
      .map(
        (element) =>
          element.attribs.content ??
          element.attribs['data-price'] ??
          getText(withoutOld(html, element)).replace(/\s+/g, ' ').trim(),
      );
  const prices = '[itemprop="price"], [class*="price" i], [data-price], [id*="price" i]';
  const isPrice = (text: string) => {
    const low = text.length < 40 && saysMoney(text) ? toAmount(text, decimalMark)?.low : undefined;
    return low !== undefined && !(Number(low) <= 0);
  };
  const priceText = shown(prices).find(isPrice);
  const amount = toAmount(priceText, decimalMark);
  const stock = shown('[itemprop="availability"], [class*="stock" i], [class*="availability" i]')
    .map(toAvailability)
    .find((state) => state !== undefined);
  const buy = html(
    'form[action*="cart" i] [type="submit"], form[action*="cart" i] button, button[name="add"], [class*="add-to-cart" i], [class*="addtocart" i], [id*="add-to-cart" i]',
  );
  const isDisabled = (element: Element) =>
    'disabled' in element.attribs || element.attribs['aria-disabled'] === 'true';
  const buyState =
    buy.length === 0 ? undefined : buy.toArray().filter(isTag).every(isDisabled) ? 'OutOfStock' : 'InStock';
  return {
    price: amount?.low,
    high_price: amount?.high,
    currency: findCurrency(priceText ?? '')?.code,
    availability: stock ?? buyState,
    sku: shown('[itemprop="sku"], [class~="sku"], [class*="product-sku" i] > *')
      .map((text) => text.replace(/^\W*(?:sku|art\.?(?:\s?-?nr)?|item|model)\W*/i, ''))
      .find((text) => /^[\w./-]{2,40}$/.test(text)),
  };
}

/** Undefined members are left out. */
const withoutAbsent = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export function readPageFacts({ html, decimalMark = '.' }: Document): PageFacts {
  const nodes = readThings(html);
  const meta = createMeta(html);
  const product = readProduct(nodes, decimalMark);
  const described = nodes.find((node) => isProduct(node) && typeof node.description === 'string');
  return {
    types: [...new Set(nodes.flatMap(typesOf))],
    nodes,
    description: textOf(described?.description),
    meta,
    product: {
      ...product,
      price:
        product.price ??
        toAmount(meta('product:price:amount', 'og:price:amount', 'product:sale_price:amount'), decimalMark)
          ?.low,
      currency: product.currency ?? meta('product:price:currency', 'og:price:currency'),
      availability: product.availability ?? toAvailability(meta('product:availability', 'og:availability')),
      sku: product.sku ?? meta('product:retailer_item_id'),
    },
    ...readText(nodes, meta),
  };
}

function readText(nodes: readonly Node[], meta: Meta) {
  const text = nodes.find(
    (node) => isText(node) && (node.author !== undefined || node.datePublished !== undefined),
  );
  return {
    headline: textOf(text?.headline),
    author:
      namesOf(text?.author) ??
      meta('author', 'article:author', 'parsely-author', 'dc.creator', 'sailthru.author', 'citation_author'),
    published:
      textOf(text?.datePublished) ??
      meta(
        'article:published_time',
        'parsely-pub-date',
        'datepublished',
        'dc.date',
        'dc.date.issued',
        'date',
        'citation_publication_date',
        'sailthru.date',
        'publish-date',
      ),
    modified: textOf(text?.dateModified) ?? meta('article:modified_time', 'og:updated_time'),
  };
}

/** The facts as the answer gives them. */
export function toData(
  document: Document,
  facts: PageFacts,
  isProductPage: boolean,
): Record<string, unknown> {
  const { meta, product, published, modified, author } = facts;
  const { html } = document;
  const shown = isProductPage ? readShownOffer(document) : {};
  return withoutAbsent({
    ...product,
    price: product.price ?? shown.price,
    high_price: product.high_price ?? (product.price === undefined ? shown.high_price : undefined),
    currency: product.currency ?? (product.price === undefined ? shown.currency : undefined),
    availability: product.availability ?? shown.availability,
    sku: product.sku ?? shown.sku,
    author,
    published,
    modified,
    description: meta('description', 'og:description'),
    image: meta('og:image', 'twitter:image'),
    site_name: meta('og:site_name'),
    language: html('html').attr('lang'),
    types: facts.types.length === 0 ? undefined : facts.types.slice(0, 20),
  });
}
