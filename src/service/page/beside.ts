/**
 * Parts beside the content of a page: comments, boxes, further rows, which an answer names, and beside the one thing that a page
 * is about teasers, reviews and facts about authors.
 */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { countAmounts } from '../../compare/money.ts';
import { collapse, elementsAround, getElements, headingIn, shownText } from './elements.ts';
import { addTo, groupBy } from './grouping.ts';
import { leastNamed, nameParts } from './surroundings.ts';
import { isHidden } from './text.ts';
import { areLinks, Weights } from './weights.ts';
import { mostlyHeld, Phrases } from './words.ts';

/** Tags and roles of what a site has around all of its pages, and of what opens over a page. */
const ofSite =
  /^(?:nav|navigation|search|header|banner|footer|contentinfo|dialog|alertdialog|menu|menubar|toolbar|tablist)$/;

/** Words in classes and ids of what leads around a site, or acts on a page. */
const menuName =
  /(?:menu|nav|navigation|navbar|crumbs?|pager|pagination|languages?|toolbar|actions?|controls?|share|social)$/;

const isCalledMenu = ({ attribs }: Element) => nameParts(attribs).some((name) => menuName.test(name));
const placeOf = ({ attribs, name }: Element) => attribs.role ?? name;

/** The most parts that are named. */
const mostNames = 5;
const longestName = 50;

/** The elements around the roots, up to the body. */
function findOutside(roots: readonly Element[], body: Element): Element[] {
  const around = elementsAround(roots);
  const inside = new Set(roots);
  const found: Element[] = [];
  const walk = (element: Element) => {
    for (const child of getElements(element))
      if (around.has(child)) walk(child);
      else if (!inside.has(child)) found.push(child);
  };
  if (!inside.has(body)) walk(body);
  return found;
}

/** What the head or foot of a site says in itself: its menus, its name and who owns it are left out without a word. */
const headOrFoot = /^(?:header|banner|footer|contentinfo)$/;
const parts = 'nav, search, form, [role="navigation"], [role="search"], [role="menu"], [role="menubar"]';
const nameOfSite =
  /^(?:logos?|brand\w*|tagline|slogan|motto|claim|subtitle|description|copyright|legal|credits?|colophon)$/;
const ownership = /©|\(c\) ?(?:19|20)\d\d|copyright|all rights reserved|powered by/i;
/** The least that a notice says, in characters: "Closed from 24 to 31 December." */
const leastNotice = 25;
const isNotice = ({ attribs }: Element) =>
  /^(?:alert|status)$/.test(attribs.role ?? '') ||
  nameParts(attribs).some((part) => /^(?:notices?|alerts?|warnings?|announcements?)$/.test(part));
/** A foot without a number is praise, unless it is as long as this. */
const longFoot = 150;

/** The blocks in the head or foot of a site that say something of their own; none for another element. */
function findNotices(html: CheerioAPI, site: Element): Element[] {
  const place = placeOf(site);
  if (!headOrFoot.test(place)) return [];
  const weights = new Weights();
  const isFoot = /^(?:footer|contentinfo)$/.test(place);
  const find = (element: Element): Element[] => {
    const { text, linked } = weights.of(element);
    if (text - linked < leastNotice || html(element).is(parts) || isHidden(element)) return [];
    if (nameParts(element.attribs).some((name) => nameOfSite.test(name))) return [];
    const isWhole =
      element !== site &&
      linked < text * 0.5 &&
      html(element).find(parts).length === 0 &&
      !ownership.test(shownText(element));
    if (!isWhole) return getElements(element).flatMap(find);
    return isFoot && (text < leastNamed || !/\d/.test(shownText(element))) && text < longFoot
      ? []
      : [element];
  };
  return find(site);
}

/** The least that a part in the midst of the content says, in characters: "Out of stock". */
const leastWithin = 4;

/** Where an element stood: in a root, or in an article that has one. */
interface Standing {
  isWithin(element: Element): boolean;
  isOfArticle(element: Element): boolean;
}

