/** A fetched page in the forms that extraction needs, each made at most once. */
import { createHash } from 'node:crypto';
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isDocument, isTag, type ParentNode } from 'domhandler';
import { matchesAddress } from '../../compare/addresses.ts';
import { orderOfDates } from '../../compare/date.ts';
import type { DecimalMark } from '../../compare/number.ts';
import { exceededLimit, maxJsonDepth } from '../../contract/json-limits.ts';
import { PageChangedError, PageTooLargeError, PageUnfitError } from '../foundation/errors.ts';
import { type DecodedText, decodeBytes } from './bytes.ts';
import { csvToHtml, isCsv, isXmlData, isXmlFeed, parseXml } from './data-formats.ts';
import { getElements, previousElement, shownText } from './elements.ts';
import { type JmespathValue, readJsonText } from './json.ts';
import { findPageMark } from './numbers.ts';
import { imageAddress } from './text.ts';
import { parsePage } from './tree.ts';

export interface PageContent {
  /** The page's address after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  /** The `Link` header. */
  readonly link: string;
  /** The address that the page sends its readers on to. */
  readonly refresh?: string | undefined;
  readonly body: Uint8Array;
  /** JSON answers that the page fetched in the browser. */
  readonly responses?: readonly { readonly url: string; readonly body: Uint8Array }[];
}

export type Row = Record<string, unknown>;
/** The `rows` of a listing, or the one `record` of a page; `doubts` are sentences about how its values were read. */
export type Extracted =
  | {
      readonly kind: 'rows';
      readonly rows: Row[];
      readonly doubts?: readonly string[] | undefined;
      /** Of the fields that each row has among as many like elements: how many. */
      readonly among?: Readonly<Record<string, number>> | undefined;
    }
  | { readonly kind: 'record'; readonly record: Row; readonly doubts?: readonly string[] | undefined };

/**
 * Moves the content of custom elements (declarative shadow DOM) to where a browser shows it, with their children in
 * their slots.
 */
function openShadows(html: CheerioAPI): void {
  for (const template of html('template[shadowrootmode]').toArray()) {
    const host = template.parent;
    if (host === null || !isTag(host)) continue;
    const inside = template.children.flatMap((child) => (isDocument(child) ? child.children : [child]));
    const slotted = host.children.filter((child) => child !== template);
    html(template).replaceWith(inside);
    for (const slot of html(host).find('slot').toArray()) {
      const { name } = slot.attribs;
      const ownChildren = slotted.filter((child) =>
        name === undefined
          ? !isTag(child) || child.attribs.slot === undefined
          : isTag(child) && child.attribs.slot === name,
      );
      if (ownChildren.length > 0) html(slot).replaceWith(ownChildren);
    }
  }
}

/** Throws a `PageUnfitError` for what is not JSON. */
function parseJson(text: string): JmespathValue {
  // Deeper data would overflow the stack of code that walks it.
  if (exceededLimit(text, { depth: maxJsonDepth }) !== undefined)
    throw new PageUnfitError('The JSON of the site is nested too deeply');
  const read = readJsonText(text);
  if (read === undefined) throw new PageUnfitError('The site did not answer with JSON');
  return read.value;
}

const cloneName = /(?:^|[\s_-])(?:cloned?|duplicate)(?=\s|$)/i;

/** Removes copies of slides, with which sliders of endless turns begin and end. */
function removeClones(html: CheerioAPI, all: readonly Element[]): void {
  const clones = all.filter(({ attribs }) => cloneName.test(attribs.class ?? ''));
  const contentOf = (element: Element) => html(element).html() ?? '';
  const originals = new Map<ParentNode, Set<string>>();
  for (const clone of clones) {
    const { parent } = clone;
    if (parent === null) continue;
    const own =
      originals.get(parent) ??
      new Set(
        parent.children
          .filter(isTag)
          .filter((one) => !cloneName.test(one.attribs.class ?? ''))
          .map(contentOf),
      );
    originals.set(parent, own);
    if (own.has(contentOf(clone))) html(clone).remove();
  }
}

