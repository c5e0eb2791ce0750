/** The columns of the records of a page: what the rows of a list show at the same places, by the names that the page has for it. */
import type { Element } from 'domhandler';
import { getElements, getParent, isPresent, shownText } from '../page/elements.ts';
import { addTo } from '../page/grouping.ts';
import { getNames, labelOf, lineLabelsOf, namesOf, sayOneThing } from '../page/slot-names.ts';
import { findSlots, groupSlots, type Slot, type SlotGroup } from '../page/slots.ts';
import { getText, iconName, imageAddress, nameIn } from '../page/text.ts';
import { hasBlocks } from '../page/whole-texts.ts';
import { boxOf, struckText } from '../recipes/element-box.ts';

export interface RecordColumn {
  readonly name: string;
  /** By row; undefined where a row has none. */
  readonly values: readonly unknown[];
  /** Of each value its text where a line goes through it. */
  readonly struck?: readonly (string | undefined)[] | undefined;
}

type FoundColumn = RecordColumn & Pick<Slot, 'what'>;

/** What the rows show, in the order of the page. */
export function columnsOf(rows: readonly (readonly Element[])[], base: string): FoundColumn[] {
  const slots = findSlots(rows);
  const groups = groupSlots(slots).filter((group) => isValue(group, rows.length));
  const inLists = new Set(
    groups
      .filter(({ isList, perRow }) => isList && isNamedList(perRow))
      .flatMap(({ perRow }) => perRow.flat()),
  );
  const seen = new Map<string, SlotGroup[]>();
  const found = groups.flatMap((group) => {
    const { perRow, isList } = group;
    const present = perRow.flat();
    const [first] = present;
    if (first === undefined || isList !== inLists.has(first)) return [];
    const index = perRow.findIndex((some) => some.includes(first));
    const values = perRow.map((some) => {
      const all = some.map((slot) => toValue(slot, base));
      return isList ? all : all[0];
    });
    const content = JSON.stringify(values);
    if (seen.get(content)?.some((twin) => sayOneThing(twin, group)) === true) return [];
    addTo(seen, content, group);
    const [own = isList ? getNames(getParent(first.element) ?? first.element)[0] : undefined] = namesOf(
      first,
      rows[index]?.[0],
    );
    const name = labelOf(present) || own || '';
    const struck =
      first.what === 'text' || first.what === 'own'
        ? perRow.flatMap(([slot], row) =>
            slot === undefined ? [] : [struckText(boxOf(slot.element, rows[row]?.[0]))],
          )
        : undefined;
    return [{ name, values, struck, perRow, what: first.what, order: slots[index]?.indexOf(first) ?? 0 }];
  });
  return found.map((column) => withLineLabels(column, found)).sort((one, other) => one.order - other.order);
}

type SlotColumn = FoundColumn & Pick<SlotGroup, 'perRow'>;

/** Of several values in one line, such as days, the line says which each is. */
function withLineLabels<One extends SlotColumn>(column: One, all: readonly SlotColumn[]): One {
  const { name, values, perRow } = column;
  const [slot] = perRow.flat();
  const isDay = slot?.element.name === 'time' && slot.what === 'attribute';
  if (!isDay && all.filter((one) => one.name === name).length < 2) return column;
  const labels = lineLabelsOf(perRow.flatMap(([first]) => first ?? []));
  const [label] = labels;
  if (label === undefined) return column;
  if (labels.every((one) => one === label)) return { ...column, name: label };
  const rest = [...labels];
  const labelled = values.map((value) => (isPresent(value) ? `${rest.shift()}: ${value}` : value));
  return { ...column, values: labelled };
}

/** Parts that the page names alike, or marks as items of a list, such as tags; others are told apart by their turn. */
function isNamedList(perRow: SlotGroup['perRow']): boolean {
  const [step] = perRow.flat()[0]?.steps.slice(-1) ?? [];
  return step?.kind !== undefined || step?.tag === 'li';
}

/** What all rows say alike is a value, too, unless it is the label of another, or of a link. */
function isValue({ perRow }: SlotGroup, rows: number): boolean {
  const present = perRow.flat();
  const [first] = present;
  if (first === undefined || first.what === 'line') return false;
  const { element, what, attribute, value, inLink } = first;
  if (what === 'attribute' && attribute !== 'alt') return true;
  // The whole text of the element holds it.
  if (what === 'own' && !hasBlocks(element)) return false;
  if (rows < 3 || present.length < rows || present.some((slot) => slot.value !== value)) return true;
  const isLabel = /^(?:dt|th|label)$/.test(element.name) || value.endsWith(':');
  return what === 'text' && !inLink && !isLabel;
}

function toValue({ what, element, value }: Slot, base: string): string | null {
  if (what !== 'url' && what !== 'image') return value;
  const address = what === 'image' ? imageAddress(element.attribs) : value;
  return address !== undefined && URL.canParse(address, base) ? new URL(address, base).href : null;
}

/** What the first drawing in an element says to those who cannot see it, or the name of its icon. */
function drawingIn(element: Element): string | null {
  for (const child of getElements(element)) {
    const title = getElements(child).find(({ name }) => name === 'title');
    const said = child.attribs['aria-label'] ?? (title === undefined ? undefined : getText(title));
    const label = child.name === 'svg' ? said?.trim() || undefined : undefined;
    const name = label ?? iconName(child) ?? drawingIn(child);
    if (name !== null) return name;
  }
  return null;
}

/** What the parts of an element that show no text say to those who cannot see them. */
const saidWithin = (element: Element): string[] =>
  getElements(element).flatMap((child) => (shownText(child) === '' ? nameIn(child) : saidWithin(child)));

/**
 * What pictures and icons say beside the texts of cells, by row: their words, and beside numbers their signs, such as an arrow
 * down. `inner`: the columns of the cells.
 */
export function labelsIn(
  cells: readonly (Element | undefined)[],
  inner: readonly Pick<FoundColumn, 'what' | 'values'>[],
): (readonly unknown[])[] {
  const texts = cells.map((cell) => (cell === undefined ? '' : shownText(cell)));
  const said = cells.map((cell, at) => {
    const names = cell === undefined ? [] : saidWithin(cell);
    return names.filter((name) => name !== '' && texts[at]?.includes(name) !== true).join(', ') || null;
  });
  const isSign = (value: unknown, at: number) => typeof value === 'string' && /^\d/.test(texts[at] ?? '');
  const isSaid = (value: unknown, at: number) =>
    !isPresent(value) || said[at]?.includes(String(value)) === true;
  const signs = [
    ...inner.flatMap(({ what, values }) => (what === 'attribute' ? [values] : [])),
    cells.map((cell) => (cell === undefined ? null : drawingIn(cell))),
  ].filter((values) => values.some(isSign) && !values.every(isSaid));
  return [said, ...signs].filter((values) => new Set(values).size > 1);
}
