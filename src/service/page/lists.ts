/**
 * Lists of repeated records: siblings with like structure, also where a record spans several siblings, or the rows several
 * parents.
 */
import type { Element } from 'domhandler';
import { getClasses, getElements, getParent, shownText } from './elements.ts';
import { addTo, groupBy } from './grouping.ts';
import { isNavigation } from './surroundings.ts';

const noRecord =
  /^(?:script|style|noscript|template|br|hr|link|meta|option|col|source|track|area|path|svg|head)$/;
/** Bounds on the work: later children join the cluster of children with the same tag and classes. */
const maxCompared = 3_000;
const maxClusters = 12;
const maxLists = 10;
/** Tags and tag pairs within three levels, which make up an element's shape. */
function getShape(element: Element): Set<string> {
  const shape = new Set<string>();
  let budget = 150;
  const walk = (node: Element, path: string, depth: number) => {
    for (const child of getElements(node)) {
      if (noRecord.test(child.name)) continue;
      budget -= 1;
      if (budget < 0) return;
      const name = `${path}>${child.name}`;
      // A set: the number of equal children, such as tags or stars, does not change the shape.
      shape.add(name);
      if (depth < 4) walk(child, name, depth + 1);
    }
  };
  walk(element, '', 1);
  return shape;
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 && other.size === 0) return 1;
  let common = 0;
  for (const key of one) if (other.has(key)) common += 1;
  return (2 * common) / (one.size + other.size);
}

interface Cluster {
  readonly tag: string;
  readonly shape: Set<string>;
  readonly classes: Set<string>;
  readonly members: Element[];
}

const ofState = /^(?:active|selected|current|first|last)$/;
/** The classes of an element; none where they say only that it is the current one, or stands at an end. */
const classesOf = (element: Element): string[] => {
  const classes = getClasses(element);
  return classes.every((name) => ofState.test(name)) ? [] : classes;
};

const createCluster = (element: Element, shape: Set<string>): Cluster => ({
  tag: element.name,
  shape,
  classes: new Set(classesOf(element)),
  members: [element],
});

/** A table row with a single cell: a section's heading or a note. */
const isOneCell = (element: Element | undefined) =>
  element?.name === 'tr' &&
  getElements(element).filter(({ name }) => name === 'td' || name === 'th').length === 1;

function alike(cluster: Cluster, element: Element, shape: ReadonlySet<string>): number {
  if (cluster.tag !== element.name || isOneCell(cluster.members[0]) !== isOneCell(element)) return 0;
  // Rows with a single cell are all headings of sections.
  if (isOneCell(element)) return 0.9;
  const classes = classesOf(element);
  const isPlain = classes.length === 0 && cluster.classes.size === 0;
  const sharesClass = classes.some((name) => cluster.classes.has(name));
  // Elements without children differ by their classes only.
  if (shape.size === 0 && cluster.shape.size === 0 && !sharesClass && !isPlain) return 0.2;
  const found = 0.6 * likeness(cluster.shape, shape) + 0.4 * (isPlain ? 0.7 : Number(sharesClass));
  // Items of one list are alike, whatever a few of them have inside, unless their classes tell them apart.
  return isPlain && element.name === 'li' ? Math.max(found, 0.6) : found;
}

/** Whether both have a class of the other, or none at all. */
function haveLikeClasses({ classes }: Cluster, element: Element): boolean {
  const own = classesOf(element);
  return own.length === 0 ? classes.size === 0 : own.some((name) => classes.has(name));
}

/** Elements that stand at like places in clusters, and for each its cluster's index. `mayJoin`: a condition beside likeness. */
function toClusters(elements: readonly Element[], mayJoin = (_: Cluster, _element: Element) => true) {
  const children = elements.filter((child) => !noRecord.test(child.name));
  const clusters: Cluster[] = [];
  const indexByLooks = new Map<string, number>();
  const sequence = children.map((child, place) => {
    const looks = `${child.name} ${child.attribs.class ?? ''}`;
    if (place >= maxCompared) {
      const index = indexByLooks.get(looks) ?? -1;
      clusters[index]?.members.push(child);
      return index;
    }
    const shape = getShape(child);
    let best = -1;
    let score = 0.5;
    for (const [index, cluster] of clusters.entries()) {
      const similarity = mayJoin(cluster, child) ? alike(cluster, child, shape) : 0;
      if (similarity > score) [best, score] = [index, similarity];
    }
    if (best < 0) {
      if (clusters.length >= maxClusters) return -1;
      indexByLooks.set(looks, clusters.length);
      return clusters.push(createCluster(child, shape)) - 1;
    }
    indexByLooks.set(looks, best);
    const cluster = clusters[best];
    cluster?.members.push(child);
    // The cluster's shape includes parts that only some members have.
    if (cluster !== undefined && cluster.members.length < 6) for (const key of shape) cluster.shape.add(key);
    return best;
  });
  return { ...joinKin(clusters, sequence, children), children };
}

