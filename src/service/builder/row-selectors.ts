/** The selector that finds the rows of a list and nothing else. */
import type { AnyNode, Element } from 'domhandler';
import { stableClasses } from './class-names.ts';
import { classesOf, elementsOf, positionOf, quoted, tagOf } from './elements.ts';
import type { RowsContext } from './selectors.ts';
import { parentOf } from './surroundings.ts';

export type PageContext = Omit<RowsContext, 'list' | 'struck'> & { readonly root: Element };

/** What the parents are found by: an id, a class, or their tags from the nearest of these. */
export function pathTo(element: Element, context: PageContext, steps = 0): string {
  const { id } = element.attribs;
  if (id !== undefined && /^[A-Za-z][\w-]*$/.test(id) && !/\d{3,}/.test(id)) return `#${id}`;
  if (element.name === 'body' || element.name === 'main') return element.name;
  const [name] = stableClasses(classesOf(element));
  if (name !== undefined) {
    const selector = `${tagOf(element)}.${name}`;
    if (context.html(selector).length === 1) return selector;
  }
  const parent = parentOf(element);
  if (parent === null || steps > 12) return tagOf(element);
  const own = name !== undefined ? `${tagOf(element)}.${name}` : tagOf(element);
  const alike = elementsOf(parent).filter(
    (sibling) => sibling.name === element.name && (name === undefined || classesOf(sibling).includes(name)),
  ).length;
  const step = alike > 1 ? `${own}:nth-of-type(${positionOf(element)})` : own;
  return `${pathTo(parent, context, steps + 1)} > ${step}`;
}

/** The selector that finds these rows and nothing else, as far as possible. */
export function selectorOf(
  members: readonly Element[],
  context: PageContext,
  adClasses: readonly string[],
): string | undefined {
  const [first] = members;
  if (first === undefined) return undefined;
  const { html } = context;
  const wanted = new Set<AnyNode>(members);
  const options: string[] = [];
  const { itemtype } = first.attribs;
  if (itemtype !== undefined && members.every((member) => member.attribs.itemtype === itemtype))
    options.push(`[itemtype$=${quoted(itemtype.replace(/^.*\//, '/'))}]`);
  const shared = stableClasses(classesOf(first)).filter((name) =>
    members.every((member) => classesOf(member).includes(name)),
  );
  for (const name of shared) options.push(`${tagOf(first)}.${name}`);
  for (const key of Object.keys(first.attribs)) {
    if (!/^(?:data-[a-z-]+|role)$/.test(key) || /^data-v-/.test(key)) continue;
    const value = first.attribs[key] ?? '';
    if (members.every((member) => member.attribs[key] === value) && value.length < 40)
      options.push(`${tagOf(first)}[${key}=${quoted(value)}]`);
    else if (members.every((member) => key in member.attribs)) options.push(`${tagOf(first)}[${key}]`);
  }
  const parents = [...new Set(members.map(parentOf))].filter((parent) => parent !== null);
  const [parent] = parents;
  if (parent !== undefined) {
    const path = parents.length === 1 ? pathTo(parent, context) : commonPath(parents, context);
    for (const name of shared) options.push(`${path} > ${tagOf(first)}.${name}`);
    const children = [...new Set(members.slice(0, 5).flatMap((member) => elementsOf(member).map(tagOf)))];
    options.push(`${path} > ${tagOf(first)}`);
    const descendants = [
      ...new Set(
        first.children.length > 0
          ? elementsOf(first).flatMap((child) => [tagOf(child), ...elementsOf(child).map(tagOf)])
          : [],
      ),
    ];
    for (const tag of new Set([...children, ...descendants]))
      options.push(`${path} > ${tagOf(first)}:has(${tag})`);
  }
  const withoutAds = adClasses
    .filter((name) => /^[A-Za-z][\w-]*$/.test(name))
    .map((name) => `:not(.${name})`)
    .join('');
  if (withoutAds !== '') options.unshift(...options.slice(0, 8).map((option) => `${option}${withoutAds}`));
  let best: { selector: string; score: number } | undefined;
  for (const selector of options.slice(0, 24)) {
    const found = html(selector).toArray();
    const hits = found.filter((element) => wanted.has(element)).length;
    const score = (2 * hits) / (found.length + wanted.size);
    if (best === undefined || score > best.score + 0.001) best = { selector, score };
    if (score === 1) break;
  }
  return best !== undefined && best.score > 0.8 ? best.selector : undefined;
}

/** A path that all parents have, without positions. */
export function commonPath(parents: readonly Element[], context: PageContext): string {
  const [first] = parents;
  if (first === undefined) return 'body';
  const [shared] = stableClasses(classesOf(first)).filter((name) =>
    parents.every((parent) => classesOf(parent).includes(name)),
  );
  const own = shared === undefined ? tagOf(first) : `${tagOf(first)}.${shared}`;
  const grandparents = [...new Set(parents.map(parentOf))].filter((parent) => parent !== null);
  const [grandparent] = grandparents;
  if (grandparent === undefined || grandparent.name === 'body' || grandparent.name === 'html') return own;
  return `${grandparents.length === 1 ? pathTo(grandparent, context) : commonPath(grandparents, context)} > ${own}`;
}
