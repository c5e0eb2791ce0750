/** From the slots of many rows to columns: the same place in each row, its selector, its names and its type. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import type { ValueRules } from '../recipes/schema.ts';
import { typed } from '../recipes/values.ts';
import type { Column, Source } from './candidate.ts';
import { collapse, countClasses, type Slot, type Step, slotsOf } from './slots.ts';
import { text, typeOfTexts, type ValueType } from './value-type.ts';
import { wordsOf } from './words.ts';

/** Rows that columns are read from; more of them tell nothing new. */
const sampled = 40;
/** Rows that a selector is tried on. */
const tried = 12;
const maxColumns = 60;
/** Places looked at; those that most rows have come first. */
const maxGroups = 100;

export interface RowsContext {
  readonly html: CheerioAPI;
  readonly language: string;
  /** The selector of the rows, for selectors relative to a row's first sibling. */
  readonly list: string;
}

const stepKey = (step: Step) => step.anchor ?? `${step.tag}:${step.position}`;
const keyOf = (slot: Slot) =>
  `${slot.steps.map(stepKey).join('>')}|${slot.kind}|${slot.attribute ?? ''}|${slot.own ? 'own' : ''}`;

interface Group {
  /** For each row the slots of this place. */
  readonly perRow: Slot[][];
}

function grouped(rows: readonly (readonly Slot[])[]): Group[] {
  const groups = new Map<string, Group>();
  rows.forEach((slots, row) => {
    for (const slot of slots) {
      const key = keyOf(slot);
      const group = groups.get(key) ?? { perRow: rows.map(() => []) };
      groups.set(key, group);
      group.perRow[row]?.push(slot);
    }
  });
  return [...groups.values()];
}

const rowsWith = ({ perRow }: Group) => perRow.filter((slots) => slots.length > 0).length;

