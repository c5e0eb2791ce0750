/** What stands below the headings of a page: a list under "Ingredients", paragraphs under "Method". */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import type { Place } from '../columns/place.ts';
import { tagWithClass } from '../page/class-names.ts';
import { classesOf, elementsOf, parentOf, quoted, shownText, tagOf } from '../page/elements.ts';
import { isNavigation } from '../page/surroundings.ts';

const maxHeadings = 60;
const maxHeading = 50;
const maxLevels = 4;
const maxItem = 1_500;

const headingTags =
  'h1, h2, h3, h4, h5, h6, dt, strong, b, legend, summary, [class*="title"], [class*="heading"], [class*="header"]';

/** Short, and no part of a sentence. */
function isHeading(element: Element): boolean {
  const text = shownText(element);
  const parent = parentOf(element);
  if (text.length < 3 || text.length > maxHeading || !/^\p{L}/u.test(text) || /\d{2}/.test(text))
    return false;
  if (parent === null || /^(?:a|button|li|nav)$/.test(parent.name)) return false;
  return /^h[1-6]$/.test(element.name) || shownText(parent) === text || elementsOf(element).length === 0;
}

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
  const isLikeHeading = ({ name }: Element) => name === heading.name && !/^(?:ul|ol|p)$/.test(name);
  let lead: Element | null = heading;
  for (let level = 0; level < maxLevels && lead !== null; level++) {
    const elements: Element[] = [];
    for (let { next } = lead; next !== null; next = next.next) {
      if (!isTag(next)) continue;
      const isNext = lead === heading && isLikeHeading(next) && classesOf(next)[0] === classesOf(heading)[0];
      if (isNext || hasHeadingLike(next, heading.name)) break;
      if (shownText(next) !== '') elements.push(next);
    }
    if (elements.length > 0) return { heading, lead, elements };
    lead = parentOf(lead);
    if (lead !== null && /^(?:body|main|article)$/.test(lead.name)) return undefined;
  }
  return undefined;
}

interface Items {
  readonly tag: string;
  readonly items: readonly Element[];
}

/** The items of a section: of its lists, else its paragraphs, else its rows. */
function itemsOf({ elements }: Section, html: CheerioAPI): Items | undefined {
  for (const tag of ['li', 'p', 'tr']) {
    const items = elements
      .flatMap((element) => [
        ...(element.name === tag ? [element] : []),
        ...html(element).find(tag).toArray().filter(isTag),
      ])
      .filter((item) => shownText(item) !== '');
    const isLeaf = (item: Element) => html(item).find(tag).length === 0 && shownText(item).length <= maxItem;
    if (items.length >= (tag === 'li' ? 1 : 2) && items.every(isLeaf)) return { tag, items };
  }
  return undefined;
}

/** Ways to say "these items below this heading", the plainest first. */
function selectorsFor({ heading, lead, elements }: Section, tag: string): string[] {
  const named = `${tagWithClass(heading)}:contains(${quoted(shownText(heading))})`;
  const start = lead === heading ? named : `${tagWithClass(lead)}:has(${named})`;
  const [first] = elements;
  const parent = parentOf(lead);
  const next = first === undefined || first.name === tag ? undefined : tagOf(first);
  return [
    ...(next === undefined
      ? [`${start} ~ ${tag}`]
      : [`${start} + ${next} ${tag}`, `${start} + ${next} > ${tag}`, `${start} ~ ${next} ${tag}`]),
    `${start} ~ * ${tag}`,
    ...(parent === null ? [] : [`${tagWithClass(parent)}:has(> ${start}) ${tag}`]),
  ];
}

/** For each heading with a list below it the list. */
export function findSections(html: CheerioAPI): Place[] {
  const places = new Map<string, Place>();
  const headings = html<Element, string>(headingTags).toArray().filter(isHeading).slice(0, maxHeadings);
  for (const heading of headings) {
    const label = shownText(heading).replace(/\s*:$/, '');
    const section = places.has(label) || isNavigation([heading]) ? undefined : sectionOf(heading);
    const found = section === undefined ? undefined : itemsOf(section, html);
    if (section === undefined || found === undefined) continue;
    const select = selectorsFor(section, found.tag).find((selector) => {
      const shown = html(selector)
        .toArray()
        .filter((element) => shownText(element) !== '');
      return shown.length === found.items.length && shown.every((one, index) => one === found.items[index]);
    });
    if (select !== undefined) places.set(label, { source: { select, all: true }, label, names: [] });
  }
  return [...places.values()];
}
