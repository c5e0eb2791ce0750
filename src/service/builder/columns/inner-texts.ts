/** Texts beside which few rows say more: the company that in one row has a tagline beside it, the title with a badge. */
import type { Element } from 'domhandler';
import { saysMoney } from '../../../compare/money.ts';
import { getClasses, getElements, ownText, shownText, tagWithClass } from '../../page/elements.ts';
import type { Slot, SlotGroup } from '../../page/slots.ts';
import { isHidden } from '../../page/text.ts';
import { hasBlocks } from '../../page/whole-texts.ts';

/** A number, an amount or a time: of two of them, none is only beside the other. */
const isAmount = (element: Element) => saysMoney(shownText(element)) || /^\P{L}*\d/u.test(shownText(element));

/** Separators at most. */
const hasNoOwnText = (element: Element) => /^[\s|·•–—-]*$/.test(ownText(element));

const shownIn = (element: Element) =>
  getElements(element).filter((one) => !isHidden(one) && shownText(one) !== '');

/** The one element inside of this kind; undefined where what stands beside it may belong to its value. */
function partIn(element: Element, kind: string): Element | undefined {
  const inside = shownIn(element);
  const [part, ...twins] = inside.filter((one) => tagWithClass(one) === kind);
  const others = inside.filter((one) => one !== part);
  if (part === undefined || twins.length > 0 || !hasNoOwnText(element)) return undefined;
  return isAmount(part) && others.some(isAmount) ? undefined : part;
}

/** Of each element the one inside that says all of it in most of them; in one of them, where it is the first link of its row. */
function partsIn(
  elements: readonly Element[],
  firstLinks: ReadonlySet<Element>,
): readonly Element[] | undefined {
  const alone = elements.flatMap((element) =>
    shownIn(element).filter((one) => shownText(one) === shownText(element)),
  );
  const [kind, ...otherKinds] = new Set(alone.map(tagWithClass));
  const least = alone.every((one) => firstLinks.has(one)) ? 1 : elements.length / 2;
  if (kind === undefined || otherKinds.length > 0 || alone.length < least) return undefined;
  const parts = elements.flatMap((element) => partIn(element, kind) ?? []);
  return parts.length === elements.length ? parts : undefined;
}

/** The same inside of these, as often as they say all. Undefined where nothing stands beside them in any row. */
function innerElements(
  elements: readonly Element[],
  firstLinks: ReadonlySet<Element>,
): readonly Element[] | undefined {
  let inner = partsIn(elements, firstLinks);
  while (inner?.every((one, row) => shownText(one) === shownText(elements[row] ?? one)))
    inner = partsIn(inner, firstLinks);
  return inner;
}

/** What sites call the signs beside a text: `<span class="badge">New</span>`. */
const badge = /(?:^|[-_])(?:badge|label|tag|pill|chip|ribbon|sticker|flag|new|hot|lozenge)s?(?:[-_]|$)/i;
const maxBadge = 20;

/** Whether a badge stands before or behind the element's own text, and nothing else. */
function hasBadge(element: Element): boolean {
  const [sign, ...others] = shownIn(element);
  const text = sign === undefined ? '' : shownText(sign);
  return (
    sign !== undefined &&
    others.length === 0 &&
    getClasses(sign).some((name) => badge.test(name)) &&
    text.length <= maxBadge &&
    /\p{L}$/u.test(text) &&
    (shownText(element).startsWith(text) || shownText(element).endsWith(text)) &&
    /\p{L}{2}/u.test(ownText(element))
  );
}

/** The elements inside that say all of these. */
function innermost(elements: readonly Element[]): readonly Element[] {
  const inner = elements.flatMap((element) =>
    shownIn(element).filter((one) => shownText(one) === shownText(element)),
  );
  return inner.length === elements.length && inner.length > 0 ? innermost(inner) : elements;
}

/** Those of which few have a badge beside a text of their own, and the others that text only. */
function badgedElements(elements: readonly Element[]): readonly Element[] | undefined {
  const inner = innermost(elements);
  const badged = inner.filter(hasBadge);
  const plain = inner.filter((element) => shownIn(element).length === 0);
  const areFew = badged.length > 0 && badged.length * 2 <= inner.length;
  return areFew && badged.length + plain.length === inner.length ? inner : undefined;
}

/**
 * The groups; where elements inside say all of the texts in most rows, and others of another kind stand beside them in the rest,
 * with the slots of those elements.
 */
export function withInner(
  groups: readonly SlotGroup[],
  rows: readonly (readonly Slot[])[],
): readonly SlotGroup[] {
  const slotOf = new Map(
    rows.flat().flatMap((slot) => (slot.what === 'text' ? [[slot.element, slot] as const] : [])),
  );
  const isLink = ({ what, element }: Slot) => what === 'text' && element.name === 'a';
  const firstLinks = new Set(rows.flatMap((slots) => slots.find(isLink)?.element ?? []));
  return groups.map((group) => {
    const places = group.perRow.flat();
    const isOne = group.perRow.every(({ length }) => length <= 1);
    if (group.isList || !isOne || places.some(({ what, element }) => what !== 'text' || hasBlocks(element)))
      return group;
    const elements = places.map(({ element }) => element);
    const inner = innerElements(elements, firstLinks);
    const badged = inner === undefined ? badgedElements(elements) : undefined;
    const slots = new Map(
      places.flatMap((around, at) => {
        const slot = slotOf.get((inner ?? badged)?.[at] ?? around.element);
        const own = badged && slot && ({ what: 'own', value: ownText(slot.element) } as const);
        const { label, before } = around;
        return slot === undefined ? [] : [[around, { ...slot, ...own, label, before, around }] as const];
      }),
    );
    return (inner ?? badged) !== undefined && slots.size === places.length
      ? { ...group, perRow: group.perRow.map((some) => some.flatMap((one) => slots.get(one) ?? [])) }
      : group;
  });
}
