/** Slots of many rows that are the same place, and which of them are lists or columns side by side. */
import { type Element, isTag } from 'domhandler';
import { elementsOf, quoted, shownText } from './elements.ts';
import { linkTextOf } from './labels.ts';
import type { Slot, Step } from './slots.ts';
import { stem } from './stem.ts';
import { parentOf } from './surroundings.ts';

/** Items of a list inside of a row are one place, however many the row has. */
const stepKey = (step: Step) =>
  step.anchor ?? (step.tag === 'li' ? step.tag : `${step.tag}:${step.position}`);
const keyOf = (slot: Slot) =>
  `${slot.steps.map(stepKey).join('>')}|${slot.kind}|${slot.attribute ?? ''}|${slot.own ? 'own' : ''}${slot.struck ?? ''}${slot.match === undefined ? '' : slot.label}${slot.line ?? ''}${slot.drawn === undefined ? '' : 'drawn'}`;

export interface Group {
  /** For each row the slots of this place. */
  readonly perRow: Slot[][];
}

export function grouped(rows: readonly (readonly Slot[])[]): Group[] {
  const groups = new Map<string, Group>();
  rows.forEach((slots, row) => {
    for (const slot of slots) {
      const key = keyOf(slot);
      const group = groups.get(key) ?? { perRow: rows.map(() => []) };
      groups.set(key, group);
      group.perRow[row]?.push(slot);
    }
  });
  return withOwnTexts(groups);
}

/** Characters of a text that a badge stands in. */
const maxBadged = 60;

/** "19:30", and "19:30 <b>new</b>" in other rows: one place, of which the text of its own is the value. */
function withOwnTexts(groups: Map<string, Group>): Group[] {
  for (const { perRow } of [...groups.values()]) {
    const own = perRow.flat()[0];
    if (own?.own !== true || own.leads || own.label !== undefined) continue;
    const key = keyOf({ ...own, own: false });
    const plain = groups.get(key)?.perRow;
    const isSame =
      plain?.every(
        (slots, row) =>
          slots.length === 0 ||
          (perRow[row]?.length === 0 && slots.every(({ element }) => elementsOf(element).length === 0)),
      ) === true;
    if (plain === undefined || !isSame) continue;
    // What is left out of a sentence is a word of it.
    if ([...perRow, ...plain].flat().some(({ value }) => value.length > maxBadged)) continue;
    for (const [row, slots] of plain.entries())
      perRow[row]?.push(...slots.map((slot) => ({ ...slot, own: true })));
    groups.delete(key);
  }
  return [...groups.values()];
}

export const rowsWith = ({ perRow }: Group) => perRow.filter((slots) => slots.length > 0).length;

/** The folder that an address is in: `/tags/` of `/tags/wool`. */
const folderOf = (href = '') => /^(?:https?:\/\/[^/]+)?(\/.*\/)[^/]+\/?$/.exec(href)?.[1];

/** Links beside each other that lead to pages of one kind, of which rows have more or fewer: one list, as of tags. */
export function withLinkLists(groups: readonly Group[]): Group[] {
  const families = new Map<string, Group[]>();
  for (const group of groups) {
    const [slot] = group.perRow.flat();
    const last = slot?.steps.at(-1);
    if (slot === undefined || last?.tag !== 'a' || last.anchor !== undefined) continue;
    const key = `${slot.steps.slice(0, -1).map(stepKey).join('>')}|${slot.kind}|${slot.attribute ?? ''}`;
    families.set(key, [...(families.get(key) ?? []), group]);
  }
  const lists = [...families.values()].filter((family) => {
    const slots = family.flatMap(({ perRow }) => perRow.flat());
    const folders = new Set(slots.map(({ element }) => folderOf(element.attribs.href)));
    const counts = family.map(rowsWith);
    return (
      family.length > 1 &&
      folders.size === 1 &&
      !folders.has(undefined) &&
      Math.min(...counts) < Math.max(...counts)
    );
  });
  const joined = new Map(
    lists.map((family) => {
      const rows = family[0]?.perRow.map((_, row) => family.flatMap(({ perRow }) => perRow[row] ?? [])) ?? [];
      return [family[0], { perRow: rows }] as const;
    }),
  );
  const others = new Set(lists.flatMap((family) => family.slice(1)));
  return groups.filter((group) => !others.has(group)).map((group) => joined.get(group) ?? group);
}

