/** What stands beside the one thing that a page is about: teasers, comments, reviews, facts about authors. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { getElements } from './elements.ts';
import { addTo, groupBy } from './grouping.ts';
import { nameParts } from './surroundings.ts';
import { getText } from './text.ts';
import { Weights } from './weights.ts';
import { Phrases } from './words.ts';

/** Finds the parents of teasers: siblings of one tag, most of them short and with a link to another page. */
export function findTeasers(root: Element): Element[] {
  const weights = new Weights();
  const found: Element[] = [];
  const isTeaser = (element: Element) => {
    const { text, linked, links } = weights.of(element);
    return links >= 1 && text < 400 && (linked > text * 0.25 || links >= 2) && text > 0;
  };
  const walk = (parent: Element) => {
    const children = getElements(parent).filter((child) => weights.of(child).text > 0);
    const groups = groupBy(children, ({ name }) => name);
    const isGroup = [...groups.values()].some(
      (group) =>
        group.length >= 3 &&
        group.length >= children.length * 0.6 &&
        group.filter(isTeaser).length > group.length * 0.8,
    );
    if (isGroup && !/^(?:p|td|tr|tbody|table|dl|pre)$/.test(parent.name)) found.push(parent);
    else for (const child of children) walk(child);
  };
  walk(root);
  return found;
}

/** Removes an element, and the heading above it. */
function removeWithHeading(html: CheerioAPI, element: Element): void {
  const before = html(element).prev().get(0);
  if (before !== undefined && /^h[2-6]$/.test(before.name)) html(before).remove();
  html(element).remove();
}

/** Removes the teasers behind the last long text, for pages about one thing. Returns whether it removed any. */
export function removeTeasers(html: CheerioAPI, root: Element): boolean {
  const weights = new Weights();
  const whole = weights.of(root).text;
  const order = html(root).find('*').toArray();
  const places = new Map(order.map((element, place) => [element, place]));
  const lastProse = order.findLastIndex(({ name }, place) => {
    const { text, linked } = weights.of(order[place] ?? root);
    return /^(?:p|blockquote|pre|table)$/.test(name) && text - linked > 120;
  });
  const groups = findTeasers(root).filter((group) => group !== root && (places.get(group) ?? 0) > lastProse);
  const sum = groups.reduce((total, group) => total + weights.of(group).text, 0);
  if (sum > whole * 0.5) return false;
  for (const group of groups) removeWithHeading(html, group);
  return groups.length > 0;
}

/** A part as short as this, in characters, is a label. */
const label = 40;

/**
 * Removes the outermost parts that their names mark, that say more than `least` characters and less than half of the text;
 * none, if together they hold more than `share` of it. Returns whether more than labels went.
 */
function removeNamed(html: CheerioAPI, root: Element, name: RegExp, share: number, least = 0): boolean {
  const weights = new Weights();
  const whole = weights.of(root).text;
  const parts: Element[] = [];
  const walk = (parent: Element) => {
    for (const child of getElements(parent)) {
      const { text } = weights.of(child);
      if (text <= least) continue;
      const isNamed = nameParts(child.attribs).some((part) => name.test(part));
      if (isNamed && text <= whole * 0.5) parts.push(child);
      else walk(child);
    }
  };
  walk(root);
  const sum = parts.reduce((total, part) => total + weights.of(part).text, 0);
  if (sum > whole * share) return false;
  html(parts).remove();
  return parts.some((part) => weights.of(part).text > label);
}

const besideProduct =
  /^(?:reviews?|ratings?|testimonials?|questions?|qa|yotpo|shipping|delivery|returns|swatch(?:es)?|variants?|quantity|badges?)$/;

/**
 * Removes reviews and other notes of a shop from the page of a product. Returns whether it removed any. A label is a rating,
 * a size, a badge "Sold out", and stays.
 */
export const removeShopNotes = (html: CheerioAPI, root: Element): boolean =>
  removeNamed(html, root, besideProduct, 1, label);

const besideArticle = /^(?:comments?|bio|biography|trending|byline)$/;

/** Removes comments, notes about the author and further pages from an article. Returns whether it removed more than labels. */
export const removeComments = (html: CheerioAPI, root: Element): boolean =>
  removeNamed(html, root, besideArticle, 0.5);

const quotes = 'blockquote, [class*="quote" i]:not(body):not(a)';
/** The share of the phrases of a quote that its post has; people shorten what they quote. */
const quotedShare = 0.6;

/** Removes the quotes of posts that stand on the page themselves. Returns whether it removed any. */
export function removeQuotes(html: CheerioAPI, root: Element): boolean {
  const isOutermost = (quote: Element) => html(quote).parents(quotes).length === 0;
  const found = html(root).find(quotes).toArray().filter(isOutermost);
  if (found.length === 0) return false;
  const own = html(root).clone();
  own.find(quotes).remove();
  const posts = new Phrases(own.toArray().map(getText).join(' '));
  const repeated = found.filter((quote) => posts.hold(getText(quote), quotedShare));
  html(repeated).remove();
  return repeated.length > 0;
}

const lookOf = ({ name, attribs }: Element) => `${name}.${attribs.class ?? ''}`;

/** Removes the facts about authors of posts, such as "Joined: 2020": a label and a short value, three times or more. */
export function removeAuthorFacts(html: CheerioAPI, root: Element): boolean {
  const weights = new Weights();
  const facts = new Map<string, Element[]>();
  for (const label of html(root).find('dt, strong, b, span, em').toArray()) {
    const text = html(label).text().trim();
    const { parent } = label;
    if (!/^[^:]{2,30}:$/.test(text) || parent === null || !isTag(parent)) continue;
    if (parent.name === 'p' || weights.of(parent).text > 100) continue;
    addTo(facts, `${lookOf(label)} ${text}`, parent);
  }
  const repeated = [...facts.values()].filter((group) => group.length >= 3).flat();
  html(repeated).remove();
  return repeated.length > 0;
}
