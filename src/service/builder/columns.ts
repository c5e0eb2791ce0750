/** From the slots of many rows to columns: the same place in each row, its selector, its names and its type. */
import type { Element } from 'domhandler';
import { typed } from '../recipes/values.ts';
import { countClasses } from './anchors.ts';
import type { Column, Source } from './candidate.ts';
import { classWords } from './class-names.ts';
import { grouped, merged, rowsWith, split, withLinkLists, withMovedPrices } from './column-groups.ts';
import { headersOver, headerWords, partOf } from './column-headers.ts';
import { classesOf, elementsOf, shownText } from './elements.ts';
import { type Reading, readingsOf } from './readings.ts';
import { type RowsContext, selectorFor } from './selectors.ts';
import { type Slot, slotsOf } from './slots.ts';
import { parentOf } from './surroundings.ts';
import { isFieldWord, isKind } from './vocabulary.ts';
import { wordsOf } from './words.ts';

/** Rows that columns are read from; more of them tell nothing new. */
const sampled = 40;
const maxColumns = 60;
/** Places looked at; those that most rows have come first. */
const maxGroups = 100;

export function columnsOf(
  allRows: readonly (readonly Element[])[],
  page: Omit<RowsContext, 'struck'>,
): Column[] {
  const rows = allRows.slice(0, sampled);
  const counts = countClasses(rows);
  const slots = rows.map((roots) => slotsOf(roots, counts));
  const struck = [...new Set(slots.flat().flatMap((slot) => slot.struck ?? []))].slice(0, 3);
  const context: RowsContext = { ...page, struck };
  const columns: (Column & { values: string; slot: Slot; header: string })[] = [];
  let hasTitle = false;
  const headed =
    slots.filter((row) => row.some(({ inHeading, kind }) => inHeading && kind === 'text')).length >=
    rows.length / 2;
  // "card__title", where no heading tells.
  const named =
    !headed && slots.filter((row) => row.some((slot) => isCalledTitle(slot))).length >= rows.length / 2;
  const headers = headersOver(rows);
  // In a single record only what has a name of its own is worth a look: positions say nothing.
  const isSingle = rows.length === 1;
  const groups = withMovedPrices(withLinkLists(merged(grouped(slots)))).filter(
    ({ perRow }) => !isSingle || isAnchored(perRow.flat()[0]),
  );
  groups.sort((one, other) => rowsWith(other) - rowsWith(one));
  for (const each of groups.slice(0, maxGroups).flatMap(split)) {
    const { group, list } = each;
    const fill = rowsWith(group) / rows.length;
    const present = group.perRow.flat();
    const [slot] = present;
    // What pictures show is told of most of them, or of none.
    if (slot?.attribute === 'alt' && fill < 0.5) continue;
    if (slot === undefined || fill < 0.15 || columns.length >= maxColumns) continue;
    const values = present.map(({ value }) => value);
    const { select, agrees } = selectorFor(group, rows, context, each);
    if (agrees < 0.7) continue;
    // The same values by another way are no second column.
    const content = JSON.stringify([slot.kind, group.perRow.map((found) => found.map(({ value }) => value))]);
    const twin = columns.find((column) => column.values === content);
    if (twin !== undefined && twin.slot.attribute === undefined && slot.attribute === undefined) {
      const better = slot.steps.at(-1)?.anchor !== undefined && twin.slot.steps.at(-1)?.anchor === undefined;
      Object.assign(twin, { names: [...new Set([...twin.names, ...commonNames(present)])] });
      if (!better) continue;
      columns.splice(columns.indexOf(twin), 1);
    }
    const distinct = new Set(values).size;
    const base: Source = {
      in: 'html',
      ...(select === undefined ? {} : { select }),
      ...(slot.attribute === undefined ? {} : { attribute: slot.attribute }),
      ...(list ? { all: true as const } : {}),
      ...(slot.own ? { own: true as const } : {}),
      ...(slot.line === undefined ? {} : { line: slot.line }),
      ...(slot.drawn?.count === undefined
        ? {}
        : { count: Object.assign({}, ...present.map(({ drawn }) => drawn?.count)) }),
    };
    const label = slot.label?.replace(/:\s*$/, '');
    const [root] = rows[group.perRow.findIndex((found) => found.includes(slot))] ?? [];
    const header =
      root === undefined || headers.length === 0 ? '' : (headers[partOf(slot.element, root)] ?? '');
    // Of several texts below one header the first is what it says.
    const isHeaded =
      header !== '' && !columns.some((column) => column.header === header && column.slot.kind === slot.kind);
    const readings = readingsOf(values, slot, context.language);
    const isDivided = slot.divided === true || readings.some(({ weak }, place) => place > 0 && weak !== true);
    for (const [index, reading] of readings.entries()) {
      const samples = samplesOf(values, reading, slot);
      const isTitle: boolean =
        !hasTitle &&
        index === 0 &&
        slot.kind === 'text' &&
        !list &&
        fill >= 0.5 &&
        reading.type.rules.type === 'text' &&
        slot.attribute === undefined &&
        slot.divided !== true &&
        distinct > Math.max(rows.length * 0.3, 1) &&
        (headed
          ? slot.inHeading
          : named
            ? isCalledTitle(slot)
            : slot.inLink && values.every((value) => value.length > 1));
      hasTitle ||= isTitle;
      columns.push({
        source: base,
        names: [
          ...(isHeaded ? headerWords(header) : []),
          ...wordsOf(each.linkText ?? ''),
          ...(index === 0 ? namesOf(present, reading, label) : reading.names),
        ],
        nearNames: index === 0 ? [...slot.signNames, ...slot.nearNames] : [],
        isTitle,
        type: reading.type,
        division: index > 0 ? (reading.weak === true ? 'piece' : 'part') : isDivided ? 'whole' : undefined,
        fill,
        constant: rows.length > 2 && distinct === 1,
        length: averageLength(readings.length === 1 || index === 0 ? values : samples),
        samples,
        order: orderOf(slots, slot) + placeOf(reading, index, values),
        standard: slot.element.attribs.itemprop !== undefined,
        values: index === 0 ? content : '',
        slot,
        header,
      });
    }
  }
  if (!hasTitle) {
    const usable = columns.filter(
      (column) =>
        column.type.rules.type === 'text' &&
        !column.constant &&
        column.fill > 0.7 &&
        column.slot.kind === 'text' &&
        column.slot.divided !== true &&
        (column.slot.attribute === undefined || column.slot.attribute === 'alt') &&
        column.source.in === 'html' &&
        column.source.all !== true,
    );
    // What a picture shows names the row only where no text does.
    usable.sort(
      (one, other) => Number(one.slot.attribute === 'alt') - Number(other.slot.attribute === 'alt'),
    );
    const first = usable.find(({ names }) => names.includes('term')) ?? usable[0];
    if (first !== undefined) Object.assign(first, { isTitle: true });
  }
  const title = columns.find(({ isTitle }) => isTitle)?.slot.element;
  const ofRow = rowWords(rows);
  const shared = sharedNames(columns.map(({ nearNames }) => nearNames));
  const sharedOwn = sharedNames(columns.map(({ names }) => names).filter(({ length }) => length > 0));
  return columns
    .map(({ values: _values, header: _header, slot, ...column }) => ({
      ...column,
      isTitleLink: slot.kind === 'url' && title !== undefined && isWithin(slot.element, title),
      // `comment-author`, `comment-text`: the word that all have is the row's.
      names: withoutOwner(
        column.names.some((name) => !sharedOwn.has(name))
          ? column.names.filter((name) => !sharedOwn.has(name) || name === 'url' || name === 'link')
          : column.names,
        ofRow,
      ),
      nearNames: column.nearNames.filter((name) => !shared.has(name)),
    }))
    .filter((column) => readable(column));
}

