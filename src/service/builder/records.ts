/**
 * Repeated records: siblings of like structure (the idea of MDR and DEPTA), also such that each take several
 * siblings, and such that are spread over several parents. Microdata items are records whose bounds the page states.
 */
import { type AnyNode, type Element, isTag } from 'domhandler';
import type { Candidate, NamedColumn } from './candidate.ts';
import { fieldOf } from './candidate.ts';
import { classWords, isAdvertising, stableClasses } from './class-names.ts';
import { columnsOf, type RowsContext } from './columns.ts';
import { classesOf, collapse, elementsOf, positionOf, textOf } from './slots.ts';
import { wordsOf } from './words.ts';

type Context = Omit<RowsContext, 'list'> & { readonly root: Element };

const noRecord = new Set(
  'script style noscript template br hr link meta option col source track area path option svg head'.split(
    ' ',
  ),
);
const navigation =
  /(?:^|[-_ ])(?:nav|navbar|navigation|menu|breadcrumbs?|pagination|pager|footer|header|sidebar|social|share|toolbar|tabs?|cookies?|languages?|filters?|facets?)(?:$|[-_ ])/i;
/** Children of one parent that are compared, and clusters they fall into: a bound on the work, not on the rows. */
const maxCompared = 3_000;
const maxClusters = 12;
const maxCandidates = 14;

/** Tags and tag pairs within three levels, which make up an element's shape. */
function shapeOf(element: Element): Map<string, number> {
  const shape = new Map<string, number>();
  let budget = 150;
  const walk = (node: Element, path: string, depth: number) => {
    for (const child of elementsOf(node)) {
      if (noRecord.has(child.name)) continue;
      budget -= 1;
      if (budget < 0) return;
      const name = `${path}>${child.name}`;
      // Twice the same counts as once: how many tags or stars a record has does not matter.
      shape.set(name, 1);
      if (depth < 4) walk(child, name, depth + 1);
    }
  };
  walk(element, '', 1);
  return shape;
}

function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  if (one.size === 0 && other.size === 0) return 1;
  let common = 0;
  for (const key of one.keys()) if (other.has(key)) common += 1;
  return (2 * common) / (one.size + other.size);
}

/** The element around a node; null at the top. */
const parentOf = ({ parent }: AnyNode): Element | null => (parent !== null && isTag(parent) ? parent : null);

interface Cluster {
  readonly tag: string;
  readonly shape: Map<string, number>;
  readonly classes: Set<string>;
  readonly members: Element[];
}

function alike(cluster: Cluster, element: Element, shape: Map<string, number>): number {
  if (cluster.tag !== element.name) return 0;
  const classes = classesOf(element);
  const shared = classes.filter((name) => cluster.classes.has(name)).length;
  const kin = classes.length === 0 && cluster.classes.size === 0 ? 0.7 : Math.min(shared, 1);
  // Elements without structure are told apart by their class alone.
  if (
    shape.size === 0 &&
    cluster.shape.size === 0 &&
    shared === 0 &&
    (classes.length > 0 || cluster.classes.size > 0)
  )
    return 0.2;
  return 0.6 * likeness(cluster.shape, shape) + 0.4 * kin;
}

interface Siblings {
  readonly clusters: readonly Cluster[];
  /** For each child its cluster's index. */
  readonly sequence: readonly number[];
  readonly children: readonly Element[];
}

function clusterChildren(parent: Element): Siblings {
  const children = elementsOf(parent)
    .filter((child) => !noRecord.has(child.name))
    .slice(0, maxCompared);
  const clusters: Cluster[] = [];
  const sequence = children.map((child) => {
    const shape = shapeOf(child);
    let best = -1;
    let score = 0.5;
    for (const [index, cluster] of clusters.entries()) {
      const similarity = alike(cluster, child, shape);
      if (similarity > score) [best, score] = [index, similarity];
    }
    if (best < 0) {
      if (clusters.length >= maxClusters) return -1;
      best = clusters.length;
      clusters.push({ tag: child.name, shape, classes: new Set(classesOf(child)), members: [] });
    }
    const cluster = clusters[best];
    cluster?.members.push(child);
    // Optional parts belong to the shape of the whole cluster as well.
    if (cluster !== undefined && cluster.members.length < 6)
      for (const key of shape.keys()) cluster.shape.set(key, 1);
    return best;
  });
  return { clusters, sequence, children };
}

/** The cluster each record of several siblings starts with, where the children follow one after the other that way. */
function headOf({ clusters, sequence }: Siblings): number | undefined {
  let best: { head: number; score: number } | undefined;
  for (const [head, cluster] of clusters.entries()) {
    const count = cluster.members.length;
    if (count < 3) continue;
    const segments: number[][] = [];
    for (const label of sequence) {
      if (label === head) segments.push([]);
      else segments.at(-1)?.push(label);
    }
    const filled = segments.filter((segment) => segment.length > 0);
    if (filled.length < segments.length * 0.8 || Math.max(...segments.map(({ length }) => length)) > 12)
      continue;
    const common = new Map<number, number>();
    for (const segment of segments)
      for (const label of new Set(segment)) common.set(label, (common.get(label) ?? 0) + 1);
    const regular = [...common.values()].filter((times) => times >= segments.length * 0.6).length;
    if (regular === 0) continue;
    const before = sequence.indexOf(head);
    const heading = /^h[1-6]$|^dt$/.test(cluster.tag) ? 1 : 0;
    const score =
      regular / common.size +
      heading -
      before * 0.1 -
      Math.abs(new Set(segments.map((s) => s.join())).size - 1) * 0.01;
    if (best === undefined || score > best.score) best = { head, score };
  }
  return best?.head;
}