/** Gives pictures that wait for a script the address in their sources, or in the copy for readers without scripts. */
function addressPictures(html: CheerioAPI, all: readonly Element[]): void {
  const give = (place: Element, addresses: readonly (string | undefined)[]) => {
    const image = html(place).find('img').addBack('img').toArray().filter(isTag).at(-1);
    const address = addresses.find((one) => one !== undefined);
    if (image !== undefined && address !== undefined && imageAddress(image.attribs) === undefined)
      image.attribs['data-src'] = address;
  };
  for (const picture of all.filter(({ name }) => name === 'picture'))
    give(
      picture,
      getElements(picture).map((one) => (one.name === 'source' ? imageAddress(one.attribs) : undefined)),
    );
  // What stands in it is text, since the page is read as by readers with scripts.
  for (const copy of all.filter(({ name }) => name === 'noscript')) {
    const [image] = /<img\b[^<>]*>/i.exec(html(copy).text()) ?? [];
    const place = previousElement(copy);
    if (image !== undefined && place !== undefined) give(place, [imageAddress(html(image).attr() ?? {})]);
  }
}

export class Document {
  readonly page: PageContent;
  #text: DecodedText | undefined;
  #base: string | undefined;
  #html: CheerioAPI | undefined;
  #json: { readonly value: JmespathValue } | undefined;
  #shown: string | undefined;
  #order: { readonly isMonthFirst: boolean | undefined } | undefined;
  #mark: ReturnType<typeof findPageMark> | undefined;

  constructor(page: PageContent) {
    this.page = page;
  }

