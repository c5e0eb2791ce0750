/** The page's data about itself as fields: JSON-LD, microdata, Open Graph and other metadata. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { exceededLimit, maxJsonDepth } from '../../contract/json-limits.ts';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toList = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
const maxNodes = 2_000;

const typesOf = (node: Node): string[] =>
  toList(node['@type'])
    .filter((type) => typeof type === 'string')
    .map((type) => type.replace(/^.*[/#]/, ''));

function parseScript(source: string): unknown {
  const text = source.replace(
    /^\s*(?:<!--|\/\*\s*<!\[CDATA\[\s*\*\/|<!\[CDATA\[)|(?:-->|\/\*\s*\]\]>\s*\*\/|\]\]>)\s*$/g,
    '',
  );
  if (exceededLimit(text, { depth: maxJsonDepth }) !== undefined) return undefined;
  for (const variant of [text, text.replace(/\s+/g, ' ').replace(/,\s*([}\]])/g, '$1')])
    try {
      return JSON.parse(variant);
    } catch {
      // The next variant mends line breaks in strings and commas at the end of a list, which sites write often.
    }
  return undefined;
}

/** The nodes of all JSON-LD scripts, including those inside `@graph` and lists. */
function readJsonLd(html: CheerioAPI): Node[] {
  const nodes: Node[] = [];
  const add = (value: unknown) => {
    if (nodes.length >= maxNodes) return;
    if (Array.isArray(value)) value.forEach(add);
    else if (isNode(value)) {
      if (value['@type'] !== undefined) nodes.push(value);
      add(value['@graph']);
      add(value.mainEntity);
      add(value.mainEntityOfPage);
    }
  };
  for (const script of html('script[type="application/ld+json"]').toArray())
    add(parseScript(html(script).text()));
  return nodes;
}

/** The microdata items that are not nested in another item. */
function readMicrodata(html: CheerioAPI): Node[] {
  const readValue = (element: Element): unknown => {
    if ('itemscope' in element.attribs) return readItem(element);
    const { content, datetime, href, src } = element.attribs;
    const text = content ?? (element.name === 'time' ? datetime : undefined);
    if (text !== undefined) return text;
    if (/^(?:a|link)$/.test(element.name)) return href;
    return element.name === 'img' ? src : html(element).text().replace(/\s+/g, ' ').trim();
  };
  const readItem = (item: Element): Node => {
    const node: Record<string, unknown> = { '@type': item.attribs.itemtype ?? '' };
    const walk = (parent: Element) => {
      for (const child of parent.children.filter(isTag)) {
        for (const name of (child.attribs.itemprop ?? '').split(/\s+/).filter(Boolean))
          node[name] =
            node[name] === undefined ? readValue(child) : [...toList(node[name]), readValue(child)];
        if (!('itemscope' in child.attribs)) walk(child);
      }
    };
    walk(item);
    return node;
  };
  return html('[itemscope][itemtype]:not([itemprop])').toArray().slice(0, 200).map(readItem);
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
    const inner: string | undefined = isNode(one)
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

/** Prices as numbers: "1,299.00" and "1.299,00" are the same. */
function toPrice(value: unknown): number | undefined {
  const said = textOf(value) ?? '';
  // Schema.org's form: a point before the decimals, and nothing else.
  if (/^\d+(?:\.\d+)?$/.test(said)) return Number(said);
  const text = said.replace(/[^\d.,]/g, '').replace(/^[.,]+|[.,]+$/g, '');
  if (!/\d/.test(text)) return undefined;
  const mark = /[.,](\d{1,2})$/.exec(text);
  const whole = (mark === null ? text : text.slice(0, mark.index)).replace(/[.,]/g, '');
  return Number(mark === null ? whole : `${whole}.${mark[1]}`);
}

function readOffer(product: Node): Record<string, unknown> {
  const offers = toList(product.offers).flatMap((offer) =>
    isNode(offer) ? [offer, ...toList(offer.offers).filter(isNode)] : [],
  );
  const variants = toList(product.hasVariant)
    .filter(isNode)
    .flatMap((variant) => toList(variant.offers).filter(isNode));
  const all = [...offers, ...variants];
  const specifications = all.flatMap((offer) => toList(offer.priceSpecification).filter(isNode));
  const first = (pick: (offer: Node) => unknown) =>
    [...all, ...specifications].map(pick).find((value) => value !== undefined);
  const states = all
    .map(({ availability }) => toAvailability(availability))
    .filter((state) => state !== undefined);
  return {
    price: first(({ price }) => toPrice(price)) ?? first(({ lowPrice }) => toPrice(lowPrice)),
    high_price: first(({ highPrice }) => toPrice(highPrice)),
    currency: first(({ priceCurrency }) => textOf(priceCurrency)),
    availability: states.find((state) => state === 'InStock') ?? states[0],
    sku: textOf(product.sku) ?? first(({ sku }) => textOf(sku)) ?? textOf(product.productID),
  };
}

function readProduct(nodes: readonly Node[]): Record<string, unknown> {
  const product =
    nodes.find((node) => isProduct(node) && (node.offers !== undefined || node.hasVariant !== undefined)) ??
    nodes.find(isProduct);
  if (product === undefined) return {};
  const rating = toList(product.aggregateRating).find(isNode);
  return {
    ...readOffer(product),
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

/** The offer on a product page without structured data, found by classes and forms. */
function readShownOffer(html: CheerioAPI): Record<string, unknown> {
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
          html(element).text().replace(/\s+/g, ' ').trim(),
      );
  const sign = /([$€£¥₹₽₩]|\b(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|PLN|SEK|DKK|NOK)\b)/;
  const priceText = shown('[itemprop="price"], [class*="price" i], [data-price], [id*="price" i]').find(
    (text) => text.length < 40 && sign.test(text) && (toPrice(text) ?? 0) > 0,
  );
  const [, number] = /((?:\d{1,3}(?:[ .,]\d{3})+|\d+)(?:[.,]\d{1,2})?)(?!\d)/.exec(priceText ?? '') ?? [];
  const currencies: Readonly<Record<string, string>> = {
    '€': 'EUR',
    '£': 'GBP',
    $: 'USD',
    '¥': 'JPY',
    '₹': 'INR',
    '₽': 'RUB',
    '₩': 'KRW',
  };
  const currency = sign.exec(priceText ?? '')?.[1];
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
    price: toPrice(number),
    currency: currency === undefined ? undefined : (currencies[currency] ?? currency),
    availability: stock ?? buyState,
    sku: shown('[itemprop="sku"], [class~="sku"], [class*="product-sku" i] > *')
      .map((text) => text.replace(/^\W*(?:sku|art\.?(?:\s?-?nr)?|item|model)\W*/i, ''))
      .find((text) => /^[\w./-]{2,40}$/.test(text)),
  };
}

/** Undefined members are left out. */
const withoutAbsent = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export function readPageFacts(html: CheerioAPI): PageFacts {
  const nodes = [...readJsonLd(html), ...readMicrodata(html)];
  const meta = createMeta(html);
  const product = readProduct(nodes);
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
        toPrice(meta('product:price:amount', 'og:price:amount', 'product:sale_price:amount')),
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
export function toData(html: CheerioAPI, facts: PageFacts, isProductPage: boolean): Record<string, unknown> {
  const { meta, product, published, modified, author } = facts;
  const shown = isProductPage ? readShownOffer(html) : {};
  return withoutAbsent({
    ...product,
    price: product.price ?? shown.price,
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
