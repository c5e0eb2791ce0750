/** Where a page states for programs what it does not show to readers: both are told, since nobody knows which one holds. */
import { withLocal } from '../../compare/local-currency.ts';
import { findCurrency } from '../../compare/money.ts';
import type { Document } from '../page/document.ts';
import {
  findPriceText,
  findStockText,
  findUnshownPrices,
  readShownOffer,
  showsAsPrice,
  showsNoStock,
} from '../page/shown-offer.ts';
import type { PageFacts } from '../page/stated.ts';
import { getLines } from '../page/text.ts';
import { toWords } from '../page/words.ts';
import { findAuthor, findDate } from './byline.ts';
import type { PageKind } from './page-kind.ts';

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