/** The same element in wrappers that differ: places with one anchor that no row has both of. */
export function merged(groups: readonly Group[]): Group[] {
  const byAnchor = new Map<string, Group>();
  const result: Group[] = [];
  for (const group of groups) {
    const slot = group.perRow.flat()[0];
    const anchor = slot?.steps.at(-1)?.anchor;
    const key = `${anchor}|${slot?.kind}|${slot?.attribute}|${slot?.struck}|${slot?.own}|${slot?.match === undefined ? '' : slot.label}|${slot?.line}|${slot?.drawn === undefined}`;
    const other = anchor === undefined ? undefined : byAnchor.get(key);
    if (other?.perRow.every((slots, row) => slots.length === 0 || group.perRow[row]?.length === 0)) {
      for (const [row, slots] of other.perRow.entries()) slots.push(...(group.perRow[row] ?? []));
    } else {
      if (anchor !== undefined) byAnchor.set(key, group);
      result.push(group);
    }
  }
  return result;
}

const amount = /^(?:[$€£¥₹₽₩]|[A-Z]{3})\s?\d[\d.,]*$|^\d[\d.,]*\s?(?:[$€£¥₹₽₩]|[A-Z]{3}|kr|zł|Kč)$/;
/** What a thing costs, beside another place in the rows where it cost more before: no row has both. */
export function withMovedPrices(groups: readonly Group[]): Group[] {
  const isPrice = ({ perRow }: Group) => {
    const slots = perRow.flat();
    return (
      perRow.every(({ length }) => length <= 1) &&
      slots.every(
        ({ kind, attribute, struck, match, value, steps }) =>
          kind === 'text' &&
          attribute === undefined &&
          struck === undefined &&
          match === undefined &&
          steps.at(-1)?.anchor === undefined &&
          amount.test(value),
      )
    );
  };
  const result: Group[] = [];
  for (const group of groups) {
    const first = group.perRow.flat()[0]?.steps;
    const kin = !isPrice(group)
      ? undefined
      : result.find((other) => {
          const steps = other.perRow.flat()[0]?.steps;
          return (
            isPrice(other) &&
            steps?.length === first?.length &&
            steps?.at(-1)?.tag === first?.at(-1)?.tag &&
            other.perRow.every((slots, row) => slots.length === 0 || group.perRow[row]?.length === 0)
          );
        });
    if (kin === undefined) result.push(group);
    else for (const [row, slots] of kin.perRow.entries()) slots.push(...(group.perRow[row] ?? []));
  }
  return result;
}

export interface Place {
  readonly group: Group;
  readonly list: boolean;
  readonly positioned: boolean;
  /** What the link says in every row that has it: "PDF". */
  readonly linkText?: string;
}

const maxLinkTexts = 6;

const folded = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
/** `/tags/wool` of "wool": what it says is a value, as the address has it. */
const isSlug = (link: Element) => {
  const last = (link.attribs.href ?? '').replace(/\/$/, '').replace(/^.*[/=]/, '');
  return last !== '' && folded(last) === folded(shownText(link));
};

/** Links beside each other that say in many rows what they lead to. */
function byLinkText({ perRow }: Group): Place[] {
  const texts = perRow.flatMap((slots) =>
    slots.flatMap(({ kind, element }) =>
      kind === 'url' && !isSlug(element) ? (linkTextOf(element) ?? []) : [],
    ),
  );
  return [...new Set(texts)]
    .slice(0, maxLinkTexts * 2)
    .flatMap((linkText) => {
      const found = {
        perRow: perRow.map((slots) => slots.filter((slot) => linkTextOf(slot.element) === linkText)),
      };
      const isOnce = found.perRow.every(({ length }) => length <= 1);
      return isOnce && rowsWith(found) > 1
        ? [{ group: found, list: false, positioned: false, linkText }]
        : [];
    })
    .slice(0, maxLinkTexts);
}

const maxKinds = 8;
/** "2 beds", "78 m²", "Floor 3": the word beside the one number. */
function countedWord(text: string): string | undefined {
  if (text.length > 40) return undefined;
  const [, after, before] =
    /^(?:\D{0,2}\d[\d.,]*\s?(\p{L}[\p{L}²³]*|%)\.?|(\p{L}{3,})\.?:?\s\d[\d.,]*)$/u.exec(text) ?? [];
  return after ?? before;
}

