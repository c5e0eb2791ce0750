/** Selectors that find the rows of a list, or one element of a page, and nothing else. */
import type { CheerioAPI } from 'cheerio/slim';
import type { AnyNode, Element } from 'domhandler';
import {
  getClasses,
  getElements,
  getParent,
  getPosition,
  getTag,
  stableClasses,
  tagWithClass,
} from '../../page/elements.ts';

const maxOptions = 40;
/** The share of the elements found by a selector that must be wanted rows. */
const enough = 0.8;

const isStableId = (id: string | undefined): id is string =>
  id !== undefined && /^[A-Za-z][\w-]*$/.test(id) && !/\d{3,}/.test(id);

/** An element's id, a class that is unique in the page, or the tags from the nearest element with either. */
export function pathTo(element: Element, html: CheerioAPI, steps = 0): string {
  const { id } = element.attribs;
  if (isStableId(id)) return `#${id}`;
  if (element.name === 'body' || element.name === 'main') return element.name;
  const [name] = stableClasses(getClasses(element));
  const own = tagWithClass(element);
  if (name !== undefined && html(own).length === 1) return own;
  const parent = getParent(element);
  if (parent === null || steps > 12) return getTag(element);
  const alike = getElements(parent).filter(
    (sibling) => sibling.name === element.name && (name === undefined || getClasses(sibling).includes(name)),
  ).length;
  const step = alike > 1 ? `${own}:nth-of-type(${getPosition(element)})` : own;
  return `${pathTo(parent, html, steps + 1)} > ${step}`;
}

/** A path that all parents have, without positions. */
function commonPath(parents: readonly Element[], html: CheerioAPI): string {
  const [first] = parents;
  if (first === undefined) return 'body';
  const [shared] = sharedClasses(parents);
  const own = shared === undefined ? getTag(first) : `${getTag(first)}.${shared}`;
  const above = [...new Set(parents.map(getParent))].filter((parent) => parent !== null);
  const [grandparent] = above;
  if (grandparent === undefined || grandparent.name === 'body' || grandparent.name === 'html') return own;
  return `${above.length === 1 ? pathTo(grandparent, html) : commonPath(above, html)} > ${own}`;
}

const sharedClasses = ([first, ...others]: readonly Element[]) =>
  first === undefined
    ? []
    : stableClasses(getClasses(first)).filter((name) =>
        others.every((other) => getClasses(other).includes(name)),
      );

/** What the first rows have inside, by tag and class, the outermost first: it distinguishes them from others with the same tag. */
function innerNames(rows: readonly Element[]): string[] {
  const levels = [0, 1, 2].reduce<Element[][]>(
    (all) => [...all, (all.at(-1) ?? []).flatMap((element) => getElements(element))],
    [rows.slice(0, 5)],
  );
  const inside = levels.slice(1);
  return [...new Set([...inside.slice(0, 2).flat().map(getTag), ...inside.flat().map(tagWithClass)])];
}

/** A selector that finds these rows and as little else as possible; where one misses some of them, it has another one for those. */
export function findSelector(rows: readonly Element[], html: CheerioAPI): string | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const wanted = new Set<AnyNode>(rows);
  const shared = sharedClasses(rows);
  const parents = [...new Set(rows.map(getParent))].filter((parent) => parent !== null);
  const path =
    parents.length === 1 && parents[0] !== undefined ? pathTo(parents[0], html) : commonPath(parents, html);
  const tags = [...new Set(rows.map(getTag))];
  const own = tags.length === 1 ? getTag(first) : `:is(${tags.join(', ')})`;
  const options = [
    ...shared.map((name) => `${own}.${name}`),
    ...shared.map((name) => `${path} > ${own}.${name}`),
    `${path} > ${own}`,
    ...innerNames(rows).map((tag) => `${path} > ${own}:has(${tag})`),
    `${path} > ${own}:not([class])`,
  ];
  let best: { selector: string; score: number } | undefined;
  for (const selector of options.slice(0, maxOptions)) {
    const elements = html(selector).toArray();
    const hits = elements.filter((element) => wanted.has(element)).length;
    const score = (2 * hits) / (elements.length + wanted.size);
    if (best === undefined || score > best.score + 0.001) best = { selector, score };
    if (score === 1) break;
  }
  if (best === undefined || best.score <= enough) return undefined;
  const found = new Set<AnyNode>(html(best.selector).toArray());
  const missed = rows.filter((row) => !found.has(row));
  const rest = missed.length === 0 ? undefined : findSelector(missed, html);
  const isExact =
    rest !== undefined &&
    html(rest)
      .toArray()
      .every((row) => wanted.has(row));
  return isExact ? `${best.selector}, ${rest}` : best.selector;
}
