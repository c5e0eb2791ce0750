/** Repeated records: siblings with like structure, also where a record spans several siblings, or the rows several parents. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { htmlPlaces } from '../columns/html-places.ts';
import { placesAbove } from '../columns/places-above.ts';
import { isAdvertising } from '../page/class-names.ts';
import { getClasses, getElements, shownText } from '../page/elements.ts';
import { headingAbove, isNavigation } from '../page/surroundings.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';
import {
  alike,
  type Cluster,
  clusterChildren,
  createCluster,
  findHeads,
  getShape,
  noRecord,
  toSegments,
} from './clusters.ts';
import { findSelector } from './row-selectors.ts';

const maxStructures = 10;

interface RepeatedRows {
  /** The elements that the selector must find: the rows, or the first element of each. */
  readonly heads: readonly Element[];
  readonly rows: readonly (readonly Element[])[];
  readonly siblings: boolean;
}

const isAd = (element: Element) => isAdvertising([...getClasses(element), element.attribs.id ?? '']);

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
    this.#alone.set(path, [...(this.#alone.get(path) ?? []), element]);
  }

  all(order: ReadonlyMap<Element, number>): Cluster[] {
    for (const [path, elements] of this.#alone)
      for (const element of elements) {
        const shape = getShape(element);
        const isKin = this.#byPath.get(path)?.some((cluster) => alike(cluster, element, shape) > 0.7);
        if (isKin === true || elements.length > 2) this.add(path, [createCluster(element, shape)]);
      }
    const place = (element: Element) => order.get(element) ?? 0;
    const clusters = [...this.#byPath.values()].flat();
    for (const { members } of clusters) members.sort((one, other) => place(one) - place(other));
    return clusters;
  }
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
      const siblings = clusterChildren(parent);
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
    const rows = members.filter((member) => !isAd(member) && shownText(member) !== '');
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

export function findRepeatedRecords(html: CheerioAPI, root: Element): Structure[] {
  const weights = new Map(findRows(root).map((rows) => [rows, weighRows(rows)]));
  const ranked = [...weights].sort(([, one], [, other]) => other - one).slice(0, maxStructures);
  return ranked.flatMap(([rows]) => toStructure(rows, html) ?? []);
}

function toStructure({ heads, rows, siblings }: RepeatedRows, html: CheerioAPI): Structure | undefined {
  const [first] = heads;
  const list = findSelector(heads, html);
  if (first === undefined || list === undefined) return undefined;
  const places = htmlPlaces(rows, { html, list });
  if (places.length === 0 || (rows.length < 3 && places.length < 3)) return undefined;
  return {
    kind: 'repeated records',
    many: true,
    rows: rows.length,
    about: headingAbove(first),
    element: first,
    places: [...places, ...placesAbove(rows, html)],
    toExtract: toExtract((fields) => ({
      kind: 'html',
      list,
      ...(siblings ? { siblings: true } : {}),
      fields: toFields(fields),
    })),
  };
}
