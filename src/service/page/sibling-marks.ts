/**
 * What tells siblings apart of which some rows have fewer, such as an old price beside a price: a class, even one that the next
 * release of the site may change, or an icon. By their place they would slide where a row lacks one.
 */
import type { Element } from 'domhandler';
import { getClasses, getElements, isSafe, shownText, stableClasses, testNames } from './elements.ts';
import { addTo, groupBy } from './grouping.ts';
import { containing, isHidden } from './text.ts';

/** Siblings that are told apart by more marks are a list of things, such as what a hotel offers. */
const maxMarks = 6;
/** The least share of the parents that have a mark. */
const leastShare = 0.15;
const maxDepth = 8;
const maxLabel = 40;
/** Of siblings that begin with labels the least share that have one. */
const leastLabelled = 0.6;

const placing =
  /^(?:first|last|odd|even|active|selected|current|left|right|start|end|clear(?:fix)?)$|^-?[mp][trblxyse]?-|[:/[\]]/;

/** Whether a class tells the place of an element, or how much room it has. */
export const saysPlace = (name: string): boolean => placing.test(name);

const classSelectors = (element: Element) =>
  getClasses(element)
    .filter((name) => isSafe(name) && !saysPlace(name))
    .map((name) => `.${name}`);

const nameSelectors = ({ attribs }: Element) =>
  testNames.flatMap((name) => {
    const value = attribs[name];
    return value !== undefined && /^[\w-]{2,60}$/.test(value) ? [`[${name}="${value}"]`] : [];
  });

/** Its own names and classes, and those of its children, such as an icon, as selectors. */
function marksOf(element: Element): string[] {
  const selectors = (one: Element) => [...nameSelectors(one), ...classSelectors(one)];
  const ofChildren = getElements(element)
    .flatMap(selectors)
    .map((select) => `:has(> ${select})`);
  return [...new Set([...selectors(element), ...ofChildren])];
}

/** Children of one tag of each parent at one place of the rows. */
type Family = readonly (readonly Element[])[];

function findFamilies(rows: readonly (readonly Element[])[]): Family[] {
  const families = new Map<string, (readonly Element[])[]>();
  const walk = (parent: Element, path: string, depth: number) => {
    const byTag = new Map<string, Element[]>();
    for (const child of getElements(parent)) {
      if (isHidden(child)) continue;
      addTo(byTag, child.name, child);
    }
    for (const [tag, children] of byTag) {
      const own = `${path} > ${tag}`;
      addTo(families, own, children);
      // Several boxes of a row have children of their own kinds.
      const pathOf = (child: Element) => (children.length > 1 ? `${own}${stableClass(child)}` : own);
      if (depth < maxDepth) for (const child of children) walk(child, pathOf(child), depth + 1);
    }
  };
  for (const roots of rows) for (const [index, root] of roots.entries()) walk(root, String(index), 0);
  return [...families.values()];
}

/** Elements, each with the selector that tells it from its siblings. */
type Marks = readonly (readonly [Element, string])[];

const isUneven = (family: Family) =>
  family.some(({ length }) => length > 1) && new Set(family.map(({ length }) => length)).size > 1;

/** How many parents have each of these selectors, if none has one twice. */
function countOnce(family: Family, read: (element: Element) => readonly string[]): Map<string, number> {
  const parents = new Map<string, number>();
  const twice = new Set<string>();
  for (const children of family) {
    const own = new Set<string>();
    for (const select of children.flatMap(read)) (own.has(select) ? twice : own).add(select);
    for (const select of own) parents.set(select, (parents.get(select) ?? 0) + 1);
  }
  for (const select of twice) parents.delete(select);
  return parents;
}

const stableClass = (element: Element) => {
  const [name] = stableClasses(getClasses(element));
  return name === undefined ? [] : [`.${name}`];
};

/**
 * Whether rows without a mark have as many siblings of these classes as those with it: `has-answers`, `on-sale`. Then it says how
 * an element is, and not which one.
 */
function isState(family: Family, isMarked: (child: Element) => boolean): boolean {
  const classes = new Set(family.flat().filter(isMarked).flatMap(classSelectors));
  const isLike = (child: Element) =>
    !isMarked(child) && classSelectors(child).some((name) => classes.has(name));
  const marked = family.filter((children) => children.some(isMarked));
  const others = family.filter((children) => !children.some(isMarked) && children.some(isLike));
  return others.length > 0 && typicalCount(marked) === typicalCount(others);
}

/** The commonest number of children. */
function typicalCount(family: Family): number {
  const [[alike] = []] = [...groupBy(family, ({ length }) => `${length}`).values()].sort(
    (one, other) => other.length - one.length,
  );
  return alike?.length ?? 0;
}