const isNavigation = (element: Element): boolean => {
  for (let node: Element | null = element; node !== null; node = parentOf(node)) {
    if (node.type !== 'tag') return false;
    if (node.name === 'nav' || node.name === 'footer') return true;
    if (node.name === 'header' && parentOf(node)?.name === 'body') return true;
    if (node.name === 'body' || node.name === 'main') return false;
    const words = `${node.attribs.class ?? ''} ${node.attribs.id ?? ''} ${node.attribs.role ?? ''}`;
    if (navigation.test(words)) return true;
  }
  return false;
};

interface Rows {
  /** What the selector has to find: the rows, or the first element of each. */
  readonly heads: readonly Element[];
  readonly rows: Element[][];
  readonly siblings: boolean;
  /** Classes of advertisements between the rows. */
  readonly adClasses?: readonly string[];
}

const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;

/** What the parents are found by: an id, a class, or their tags from the nearest of these. */
export function pathTo(element: Element, context: Context, steps = 0): string {
  const { id } = element.attribs;
  if (id !== undefined && /^[A-Za-z][\w-]*$/.test(id) && !/\d{3,}/.test(id)) return `#${id}`;
  if (element.name === 'body' || element.name === 'main') return element.name;
  const [name] = stableClasses(classesOf(element));
  if (name !== undefined) {
    const selector = `${element.name}.${name}`;
    if (context.html(selector).length === 1) return selector;
  }
  const parent = parentOf(element);
  if (parent === null || steps > 12) return element.name;
  const own = name !== undefined ? `${element.name}.${name}` : element.name;
  const sameTag = elementsOf(parent).filter((sibling) => sibling.name === element.name).length;
  const step =
    sameTag > 1 && name === undefined ? `${element.name}:nth-of-type(${positionOf(element)})` : own;
  return `${pathTo(parent, context, steps + 1)} > ${step}`;
}