const isBare = ({ value }: Slot) => /^\d[\d.,½¼¾+]*$/.test(value);
/** "3 beds" in one element, or the number in an element of its own beside the word. */
const wordOf = (slot: Slot): string | undefined => {
  const parent = isBare(slot) && slot.steps.length > 1 ? parentOf(slot.element) : null;
  return countedWord(parent === null ? slot.value : shownText(parent));
};

/** Of a list in each row what tells by its unit what it is: "2 beds", "1 bath", "78 m²". */
function byWhatIsCounted({ perRow }: Group): Place[] {
  const places = new Map<string, Slot[][]>();
  perRow.forEach((slots, row) => {
    for (const slot of slots) {
      const word = slot.kind === 'text' && slot.attribute === undefined ? wordOf(slot) : undefined;
      if (word === undefined) continue;
      const key = stem(word.toLowerCase());
      const found = places.get(key) ?? perRow.map(() => []);
      places.set(key, found);
      found[row]?.push(slot);
    }
  });
  return [...places.entries()]
    .filter(
      ([, found]) =>
        found.every(({ length }) => length <= 1) &&
        found.filter(({ length }) => length > 0).length >= Math.max(2, perRow.length * 0.3),
    )
    .slice(0, maxKinds)
    .map(([word, found]) => ({
      group: { perRow: found.map((slots) => slots.map((slot) => marked(slot, word))) },
      list: false,
      positioned: false,
    }));
}

/** Found by the word that is in it, or in what it stands in. */
function marked(slot: Slot, word: string): Slot {
  const parent = isBare(slot) ? parentOf(slot.element) : null;
  const at = slot.steps.length - (parent === null ? 1 : 2);
  const text = parent === null ? slot.value : shownText(parent);
  // A selector looks at the letters as they are.
  const written = text.slice(text.toLowerCase().indexOf(word)).slice(0, word.length);
  const steps = slot.steps.map((step, index) => {
    if (index > at) return { ...step, anchor: undefined };
    if (index < at) return step;
    const own = step.anchor?.startsWith('.') === true ? step.anchor : step.tag;
    return { ...step, anchor: `${own}:contains(${quoted(written)})` };
  });
  return { ...slot, steps, label: slot.label ?? word };
}

/** At which place of the whole group it stands in each row. */
const placesOf = ({ perRow }: Group, whole: Group) =>
  perRow.flatMap((slots, row) =>
    slots.map(({ element }) => (whole.perRow[row] ?? []).findIndex((other) => other.element === element)),
  );

/** Of links that stand beside others: what they say in every row. */
function sameLinkText({ perRow }: Group): Pick<Place, 'linkText'> {
  const slots = perRow.flat();
  const [first] = slots;
  const linkText = first?.kind === 'url' ? linkTextOf(first.element) : undefined;
  const isBeside = ({ element }: Slot) =>
    element.parent?.children.some((other) => other !== element && isTag(other) && other.name === 'a') ===
    true;
  return linkText !== undefined &&
    slots.length > 2 &&
    slots.every(({ element }) => linkTextOf(element) === linkText) &&
    slots.some(isBeside)
    ? { linkText }
    : {};
}

/** Repeated places: a list where the number differs, and else a column for each. */
export function split(group: Group): Place[] {
  const counts = group.perRow.map((slots) => slots.length).filter((count) => count > 0);
  const most = Math.max(...counts);
  if (most === 1) return [{ group, list: false, positioned: false, ...sameLinkText(group) }];
  const multiple = counts.filter((count) => count > 1).length;
  if (multiple < counts.length * 0.2)
    return [
      { group: { perRow: group.perRow.map((slots) => slots.slice(0, 1)) }, list: false, positioned: false },
    ];
  const steady =
    counts.length > 2 && most <= 8 && counts.filter((count) => count === most).length >= counts.length * 0.9;
  const kinds = byWhatIsCounted(group);
  // What stands at the same place in one row is not at the same in another, where some rows lack one.
  const isMixed = kinds.some(({ group: kind }) => new Set(placesOf(kind, group)).size > 1);
  if (!steady || isMixed) return [{ group, list: true, positioned: false }, ...byLinkText(group), ...kinds];
  return Array.from({ length: most }, (_, index) => ({
    group: { perRow: group.perRow.map((slots) => slots.slice(index, index + 1)) },
    list: false,
    positioned: true,
  }));
}