/** Marks of the siblings of one family; of one that has none, that it has none of the others'. */
function markFamily(family: Family): Marks {
  const children = family.flat();
  const ownMarks = new Map(children.map((child) => [child, marksOf(child)] as const));
  const marksIn = (child: Element) => ownMarks.get(child) ?? [];
  const parents = countOnce(family, marksIn);
  const least = Math.max(2, family.length * leastShare);
  const isOfState = (select: string) => isState(family, (child) => marksIn(child).includes(select));
  const common = new Set(
    [...parents].flatMap(([select, times]) => (times >= least && !isOfState(select) ? select : [])),
  );
  const markOf = (element: Element) =>
    marksIn(element)
      .filter((select) => common.has(select))
      .sort((one, other) => (parents.get(other) ?? 0) - (parents.get(one) ?? 0) || (one < other ? -1 : 1))[0];
  // A class that the site keeps, and that no sibling has, tells enough.
  const lasting = countOnce(family, stableClass);
  const ownMark = (element: Element) => {
    const [stable = ''] = stableClass(element);
    return lasting.has(stable) ? stable : markOf(element);
  };
  const marks = new Set(children.flatMap((child) => ownMark(child) ?? []));
  if (marks.size === 0 || marks.size > maxMarks) return [];
  const others = [...marks].map((mark) => `:not(${mark})`).join('');
  const isLonely = family.every((some) => some.filter((child) => ownMark(child) === undefined).length <= 1);
  return children.flatMap((child) => {
    const [stable = ''] = stableClass(child);
    const mark = ownMark(child) ?? (isLonely ? `${stable}${others}` : undefined);
    return mark === undefined || lasting.has(stable) ? [] : [[child, mark] as const];
  });
}

/** The text that begins an element and is not all of it, such as `<b>Fuel:</b>`; empty where it is no label. */
function leadingText(element: Element): string {
  const [first] = getElements(element);
  if (first === undefined || first.name === 'a' || element.name === 'dl') return '';
  const text = shownText(first);
  const whole = shownText(element);
  const leads = whole.startsWith(text) && whole.length > text.length;
  return leads && text.length <= maxLabel && /\p{L}{2}/u.test(text) ? text : '';
}

/**
 * Whether texts that begin children are what the rows are about, such as the town of each, and no labels: one child of each row
 * has nothing that it must be told from, and labels are few beside what one row has of them.
 */
function areValues(texts: readonly string[], family: Family): boolean {
  const most = Math.max(...family.map(({ length }) => length));
  return texts.length > (most === 1 ? 0 : most * 2) && !texts.every((text) => /[:：]$/.test(text));
}

/**
 * Whether a text without a colon is one of several values: most parents without it have a text at its place that none has
 * beside it, such as "Completed" for "Recruiting".
 */
function isOneOfValues(text: string, family: Family): boolean {
  const texts = family.map((children) => children.map(leadingText));
  const own = texts.filter((some) => some.includes(text));
  const others = texts.filter((some) => !some.includes(text));
  const beside = new Set(['', ...own.flat()]);
  const places = new Set(own.map((some) => some.indexOf(text)));
  const like = others.filter((some) => some.some((other, at) => places.has(at) && !beside.has(other)));
  return !/[:：]$/.test(text) && like.length * 2 > others.length;
}

/** What selects the children that begin with labels which rows share, and whether these tell most children apart. */
function markLabels(family: Family): { readonly marks: Marks; readonly areMost: boolean } {
  const children = family.flat();
  const parents = countOnce(family, (element) => [leadingText(element)]);
  parents.delete('');
  const least = Math.max(2, family.length * leastShare);
  const shared = [...parents.keys()].filter((text) => (parents.get(text) ?? 0) >= least);
  const labels = areValues(shared, family) ? [] : shared.filter((text) => !isOneOfValues(text, family));
  const marks = children.flatMap((child) => {
    const own = leadingText(child);
    if (!labels.includes(own)) return [];
    const longer = labels.filter((text) => text !== own && text.includes(own));
    return [[child, `${labelMark}${containing(own, longer)})`] as const];
  });
  return { marks, areMost: labels.length > 1 && marks.length >= children.length * leastLabelled };
}

/** Of children of which few have labels: "Date:". At most one of each parent has none. */
function markFewLabels(family: Family, labels: Marks): Marks {
  const marked = new Map(labels.filter(([child]) => /[:：]$/.test(leadingText(child))));
  const others = [...new Set(marked.values())].map((mark) => `:not(${mark})`).join('');
  const isLonely = family.every((some) => some.filter((child) => !marked.has(child)).length <= 1);
  return family.flat().flatMap((child) => {
    const mark = marked.get(child) ?? (isLonely && others !== '' ? others : undefined);
    return mark === undefined ? [] : [[child, mark] as const];
  });
}

const labelMark = ':has(> :first-child';
/** Whether a mark is a label that the page shows. */
export const isLabelMark = (anchor: string | undefined): boolean => anchor?.startsWith(labelMark) === true;