/** Tags of which sites take one for another in a list. */
const boxes = /^(?:li|div|article|section|a|span|figure)$/;
/** The least number of tags within an element whose shape tells, and the least likeness of shapes. */
const kin = { shape: 3, likeness: 0.8 };

/** Whether records of the two differ only in their own tag, such as one `div` among many `article`. */
function areKin(some: Cluster, few: Cluster): boolean {
  const sharesClass = [...few.classes].some((name) => some.classes.has(name));
  const isMore = some.members.length > few.members.length;
  return (
    some.tag !== few.tag &&
    boxes.test(some.tag) &&
    boxes.test(few.tag) &&
    (isMore || (sharesClass && some.members.length === few.members.length)) &&
    Math.min(some.shape.size, few.shape.size) >= kin.shape &&
    likeness(some.shape, few.shape) >= kin.likeness
  );
}

/** The clusters of which few members with another tag joined the many. */
function joinKin(clusters: readonly Cluster[], sequence: readonly number[], children: readonly Element[]) {
  const joined = clusters.map((few, own) => {
    const at = clusters.findIndex((some, index) => index !== own && areKin(some, few));
    return at < 0 ? own : at;
  });
  const indexes = sequence.map((index) => joined[index] ?? index);
  return {
    clusters: clusters.map((cluster, own) => ({
      ...cluster,
      members: children.filter((_, place) => indexes[place] === own),
    })),
    sequence: indexes,
  };
}

/** Splits the items into segments, each from one head up to the next. */
function toSegments<Item>(items: readonly Item[], isHead: (item: Item) => boolean): Item[][] {
  const segments: Item[][] = [];
  for (const item of items) {
    if (isHead(item)) segments.push([item]);
    else segments.at(-1)?.push(item);
  }
  return segments;
}

/** How well the children fit records that start with this cluster; undefined if they do not. */
function scoreOfHead(
  head: number,
  { members, tag }: Cluster,
  sequence: readonly number[],
): number | undefined {
  const segments = toSegments(sequence, (label) => label === head).map(([, ...others]) => others);
  const filled = segments.filter((segment) => segment.length > 0);
  const isLong = segments.some(({ length }) => length > 12);
  if (members.length < 3 || filled.length < segments.length * 0.8 || isLong) return undefined;
  const common = new Map<number, number>();
  for (const label of segments.flatMap((segment) => [...new Set(segment)]))
    common.set(label, (common.get(label) ?? 0) + 1);
  const usual = [...common].flatMap(([label, times]) => (times >= segments.length * 0.6 ? label : []));
  // Headings between the terms of a list are those of groups.
  const heading = tag === 'dt' ? 2 : Number(/^h[1-6]$/.test(tag));
  const before = sequence.slice(0, sequence.indexOf(head));
  const isSame = new Set(members.map(shownText)).size === 1;
  // What stands between records and says nothing of them, such as an advertisement, begins none: one of them stands before it.
  if (usual.length === 0 || (isSame && usual.some((label) => before.includes(label)))) return undefined;
  const forms = new Set(segments.map((segment) => segment.join())).size;
  return usual.length / common.size + heading - sequence.indexOf(head) * 0.1 - (forms - 1) * 0.01;
}

/** The first elements of records that span several siblings; undefined where the children show no such order. */
function findHeads({ clusters, sequence }: ReturnType<typeof toClusters>): readonly Element[] | undefined {
  let best: { heads: readonly Element[]; score: number } | undefined;
  for (const [head, cluster] of clusters.entries()) {
    const score = scoreOfHead(head, cluster, sequence);
    if (score !== undefined && (best === undefined || score > best.score))
      best = { heads: cluster.members, score };
  }
  return best?.heads;
}

export interface RepeatedRows {
  /** The elements that the selector must find: the rows, or the first element of each. */
  readonly heads: readonly Element[];
  readonly rows: readonly (readonly Element[])[];
  readonly siblings: boolean;
}

/** Clusters of like children; those of parents at the same path are joined. */
class Clusters {
  readonly #byPath = new Map<string, Cluster[]>();
  readonly #alone = new Map<string, Element[]>();