/** "Operated by", "organised by" say more than that. */
const byline = /^(?:by|von|par|por|(?:posted|written|published|submitted|created) by)$/i;

const isCalledTitle = ({ kind, attribute, names }: Slot) =>
  kind === 'text' &&
  attribute === undefined &&
  names.some((name) => /^(?:title|headline|heading|name)$/.test(name)) &&
  names.every((name) => isKind(name, 'title') || !isFieldWord(name));

/** By what its label says first, then by what it is called, and only then by what a sign may say. */
function namesOf(slots: readonly Slot[], reading: Reading, label: string | undefined): string[] {
  const labelled =
    label === undefined
      ? []
      : byline.test(label)
        ? ['author']
        : /\bby$/i.test(label)
          ? [...wordsOf(label.replace(/\W*by$/i, '')), 'author']
          : wordsOf(label);
  const caption = reading.type.rules.type === 'number' ? captionOf(slots) : [];
  const own = [
    ...reading.names,
    ...labelled,
    ...commonNames(slots),
    ...(reading.unitNames ?? []),
    ...caption,
  ];
  const words = [...(reading.unitNames ?? []), ...caption];
  const isTold = own.some(isFieldWord) || words.some((word) => word.length > 2);
  return [...new Set(isTold ? own : [...own, ...(slots[0]?.signNames ?? [])])];
}

