/** Everything that the rows of a page show, with the path from the row to it, and what is at the same place in many rows. */
import type { Element } from 'domhandler';
import {
  collapse,
  getBreakLines,
  getClasses,
  getElements,
  getTag,
  ownText,
  previousElement,
  shownText,
  stableClasses,
} from './elements.ts';
import { findMarks, findPairLabels, type PairLabel } from './sibling-marks.ts';
import { isHidden, isUnseenScale, writtenValue } from './text.ts';
import { areWholeTexts, hasBlocks, isPartOf } from './whole-texts.ts';

/** One step from a row to an element. */
export interface Step {
  readonly tag: string;
  /** A selector that needs no position: by itemprop, class, or what tells it from its siblings. */
  readonly anchor: string | undefined;
  /** The same for it and siblings of its kind. */
  readonly kind: string | undefined;
  /**
   * Position among siblings with the same tag, from 1; for the roots of a multi-sibling row, among all roots from 0.
   */
  readonly position: number;
  /** Among the siblings of its tag and anchor, from 1. */
  readonly turn: number;
  /** By which it is found instead of its turn. */
  readonly pair?: PairLabel | undefined;
}

export interface Slot {
  readonly element: Element;
  readonly steps: readonly Step[];
  readonly what: 'text' | 'own' | 'url' | 'image' | 'attribute' | 'line';
  readonly attribute?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  /** The pattern of the value in the attribute. */
  readonly match?: string | undefined;
  readonly value: string;
  readonly inHeading: boolean;
  readonly inLink: boolean;
  /** A short text before the value that names it. */
  readonly label: string;
  /** The short text of the previous element: a label if it is the same in all rows. */
  readonly before: string;
  /** Fills a place that other rows have: a text of blocks, or the same text as that of the element around it. */
  readonly isFiller?: true | undefined;
  /** The slot whose text it is in most rows. */
  readonly around?: Slot | undefined;
}

/** Bounds on the work: of one row, and of all. */
const maxSlots = 400;
const maxGroups = 120;
/** The least share of rows that have a place. */
const leastFill = 0.15;
const maxLines = 12;
const maxLabel = 40;

const skipped =
  /^(?:script|style|noscript|template|svg|button|select|option|textarea|form|iframe|canvas|nav|br)$/;
/** The address of mail or the number of a phone that a link leads to. */
export function contactIn({ name, attribs }: Element) {
  const [, scheme, value = ''] = /^(mailto:|tel:)\s*([^?]+)/.exec(attribs.href ?? '') ?? [];
  return name !== 'a' || scheme === undefined ? undefined : { scheme, value: value.trim() };
}

const afterSlash = '[^/#]+$';
/** The last word of a state that microdata say by an address: `<link itemprop="availability" href="https://schema.org/InStock">`. */
const termOf = ({ name, attribs }: Element): readonly string[] =>
  name === 'link' && attribs.itemprop !== undefined && /^https?:\/\/schema\.org\//.test(attribs.href ?? '')
    ? (new RegExp(afterSlash).exec(attribs.href ?? '') ?? [])
    : [];

function getAnchor(element: Element): string | undefined {
  const { itemprop } = element.attribs;
  if (itemprop !== undefined && /^[\w-]+$/.test(itemprop)) return `[itemprop="${itemprop}"]`;
  const { scheme } = contactIn(element) ?? {};
  if (scheme !== undefined) return `[href^="${scheme}"]`;
  const [best] = stableClasses(getClasses(element));
  return best === undefined ? undefined : `.${best}`;
}

/** What is raised behind a text: the mark of a note, a power or cents, and no value of its own. */
const isRaisedMark = (element: Element): boolean =>
  element.name === 'sup' &&
  element.prev !== null &&
  shownText(element.prev) !== '' &&
  /^(?:\d{1,2}\)?|\p{L}|)$/u.test(shownText(element)) &&
  !getElements(element).some(({ name }) => name === 'img');

const shortText = (element: Element | undefined) => {
  const text = element === undefined ? '' : shownText(element);
  return text.length <= maxLabel ? text : '';
};

/** A text that names the next element: `<dt>`, `<th>`, or a text that ends with a colon. */
function labelIn(element: Element | undefined): string {
  const text = shortText(element);
  return /^(?:dt|th|label)$/.test(element?.name ?? '') || /:$/.test(text) ? text.replace(/\s*:$/, '') : '';
}

/** The element right before. Adjacent headers name what is below them, not each other. */
function elementBefore(element: Element): Element | undefined {
  const before = previousElement(element, 'by no text');
  return before?.name === 'th' && element.name === 'th' ? undefined : before;
}

interface State {
  readonly inHeading: boolean;
  readonly inLink: boolean;
  /** The text of the surrounding element: the same text is not a second value. */
  readonly shown: string;
}

/** Whether its label stands for all that is in it: `<span role="img" aria-label="4.6 of 5">`. */
export const isDrawing = ({ attribs }: Element): boolean =>
  attribs.role === 'img' && (attribs['aria-label'] ?? '').trim() !== '';