/** `removed`: what went from in and around the roots. The largest parts come first. */
export function findBesides(
  html: CheerioAPI,
  roots: readonly Element[],
  body: Element,
  removed: readonly Element[],
  { isWithin, isOfArticle }: Standing,
): Element[] {
  const weights = new Weights();
  const lengthOf = (element: Element) => weights.of(element).text - weights.of(element).linked;
  const leastOf = (element: Element) =>
    isNotice(element) ? leastNotice : isWithin(element) && !isCalledMenu(element) ? leastWithin : leastNamed;
  const around = [...findOutside(roots, body), ...removed];
  // An article has a head and a foot of its own.
  const isOfSite = (element: Element) => {
    const place = placeOf(element);
    return ofSite.test(place) && !(headOrFoot.test(place) && (isWithin(element) || isOfArticle(element)));
  };
  const found = around.filter(
    (element) =>
      !isOfSite(element) &&
      !isHidden(element) &&
      !areLinks(weights.of(element)) &&
      (lengthOf(element) >= leastOf(element) || countAmounts(shownText(element)) > 1),
  );
  found.push(...around.filter(isOfSite).flatMap((site) => findNotices(html, site)));
  if (found.length === 0) return [];
  const held = new Phrases([html('title').text(), ...roots.map(shownText)].join(' '));
  return found
    .filter((part) => !held.hold(shownText(part), mostlyHeld))
    .sort((one, other) => lengthOf(other) - lengthOf(one));
}

/** The largest parts with their headings or first words. */
function nameFew(parts: readonly Element[], size: (part: Element) => string): string {
  const different = [...new Map(parts.map((part) => [shownText(part), part])).values()];
  const names = different.slice(0, mostNames).map((part) => {
    const heading = headingIn(part);
    const name = collapse((heading && shownText(heading)) || shownText(part));
    const short = name.length > longestName ? `${name.slice(0, longestName - 1).trimEnd()}…` : name;
    return `"${short.replaceAll('"', "'")}" (${size(part)})`;
  });
  const others = different.length - names.length;
  if (others > 0) names.push(`${others} more`);
  return names.join(', ');
}

/** Whether a block of links leads around the site, also to its start, or only to places of the page. */
function isMenuOfSite(html: CheerioAPI, block: Element, base: string): boolean {
  const place = placeOf(block);
  if (isCalledMenu(block) || (ofSite.test(place) && !headOrFoot.test(place))) return true;
  const addresses = html(block)
    .find('a[href]')
    .toArray()
    .map(({ attribs }) => attribs.href ?? '');
  const start = new URL('/', base).href;
  const isStart = (address: string) =>
    address !== '' && URL.canParse(address, base) && new URL(address, base).href === start;
  return addresses.some(isStart) || (addresses.length > 0 && addresses.every((one) => /^#./.test(one)));
}

/** Sentences that name the parts, and the blocks of links that were in the content. */
export function explainBesides(
  html: CheerioAPI,
  { besides, menus }: { readonly besides: readonly Element[]; readonly menus: readonly Element[] },
  base: string,
): string[] {
  const weights = new Weights();
  const named: string[] = [];
  if (besides.length > 0) {
    const few = nameFew(besides, (part) => `${shownText(part).length} characters`);
    named.push(`Parts beside the content are left out: ${few}. Ask for parts ["main"].`);
  }
  // Rows often repeat the same block, with other links.
  const alike = new Map<string, Element[]>();
  for (const menu of menus) {
    const text = shownText(menu);
    if (text !== '' && !isMenuOfSite(html, menu, base)) addTo(alike, menu.attribs.class ?? text, menu);
  }
  const numbers = new Map([...alike.values()].map((some) => [some[0], new Set(some.map(shownText)).size]));
  const firsts = [...alike.values()].flatMap((some) => some.slice(0, 1));
  const few = nameFew(firsts, (menu) => {
    const others = (numbers.get(menu) ?? 1) - 1;
    const { links } = weights.of(menu);
    return `${links} ${links === 1 ? 'link' : 'links'}${others > 0 ? `, and ${others} more like it` : ''}`;
  });
  if (few !== '') named.push(`Blocks of links in the content are left out: ${few}. Ask for parts ["main"].`);
  return named;
}

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