  get html(): CheerioAPI {
    if (this.#html === undefined) {
      // Does the same as cheerio's `loadBuffer`, without the HTTP client of its main entry, which would slow down every
      // worker.
      const { contentType, url } = this.page;
      const source = isCsv(contentType, url) ? csvToHtml(this.source) : this.source;
      this.#html = parsePage(source);
      if (/shadowrootmode/i.test(source)) openShadows(this.#html);
      // Walking through a page takes most of the time of a query.
      const all = this.#html.root().find('*').toArray();
      removeClones(this.#html, all);
      addressPictures(this.#html, all);
    }
    return this.#html;
  }

  /** What the page shows, in one line. */
  get text(): string {
    this.#shown ??= this.html.root().contents().toArray().map(shownText).join(' ');
    return this.#shown;
  }

  /** The decimal mark of the numbers that the page shows; undefined where they do not tell. */
  get decimalMark(): DecimalMark | undefined {
    return this.#marks()?.value;
  }

  /** As `decimalMark`, by the numbers alone, whatever language the page states. */
  get toldMark(): DecimalMark | undefined {
    return this.#marks()?.told;
  }

  #marks() {
    if (/json|xml(?!\+)/i.test(this.page.contentType)) return undefined;
    if (this.#mark === undefined) {
      this.#mark = findPageMark(this.text, this.language);
    }
    return this.#mark;
  }

  /** Whether the month comes first in dates such as `3/4/2024`; undefined where the page does not tell. */
  get isMonthFirst(): boolean | undefined {
    this.#order ??= {
      isMonthFirst: findDateOrder(this.source, this.language, new URL(this.page.url).hostname),
    };
    return this.#order.isMonthFirst;
  }

  /** As `isMonthFirst`, by the dates alone, whatever language and country the page is of. */
  get toldOrder(): boolean | undefined {
    return orderOfDates(this.source);
  }

  /** As the page states it in `lang`; empty where it says nothing. */
  get language(): string {
    return this.isData || this.isFeed ? '' : (this.html.root().children('html').attr('lang') ?? '');
  }

  /** The body as text. */
  get source(): string {
    return this.decoded.text;
  }

  /** The text of the body, and what is in doubt about it. */
  get decoded(): DecodedText {
    this.#text ??= decodeBytes(this.page.body, this.page.contentType);
    return this.#text;
  }

  /** The page is data for programs, which `json` gives, and not a page for people. */
  get isData(): boolean {
    const { contentType } = this.page;
    return /[/+]json\b/i.test(contentType) || isXmlData(contentType, this.source);
  }

  /** RSS, Atom, RDF or a JSON feed, whatever it is served as. */
  get isFeed(): boolean {
    const { contentType } = this.page;
    return (
      // RDF may be any data.
      (isFeedType(contentType) && !/rdf/i.test(contentType)) ||
      isXmlFeed(this.source) ||
      (this.isData && /"version"\s*:\s*"https?:..jsonfeed/.test(this.source.slice(0, 2_000)))
    );
  }

  get json(): JmespathValue {
    const isXml = isXmlData(this.page.contentType, this.source);
    this.#json ??= { value: isXml ? parseXml(this.source) : parseJson(this.source) };
    return this.#json.value;
  }

  /** The JSON answers that the page fetched from addresses matching the pattern, as a list. */
  fetchedJson(pattern: string): JmespathValue {
    const responses = (this.page.responses ?? []).filter(({ url }) => matchesAddress(pattern, url));
    if (responses.length === 0)
      throw new PageChangedError(
        'The page did not fetch the data that the recipe reads; the site may have changed',
      );
    return responses.map(({ body }) => parseJson(decodeBytes(body).text));
  }

  /** The base of relative links. */
  get base(): string {
    if (this.#base === undefined) {
      const base = this.html('base[href]').attr('href');
      const isAddress = base !== undefined && URL.canParse(base, this.page.url);
      this.#base = isAddress ? new URL(base, this.page.url).href : this.page.url;
    }
    return this.#base;
  }
}

const monthFirstRegions = /-(?:US|PH|PR)$/i;
const monthFirstHosts = /\.(?:gov|mil|edu|us)$/i;
const dayFirstHosts = /\.(?!us$)[a-z]{2}$/i;
/** Country domains of sites from everywhere, and of countries that write both orders. */
const openHosts = /\.(?:ai|app|ca|cc|co|fm|gg|io|ly|me|ph|sh|so|to|tv|ws)$/i;
const openRegions = /^en-CA$/i;

/**
 * Whether the month comes first, by all dates of the page, else by its language (as in `lang`, empty where it says nothing)
 * and its country; undefined where they do not tell.
 */
function findDateOrder(source: string, lang: string, host: string): boolean | undefined {
  const told = orderOfDates(source);
  if (told !== undefined) return told;
  const [language = '', region = ''] = lang.split(/[-_]/);
  if (monthFirstRegions.test(lang) || monthFirstHosts.test(host)) return true;
  if (openRegions.test(lang)) return undefined;
  if ((language !== '' && language !== 'en') || region !== '') return false;
  return dayFirstHosts.test(host) && !openHosts.test(host) ? false : undefined;
}

const isFeedType = (type = '') => /(?:rss|atom|rdf)\+xml|feed\+json/i.test(type);

export function findFeedAddress({ html, base }: Document): string | undefined {
  const links = html('link[rel~="alternate"][href]').toArray();
  const href = links.find(({ attribs }) => isFeedType(attribs.type))?.attribs.href;
  return href !== undefined && URL.canParse(href, base) ? new URL(href, base).href : undefined;
}

/** Characters of JSON that one page may yield, because a page can repeat its text in thousands of rows. */
const maxResultLength = 15 * 1024 * 1024;
/** Values that one page may yield: copying them out of the worker holds up the service. */
const maxResultValues = 250_000;

/** The length and the hash of what a page yields, as JSON. Throws a `PageTooLargeError` for more than one page may yield. */
export function summarizeContent(extracted: Extracted | undefined): {
  readonly length: number;
  readonly digest: string;
} {
  const text = extracted === undefined ? '' : JSON.stringify(extracted);
  if (text.length > maxResultLength) throw new PageTooLargeError('The page has more than 15 MiB of data');
  if (exceededLimit(text, { depth: maxJsonDepth, elements: maxResultValues }) !== undefined)
    throw new PageTooLargeError(
      `The page yields more than ${maxResultValues} values, or nests them more than ${maxJsonDepth} levels deep`,
    );
  return { length: text.length, digest: createHash('sha256').update(text).digest('base64') };
}