const isRating = (element: Element) => isUnseenScale(shownText(element), element.attribs['aria-label'] ?? '');

type Finding = Pick<Slot, 'what' | 'value'> & Partial<Slot>;

function getAttributes(element: Element): Finding[] {
  const { attribs, name } = element;
  const isLink = name === 'a' && !/^(?:#|javascript:|mailto:|tel:)/i.test((attribs.href ?? '').trim());
  const attribute = (key: string): Finding => ({
    what: 'attribute',
    attribute: key,
    value: collapse(attribs[key] ?? ''),
  });
  const contact = contactIn(element);
  const picture = attribs.src ?? attribs['data-src'] ?? attribs.srcset ?? '';
  return [
    ...(isLink ? [{ what: 'url', value: attribs.href ?? '' } as const] : []),
    ...(name === 'img' ? [{ what: 'image', value: picture } as const, attribute('alt')] : []),
    ...(name === 'time' ? [attribute('datetime')] : []),
    ...(contact === undefined
      ? []
      : [{ ...attribute('href'), before: '', value: contact.value, match: `^${contact.scheme}\\s*([^?]+)` }]),
    ...(writtenValue(element) === undefined ? [] : [attribute('value')]),
    // Stars and other signs, in which at most other things stand, such as the number of votes.
    ...(!/^(?:a|img)$/.test(name) && (shownText(element) === '' || isDrawing(element) || isRating(element))
      ? [attribute('aria-label'), attribute('title')]
      : []),
    ...(attribs.itemprop === undefined ? [] : [attribute('content')]),
    ...termOf(element).map((value) => ({ ...attribute('href'), value, match: afterSlash })),
  ];
}

/** The element's text, its lines, and its own text beside child elements. */
function getTexts(element: Element, { shown }: State): Finding[] {
  const text = shownText(element);
  const own = ownText(element);
  const findings: Finding[] = [];
  // What `datetime` says stands for the text.
  const isStated =
    isDrawing(element) || (element.name === 'time' && collapse(element.attribs.datetime ?? '') !== '');
  if (!isStated) {
    const isFiller = hasBlocks(element) || text === shown || undefined;
    findings.push({ what: 'text', value: text, isFiller });
    const lines = isFiller ? [] : getBreakLines(element);
    if (lines.length > 1)
      for (const [index, line] of lines.slice(0, maxLines).entries())
        findings.push({ what: 'line', line: index + 1, value: line });
  }
  const hasChildren = getElements(element).some((child) => shownText(child) !== '');
  if (hasChildren && /[\p{L}\p{N}]/u.test(own)) findings.push({ what: 'own', value: own });
  return findings;
}

/** What tells elements of rows apart. */
interface Signs {
  readonly marks: ReadonlyMap<Element, string>;
  readonly pairOf: ReturnType<typeof findPairLabels>;
}

/** The slots of each row in the order of the page. */
export function findSlots(rows: readonly (readonly Element[])[]): Slot[][] {
  const signs = { marks: findMarks(rows), pairOf: findPairLabels(rows) };
  return rows.map((roots) => slotsOf(roots, signs));
}

function slotsOf(roots: readonly Element[], { marks, pairOf }: Signs): Slot[] {
  const slots: Slot[] = [];
  let own = 0;

  function walk(element: Element, steps: readonly Step[], state: State): void {
    if (skipped.test(element.name) || isHidden(element) || isRaisedMark(element) || own >= maxSlots) return;
    const inHeading = state.inHeading || /^h[1-6]$/.test(element.name);
    const inLink = state.inLink || element.name === 'a';
    const beside = elementBefore(element);
    const { pair } = steps.at(-1) ?? {};
    const label = pair?.isBehind === true ? pair.text : labelIn(beside);
    const before = shortText(beside);
    for (const finding of [...getAttributes(element), ...getTexts(element, state)])
      if (finding.value !== '') {
        slots.push({ element, steps, inHeading, inLink, label, before, ...finding });
        if (finding.isFiller !== true) own += 1;
      }
    const below: State = {
      inHeading,
      inLink,
      shown: hasBlocks(element) || isDrawing(element) ? '' : shownText(element),
    };
    const counts = new Map<string, number>();
    const children = getElements(element);
    for (const [at, child] of children.entries()) {
      const kind = getAnchor(child);
      const anchor = marks.get(child) ?? kind;
      const position = next(counts, child.name);
      const turn = anchor === undefined ? position : next(counts, `${child.name}${anchor}`);
      const pair = pairOf(child, children, at);
      walk(child, [...steps, { tag: getTag(child), anchor, kind, position, turn, pair }], below);
    }
  }

  for (const [position, root] of roots.entries()) {
    const anchor = position === 0 ? undefined : getAnchor(root);
    const step = { tag: getTag(root), anchor, kind: anchor, position, turn: position };
    const steps = roots.length === 1 ? [] : [step];
    walk(root, steps, { inHeading: false, inLink: false, shown: '' });
  }
  return slots;
}

function next(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

/** For each row the slots at one place. */
export type SlotsPerRow = readonly (readonly Slot[])[];

/** The same key for slots at the same place in different rows; `anywhere`: at the last step, or at that of a sibling of its kind. */
function toKey({ steps, what, attribute, line }: Slot, anywhere: boolean): string {
  const path = steps.map(({ tag, anchor, kind, turn, pair }, index) => {
    const isAny = anywhere && index === steps.length - 1;
    return [tag, pair?.text ?? (isAny ? kind : anchor), ...(isAny ? [] : [pair?.turn ?? turn])];
  });
  return JSON.stringify([path, what, attribute, line]);
}

/** The slots at one place of the rows. */
export interface SlotGroup {
  readonly perRow: SlotsPerRow;
  readonly isList: boolean;
}

/** By the index of a row, only of rows that have the place: there may be as many places as rows. */
type SlotsByRow = ReadonlyMap<number, readonly Slot[]>;

/** The slots at one place, and whether its texts are wholes whose blocks are no places. */
interface Group {
  readonly byRow: SlotsByRow;
  readonly isWhole: boolean;
}

/** The places that enough rows have. */
function groupBy(rows: readonly (readonly Slot[])[], anywhere: boolean): Group[] {
  const groups = new Map<string, Map<number, Slot[]>>();
  for (const [index, slots] of rows.entries())
    for (const slot of slots) {
      const key = toKey(slot, anywhere);
      const byRow = groups.get(key) ?? new Map<number, Slot[]>();
      groups.set(key, byRow);
      const some = byRow.get(index);
      if (some === undefined) byRow.set(index, [slot]);
      else some.push(slot);
    }
  addWholeTexts(groups, anywhere);
  return [...groups.values()]
    .filter(({ size }) => size >= rows.length * leastFill)
    .flatMap((byRow) => toGroup(byRow, rows.length, anywhere) ?? []);
}

/** What an element says beside others in some rows is all that it says in rows without them: `7 € <s>9 €</s>`, and `12 €`. */
function addWholeTexts(groups: ReadonlyMap<string, Map<number, Slot[]>>, anywhere: boolean): void {
  const isWhole = ({ element }: Slot) => getElements(element).every((child) => shownText(child) === '');
  for (const byRow of groups.values()) {
    const [slot] = [...byRow.values()][0] ?? [];
    if (slot?.what !== 'own') continue;
    for (const [row, texts] of groups.get(toKey({ ...slot, what: 'text' }, anywhere)) ?? [])
      if (!byRow.has(row) && texts.every(isWhole))
        byRow.set(
          row,
          texts.map((text) => ({ ...text, what: 'own', isFiller: true })),
        );
  }
}

const isFilled = ({ isFiller }: Slot) => isFiller === true;
const isOfBlocks = ({ isFiller, element }: Slot) => isFiller === true && hasBlocks(element);

/** Undefined where too few rows have the place and not only what fills it. */
function toGroup(byRow: SlotsByRow, rows: number, anywhere: boolean): Group | undefined {
  const isWhole = !anywhere && areWholeTexts([...byRow.values()].flat());
  if (isWhole) return { byRow, isWhole };
  const own = [...byRow.values()].filter((slots) => !slots.every(isFilled)).length;
  if (own < rows * leastFill) return undefined;
  // An element with blocks in most rows is a box, and no text that some rows write in blocks.
  const isBox = own * 2 < byRow.size;
  const kept = isBox ? [...byRow].filter(([, slots]) => !slots.some(isOfBlocks)) : byRow;
  return { byRow: new Map(kept), isWhole };
}

/** Places that occur more often in some rows than in others: a list, such as of tags. */
function isUneven(byRow: SlotsByRow): boolean {
  const [slot] = [...byRow.values()][0] ?? [];
  if (slot === undefined || slot.what === 'line' || slot.what === 'own' || slot.steps.length === 0)
    return false;
  const counts = new Set([...byRow.values()].map(({ length }) => length));
  const most = Math.max(...counts);
  return most > 1 && (most > 6 || counts.size > 1);
}

/** The groups that enough rows have, the most common first. */
export function groupSlots(rows: readonly (readonly Slot[])[]): SlotGroup[] {
  const places = groupBy(rows, false);
  const wholes = places.flatMap(({ byRow, isWhole }) => (isWhole ? [...byRow.values()].flat() : []));
  const around = new Set(wholes.map(({ element }) => element));
  const isPart = ({ byRow, isWhole }: Group) =>
    !isWhole && [...byRow.values()].flat().every((slot) => isPartOf(slot, around));
  return [
    ...places.map((group) => ({ ...group, isList: false })),
    ...groupBy(rows, true)
      .filter(({ byRow }) => isUneven(byRow))
      .map((group) => ({ ...group, isList: true })),
  ]
    .filter((group) => !isPart(group))
    .sort((one, other) => other.byRow.size - one.byRow.size)
    .slice(0, maxGroups)
    .map(({ byRow, isList }) => ({ perRow: rows.map((_, index) => byRow.get(index) ?? []), isList }));
}