/** What it has inside, by tags and classes; undefined for less than two things, which a box has. A list has one. */
function contentOf(element: Element): string | undefined {
  const names = getElements(element).map((child) => [child.name, ...stableClass(child)].join(''));
  return new Set(names).size < 2 ? undefined : names.join(' ');
}

/** Whether each is the one box of its parent, with the same inside, and their classes differ: the states of one box. */
function areStates(family: Family): boolean {
  const boxes = family.flat();
  const contents = new Set(boxes.map(contentOf));
  return (
    boxes.length === family.length &&
    boxes.length > 2 &&
    contents.size === 1 &&
    !contents.has(undefined) &&
    new Set(boxes.map((box) => stableClass(box)[0])).size > 1
  );
}

/**
 * Selectors, to be written behind the tag, of elements that only their place would tell from their siblings; empty ones of boxes
 * whose classes say their state: `announce_read`, `topic_read`.
 */
export function findMarks(rows: readonly (readonly Element[])[]): ReadonlyMap<Element, string> {
  const marks = findFamilies(rows).flatMap((family): Marks => {
    if (areStates(family)) return family.flat().map((box) => [box, ''] as const);
    const { marks: labels, areMost } = markLabels(family);
    if (areMost || !isUneven(family)) return areMost ? labels : [];
    const marks = markFamily(family);
    return marks.length > 0 ? marks : markFewLabels(family, labels);
  });
  return new Map(marks);
}

/** Of a `<dt>` that rows share: a row may leave a pair out, so that a value is found by its label and not by its turn. */
export interface PairLabel {
  readonly text: string;
  /** Of several `<dd>` beside one `<dt>`, from 1. */
  readonly turn: number;
  /** The label stands behind the value. */
  readonly isBehind: boolean;
  /** Labels of the rows that have this one in them, such as "ISBN-13" for "ISBN". */
  readonly longer: readonly string[];
}

/** The least share of rows that have a label, and of labels among all `<dt>`: others are values themselves. */
const leastRows = 0.15;
const leastLabels = 0.8;
const mostOfLabel = 60;

function textsIn(element: Element): string[] {
  return element.name === 'dt' ? [shownText(element)] : getElements(element).flatMap(textsIn);
}

/** The label of a `<dt>`, a `<dd>` or a box of both; undefined where it has none that rows share. */
export function findPairLabels(
  rows: readonly (readonly Element[])[],
): (element: Element, siblings: readonly Element[], at: number) => PairLabel | undefined {
  const texts = rows.map((roots) => roots.flatMap(textsIn));
  const counts = new Map<string, number>();
  for (const text of texts.flatMap((some) => [...new Set(some)]))
    counts.set(text, (counts.get(text) ?? 0) + 1);
  const isLabel = (text: string) =>
    text !== '' &&
    text.length <= mostOfLabel &&
    (counts.get(text) ?? 0) >= Math.max(2, rows.length * leastRows);
  const labels = [...counts.keys()].filter(isLabel);
  const all = texts.flat();
  if (labels.length === 0 || all.filter(isLabel).length < all.length * leastLabels) return () => undefined;
  const longer = new Map(
    labels.map((text) => [text, labels.filter((other) => other !== text && other.includes(text))]),
  );
  const areBoxes = rows
    .flat()
    .flatMap(listsIn)
    .every((list) => ownLabel(list) !== undefined);
  return (element, siblings, at) => {
    const label = element.name === 'dd' ? labelAt(siblings, at) : -1;
    const dt = element.name === 'dd' ? siblings[label] : labelOfBox(element, areBoxes);
    const text = dt === undefined ? '' : shownText(dt);
    const others = longer.get(text);
    const turn = element.name === 'dd' ? Math.abs(at - label) : 1;
    return others && { text, turn, isBehind: label > at, longer: others };
  };
}

const listsIn = (element: Element): Element[] =>
  element.name === 'dl' ? [element] : getElements(element).flatMap(listsIn);

/** The place of the `<dt>` before the `<dd>`, or behind it where values stand before their labels. */
function labelAt(siblings: readonly Element[], at: number): number {
  const first = siblings.find(({ name }) => /^d[td]$/.test(name));
  return first?.name === 'dd'
    ? siblings.findIndex(({ name }, index) => index > at && name === 'dt')
    : siblings.findLastIndex(({ name }, index) => index < at && name === 'dt');
}

/** Of a `<dt>`, or of a box with one pair; a `<dl>` is a box where all are. */
function labelOfBox(element: Element, areBoxes: boolean): Element | undefined {
  if (element.name === 'dt') return element;
  return element.name === 'dl' && !areBoxes ? undefined : ownLabel(element);
}

function ownLabel(box: Element): Element | undefined {
  const [label, ...others] = getElements(box).filter(({ name }) => name === 'dt');
  return others.length === 0 ? label : undefined;
}
