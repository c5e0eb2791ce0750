/** Turns the slots of many rows into places: the same slot in each row, with its selector and names. */
import type { Element } from 'domhandler';
import { classWords } from '../page/class-names.ts';
import { getClasses, getElements, getParent, isWithin, shownText } from '../page/elements.ts';
import { type RowsContext, type SlotsPerRow, selectorFor } from './column-selectors.ts';
import { findSlots, type Slot } from './html-slots.ts';
import type { Place, Source } from './place.ts';

/** Rows used to find places; more rows rarely add any. */
const sampled = 40;
const maxPlaces = 40;
/** The least share of rows that have a place. */
const leastFill = 0.15;
/** The least share of rows in which its selector finds it. */
const leastAgreement = 0.7;

/** The same key for slots at the same place in different rows; `anywhere` ignores the last step's turn. */
function toKey({ steps, what, attribute, line }: Slot, anywhere: boolean): string {
  const path = steps.map(({ tag, anchor, turn }, index) =>
    anywhere && index === steps.length - 1 ? [tag, anchor] : [tag, anchor, turn],
  );
  return JSON.stringify([path, what, attribute, line]);
}

interface Group {
  readonly perRow: SlotsPerRow;
  readonly isList: boolean;
}

function groupBy(rows: readonly (readonly Slot[])[], anywhere: boolean): Slot[][][] {
  const groups = new Map<string, Slot[][]>();
  for (const [index, slots] of rows.entries())
    for (const slot of slots) {
      const key = toKey(slot, anywhere);
      const perRow = groups.get(key) ?? rows.map(() => []);
      groups.set(key, perRow);
      perRow[index]?.push(slot);
    }
  return [...groups.values()];
}

const rowsWith = ({ perRow }: Group) => perRow.filter(({ length }) => length > 0).length;

/** Places that occur more often in some rows than in others: a list, such as of tags. */
function isUneven(perRow: SlotsPerRow): boolean {
  const [slot] = perRow.flat();
  if (slot === undefined || slot.what === 'line' || slot.what === 'own' || slot.steps.length === 0)
    return false;
  const counts = perRow.map(({ length }) => length).filter((count) => count > 0);
  const most = Math.max(...counts);
  return most > 1 && (most > 6 || new Set(counts).size > 1);
}

/** The groups that enough rows have, the most common first. */
const toGroups = (rows: readonly (readonly Slot[])[]): Group[] =>
  [
    ...groupBy(rows, false).map((perRow) => ({ perRow, isList: false })),
    ...groupBy(rows, true)
      .filter(isUneven)
      .map((perRow) => ({ perRow, isList: true })),
  ]
    .filter((group) => rowsWith(group) >= rows.length * leastFill)
    .sort((one, other) => rowsWith(other) - rowsWith(one))
    .slice(0, maxPlaces * 3);

const toSource = (slot: Slot, select: string | undefined, isList: boolean): Source => ({
  ...(select === undefined ? {} : { select }),
  ...(slot.attribute === undefined ? {} : { attribute: slot.attribute }),
  ...(slot.what === 'own' ? { own: true } : {}),
  ...(slot.line === undefined ? {} : { line: slot.line }),
  ...(isList ? { all: true } : {}),
});

/** The value that most slots share. */
function common(slots: readonly Slot[], read: (slot: Slot) => string): string {
  const counts = new Map<string, number>();
  const some = slots.slice(0, 20);
  for (const slot of some) counts.set(read(slot), (counts.get(read(slot)) ?? 0) + 1);
  const [value = '', count = 0] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  return count * 2 > some.length ? value : '';
}

const tagNames: Readonly<Record<string, string>> = { time: 'date', address: 'address', cite: 'author' };

/** What microdata, RDFa, class names and attributes call an element, the most telling first. */
export function getNames(element: Element): string[] {
  const { attribs, name } = element;
  const stated = attribs.itemprop ?? attribs.property?.replace(/^\w+:/, '') ?? '';
  const classes = getClasses(element).map((className) => classWords([className]).join(' '));
  return [
    stated,
    attribs['data-field'] ?? '',
    attribs['data-label'] ?? '',
    ...classes,
    attribs.rel ?? '',
    tagNames[name] ?? '',
  ].filter((text) => text !== '' && text.length <= 40);
}

