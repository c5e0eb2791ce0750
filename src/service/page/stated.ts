/** The page's data about itself as fields: JSON-LD, microdata, Open Graph and other metadata. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Document } from './document.ts';
import { isObject, type JsonObject } from './json.ts';
import {
  isProduct,
  markOfStated,
  oneOrMore,
  readProduct,
  textOf,
  toAmount,
  toAvailability,
  typesOf,
} from './product.ts';
import { readScriptValues } from './scripts.ts';
import { readShownOffer } from './shown-offer.ts';

type Node = JsonObject;

const maxNodes = 2_000;

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
  /** Sentences about offers that `product` does not tell. */
  readonly leftOffers: readonly string[];
  readonly headline: string | undefined;
  readonly author: string | undefined;
  readonly published: string | undefined;
  readonly modified: string | undefined;
}

const namesOf = (value: unknown): string | undefined =>
  oneOrMore(value)
    .slice(0, 5)
    .flatMap((one) => textOf(one) ?? [])
    .join(', ') || undefined;

const isText = (node: Node) =>
  typesOf(node).some((type) =>
    /(?:Article|Posting|BlogPost|Report|Recipe|WebPage|QAPage|Question|Review|VideoObject|Course|Event|Listing)$/.test(
      type,
    ),
  );

function createMeta(html: CheerioAPI): Meta {
  const metas = new Map<string, string>();
  for (const { attribs } of html('meta[content]').toArray()) {
    const name = (attribs.property ?? attribs.name ?? attribs.itemprop ?? '').toLowerCase();
    const content = attribs.content?.replace(/\s+/g, ' ').trim() ?? '';
    if (name !== '' && content !== '' && !metas.has(name)) metas.set(name, content);
  }
  return (...names) => names.map((name) => metas.get(name)).find((value) => value !== undefined);
}

/** Undefined members are left out. */
const withoutAbsent = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

export function readPageFacts(document: Document): PageFacts {
  const { html } = document;
  const nodes = readThings(html);
  const meta = createMeta(html);
  const price = meta('product:sale_price:amount', 'product:price:amount', 'og:price:amount');
  const said = toAmount(price, markOfStated([price], document));
  const { fields: product, left } = readProduct(nodes, document, said?.low);
  const isSaidAlone = product.price === undefined && said !== undefined;
  const saidCurrency = meta('product:price:currency', 'og:price:currency');
  const described = nodes.find((node) => isProduct(node) && typeof node.description === 'string');
  return {
    types: [...new Set(nodes.flatMap(typesOf))],
    nodes,
    description: textOf(described?.description),
    meta,
    leftOffers: left,
    product: {
      ...product,
      price: product.price ?? said?.low,
      currency: (isSaidAlone ? saidCurrency : undefined) ?? product.currency ?? saidCurrency,
      availability: product.availability ?? toAvailability(meta('product:availability', 'og:availability')),
      sku: product.sku ?? meta('product:retailer_item_id'),
    },
    ...readText(nodes, meta),
  };
}

function readText(nodes: readonly Node[], meta: Meta) {
  const text = nodes.find(
    (node) =>
      isText(node) && ['author', 'datePublished', 'datePosted'].some((name) => node[name] !== undefined),
  );
  const [work, ...otherWorks] = nodes.filter((node) => node.author !== undefined);
  return {
    headline: textOf(text?.headline),
    author:
      namesOf(text?.author) ??
      meta(
        'author',
        'article:author',
        'parsely-author',
        'dc.creator',
        'sailthru.author',
        'citation_author',
      ) ??
      // Of the one work that a page states, such as a book.
      (otherWorks.length === 0 ? namesOf(work?.author) : undefined),
    published:
      textOf(text?.datePublished ?? text?.datePosted) ??
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

/** What the answer tells of products. Whether the page is about another thing that it states, nobody knows. */
const factsOfThings = ['offers', 'aggregateRating', 'startDate', 'datePosted', 'baseSalary'];

/** Levels of things within things: an album has releases, which have offers. */
const deepest = 3;
const statesFacts = (value: unknown, levels: number): boolean =>
  Array.isArray(value)
    ? value.some((one) => statesFacts(one, levels))
    : isObject(value) &&
      !isProduct(value) &&
      (factsOfThings.some((name) => name in value) ||
        (levels > 1 && Object.values(value).some((one) => statesFacts(one, levels - 1))));

/** Says of what else the page states such facts. */
export function explainOthers({ nodes }: PageFacts): string[] {
  const others = nodes.filter((node) => statesFacts(node, deepest));
  const types = [...new Set(others.flatMap(typesOf))].slice(0, 5).join(', ');
  return types === ''
    ? []
    : [`The page states a price, a rating or a day of something else (${types}): ask for parts ["data"].`];
}

/** The facts as the answer gives them. */
export function toData(
  document: Document,
  facts: PageFacts,
  isProductPage: boolean,
): Record<string, unknown> {
  const { meta, product, published, modified, author } = facts;
  const shown = isProductPage ? readShownOffer(document) : {};
  return withoutAbsent({
    ...product,
    price: product.price ?? shown.price,
    high_price: product.price === undefined ? shown.high_price : product.high_price,
    // A price and its currency are said in one place.
    currency: (product.price === undefined ? shown.currency : undefined) ?? product.currency,
    availability: product.availability ?? shown.availability,
    sku: product.sku ?? shown.sku,
    author,
    published,
    modified,
    description: meta('description', 'og:description'),
    image: meta('og:image', 'twitter:image'),
    site_name: meta('og:site_name'),
    language: document.language || undefined,
    types: facts.types.length === 0 ? undefined : facts.types.slice(0, 20),
  });
}
