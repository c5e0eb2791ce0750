/** Lists and paragraphs below the headings of a page, such as a list under "Ingredients". */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag, isText } from 'domhandler';
import { getClasses, getElements, getParent, getTag, shownText, tagWithClass } from '../../page/elements.ts';
import { isNavigation } from '../../page/surroundings.ts';
import { toStringLiteral } from '../../page/text.ts';
import type { Place } from '../columns/place.ts';

const maxHeadings = 60;
const maxHeading = 50;
const maxLevels = 4;
const maxItem = 1_500;
/** Siblings among which a selector finds the section's end; the work grows with their square. */
const maxBounded = 400;

const headingTags =
  'h1, h2, h3, h4, h5, h6, dt, strong, b, p, legend, summary, [class*="title"], [class*="heading"], [class*="header"]';

const endsWithColon = (element: Element) => /[:：]$/.test(shownText(element));

/** Whether words follow in the same line. */
function isInSentence({ next }: Element): boolean {
  const after = next !== null && isText(next) && next.data.trim() === '' ? next.next : next;
  return after !== null && (isTag(after) ? /^(?:a|em|i|span)$/.test(after.name) : isText(after));
}

const inline = /^(?:b|strong)$/;

const isHeadingText = (text: string) =>
  text.length >= 3 && text.length <= maxHeading && /^\p{L}/u.test(text) && !/\d{2}/.test(text);

/** A short text that is not part of a sentence. */
function isHeading(element: Element): boolean {
  const text = shownText(element);
  const parent = getParent(element);
  if (!isHeadingText(text)) return false;
  if (parent === null || /^(?:a|button|li|nav)$/.test(parent.name)) return false;
  if (element.name === 'p') return endsWithColon(element);
  if (/^h[1-6]$/.test(element.name) || shownText(parent) === text) return true;
  const [only, ...others] = getElements(element);
  const isPlain = only === undefined || (others.length === 0 && shownText(only) === text);
  return isPlain && !(inline.test(element.name) && isInSentence(element));
}

interface Section {
  readonly heading: Element;
  /** The element before the section: the heading, or the element that holds it alone. */
  readonly lead: Element;
  readonly elements: readonly Element[];
  /** The element after the section: the next heading of the same kind, or the element that holds it. */
  readonly end: Element | undefined;
}

const hasHeadingLike = (element: Element, name: string): boolean =>
  (/^h[1-6]$/.test(name) && element.name === name) ||
  getElements(element).some((child) => hasHeadingLike(child, name));

/** Characters of a line of a label and its value; steps with names are longer. */
const maxLine = 60;
/** Whether a bold label and its value stand in it, as beside one without a value: "Rating: 4.5" behind "Length:". */
function isLabelled(element: Element): boolean {
  const [first] = getElements(element);
  const label = first !== undefined && inline.test(first.name) ? shownText(first) : '';
  return (
    /^\P{N}+:$/u.test(label) && shownText(element).length <= maxLine && shownText(element).startsWith(label)
  );
}

/** Whether the element is a heading of the same kind: by its tag and class, by its colon, or because it is bold throughout. */
function isNextHeading(element: Element, heading: Element, isLead: boolean): boolean {
  const { name } = heading;
  if (hasHeadingLike(element, name)) return true;
  const isAlike = (one: Element) => one.name === name && getClasses(one)[0] === getClasses(heading)[0];
  if (isLead && element.name === name && !/^(?:ul|ol|p)$/.test(name)) return isAlike(element);
  // A row of a table whose one cell is the heading of a group.
  if (name === 'th' && getElements(element).every(isAlike) && getElements(element).length === 1) return true;
  if (element.name !== 'p') return false;
  if (endsWithColon(heading) && isLabelled(element)) return true;
  if (!isHeadingText(shownText(element))) return false;
  const isBold = getElements(element).some(
    (child) => inline.test(child.name) && shownText(child) === shownText(element),
  );
  return (isBold && /^(?:b|strong|p)$/.test(name)) || (name === 'p' && endsWithColon(element));
}

