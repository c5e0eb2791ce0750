/**
 * What an answer says of itself: what of the page is elsewhere, unreadable or behind a wall, and where the page states for programs
 * what it does not show to readers. Both are told then, since nobody knows which one holds.
 */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { withLocal } from '../../compare/local-currency.ts';
import { findCurrency } from '../../compare/money.ts';
import type { Document } from '../page/document.ts';
import { getParent, shownText } from '../page/elements.ts';
import { isObject } from '../page/json.ts';
import {
  findPriceText,
  findStockText,
  findUnshownPrices,
  readShownOffer,
  showsAsPrice,
  showsNoStock,
} from '../page/shown-offer.ts';
import type { PageFacts } from '../page/stated.ts';
import { getLines, isHidden } from '../page/text.ts';
import { toWords } from '../page/words.ts';
import { findAuthor, findDate } from './byline.ts';
import type { PageKind } from './page-kind.ts';
import type { ReadingTask } from './readings.ts';

/** A page with scripts and less text than this, in characters, needs a browser. */
export const littleText = 150;

export const hasScripts = ({ html }: Document) =>
  html('script:not([type]), script[type*="javascript"], script[type="module"]').length > 0;

/** Pages in the page. Those of one pixel count visitors. */
export const framesIn = (html: CheerioAPI, around: readonly Element[]) =>
  around
    .flatMap((element) => html(element).find('frame, iframe, object[data], embed[src]').toArray())
    .filter(({ attribs }) => !/^[01](?:px)?$/.test((attribs.width ?? attribs.height ?? '').trim()));

/** What the page itself shows to be elsewhere, or unreadable. `frames`: those of the content. */
export function findGaps({ html, base, page }: Document, main: string, frames: readonly Element[]): string[] {
  const gaps: string[] = [];
  const addressesOf = (elements: readonly Element[]) =>
    elements.flatMap(({ attribs }) => {
      const address = attribs.src ?? attribs.data ?? attribs['data-src'];
      return address !== undefined &&
        /^(?!(?:about|javascript|data):)/i.test(address) &&
        URL.canParse(address, base)
        ? new URL(address, base).href
        : [];
    });
  if (page.refresh !== undefined)
    gaps.push(`The page sends its readers on to ${page.refresh}: read that address.`);
  const all = addressesOf(framesIn(html, html.root().children('html').toArray()));
  const unlinked = addressesOf(frames).filter((address) => !main.includes(address));
  if (all.length > 0 && (main.length < littleText || html('frameset').length > 0))
    gaps.push(`The content may stand in frames, which are pages of their own: ${listFew(all)}.`);
  else if (unlinked.length > 0)
    gaps.push(`Frames in the content, which are pages of their own, are not read: ${listFew(unlinked)}.`);
  return gaps;
}

const listFew = (addresses: readonly string[]) =>
  [...addresses.slice(0, 5), ...(addresses.length > 5 ? [`${addresses.length - 5} more`] : [])].join(', ');

export function explainLittle(browser: ReadingTask['browser']): string {
  if (browser === 'used') return 'The page shows hardly any text, even in a browser.';
  return 'The page needs its scripts to show its content, and this service has no browser: `svc-mcp doctor` says how to get one.';
}

/** Less text than most contents have, and what a notice has at most, in characters. */
const fewWords = 120;
const mostOfNotice = 300;
const statedContent = /Product|Article|Posting|Recipe|Event|Person|Place|Book|Movie|Video|Music|Question|FAQ/;

/** A page of a few words may say why there is no content, in words that nobody foresees. */
export function explainFewWords(
  { html, base }: Document,
  { types }: PageFacts,
  main: string,
  isDoubted: boolean,
): string[] {
  const text = main.replace(/\]\([^()\s]*\)/g, ']');
  const length = text.replace(/\s+/g, '').length;
  if (length < 40) return ['The page shows hardly any text.'];
  // Numbers, pictures, tables and lists are content.
  const isContent = /\d|!\[|^\|/m.test(text) || (text.match(/^\s*[-*] /gm)?.length ?? 0) > 2;
  if (isDoubted || isContent || length > mostOfNotice || types.some((type) => statedContent.test(type)))
    return [];
  const isHome = ({ attribs }: Element) =>
    URL.canParse(attribs.href ?? '', base) && new URL(attribs.href ?? '', base).pathname === '/';
  const links = html('a[href]').not('header a, nav a, footer a').toArray();
  const isNotice =
    length < fewWords ||
    html('meta[name="robots" i][content*="noindex" i]').length > 0 ||
    /[!?…]$/.test(html('h1, h2').first().text().trim()) ||
    (links.length > 0 && links.every(isHome));
  return isNotice
    ? [`The page shows only ${length} characters of text: it may be a notice in place of the content.`]
    : [];
}