/** The same element in wrappers that differ: places with one anchor that no row has both of. */
function merged(groups: readonly Group[]): Group[] {
  const byAnchor = new Map<string, Group>();
  const result: Group[] = [];
  for (const group of groups) {
    const slot = group.perRow.flat()[0];
    const anchor = slot?.steps.at(-1)?.anchor;
    const key = `${anchor}|${slot?.kind}|${slot?.attribute}`;
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

/** Repeated places: a list where the number differs, and else a column for each. */
function split(group: Group): { group: Group; list: boolean; positioned: boolean }[] {
  const counts = group.perRow.map((slots) => slots.length).filter((count) => count > 0);
  const most = Math.max(...counts);
  if (most === 1) return [{ group, list: false, positioned: false }];
  const multiple = counts.filter((count) => count > 1).length;
  if (multiple < counts.length * 0.2)
    return [
      { group: { perRow: group.perRow.map((slots) => slots.slice(0, 1)) }, list: false, positioned: false },
    ];
  const steady =
    counts.length > 2 && most <= 8 && counts.filter((count) => count === most).length >= counts.length * 0.9;
  if (!steady) return [{ group, list: true, positioned: false }];
  return Array.from({ length: most }, (_, index) => ({
    group: { perRow: group.perRow.map((slots) => slots.slice(index, index + 1)) },
    list: false,
    positioned: true,
  }));
}

/** The same selector, said so that the work does not grow with the square of an element's children. */
export const inside = (select: string) => (select.startsWith(':scope') ? select : `:scope ${select}`);

/** Tags that say what they hold. */
const telling = /^(?:h[1-6]|time|img|address|blockquote|cite|figcaption|dt|dd)$/;
const positioned = (step: Step) => `${step.tag}:nth-of-type(${step.position})`;

/** Selectors for an element, those that survive most changes of the page first. */
function selectorsOf(slot: Slot, context: RowsContext, siblings: boolean, byPosition: boolean): string[] {
  const { steps } = slot;
  const last = steps.at(-1);
  if (last === undefined) return [];
  const [first] = steps;
  const isRoot = siblings && steps.length === 1;
  const loose = (step: Step) => step.anchor ?? step.tag;
  const strict = (step: Step, index: number) => {
    if (!siblings || index > 0) return positioned(step);
    if (step.position === 0) return context.list;
    return `${context.list}${' + *'.repeat(step.position - 1)} + ${step.tag}`;
  };
  const found: string[] = [];
  if (!byPosition) {
    if (last.anchor !== undefined)
      found.push(last.anchor, `${last.tag}${last.anchor.startsWith('.') ? last.anchor : ''}`);
    else if (telling.test(last.tag)) found.push(last.tag);
    for (let from = steps.length - 2; from >= 0; from--) {
      const step = steps[from];
      if (step !== undefined) found.push(`${loose(step)} ${loose(last)}`);
    }
    found.push(last.tag);
  }
  if (isRoot && first !== undefined) return [...found, strict(first, 0)];
  for (let from = steps.length - 1; from >= 0; from--) {
    const step = steps[from];
    if (step?.anchor === undefined || from === steps.length - 1) continue;
    found.push([step.anchor, ...steps.slice(from + 1).map(positioned)].join(' > '));
  }
  if (byPosition && last.anchor !== undefined && !last.anchor.includes('+'))
    found.push(`${last.anchor}:nth-of-type(${last.position})`);
  const path = steps.map(strict).join(' > ');
  found.push(siblings ? path : `:scope > ${path}`);
  return found;
}

/** The first selector that finds, in the rows tried, exactly these elements; undefined where the row itself is meant. */
function selectorFor(
  group: Group,
  rows: readonly (readonly Element[])[],
  context: RowsContext,
  how: { list: boolean; positioned: boolean },
): { select: string | undefined; agrees: number } {
  const slot = group.perRow.flat()[0];
  if (slot === undefined || slot.steps.length === 0) return { select: undefined, agrees: 1 };
  const { html } = context;
  const siblings = rows.some((roots) => roots.length > 1);
  let best: { select: string | undefined; agrees: number } = { select: undefined, agrees: -1 };
  for (const select of new Set(selectorsOf(slot, context, siblings, how.positioned))) {
    let agreeing = 0;
    let all = 0;
    // Rows that have the element, and a few that have it not.
    for (const [index, roots] of rows.slice(0, tried).entries()) {
      const expected = group.perRow[index] ?? [];
      const root = html([...roots]);
      const within = root.find(inside(select));
      const elements = siblings ? root.filter(select).add(within) : within;
      all += 1;
      if (how.list) {
        const same = new Set<unknown>(elements.toArray());
        if (same.size === expected.length && expected.every(({ element }) => same.has(element)))
          agreeing += 1;
      } else if (elements.get(0) === expected[0]?.element) agreeing += 1;
    }
    const agrees = all === 0 ? 0 : agreeing / all;
    if (agrees > best.agrees) best = { select, agrees };
    if (agrees === 1) break;
  }
  return best;
}

const escaped = (value: string) => value.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** "Price: 12" in every row: the label names the column and is cut off. */
function labelIn(values: readonly string[]): { label: string; match: string } | undefined {
  const [first = ''] = values;
  const label = /^(\p{L}[\p{L} /()-]{1,28}):\s+\S/u.exec(first)?.[1];
  if (
    label !== undefined &&
    values.filter((value) => value.startsWith(`${label}:`)).length >= values.length * 0.9
  )
    return { label, match: `^${escaped(label)}:\\s*(.*)` };
  const word = /^(by|By|von|Von|par|Par|por|Por|Posted by|posted by|Written by|written by)\s+\S/.exec(
    first,
  )?.[1];
  if (word !== undefined && values.every((value) => value.startsWith(`${word} `)))
    return { label: 'by', match: `^${escaped(word)}\\s+(.*)` };
  return undefined;
}

const stars = Object.fromEntries(
  [0, 1, 2, 3, 4, 5].flatMap((count) => [
    ['★'.repeat(count) + '☆'.repeat(5 - count), count],
    ...(count > 0 ? [['★'.repeat(count), count]] : []),
    ...(count > 0 ? [['⭐'.repeat(count), count]] : []),
  ]),
);
const spelled: Readonly<Record<string, number>> = { zero: 0, one: 1, two: 2, three: 3, four: 4, five: 5 };
const spelledMap = Object.fromEntries(
  Object.entries(spelled).flatMap(([word, value]) => [
    [word, value],
    [`${word[0]?.toUpperCase()}${word.slice(1)}`, value],
  ]),
);

interface Reading {
  readonly type: ValueType;
  /** From a label in the text. */
  readonly names: readonly string[];
  /** From what stands beside a number. */
  readonly unitNames?: readonly string[];
}

/** Stars and spelled numbers are a rating. */
function ratingOf(values: readonly string[], attribute: string | undefined): Reading | undefined {
  if (attribute === 'class') {
    const rules: ValueRules = {
      type: 'json',
      match: '\\b([Zz]ero|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive)\\b',
      map: spelledMap,
    };
    return { type: { rules }, names: ['rating'] };
  }
  if (
    values.every((value) => Object.hasOwn(stars, value.replace(/\s/g, ''))) &&
    values.every((value) => !/\s/.test(value))
  )
    return { type: { rules: { type: 'json', map: stars } }, names: ['rating', 'star'] };
  return undefined;
}

/** "Ann | 3 May 2024 | 5 comments" in every row: one reading for each part. */
function partsOf(values: readonly string[], language: string): Reading[] {
  for (const separator of ['|', '·', '•', ' – ', ' — ', ' / ', ' - ']) {
    const counts = new Set(values.map((value) => value.split(separator).length));
    const [count = 0] = counts;
    if (counts.size !== 1 || count < 2 || count > 6 || values.length < 2) continue;
    const trimmed = separator.trim();
    if (values.some((value) => value.length > 160)) continue;
    return Array.from({ length: count }, (_, index) => {
      const parts = values.map((value) => collapse(value.split(separator)[index] ?? ''));
      const gap = separator === trimmed ? escaped(trimmed) : `\\s${escaped(trimmed)}\\s`;
      const before = `^(?:.*?${gap}){${index}}\\s*`;
      const label = labelIn(parts);
      const inside =
        label === undefined
          ? parts
          : parts.map((part) => new RegExp(label.match, 'u').exec(part)?.[1] ?? part);
      const type = typeOfTexts(inside, language);
      const prefix = label === undefined ? '' : label.match.replace(/^\^|\(\.\*\)$/g, '');
      // What follows the separator is cut off by a look ahead, so that the last part needs none.
      const match = `${before}${prefix}(.*?)\\s*(?:${gap}|$)`;
      return {
        type: { ...type, rules: { ...type.rules, match } },
        names: [...wordsOf(label?.label ?? ''), ...wordsOf(type.unitWords ?? '')],
      };
    });
  }
  return [];
}

/** How the texts of a place are read: label cut off, rating, parts, or simply its type. */
function readingsOf(values: readonly string[], slot: Slot, language: string): Reading[] {
  if (slot.kind === 'url' || slot.kind === 'image')
    return [{ type: { rules: { type: slot.kind } }, names: [] }];
  if (slot.kind === 'date') {
    const type = typeOfTexts(values, language);
    return [{ type: type.rules.type === 'number' ? text : type, names: ['date'] }];
  }
  const rating = ratingOf(values, slot.attribute);
  if (rating !== undefined) return [rating];
  const label = labelIn(values);
  const whole = (() => {
    if (label === undefined) return typeOfTexts(values, language);
    const inside = values.map((value) => new RegExp(label.match, 'u').exec(value)?.[1] ?? value);
    const type = typeOfTexts(inside, language);
    return { ...type, rules: { ...type.rules, match: label.match } };
  })();
  const named = label === undefined ? [] : label.label === 'by' ? ['author'] : wordsOf(label.label);
  // "Room 12", "Room 305": a word that all values start with says what they are.
  const [start = ''] = /^\p{L}{3,}(?=\s)/u.exec(values[0] ?? '') ?? [];
  const isShared =
    start !== '' && values.length > 1 && values.every((value) => value.startsWith(`${start} `));
  const unitWords = wordsOf(whole.unitWords ?? (isShared ? start : ''));
  const main: Reading = { type: whole, names: named, unitNames: unitWords };
  if (whole.rules.type !== 'text' || slot.inHeading) return [main];
  return [main, ...partsOf(values, language)];
}

export function columnsOf(allRows: readonly (readonly Element[])[], context: RowsContext): Column[] {
  const rows = allRows.slice(0, sampled);
  const counts = countClasses(rows);
  const slots = rows.map((roots) => slotsOf(roots, counts));
  const columns: (Column & { values: string; slot: Slot })[] = [];
  let hasTitle = false;
  const headed =
    slots.filter((row) => row.some(({ inHeading, kind }) => inHeading && kind === 'text')).length >=
    rows.length / 2;
  // In a single record only what has a name of its own is worth a look: positions say nothing.
  const isSingle = rows.length === 1;
  const groups = merged(grouped(slots)).filter(
    ({ perRow }) => !isSingle || perRow.flat()[0]?.steps.at(-1)?.anchor !== undefined,
  );
  groups.sort((one, other) => rowsWith(other) - rowsWith(one));
  for (const each of groups.slice(0, maxGroups).flatMap(split)) {
    const { group, list } = each;
    const fill = rowsWith(group) / rows.length;
    const present = group.perRow.flat();
    const [slot] = present;
    if (slot === undefined || fill < 0.15 || columns.length >= maxColumns) continue;
    const values = present.map(({ value }) => value);
    const { select, agrees } = selectorFor(group, rows, context, each);
    if (agrees < 0.7) continue;
    // The same values by another way are no second column.
    const content = JSON.stringify([slot.kind, group.perRow.map((found) => found.map(({ value }) => value))]);
    const twin = columns.find((column) => column.values === content);
    if (twin !== undefined && twin.slot.attribute === undefined && slot.attribute === undefined) {
      const better = slot.steps.at(-1)?.anchor !== undefined && twin.slot.steps.at(-1)?.anchor === undefined;
      Object.assign(twin, { names: [...new Set([...twin.names, ...slot.names])] });
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
    };
    const label = slot.label?.replace(/:\s*$/, '');
    const readings = readingsOf(values, slot, context.language);
    for (const [index, reading] of readings.entries()) {
      const isTitle: boolean =
        !hasTitle &&
        index === 0 &&
        slot.kind === 'text' &&
        !list &&
        fill >= 0.5 &&
        reading.type.rules.type === 'text' &&
        slot.attribute === undefined &&
        distinct > rows.length * 0.3 &&
        (headed ? slot.inHeading : slot.inLink && values.every((value) => value.length > 1));
      hasTitle ||= isTitle;
      const labelled =
        label === undefined ? [] : /^by$|^von$|^par$|by$/i.test(label) ? ['author'] : wordsOf(label);
      columns.push({
        source: base,
        names:
          index === 0
            ? [...new Set([...reading.names, ...labelled, ...slot.names, ...(reading.unitNames ?? [])])]
            : reading.names,
        nearNames: index === 0 ? slot.nearNames : [],
        isTitle,
        type: reading.type,
        division: readings.length === 1 ? undefined : index === 0 ? 'whole' : 'part',
        fill,
        constant: rows.length > 2 && distinct === 1,
        length: values.reduce((sum, value) => sum + value.length, 0) / Math.max(values.length, 1),
        values: index === 0 ? content : '',
        slot,
      });
    }
  }
  if (!hasTitle) {
    const first = columns.find(
      (column) =>
        column.type.rules.type === 'text' &&
        !column.constant &&
        column.fill > 0.7 &&
        column.slot.kind === 'text' &&
        column.source.in === 'html' &&
        column.source.all !== true,
    );
    if (first !== undefined) Object.assign(first, { isTitle: true });
  }
  return columns
    .map(({ values: _values, slot: _slot, ...column }) => column)
    .filter((column) => readable(column));
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
