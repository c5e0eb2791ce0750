/** Groups the children of one parent by similar structure, and finds where records of several siblings begin. */
import type { Element } from 'domhandler';
import { getClasses, getElements } from '../page/elements.ts';

export const noRecord =
  /^(?:script|style|noscript|template|br|hr|link|meta|option|col|source|track|area|path|svg|head)$/;
/** Bounds on the work: later children join the cluster of children with the same tag and classes. */
const maxCompared = 3_000;
const maxClusters = 12;
/** Tags and tag pairs within three levels, which make up an element's shape. */
export function getShape(element: Element): Set<string> {
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

export interface Cluster {
  readonly tag: string;
  readonly shape: Set<string>;
  readonly classes: Set<string>;
  readonly members: Element[];
}

export const createCluster = (element: Element, shape: Set<string>): Cluster => ({
  tag: element.name,
  shape,
  classes: new Set(getClasses(element)),
  members: [element],
});

/** A table row with a single cell: a section's heading or a note. */
const isOneCell = (element: Element | undefined) =>
  element?.name === 'tr' &&
  getElements(element).filter(({ name }) => name === 'td' || name === 'th').length === 1;

export function alike(cluster: Cluster, element: Element, shape: ReadonlySet<string>): number {
  if (cluster.tag !== element.name || isOneCell(cluster.members[0]) !== isOneCell(element)) return 0;
  // Rows with a single cell are all headings of sections.
  if (isOneCell(element)) return 0.9;
  const classes = getClasses(element);
  const isPlain = classes.length === 0 && cluster.classes.size === 0;
  const sharesClass = classes.some((name) => cluster.classes.has(name));
  // Elements without children differ by their classes only.
  if (shape.size === 0 && cluster.shape.size === 0 && !sharesClass && !isPlain) return 0.2;
  return 0.6 * likeness(cluster.shape, shape) + 0.4 * (isPlain ? 0.7 : Number(sharesClass));
}

/** The children of an element in clusters, and for each child its cluster's index. */
export function clusterChildren(parent: Element) {
  const children = getElements(parent).filter((child) => !noRecord.test(child.name));
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
      const similarity = alike(cluster, child, shape);
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
  return { clusters, sequence, children };
}

/** Splits the items into segments, each from one head up to the next. */
export function toSegments<Item>(items: readonly Item[], isHead: (item: Item) => boolean): Item[][] {
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
  const longest = Math.max(...segments.map(({ length }) => length));
  if (members.length < 3 || filled.length < segments.length * 0.8 || longest > 12) return undefined;
  const common = new Map<number, number>();
  for (const label of segments.flatMap((segment) => [...new Set(segment)]))
    common.set(label, (common.get(label) ?? 0) + 1);
  const regular = [...common.values()].filter((times) => times >= segments.length * 0.6).length;
  if (regular === 0) return undefined;
  const heading = /^h[1-6]$|^dt$/.test(tag) ? 1 : 0;
  const forms = new Set(segments.map((segment) => segment.join())).size;
  return regular / common.size + heading - sequence.indexOf(head) * 0.1 - (forms - 1) * 0.01;
}

/** The first elements of records that span several siblings; undefined where the children show no such order. */
export function findHeads({
  clusters,
  sequence,
}: ReturnType<typeof clusterChildren>): readonly Element[] | undefined {
  let best: { heads: readonly Element[]; score: number } | undefined;
  for (const [head, cluster] of clusters.entries()) {
    const score = scoreOfHead(head, cluster, sequence);
    if (score !== undefined && (best === undefined || score > best.score))
      best = { heads: cluster.members, score };
  }
  return best?.heads;
}
