/** Parts of a page beside its content that say more than links do: boxes, comments, further rows. An answer names them. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { collapse, getElements, getParent, shownText } from './elements.ts';
import { headingIn } from './surroundings.ts';
import { isHidden } from './text.ts';
import { areLinks, Weights } from './weights.ts';
import { Phrases } from './words.ts';

/** Tags and roles of what a site has around all of its pages, and of what opens over a page. */
const ofSite =
  /^(?:nav|navigation|search|header|banner|footer|contentinfo|dialog|alertdialog|menu|menubar|toolbar|tablist|alert)$/;

/** The least that a part says, in characters outside of links: a fact box has a heading and a line. */
const leastText = 40;
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

/** `removed`: what went from in and around the roots. The largest parts come first. */
export function findBesides(
  html: CheerioAPI,
  roots: readonly Element[],
  body: Element,
  removed: readonly Element[],
): Element[] {
  const weights = new Weights();
  const lengthOf = (element: Element) => weights.of(element).text - weights.of(element).linked;
  const parts = [...findOutside(roots, body), ...removed].filter(
    (element) =>
      !ofSite.test(element.attribs.role ?? element.name) &&
      !isHidden(element) &&
      lengthOf(element) >= leastText &&
      !areLinks(weights.of(element)),
  );
  if (parts.length === 0) return [];
  const held = new Phrases([html('title').text(), ...roots.map(shownText)].join(' '));
  return parts
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

/** Sentences that name the parts, and the blocks of links that were in the content. */
export function explainBesides(besides: readonly Element[], menus: readonly Element[]): string[] {
  const weights = new Weights();
  const named: string[] = [];
  if (besides.length > 0) {
    const few = nameFew(besides, (part) => `${shownText(part).length} characters`);
    named.push(`Parts beside the content are left out: ${few}. Ask for parts ["main"].`);
  }
  // Rows often repeat the same block.
  const distinct = new Map(menus.map((menu) => [shownText(menu), menu]));
  distinct.delete('');
  if (distinct.size > 0) {
    const few = nameFew([...distinct.values()], (menu) => `${weights.of(menu).links} links`);
    named.push(`Blocks of links in the content are left out: ${few}. Ask for parts ["main"].`);
  }
  return named;
}