/** The elements that follow the heading, or what it is in, up to the next heading of its kind. */
function findSection(heading: Element): Section | undefined {
  let lead: Element | null = heading;
  for (let level = 0; level < maxLevels && lead !== null; level++) {
    const after: Element[] = [];
    for (let { next } = lead; next !== null; next = next.next) if (isTag(next)) after.push(next);
    const isLead = lead === heading;
    const end = after.findIndex((element) => isNextHeading(element, heading, isLead));
    const elements = (end < 0 ? after : after.slice(0, end)).filter((element) => shownText(element) !== '');
    if (elements.length > 0) return { heading, lead, elements, end: after[end] };
    lead = getParent(lead);
    if (lead !== null && /^(?:body|main|article)$/.test(lead.name)) return undefined;
  }
  return undefined;
}

/** The items of a section: of its lists, else its paragraphs, else its rows. */
function findItems({ elements }: Section, html: CheerioAPI) {
  // Nested lists, such as lists of buttons, are not the section's subject.
  const lists = elements.filter(({ name }) => /^(?:ul|ol|table)$/.test(name));
  const paragraphs = elements.filter(({ name }) => name === 'p');
  if (paragraphs.length > 1 && lists.length === 0) return { tag: 'p', items: paragraphs };
  for (const tag of ['li', 'p', 'tr']) {
    const items = (lists.length > 0 && tag !== 'p' ? lists : elements)
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

const bullet = /^[•·–-]\s/;
/** Whether rows of a table that follow the heading are of other kinds: the group may end before the next heading. */
function areMixed({ tag, items }: NonNullable<ReturnType<typeof findItems>>): boolean {
  const looks = items.map((item) => `${bullet.test(shownText(item))} ${getClasses(item).join(' ')}`);
  return tag === 'tr' && new Set(looks).size > 1;
}

/** Ways to say "these items below this heading", the plainest first. */
function selectorsFor({ heading, lead, elements, end }: Section, tag: string): string[] {
  const named = `${tagWithClass(heading)}:contains(${toStringLiteral(shownText(heading))})`;
  const start = lead === heading ? named : `${tagWithClass(lead)}:has(${named})`;
  const [first] = elements;
  const parent = getParent(lead);
  const next = first === undefined || first.name === tag ? undefined : getTag(first);
  const ends =
    end === undefined || (parent?.children.length ?? 0) > maxBounded
      ? []
      : [
          tagWithClass(end),
          `${getTag(end)}:has(${getTag(heading)})`,
          `${getTag(end)}:contains(${toStringLiteral(shownText(end))})`,
        ];
  const plain = [
    ...(next === undefined
      ? [`${start} ~ ${tag}`]
      : [`${start} + ${next} ${tag}`, `${start} + ${next} > ${tag}`, `${start} ~ ${next} ${tag}`]),
    `${start} ~ * ${tag}`,
  ];
  // Excludes the elements after the next heading.
  const bounded = ends.flatMap((stop) => [
    `${start} ~ ${tag}:not(${start} ~ ${stop}, ${start} ~ ${stop} ~ ${tag})`,
    `${start} ~ * ${tag}:not(${start} ~ ${stop} ~ * ${tag})`,
  ]);
  return [
    ...plain,
    ...bounded,
    ...(parent === null ? [] : [`${tagWithClass(parent)}:has(> ${start}) ${tag}`]),
  ];
}

/** The list below each heading. */
export function findSections(html: CheerioAPI): Place[] {
  const places = new Map<string, Place>();
  const headings = html<Element, string>(headingTags).toArray().filter(isHeading).slice(0, maxHeadings);
  for (const heading of headings) {
    const label = shownText(heading).replace(/\s*[:：]$/, '');
    const section = places.has(label) || isNavigation([heading]) ? undefined : findSection(heading);
    const content = section === undefined ? undefined : findItems(section, html);
    if (section === undefined || content === undefined) continue;
    const select = selectorsFor(section, content.tag).find((selector) => {
      const shown = html(selector)
        .toArray()
        .filter((element) => shownText(element) !== '');
      return (
        shown.length === content.items.length &&
        shown.every((element, index) => element === content.items[index])
      );
    });
    const mark = areMixed(content) ? { isUncertain: true as const } : {};
    if (select !== undefined) places.set(label, { source: { select, all: true }, label, names: [], ...mark });
  }
  return [...places.values()];
}
