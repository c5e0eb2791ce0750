/**
 * Repeated records: siblings of like structure (the idea of MDR and DEPTA), also such that each take several
 * siblings, and such that are spread over several parents. Microdata items are records whose bounds the page states.
 */
import type { Element } from 'domhandler';
import type { Candidate, NamedColumn } from './candidate.ts';
import { fieldOf } from './candidate.ts';
import { isAdvertising } from './class-names.ts';
import {
  alike,
  byClasses,
  type Cluster,
  clusterChildren,
  headOf,
  noRecord,
  type Siblings,
  shapeOf,
} from './clusters.ts';
import { columnsOf } from './columns.ts';
import { classesOf, elementsOf, shownText } from './elements.ts';
import { flagColumns } from './flags.ts';
import { groupColumns } from './groups.ts';
import { type PageContext, selectorOf } from './row-selectors.ts';
import { isNavigation, parentOf, surroundings } from './surroundings.ts';

const maxCandidates = 14;

interface Rows {
  /** What the selector has to find: the rows, or the first element of each. */
  readonly heads: readonly Element[];
  readonly rows: Element[][];
  readonly siblings: boolean;
  /** Classes of advertisements between the rows. */
  readonly adClasses?: readonly string[];
}

const isAd = (element: Element) =>
  isAdvertising([...classesOf(element), element.attribs.id ?? '']) ||
  elementsOf(element).some((child) =>
    /^(?:sponsored|advertisement|anzeige|promoted|ad|werbung)\b.{0,12}$/i.test(shownText(child)),
  );

/** All lists of records in the page. */
function findRows(context: PageContext): Rows[] {
  const found: Rows[] = [];
  const byShape = new Map<string, Cluster[]>();
  const terms = new Map<string, Element[][]>();
  const order = new Map<Element, number>();
  const joined = new Set<Cluster>();
  const alone: { readonly path: string; readonly element: Element }[] = [];
  /** `path`: the tags of the parent and of all above it. */
  const walk = (parent: Element, path: string) => {
    order.set(parent, order.size);
    if (noRecord.has(parent.name) || parent.name === 'select' || parent.name === 'nav') return;
    const children = elementsOf(parent);
    if (children.length >= 2) {
      // An index in sections: a list of terms in each.
      if (parent.name === 'dl' && children[0]?.name === 'dt') {
        const heads = children.filter(({ name }) => name === 'dt');
        terms.set(path, [...(terms.get(path) ?? []), ...segmentsOf(heads, children)]);
      }
      const siblings = clusterChildren(parent);
      for (const cluster of siblings.clusters) {
        const kin = byShape.get(path) ?? [];
        byShape.set(path, kin);
        const same = kin.find((other) => {
          const [member] = cluster.members;
          return member !== undefined && alike(other, member, cluster.shape) > 0.7;
        });
        if (same === undefined) kin.push({ ...cluster, members: [...cluster.members] });
        else for (const member of cluster.members) same.members.push(member);
      }
      const heads = headsOf(siblings) ?? headsOf(byClasses(siblings));
      if (heads !== undefined)
        found.push({ heads, siblings: true, rows: segmentsOf(heads, siblings.children) });
    }
    const [only] = children;
    if (children.length === 1 && only !== undefined) alone.push({ path, element: only });
    for (const child of children) walk(child, `${path}>${child.name}`);
  };
  walk(context.root, context.root.name);
  const lone = new Map<string, number>();
  for (const { path } of alone) lone.set(path, (lone.get(path) ?? 0) + 1);
  // Where rows stand in groups, a group may have a single one, as most may.
  for (const { path, element } of alone) {
    const kin = byShape.get(path);
    if (kin === undefined) continue;
    const shape = shapeOf(element);
    const isCommon = (lone.get(path) ?? 0) > 2;
    const same = kin.find(
      (cluster) => (isCommon || isSpread(cluster)) && alike(cluster, element, shape) > 0.7,
    );
    if (same === undefined) continue;
    same.members.push(element);
    joined.add(same);
  }
  const placeOf = (element: Element) => order.get(element) ?? 0;
  for (const { members } of joined) members.sort((one, other) => placeOf(one) - placeOf(other));
  for (const rows of terms.values()) {
    const heads = rows.flatMap(([head]) => (head === undefined ? [] : [head]));
    if (new Set(heads.map(parentOf)).size > 1) found.push({ heads, rows, siblings: true });
  }
  for (const cluster of [...byShape.values()].flat().flatMap(alsoApart)) {
    // What most are called is no advertisement, as "promoted" of a page's own articles.
    const advertised = new Set(cluster.members.filter(isAd));
    const areAll = advertised.size > cluster.members.length / 2;
    const members = areAll ? cluster.members : cluster.members.filter((member) => !advertised.has(member));
    if (members.length < 2) continue;
    const [first] = members;
    // A lone word a row is no record, except in a list of its own.
    if (first === undefined || isNavigation(members)) continue;
    if (cluster.shape.size === 0 && members.length < 3) continue;
    const ads = areAll ? [] : [...advertised].flatMap(classesOf);
    const adClasses = [...new Set(ads)].filter((name) => isAdvertising([name])).slice(0, 2);
    found.push({ heads: members, siblings: false, rows: members.map((member) => [member]), adClasses });
  }
  return found;
}

/** Lists of the same shape in different parts of the page may be one or several: they are offered as both. */
function alsoApart(cluster: Cluster): Cluster[] {
  const lists = new Map<Element | null, Element[]>();
  for (const member of cluster.members) {
    const parent = parentOf(member);
    const list = lists.get(parent);
    if (list === undefined) lists.set(parent, [member]);
    else list.push(member);
  }
  const parts = new Set([...lists.keys()].map((parent) => (parent === null ? null : parentOf(parent))));
  if (parts.size < 2) return [cluster];
  const apart = [...lists.values()].filter(({ length }) => length >= 4);
  return [cluster, ...apart.slice(0, 6).map((members) => ({ ...cluster, members }))];
}

/** Rows of several parents. */
const isSpread = ({ members: [first, ...others] }: Cluster) =>
  first !== undefined && others.some((other) => other.parent !== first.parent);

/** The elements that records of several siblings begin with. */
function headsOf(siblings: Siblings | undefined): readonly Element[] | undefined {
  if (siblings === undefined || siblings.clusters.length < 2) return undefined;
  const head = headOf(siblings);
  return head === undefined ? undefined : siblings.clusters[head]?.members;
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

const textLength = (rows: readonly (readonly Element[])[]) =>
  (rows
    .slice(0, 20)
    .reduce(
      (sum, roots) => sum + roots.reduce((all, root) => all + Math.min(shownText(root).length, 2_000), 0),
      0,
    ) /
    Math.min(rows.length, 20)) *
  rows.length;

export function recordCandidates(context: PageContext): Candidate[] {
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
    const flags = flagColumns(rows);
    // What is said of a term describes it.
    if (siblings && first.name === 'dt')
      for (const column of columns)
        if (column.names[0] === 'definition')
          Object.assign(column, { names: [...column.names, 'description'] });
    if (telling.length === 0 || (rows.length < 3 && telling.length < 3)) return [];
    return [
      {
        kind: first.attribs.itemtype === undefined ? 'repeated records' : 'structured data',
        many: true,
        rows: rows.length,
        about: surroundings(first),
        element: first,
        columns: [...groupColumns(rows, context), ...columns, ...flags],
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