  add(path: string, clusters: readonly Cluster[]): void {
    const kin = this.#byPath.get(path) ?? [];
    this.#byPath.set(path, kin);
    for (const cluster of clusters) {
      const [member] = cluster.members;
      const same = kin.find((other) => member !== undefined && alike(other, member, cluster.shape) > 0.7);
      if (same === undefined) kin.push({ ...cluster, members: [...cluster.members] });
      else for (const one of cluster.members) same.members.push(one);
    }
  }

  /** An only child is a row where parents at the same path have rows like it, or more than two have an only child. */
  addAlone(path: string, element: Element): void {
    addTo(this.#alone, path, element);
  }

  all(order: ReadonlyMap<Element, number>): Cluster[] {
    for (const [path, elements] of this.#alone)
      for (const cluster of toClusters(elements, haveLikeClasses).clusters) {
        const isKin = this.#byPath
          .get(path)
          ?.some((other) => cluster.members.some((element) => alike(other, element, cluster.shape) > 0.7));
        if (isKin === true || elements.length > 2) this.add(path, [cluster]);
      }
    const place = (element: Element) => order.get(element) ?? 0;
    const clusters = [...this.#byPath.values()].flat();
    for (const { members } of clusters) members.sort((one, other) => place(one) - place(other));
    return clusters;
  }
}

/** What the links of a row say and lead to; undefined for a row without a link that leads to a page. */
function linksOf(row: Element): string | undefined {
  const addresses = [row, ...descendants(row)].flatMap(({ name, attribs }) =>
    name === 'a' && attribs.href !== undefined && !attribs.href.startsWith('#') ? attribs.href : [],
  );
  return addresses.length === 0 ? undefined : [shownText(row), ...addresses].join('\n');
}

const descendants = (element: Element): Element[] =>
  getElements(element).flatMap((child) => [child, ...descendants(child)]);

/** Without rows of a parent whose rows say the same, and lead to the same, as all those of an earlier one: for other screens. */
function withoutCopies(rows: readonly Element[]): Element[] {
  const byParent = groupBy(rows, getParent);
  if (byParent.size < 2) return [...rows];
  const seen = new Set<string>();
  return [...byParent.values()].flatMap((some) => {
    const links = some.map(linksOf);
    if (some.length < 2 || links.includes(undefined)) return some;
    const all = links.join('\n\n');
    if (seen.has(all)) return [];
    seen.add(all);
    return some;
  });
}

/** All lists of records below an element. */
function findRows(root: Element): RepeatedRows[] {
  const lists: RepeatedRows[] = [];
  const clusters = new Clusters();
  const order = new Map<Element, number>();
  const walk = (parent: Element, path: string) => {
    order.set(parent, order.size);
    if (noRecord.test(parent.name) || /^(?:select|nav)$/.test(parent.name)) return;
    const children = getElements(parent);
    if (children.length >= 2) {
      const siblings = toClusters(children);
      clusters.add(path, siblings.clusters);
      const heads = findHeads(siblings);
      const starts = new Set(heads);
      if (heads !== undefined)
        lists.push({ heads, siblings: true, rows: toSegments(siblings.children, (one) => starts.has(one)) });
    } else if (children[0] !== undefined) clusters.addAlone(path, children[0]);
    for (const child of children) walk(child, `${path}>${child.name}`);
  };
  walk(root, root.name);
  for (const { members, shape } of clusters.all(order)) {
    const rows = withoutCopies(members.filter((member) => shownText(member) !== ''));
    // Rows without child elements say little, so there must be three.
    if (rows.length < (shape.size === 0 ? 3 : 2) || isNavigation(rows)) continue;
    lists.push({ heads: rows, siblings: false, rows: rows.map((row) => [row]) });
  }
  return lists;
}

/** Many rows with much text weigh most. */
function weighRows({ rows }: RepeatedRows): number {
  const some = rows.slice(0, 20);
  const lengths = some.flat().map((root) => Math.min(shownText(root).length, 2_000));
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(some.length, 1);
  return Math.log2(rows.length + 1) * Math.sqrt(average * rows.length);
}

/** The lists below an element, the weightiest first. */
export function findLists(root: Element): RepeatedRows[] {
  const weights = new Map(findRows(root).map((rows) => [rows, weighRows(rows)]));
  return [...weights]
    .sort(([, one], [, other]) => other - one)
    .slice(0, maxLists)
    .map(([rows]) => rows);
}