/** Names of parts that ask readers to pay or to sign up. */
const wallName =
  /(?:pay|reg|registration|subscri\w*|login|metered)[-_]?wall|(?:premium|paid|content|article|subscri\w*)[-_]?(?:gate|lock|locked|barrier)(?![a-z])|content-not-granted/i;
/** A longer part with such a name is the text that is sold. */
const mostOfWall = 600;
/** Stems of "read", "article", and of "subscribe", "member". */
const readStem =
  /(?<!\p{L})(?:read|article|story|conten[iu]|conteúdo|inhalt|innehåll|indhold|treść|obsah|контент|материал|lesen|artikel|weiterles|lire|lecture|leer|leyendo|artículo|legg|lettura|articol|ler(?!\p{L})|lendo|artigo|lees|lezen|läs|les(?!\p{L})|læs|czyta|artyku|číst|člán|oku|lue|olvas|чита|стат)|続き|記事|コンテンツ|内容|阅读|閱讀|全文|기사|계속/iu;
const payStem =
  /(?<!\p{L})(?:subscri|abon|abbon|suscri|assin|abo(?!\p{L})|member|mitglied|membre|miembro|prenumer|tilaa|předplat|subskry|előfizet|подпис|(?:mit|with|avec|con|com|med|met) \p{L}*plus(?!\p{L}))|有料|会員|订阅|訂閱|구독/iu;

/** What the page shows or states of a text that not all readers get. */
export function explainWall({ html }: Document, { nodes, meta }: PageFacts): string[] {
  const isPaid = ({ isAccessibleForFree, hasPart }: Record<string, unknown>): boolean =>
    /^(?:https?:\/\/schema\.org\/)?false$/i.test(String(isAccessibleForFree)) ||
    [hasPart].flat().filter(isObject).some(isPaid);
  if (nodes.some(isPaid) || /^(?:locked|metered|premium|paid)$/i.test(meta('article:content_tier') ?? ''))
    return ['The page says that not all of it is free to read.'];
  const wall = findNamedWall(html) ?? findSaidWall(html);
  if (wall === undefined) return [];
  const text = shownText(html(wall).find('h1, h2, h3, h4').get(0) ?? wall).replaceAll('"', "'");
  const short = text.length > 80 ? `${text.slice(0, 79).trimEnd()}…` : text;
  return [`The text may go on for readers who pay or sign up: a part of the page says "${short}".`];
}

function isShown(element: Element): boolean {
  for (let node: Element | null = element; node !== null; node = getParent(node))
    if (isHidden(node)) return false;
  return true;
}

const findNamedWall = (html: CheerioAPI): Element | undefined =>
  html('[class], [id], [subscriptions-section]')
    .toArray()
    .find((element) => {
      const { attribs, name } = element;
      const names = `${attribs.class ?? ''} ${attribs.id ?? ''} ${attribs['subscriptions-section'] ?? ''}`;
      if (/^(?:html|body|script|style|link|noscript)$/.test(name) || !wallName.test(names)) return false;
      const { length } = shownText(element);
      return length > 0 && length < mostOfWall && isShown(element);
    });

/** A line after the last paragraph that asks for a subscription, to read on. */
function findSaidWall(html: CheerioAPI): Element | undefined {
  const asks = (text: string) => payStem.test(text) && !/newsletter|\brss\b/i.test(text);
  const lines = html('h2, h3, h4, h5, p, button, a')
    .not('nav *, header *, footer *, form[role="search"] *')
    .toArray();
  const texts = lines.map(shownText);
  // A character of Chinese or Japanese says as much as some letters.
  const lengthOf = (text: string) => text.length + 2 * (text.match(/[\u3040-\u9fff]/g)?.length ?? 0);
  const last = texts.findLastIndex(
    (text, at) => lines[at]?.name === 'p' && lengthOf(text) > 80 && !asks(text),
  );
  return last === -1
    ? undefined
    : lines.find((line, at) => {
        const text = texts[at] ?? '';
        return at > last && text.length < 200 && asks(text) && readStem.test(text) && isShown(line);
      });
}

