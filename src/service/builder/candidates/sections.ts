/** What stands below the headings of a page: a list under "Ingredients", paragraphs under "Method". */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag } from 'domhandler';
import { stableClasses } from '../page/class-names.ts';
import { classesOf, elementsOf, quoted, shownText, tagOf } from '../page/elements.ts';
import { isNavigation, parentOf } from '../page/surroundings.ts';
import type { Place } from './candidate.ts';

const maxHeadings = 60;
const maxHeading = 50;
const maxLevels = 4;
const maxItem = 1_500;

const headingTags =
  'h1, h2, h3, h4, h5, h6, dt, strong, b, legend, summary, [class*="title"], [class*="heading"], [class*="header"]';

/** Short, and no part of a sentence. */
function isHeading(element: Element): boolean {
  const text = shownText(element);
  if (text.length < 3 || text.length > maxHeading || !/^\p{L}/u.test(text) || /\d{2}/.test(text))
    return false;
  const parent = parentOf(element);
  if (parent === null || /^(?:a|button|li|nav)$/.test(parent.name)) return false;
  if (/^h[1-6]$/.test(element.name)) return true;
  return shownText(parent) === text || elementsOf(element).length === 0;
}

const nextElements = (element: Element): Element[] => {
  const found: Element[] = [];
  for (let next = element.next; next !== null; next = next.next) if (isTag(next)) found.push(next);
  return found;
};

interface Section {
  readonly heading: Element;
  /** What the section follows: the heading, or what it alone is in. */
  readonly lead: Element;
  readonly elements: readonly Element[];
}

const hasHeadingLike = (element: Element, name: string): boolean =>
  (/^h[1-6]$/.test(name) && element.name === name) ||
  elementsOf(element).some((child) => hasHeadingLike(child, name));

/** The elements that follow the heading, or what it is in, up to the next heading of its kind. */
function sectionOf(heading: Element): Section | undefined {
  let lead = heading;
  for (let level = 0; level < maxLevels; level++) {
    const elements: Element[] = [];
    for (const next of nextElements(lead)) {
      const sameKind =
        hasHeadingLike(next, heading.name) ||
        (next.name === lead.name &&
          classesOf(next)[0] === classesOf(lead)[0] &&
          lead === heading &&
          !/^(?:ul|ol|p)$/.test(next.name));
      if (sameKind) break;
      if (shownText(next) !== '') elements.push(next);
    }
    if (elements.length > 0) return { heading, lead, elements };
    const parent = parentOf(lead);
    if (parent === null || /^(?:body|main|article)$/.test(parent.name)) return undefined;
    lead = parent;
  }
  return undefined;
}

const collect = (elements: readonly Element[], tag: string, html: CheerioAPI): Element[] =>
  elements.flatMap((element) => [
    ...(element.name === tag ? [element] : []),
    ...html(element).find(tag).toArray().filter(isTag),
  ]);

/** The items of a section: of its lists, else its paragraphs, else its rows. */
function itemsOf(
  { elements }: Section,
  html: CheerioAPI,
): { readonly tag: string; readonly items: readonly Element[] } | undefined {
  for (const tag of ['li', 'p', 'tr']) {
    const items = collect(elements, tag, html).filter((item) => shownText(item) !== '');
    const isLeaf = items.every(
      (item) => html(item).find(tag).length === 0 && shownText(item).length <= maxItem,
    );
    if (items.length >= (tag === 'li' ? 1 : 2) && isLeaf) return { tag, items };
  }
  return undefined;
}

/** Ways to say "these items below this heading", the plainest first. */
function selectorsFor({ heading, lead, elements }: Section, tag: string): string[] {
  const [own] = stableClasses(classesOf(heading));
  const named = `${tagOf(heading)}${own === undefined ? '' : `.${own}`}:contains(${quoted(shownText(heading))})`;
  const [leadClass] = stableClasses(classesOf(lead));
  const start =
    lead === heading
      ? named
      : `${tagOf(lead)}${leadClass === undefined ? '' : `.${leadClass}`}:has(${named})`;
  const [first] = elements;
  const parent = parentOf(lead);
  const found: string[] = [];
  if (first !== undefined) {
    found.push(first.name === tag ? `${start} ~ ${tag}` : `${start} + ${tagOf(first)} ${tag}`);
    if (first.name !== tag)
      found.push(`${start} + ${tagOf(first)} > ${tag}`, `${start} ~ ${tagOf(first)} ${tag}`);
  }
  found.push(`${start} ~ * ${tag}`);
  if (parent !== null) {
    const [name] = stableClasses(classesOf(parent));
    found.push(`${tagOf(parent)}${name === undefined ? '' : `.${name}`}:has(> ${start}) ${tag}`);
  }
  return found;
}

const isSame = (found: readonly AnyNode[], items: readonly Element[]) => {
  const shown = found.filter((element) => shownText(element) !== '');
  return shown.length === items.length && shown.every((element, index) => element === items[index]);
};

/** For each heading with a list below it the list. */
export function findSections(html: CheerioAPI): Place[] {
  const places = new Map<string, Place>();
  const headings = html<Element, string>(headingTags).toArray().filter(isHeading).slice(0, maxHeadings);
  for (const heading of headings) {
    const label = shownText(heading).replace(/\s*:$/, '');
    if (places.has(label) || isNavigation([heading])) continue;
    const section = sectionOf(heading);
    const found = section === undefined ? undefined : itemsOf(section, html);
    if (section === undefined || found === undefined) continue;
    const select = selectorsFor(section, found.tag).find((selector) =>
      isSame(html(selector).toArray(), found.items),
    );
    if (select !== undefined) places.set(label, { source: { select, all: true }, label, names: [] });
  }
  return [...places.values()];
}
