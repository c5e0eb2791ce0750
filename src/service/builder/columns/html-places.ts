/** Turns the slots of many rows into places: the same slot in each row, with its selector and names. */
import type { Element } from 'domhandler';
import { getElements, getParent, isWithin, shownText } from '../../page/elements.ts';
import { addTo } from '../../page/grouping.ts';
import { labelOf, namesOf, sayOneThing } from '../../page/slot-names.ts';
import { findSlots, groupSlots, type Slot, type SlotGroup } from '../../page/slots.ts';
import { type RowsContext, selectorFor } from './column-selectors.ts';
import { withInner } from './inner-texts.ts';
import type { Place, Source } from './place.ts';

/** Rows used to find places; more rows rarely add any. */
const sampled = 40;
const maxPlaces = 40;
/** The least share of rows in which its selector finds it. */
const leastAgreement = 0.7;

const toSource = (slot: Slot, select: string | undefined, isList: boolean): Source => ({
  ...(select === undefined ? {} : { select }),
  ...(slot.attribute === undefined ? {} : { attribute: slot.attribute }),
  ...(slot.what === 'own' ? { own: true } : {}),
  ...(slot.line === undefined ? {} : { line: slot.line }),
  ...(isList ? { all: true } : {}),
});

interface FoundPlace {
  readonly place: Place;
  readonly slot: Slot;
  readonly order: number;
  readonly isDistinct: boolean;
  /** More than half of the rows have it. */
  readonly isUsual: boolean;
}

/** Places with the same value in all rows. */
const maxSame = 8;

/** Whether it is all that a link says: where the link holds the row, a text in it may be the row's place. */
function isLinkText(element: Element): boolean {
  let node: Element | null = element;
  while (node !== null && node.name !== 'a') node = getParent(node);
  return node !== null && shownText(node) === shownText(element);
}

/** A state or a currency, not a button, a link or the name of the value beside it. */
const canBeSame = ({ what, attribute, element, value }: Slot) =>
  (what === 'text' || attribute === 'content' || element.name === 'link') &&
  !isLinkText(element) &&
  !/^(?:dt|th|label)$/.test(element.name) &&
  /[\p{L}\p{N}]{2}|\p{Sc}/u.test(value) &&
  !value.endsWith(':');

/** Whether each is the line of a link, and of nothing else. */
const isLineOfLink = (slots: readonly Slot[]) =>
  slots.every(
    ({ what, element, value }) =>
      what === 'line' && getElements(element).some((one) => one.name === 'a' && shownText(one) === value),
  );

export function htmlPlaces(allRows: readonly (readonly Element[])[], context: RowsContext): Place[] {
  const rows = allRows.slice(0, sampled);
  const slots = findSlots(rows);
  const places: FoundPlace[] = [];
  const seen = new Map<string, SlotGroup[]>();
  let same = 0;
  const groups = withInner(groupSlots(slots), slots);
  // A text that is shown has better names than a picture's text for those who cannot see it, and a link than its line.
  const isLast = ({ perRow }: SlotGroup) =>
    perRow.flat()[0]?.what === 'attribute' || isLineOfLink(perRow.flat());
  for (const group of [...groups.filter((one) => !isLast(one)), ...groups.filter(isLast)]) {
    const { perRow, isList } = group;
    const present = perRow.flat();
    const [slot] = present;
    if (slot === undefined || places.length >= maxPlaces) break;
    const hint = slot.what === 'url' || slot.what === 'image' ? slot.what : undefined;
    const content = JSON.stringify([
      hint !== undefined,
      perRow.map((some) => some.map(({ value }) => value)),
    ]);
    const distinct = new Set(present.map(({ value }) => value)).size;
    const isSame = rows.length > 2 && distinct === 1;
    const isKnown = seen.get(content)?.some((twin) => sayOneThing(twin, group)) === true;
    if (isKnown || (isSame && (isList || !canBeSame(slot) || same++ >= maxSame))) continue;
    const { select, agrees } = selectorFor(perRow, rows, context, isList);
    if (agrees < leastAgreement) continue;
    addTo(seen, content, group);
    const index = perRow.findIndex((some) => some.includes(slot));
    const [root] = rows[index] ?? [];
    const label = labelOf(present);
    const names = namesOf(slot, root);
    const source = toSource(slot, select, isList);
    const found = {
      slot,
      isDistinct: distinct > Math.max(1, rows.length * 0.3),
      isUsual: present.length * 2 > rows.length,
      order: slots[index]?.findIndex(({ element }) => element === (slot.around ?? slot).element) ?? 0,
    };
    places.push({ ...found, place: { source, label, names, hint, match: slot.match } });
  }
  places.sort((one, other) => one.order - other.order || (one.slot.line ?? 0) - (other.slot.line ?? 0));
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

/** Addresses of mail, as written against programs too, and of sites: ways to reach what the row names. */
const contact = /^\S+\s?(?:@|[([{]\s?at\s?[)\]}])\s?\S+$|^(?:https?:\/\/|www\.)\S+$/i;

/** The row's own name: a heading, what is called a title, or the text of its first link. */
function titleAmong(places: readonly FoundPlace[]): Slot | undefined {
  const texts = places.filter(
    ({ place, slot, isDistinct, isUsual }) =>
      (slot.what === 'text' || slot.around !== undefined) &&
      isDistinct &&
      isUsual &&
      place.source.all !== true &&
      /\p{L}{2}/u.test(slot.value),
  );
  const isNamed = ({ place }: FoundPlace) =>
    place.names.some((name) => /(?:^|\s)(?:title|headline|name)$/.test(name));
  const title =
    texts.find(({ slot }) => slot.inHeading) ??
    texts.find(isNamed) ??
    texts.find(({ slot }) => (slot.inLink || isLinked(slot.element)) && !contact.test(slot.value));
  return title?.slot;
}