/** The selector that finds these rows and nothing else, as far as possible. */
function selectorOf(
  members: readonly Element[],
  context: Context,
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
  for (const name of shared) options.push(`${first.name}.${name}`);
  for (const key of Object.keys(first.attribs)) {
    if (!/^(?:data-[a-z-]+|role)$/.test(key) || /^data-v-/.test(key)) continue;
    const value = first.attribs[key] ?? '';
    if (members.every((member) => member.attribs[key] === value) && value.length < 40)
      options.push(`${first.name}[${key}=${quoted(value)}]`);
    else if (members.every((member) => key in member.attribs)) options.push(`${first.name}[${key}]`);
  }
  const parents = [...new Set(members.map(parentOf))].filter((parent) => parent !== null);
  const [parent] = parents;
  if (parent !== undefined) {
    const path = parents.length === 1 ? pathTo(parent, context) : commonPath(parents, context);
    for (const name of shared) options.push(`${path} > ${first.name}.${name}`);
    const children = [
      ...new Set(members.slice(0, 5).flatMap((member) => elementsOf(member).map(({ name }) => name))),
    ];
    options.push(`${path} > ${first.name}`);
    const descendants = [
      ...new Set(
        first.children.length > 0
          ? elementsOf(first).flatMap((child) => [child.name, ...elementsOf(child).map(({ name }) => name)])
          : [],
      ),
    ];
    for (const tag of new Set([...children, ...descendants]))
      options.push(`${path} > ${first.name}:has(${tag})`);
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
function commonPath(parents: readonly Element[], context: Context): string {
  const [first] = parents;
  if (first === undefined) return 'body';
  const [shared] = stableClasses(classesOf(first)).filter((name) =>
    parents.every((parent) => classesOf(parent).includes(name)),
  );
  const own = shared === undefined ? first.name : `${first.name}.${shared}`;
  const grandparents = [...new Set(parents.map(parentOf))].filter((parent) => parent !== null);
  const [grandparent] = grandparents;
  if (grandparent === undefined || grandparent.name === 'body' || grandparent.name === 'html') return own;
  return `${grandparents.length === 1 ? pathTo(grandparent, context) : commonPath(grandparents, context)} > ${own}`;
}

const isAd = (element: Element) =>
  isAdvertising([...classesOf(element), element.attribs.id ?? '']) ||
  elementsOf(element).some((child) =>
    /^(?:sponsored|advertisement|anzeige|promoted|ad|werbung)\b.{0,12}$/i.test(collapse(textOf(child))),
  );

/** All lists of records in the page. */
function findRows(context: Context): Rows[] {
  const found: Rows[] = [];
  const byShape = new Map<string, Cluster[]>();
  const pathOf = (element: Element) => {
    const tags: string[] = [];
    for (let node: Element | null = element; node?.type === 'tag'; node = parentOf(node))
      tags.push(node.name);
    return tags.join('<');
  };
  const walk = (parent: Element) => {
    if (noRecord.has(parent.name) || parent.name === 'select' || parent.name === 'nav') return;
    const children = elementsOf(parent);
    if (children.length >= 2) {
      const siblings = clusterChildren(parent);
      for (const cluster of siblings.clusters) {
        const key = pathOf(parent);
        const kin = byShape.get(key) ?? [];
        byShape.set(key, kin);
        const same = kin.find((other) => {
          const [member] = cluster.members;
          return member !== undefined && alike(other, member, cluster.shape) > 0.7;
        });
        if (same === undefined) kin.push({ ...cluster, members: [...cluster.members] });
        else same.members.push(...cluster.members);
      }
      const head = siblings.clusters.length > 1 ? headOf(siblings) : undefined;
      const heads = head === undefined ? undefined : siblings.clusters[head]?.members;
      if (heads !== undefined) {
        found.push({ heads, siblings: true, rows: segmentsOf(heads, siblings.children) });
      }
    }
    for (const child of children) walk(child);
  };
  walk(context.root);
  for (const cluster of [...byShape.values()].flat()) {
    const members = cluster.members.filter((member) => !isAd(member));
    if (members.length < 2) continue;
    const [first] = members;
    // A lone word a row is no record, except in a list of its own.
    if (first === undefined || isNavigation(first)) continue;
    if (cluster.shape.size === 0 && members.length < 3) continue;
    const ads = cluster.members.filter(isAd).flatMap(classesOf);
    const adClasses = [...new Set(ads)].filter((name) => isAdvertising([name])).slice(0, 2);
    found.push({ heads: members, siblings: false, rows: members.map((member) => [member]), adClasses });
  }
  return found;
}

function segmentsOf(heads: readonly Element[], children: readonly Element[]): Element[][] {
  const starts = new Set(heads);
  const segments: Element[][] = [];
  for (const child of children) {
    if (starts.has(child)) segments.push([child]);
    else segments.at(-1)?.push(child);
  }
  return segments;
}

/** The words around the rows: the heading above, captions, ids and classes of what they are in. */
export function surroundings(element: Element): string[] {
  const words = [
    ...classWords(classesOf(element)),
    ...wordsOf(element.attribs.itemtype?.replace(/^.*\//, '') ?? ''),
  ];
  let node: Element | null = element;
  let headings = 0;
  for (let level = 0; level < 6 && node?.type === 'tag' && node.name !== 'body'; level++) {
    words.push(
      ...classWords(classesOf(node)),
      ...wordsOf(node.attribs.id ?? ''),
      ...wordsOf(node.attribs['aria-label'] ?? ''),
    );
    if (headings === 0) {
      let steps = 0;
      for (let before = node.prev; before !== null && steps < 12; before = before.prev, steps++) {
        if (!isTag(before)) continue;
        const heading = /^h[1-6]$|^caption$/.test(before.name);
        if (heading && level > 0) {
          words.push(...wordsOf(textOf(before).slice(0, 100)));
          headings += 1;
          break;
        }
      }
    }
    node = parentOf(node);
  }
  return words;
}

const textLength = (rows: readonly (readonly Element[])[]) =>
  (rows
    .slice(0, 20)
    .reduce(
      (sum, roots) => sum + roots.reduce((all, root) => all + Math.min(textOf(root).length, 2_000), 0),
      0,
    ) /
    Math.min(rows.length, 20)) *
  rows.length;

export function recordCandidates(context: Context): Candidate[] {
  const ranked = findRows(context)
    .map((found) => ({ found, weight: Math.log2(found.rows.length + 1) * Math.sqrt(textLength(found.rows)) }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, maxCandidates);
  return ranked.flatMap(({ found }): Candidate[] => {
    const { heads, rows, siblings, adClasses = [] } = found;
    const [first] = heads;
    const list = selectorOf(heads, context, adClasses);
    if (first === undefined || list === undefined) return [];
    const columns = columnsOf(rows, { ...context, list });
    const telling = columns.filter((column) => !column.constant);
    if (telling.length === 0 || (rows.length < 3 && telling.length < 3)) return [];
    return [
      {
        kind: first.attribs.itemtype === undefined ? 'repeated records' : 'structured data',
        many: true,
        rows: rows.length,
        about: surroundings(first),
        columns,
        extract: (fields: readonly NamedColumn[]) => ({
          kind: 'html',
          list,
          ...(siblings ? { siblings: true } : {}),
          fields: Object.fromEntries(
            fields.map((field) => [
              field.name,
              fieldOf(field, field.column.isTitle && field.column.fill > 0.95),
            ]),
          ),
        }),
      },
    ];
  });
}
