/** Parts of a page beside its content that say more than links do: boxes, comments, further rows. An answer names them. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { collapse, getElements, getParent, shownText } from './elements.ts';
import { addTo } from './grouping.ts';
import { headingIn, leastNamed, nameParts } from './surroundings.ts';
import { isHidden } from './text.ts';
import { areLinks, Weights } from './weights.ts';
import { Phrases } from './words.ts';

/** Tags and roles of what a site has around all of its pages, and of what opens over a page. */
const ofSite =
  /^(?:nav|navigation|search|header|banner|footer|contentinfo|dialog|alertdialog|menu|menubar|toolbar|tablist)$/;

/** A part of which the content has more than this share of the phrases is a copy of it. */
const mostlyHeld = 0.9;
/** The most parts that are named. */
const mostNames = 5;
const longestName = 50;

/** The elements around the roots, up to the body. */
function findOutside(roots: readonly Element[], body: Element): Element[] {
  const around = new Set<Element>();
  for (const root of roots)
    for (let node = getParent(root); node !== null && !around.has(node); node = getParent(node))
      around.add(node);
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
  const place = site.attribs.role ?? site.name;
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

/** `removed`: what went from in and around the roots. The largest parts come first. */
export function findBesides(
  html: CheerioAPI,
  roots: readonly Element[],
  body: Element,
  removed: readonly Element[],
): Element[] {
  const weights = new Weights();
  const lengthOf = (element: Element) => weights.of(element).text - weights.of(element).linked;
  const around = [...findOutside(roots, body), ...removed];
  const found = around.filter(
    (element) =>
      !ofSite.test(element.attribs.role ?? element.name) &&
      !isHidden(element) &&
      lengthOf(element) >= (isNotice(element) ? leastNotice : leastNamed) &&
      !areLinks(weights.of(element)),
  );
  found.push(...around.flatMap((site) => findNotices(html, site)));
  if (found.length === 0) return [];
  const held = new Phrases([html('title').text(), ...roots.map(shownText)].join(' '));
  return found
    .filter((part) => !held.hold(shownText(part), mostlyHeld))
    .sort((one, other) => lengthOf(other) - lengthOf(one));
}

/** The largest parts with their headings or first words. */
function nameFew(parts: readonly Element[], size: (part: Element) => string): string {
  const names = parts.slice(0, mostNames).map((part) => {
    const heading = headingIn(part);
    const name = collapse((heading && shownText(heading)) || shownText(part));
    const short = name.length > longestName ? `${name.slice(0, longestName - 1).trimEnd()}…` : name;
    return `"${short.replaceAll('"', "'")}" (${size(part)})`;
  });
  const others = parts.length - names.length;
  if (others > 0) names.push(`${others} more`);
  return names.join(', ');
}

const menuName =
  /(?:menu|nav|navigation|navbar|crumbs?|pager|pagination|languages?|toolbar|actions?|controls?|share|social)$/;

/** Whether a block of links leads around the site, also to its start, or only to places of the page. */
function isMenuOfSite(html: CheerioAPI, block: Element, base: string): boolean {
  if (nameParts(block.attribs).some((part) => menuName.test(part))) return true;
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
    return `${weights.of(menu).links} links${others > 0 ? `, and ${others} more like it` : ''}`;
  });
  if (few !== '') named.push(`Blocks of links in the content are left out: ${few}. Ask for parts ["main"].`);
  return named;
}