/** The names that most of the places have: a class of one row, or what one icon says, names no column. */
function commonNames(slots: readonly Slot[]): string[] {
  const some = slots.slice(0, 20);
  return [...new Set(some.flatMap(({ names }) => names))].filter(
    (name) => some.filter(({ names }) => names.includes(name)).length * 2 > some.length,
  );
}

/** Words of the classes of all rows, that name no kind of field. */
function rowWords(rows: readonly (readonly Element[])[]): ReadonlySet<string> {
  const [first = [], ...others] = rows.map((roots) => {
    const [root] = roots;
    return roots.length > 1 || root === undefined ? [] : classWords(classesOf(root));
  });
  const shared = first.filter((word) => others.every((words) => words.includes(word)));
  return new Set(shared.filter((word) => !isFieldWord(word)));
}

/** `.dish-price` in a `.dish`: a price. `.dish-name` is the dish. */
function withoutOwner(names: readonly string[], owners: ReadonlySet<string>): readonly string[] {
  const own = names.filter((name) => !owners.has(name));
  return own.some((name) => isFieldWord(name)) && !own.some((name) => isKind(name, 'title')) ? own : names;
}

/** "12" in a box with "votes": the word that stands alone beside every value. */
function captionOf(slots: readonly Slot[]): string[] {
  const captions = slots.map(({ element }) => {
    const parent = parentOf(element);
    const children = parent === null ? [] : elementsOf(parent);
    const other = children.length === 2 ? children.find((child) => child !== element) : undefined;
    return other === undefined ? '' : wordsOf(shownText(other).slice(0, 40)).join(' ');
  });
  const [first = ''] = captions;
  return /^\p{L}[\p{L} ]{1,20}$/u.test(first) && captions.every((caption) => caption === first)
    ? first.split(' ')
    : [];
}

/** One in the other, whichever is the outer. */
function isWithin(one: Element, other: Element): boolean {
  const above = (inner: Element, outer: Element) => {
    for (let node: Element | null = inner; node !== null; node = parentOf(node))
      if (node === outer) return true;
    return false;
  };
  return above(one, other) || above(other, one);
}

/** Words around that most columns have say nothing about one of them. */
function sharedNames(lists: readonly (readonly string[])[]): Set<string> {
  const counts = new Map<string, number>();
  for (const names of lists) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = Math.max(lists.length * 0.6, 2);
  return new Set([...counts].filter(([, count]) => count > most).map(([name]) => name));
}

/** It, or what it stands in, is found by more than its place. */
const isAnchored = (slot: Slot | undefined) =>
  slot?.steps.slice(-2).some(({ anchor }) => anchor !== undefined) === true;

/** Some values, of a part of a text that part. */
const samplesOf = (values: readonly string[], { type }: Reading, slot: Slot) =>
  slot.match !== undefined || type.rules.match === undefined
    ? values.slice(0, 12)
    : values.slice(0, 12).map((value) => {
        const { match = '', type: kind } = type.rules;
        const [whole, group] = new RegExp(match, 'u').exec(value) ?? [];
        // What stands beside a number tells what it is.
        if (kind !== 'text' && !match.startsWith('^'))
          return /[^\d.,+−\-[\]\\’'*]/u.test(match) ? (whole ?? value) : value;
        return group ?? whole ?? value;
      });

const averageLength = (texts: readonly string[]) =>
  texts.reduce((sum, { length }) => sum + length, 0) / Math.max(texts.length, 1);

/** The place in its row, of the first row that has it. */
function orderOf(rows: readonly (readonly Slot[])[], slot: Slot): number {
  for (const row of rows) {
    const index = row.indexOf(slot);
    if (index >= 0) return index;
  }
  return 0;
}

/** Of the readings of one text the place in it, below 1: as it reads on, whatever was found first. */
function placeOf({ type }: Reading, index: number, [value = '']: readonly string[]): number {
  if (index === 0 || type.rules.match === undefined) return index / 1_000;
  const { indices } = new RegExp(type.rules.match, 'du').exec(value) ?? {};
  const [start] = indices?.[1] ?? indices?.[0] ?? [value.length];
  return (start + 1 + index / 100) / (value.length + 2);
}

/** Types whose rules throw are of no use. */
function readable(column: Column): boolean {
  try {
    typed('', column.type.rules, 'http://x/');
    return true;
  } catch {
    return false;
  }
}