/** The element's own names, and those of ancestors that hold it alone. */
function allNames({ element }: Slot, root: Element | undefined): string[] {
  const names = getNames(element);
  let node = element === root ? null : getParent(element);
  for (; node !== null && node !== root && shownText(node) === shownText(element); node = getParent(node))
    names.push(...getNames(node));
  return [...new Set(names)];
}

/** A link text that is the same in all rows names the link's target: "PDF". */
const linkText = ({ what, element }: Slot) => {
  const text = what === 'url' ? shownText(element) : '';
  return text.length <= 30 ? text : '';
};

/** A text before the value that is the same in nearly all rows names the value. */
function labelBefore(slots: readonly Slot[]): string {
  if (slots.length < 3) return '';
  const text = common(slots, ({ before }) => before);
  const isSame = slots.filter(({ before }) => before === text).length >= slots.length * 0.9;
  return isSame && /\p{L}/u.test(text) ? text.replace(/\s*:$/, '') : '';
}

interface FoundPlace {
  readonly place: Place;
  readonly slot: Slot;
  readonly order: number;
  readonly isDistinct: boolean;
}

export function htmlPlaces(allRows: readonly (readonly Element[])[], context: RowsContext): Place[] {
  const rows = allRows.slice(0, sampled);
  const slots = rows.map((roots) => findSlots(roots));
  const places: FoundPlace[] = [];
  const seen = new Set<string>();
  for (const { perRow, isList } of toGroups(slots)) {
    const present = perRow.flat();
    const [slot] = present;
    if (slot === undefined || places.length >= maxPlaces) break;
    const hint = slot.what === 'url' || slot.what === 'image' ? slot.what : undefined;
    const content = JSON.stringify([
      hint !== undefined,
      perRow.map((some) => some.map(({ value }) => value)),
    ]);
    const distinct = new Set(present.map(({ value }) => value)).size;
    if (seen.has(content) || (rows.length > 2 && distinct === 1)) continue;
    const { select, agrees } = selectorFor(perRow, rows, context, isList);
    if (agrees < leastAgreement) continue;
    seen.add(content);
    const index = perRow.findIndex((some) => some.includes(slot));
    const [root] = rows[index] ?? [];
    const label = common(present, ({ label }) => label) || labelBefore(present) || common(present, linkText);
    places.push({
      slot,
      isDistinct: distinct > Math.max(1, rows.length * 0.3),
      order: slots[index]?.indexOf(slot) ?? 0,
      place: { source: toSource(slot, select, isList), label, names: allNames(slot, root), hint },
    });
  }
  places.sort((one, other) => one.order - other.order);
  const title = titleAmong(places);
  return places.map(({ place, slot }): Place => {
    if (slot === title) return { ...place, isTitle: true };
    const leads =
      title !== undefined &&
      slot.what === 'url' &&
      (isWithin(slot.element, title.element) || isWithin(title.element, slot.element));
    return leads ? { ...place, isTitleLink: true } : place;
  });
}

/** Whether a single link holds all text of the element. */
function isLinked(element: Element): boolean {
  const [child, ...others] = getElements(element).filter((one) => shownText(one) !== '');
  if (child === undefined || others.length > 0 || shownText(child) !== shownText(element)) return false;
  return child.name === 'a' || isLinked(child);
}

/** The row's own name: a heading, what is called a title, or the text of its first link. */
function titleAmong(places: readonly FoundPlace[]): Slot | undefined {
  const texts = places.filter(
    ({ place, slot, isDistinct }) =>
      slot.what === 'text' && isDistinct && place.source.all !== true && /\p{L}{2}/u.test(slot.value),
  );
  const isNamed = ({ place }: FoundPlace) =>
    place.names.some((name) => /(?:^|\s)(?:title|headline|name)$/.test(name));
  const title =
    texts.find(({ slot }) => slot.inHeading) ??
    texts.find(isNamed) ??
    texts.find(({ slot }) => slot.inLink || isLinked(slot.element));
  return title?.slot;
}