interface Said {
  readonly kind: PageKind;
  readonly author: string | undefined;
  readonly date: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** "From" before or behind a price, in the languages of most shops. */
const startingWords =
  /(?<!\p{L})(?:from|starting|starts?|as low as|ab|von|fra|från|vanaf|od|dès|à partir|desde|a partir|partire|da|от|від|alkaen|itibaren|başlayan|kezdve|începând)(?!\p{L})|から|より|[~～〜]|起/iu;

/** A price that is the lowest of several, and one that is shown but cannot be read. */
function explainShownPrice(document: Document, price: unknown): string[] {
  const text = findPriceText(document);
  if (text === undefined) return [];
  if (price === undefined)
    return [
      `\`data.price\` is left open: the page shows "${text}", and nothing tells whether that is the price.`,
    ];
  const isStart = startingWords.test(text);
  return isStart ? [`\`data.price\` is where prices begin: the page shows "${text}".`] : [];
}

/** `high`: the other end, where the page states a range. */
function explainPrice(document: Document, price: number, high: unknown): string[] {
  const shown = readShownOffer(document).price;
  const isOutside =
    typeof shown === 'number' && (shown < price || shown > (typeof high === 'number' ? high : price));
  // What costs nothing shows the prices of what can be had with it.
  const isOther = isOutside && price > 0 && !showsAsPrice(document, price);
  if (findUnshownPrices(document, [price]).length === 0 && !isOther) return [];
  const other = shown === undefined ? 'it shows no such amount' : `it shows ${String(shown)}`;
  return [`\`data.price\` is ${price} as the page states it for programs, but ${other}.`];
}

/** A sign that several currencies share may mean the one that is stated. */
function explainCurrency(document: Document, stated: unknown): string[] {
  const shown = findCurrency(findPriceText(document) ?? '');
  if (shown === undefined || typeof stated !== 'string' || withLocal(shown, stated)?.code === stated)
    return [];
  return [`\`data.currency\` is ${stated} as the page states it for programs, but it shows ${shown.sign}.`];
}

const counted =
  /(?<![\p{L}\d.,])\d[\d.,]* (?:\p{L}+ )?(?:reviews?|ratings?|bewertung(?:en)?|rezension(?:en)?|avis|opiniones|reseñas|valoraciones|recensioni|beoordelingen|recensies|anmeldelser|recensioner|omdömen|opinii|avaliações)(?!\p{L})/giu;

/** Where the page shows one count of reviews, and another than it states. */
function explainReviews(document: Document, reviews: unknown): string[] {
  // A price at the end of one block and the heading of the next are no count.
  const lines = typeof reviews === 'number' ? document.html('body').toArray().flatMap(getLines) : [];
  const texts = lines.join('\n').match(counted) ?? [];
  const [count, ...others] = new Set(texts.map((text) => text.replace(/\D/g, '')));
  if (count === undefined || others.length > 0 || count === String(reviews)) return [];
  return [
    `\`data.reviews\` is ${String(reviews)} as the page states it for programs, but it shows "${texts[0]}".`,
  ];
}

const sharesWord = (one: string, other: string) => {
  const words = new Set(toWords(one));
  return toWords(other).some((word) => words.has(word));
};
const dayMs = 86_400_000;
const isOtherDay = (one: string, other: string) => Math.abs(Date.parse(one) - Date.parse(other)) > dayMs;

/** Of a text: its author and day beside its heading. */
function explainByline({ html }: Document, facts: PageFacts, { author, date }: Said): string[] {
  const shownBy = findAuthor(html, { ...facts, author: undefined }, false);
  const shownOn = findDate(html, { ...facts, published: undefined }, false);
  const found: string[] = [];
  if (
    facts.author !== undefined &&
    author !== undefined &&
    shownBy !== undefined &&
    !sharesWord(author, shownBy)
  )
    found.push(`\`author\` is "${author}" as the page states it for programs, but it shows "${shownBy}".`);
  const isChange =
    facts.modified !== undefined &&
    shownOn !== undefined &&
    !isOtherDay(facts.modified.slice(0, 10), shownOn);
  if (
    facts.published !== undefined &&
    date !== undefined &&
    shownOn !== undefined &&
    !isChange &&
    isOtherDay(date, shownOn)
  )
    found.push(`\`date\` is ${date} as the page states it for programs, but it shows ${shownOn}.`);
  return found;
}

export function explainContradictions(document: Document, facts: PageFacts, said: Said): string[] {
  if (said.kind === 'article') return explainByline(document, facts, said);
  if (said.kind !== 'product') return [];
  const { price, high_price, availability, currency, reviews } = said.data;
  const isStated = facts.product.price !== undefined;
  return [
    ...explainShownPrice(document, price),
    ...(isStated && typeof price === 'number' ? explainPrice(document, price, high_price) : []),
    ...(isStated ? explainCurrency(document, currency) : []),
    ...explainReviews(document, reviews),
    ...(availability === 'InStock' && showsNoStock(document)
      ? ['`data.availability` is InStock as the page states it, but the page shows no way to buy now.']
      : []),
    ...(availability === 'OutOfStock' && findStockText(document) === 'InStock'
      ? ['`data.availability` is OutOfStock as the page states it, but the page shows that it is in stock.']
      : []),
  ];
}
