/** Reads the places of a structure with the recipe engine, so that a column shows what an action would return. */
import { ParseError } from '../../foundation/errors.ts';
import type { Document, PageContent, Row } from '../../page/document.ts';
import { isPresent } from '../../page/elements.ts';
import { extract } from '../../recipes/parse.ts';
import { toTyped } from '../../recipes/values.ts';
import type { DateContext } from '../columns/dates.ts';
import { afterLabel, afterLead, findParts, namesRest, sharedLead } from '../columns/parts.ts';
import type { Place } from '../columns/place.ts';
import { readValues, type ValueReading } from '../columns/value-kind.ts';
import type { Candidate, Column, NamedField, Structure } from './candidate.ts';

/** Rows that are read. */
const sampled = 60;
const maxColumns = 60;

const looksLikeHtml = ({ contentType }: PageContent) => !/json|xml/i.test(contentType);

async function sampleRows(
  document: Document,
  structure: Structure,
  fields: readonly NamedField[],
): Promise<readonly Row[]> {
  try {
    const extracted = await extract(document, structure.toExtract(fields), sampled);
    return extracted.kind === 'rows' ? extracted.rows.slice(0, sampled) : [extracted.record];
  } catch (error) {
    if (error instanceof ParseError) return [];
    throw error;
  }
}

/** The values as the page has them: texts, or JSON values. */
const rawField = ({ hint, source, match }: Place, name: string): NamedField => ({
  name,
  source,
  rules: { type: hint ?? (source.path === undefined ? 'text' : 'json'), match },
});

/** The values of a place, or of a part of its texts. */
interface Reading {
  readonly place: Place;
  readonly values: readonly unknown[];
  readonly reading: ValueReading;
  readonly match?: string | undefined;
  /** The index of its place. */
  readonly index: number;
  readonly isPart?: true;
}

/** "arXiv:2611.01240": as a number it would lose its zero. */
const isIdentifier = (lead: string, rest: readonly (string | null)[]) =>
  lead.endsWith(':') && rest.some((text) => /^\d+\.\d{3,}0$/.test(text ?? ''));

function toReadings(
  place: Place,
  values: readonly unknown[],
  index: number,
  context: DateContext,
): Reading[] {
  const reading = readValues(place, values, context);
  const whole: Reading = { place, values, reading, match: place.match, index };
  const isPlain =
    reading.kind === 'text' && reading.rules.match === undefined && reading.rules.type !== 'json';
  if (!isPlain || place.match !== undefined || place.source.part !== undefined) return [whole];
  const texts = values.map((value) => (typeof value === 'string' ? value : null));
  // The head of a column says the unit of its whole cells.
  const readPart = (named: Place, part: readonly (string | null)[]) =>
    readValues({ ...named, source: {} }, part, context);
  const parts = findParts(texts).map(({ match, label, values: found }): Reading => {
    const named = { ...place, label: label || place.label, isTitle: undefined };
    return { place: named, values: found, reading: readPart(named, found), match, index, isPart: true };
  });
  const lead = sharedLead(texts);
  if (lead === undefined) return [whole, ...parts];
  // Where all rows say "by …", "by" names the column and the rest is the value.
  const rest = texts.map((text) => (text?.startsWith(lead) ? text.slice(lead.length).trim() : text));
  const name = lead.replace(/[\s:#]+$/, '');
  // "Home: Reds Away: Blues": what stands behind the first label is more than its value.
  if (parts.some(({ place: part, values: found }) => part.label === name && String(found) !== String(rest)))
    return [whole, ...parts];
  const named = { ...place, label: place.label || name, names: [...place.names, name] };
  // Such a line is found by its label, wherever it stands.
  const isLabelled = place.source.line !== undefined && /[:#]\s*$/.test(lead);
  const haveAll = texts.every((text) => text === null || text === '' || text.startsWith(lead));
  const inner: Reading = {
    place: named,
    values: rest,
    reading: isIdentifier(lead, rest) ? { ...reading, isCode: true } : readPart(named, rest),
    match: isLabelled && haveAll ? afterLabel(lead) : afterLead(lead),
    index,
  };
  if (inner.reading.kind === 'date' || namesRest(lead, rest)) return [inner, ...parts];
  if (inner.reading.kind !== 'number') return [whole, ...parts];
  // "from 60 €" is not 60 €: the number may be chosen, the text stays.
  return [whole, { ...inner, place: { ...named, label: name, isTitle: undefined }, isPart: true }, ...parts];
}

/** A date that reads both ways becomes two columns, month first and day first: the caller knows which is meant. */
function splitAmbiguousDates(reading: Reading): Reading[] {
  const { other, ...own } = reading.reading;
  if (other === undefined) return [reading];
  const { place } = reading;
  const labelled = (order: string): Place => ({ ...place, label: `${place.label} (${order})`.trim() });
  return [
    { ...reading, place: labelled('month/day'), reading: { ...own, other } },
    { ...reading, place: labelled('day/month'), reading: { ...own, rules: other, other: own.rules } },
  ];
}

/** The given patterns, in the order in which they apply. */
export const withMatch = (...patterns: (string | readonly string[] | undefined)[]): string | string[] => {
  const all = patterns.flatMap((pattern) => pattern ?? []);
  return all.length === 1 ? all.join('') : all;
};

const toRules = ({ reading, match }: Reading) => ({
  ...reading.rules,
  // The type's own pattern applies to what the part's pattern found.
  ...(match === undefined ? {} : { match: withMatch(match, reading.rules.match) }),
});

/** Where one text stands in another; undefined where it is not there, or is all of it. */
function rangeIn(text: unknown, around: unknown): readonly [start: number, end: number] | undefined {
  if (typeof text !== 'string' || typeof around !== 'string' || text.length >= around.length)
    return undefined;
  const start = around.indexOf(text);
  return start < 0 || text === '' ? undefined : [start, start + text.length];
}

/**
 * Whether a part of a text ends, or begins, within another element, of which it has not all: "by ann » Mon" of "by ann » Mon Nov
 * 23" is no value of the page.
 */
function cutsAnElement({ isPart, values, index }: Reading, readings: readonly Reading[]): boolean {
  if (isPart !== true) return false;
  const wholes = readings.filter((other) => other.isPart !== true);
  const around = wholes.find((other) => other.index === index)?.values ?? [];
  const cuts = ({ values: others }: Reading) => {
    const rows = values.filter((value, row) => {
      const part = rangeIn(value, around[row]);
      const other = rangeIn(others[row], around[row]);
      if (part === undefined || other === undefined) return false;
      const [start, end] = part;
      const [from, to] = other;
      return (start < from && from < end && end < to) || (from < start && start < to && to < end);
    });
    return rows.length > values.length / 2;
  };
  return wholes.some((other) => other.index !== index && cuts(other));
}

/** Undefined where nothing of the structure can be read. */
export async function readCandidate(
  document: Document,
  structure: Structure,
  id: string,
  context: DateContext,
): Promise<Candidate | undefined> {
  const { places, ...rest } = structure;
  const raw = await sampleRows(
    document,
    structure,
    places.map((place, index) => rawField(place, `c${index}`)),
  );
  if (raw.length === 0) return undefined;
  const valuesAt = (index: number) => raw.map((row) => row[`c${index}`]);
  const readings = places
    .flatMap((place, index) => toReadings(place, valuesAt(index), index, context))
    .filter((reading, _, all) => !cutsAnElement(reading, all))
    .flatMap(splitAmbiguousDates)
    .filter(({ values }) => values.some(isPresent))
    .slice(0, maxColumns);
  const base = looksLikeHtml(document.page) ? document.base : document.page.url;
  const wholes = new Map(
    readings.flatMap(({ isPart, index }, at) => (isPart ? [] : [[index, `c${at + 1}`] as const])),
  );
  const columns = readings.map((reading, at) => toColumn(reading, `c${at + 1}`, base, wholes));
  const filled = columns.filter(({ fill }) => fill > 0);
  const kept = mergeEqualColumns(filled, rest);
  return kept.length === 0 ? undefined : { ...rest, id, columns: kept };
}

/** The recipe's value for a value of the page: a text that is no number stays that text. */
function toValue(value: unknown, { reading }: Reading, base: string): unknown {
  if (reading.kind === 'list' && Array.isArray(value))
    return value.map((item) => toTyped(item, reading.rules, base).value).filter(isPresent);
  const { value: typed, reads = [] } = toTyped(value, reading.rules, base);
  return typed ?? reads[0]?.text ?? null;
}

function toColumn(reading: Reading, id: string, base: string, wholes: ReadonlyMap<number, string>): Column {
  const { place, isPart, index } = reading;
  const values = reading.values.map((value) => toValue(value, reading, base));
  return {
    ...place,
    id,
    kind: reading.reading.kind,
    rules: toRules(reading),
    values,
    rawValues: reading.values,
    unit: reading.reading.unit,
    fill: values.filter(isPresent).length / Math.max(values.length, 1),
    partOf: isPart ? (wholes.get(index) ?? id) : undefined,
    isCode: reading.reading.isCode,
    ...(reading.reading.other === undefined ? {} : { isUncertain: true }),
  };
}

/** Two labels of a page say that two things are meant, though they be equal today: a list price and a sale price. */
const haveOtherLabels = (one: Column, other: Column) =>
  [one, other].every(({ label, source }) => label !== '' && source.path === undefined) &&
  (one.source.header !== other.source.header || one.label !== other.label);

/** Labels that stand beside values, in the page's words; other names of a record are those of its markup. */
const areLabelled = (...columns: readonly Column[]) => columns.every(({ names }) => names.length === 0);

/**
 * Whether columns of equal values mean two things. Places of the rows of a list with the same texts were told apart when they
 * were found.
 */
function areOthers(one: Column, other: Column, { kind, many }: Pick<Structure, 'kind' | 'many'>): boolean {
  const isWhole = [one, other].every(({ partOf }) => partOf === undefined);
  if (kind === 'repeated records' && isWhole && equalTexts(one, other)) return true;
  if (many && areOtherAmounts(one, other)) return true;
  return haveOtherLabels(one, other) && (many || areLabelled(one, other));
}

/** "1." and "1 hour ago", under two names: rows and what they count may have one number. */
const areOtherAmounts = (one: Column, other: Column) =>
  one.kind === 'number' &&
  one.unit !== other.unit &&
  [one, other].every(({ names }) => names.length > 0) &&
  !one.names.some((name) => other.names.includes(name));

/** Behind "Year:" other texts stand than in an element without it. */
const equalTexts = (one: Column, other: Column) =>
  String(one.rules.match) === String(other.rules.match) &&
  JSON.stringify(one.rawValues) === JSON.stringify(other.rawValues);

/** Whether a part of a text says what an element says in more rows: in the rest the text has another form. */
const isPartlySaid = ({ partOf, label, kind, isCode, values, fill }: Column, other: Column) =>
  partOf !== undefined &&
  partOf !== other.id &&
  other.partOf === undefined &&
  label === other.label &&
  kind === 'text' &&
  !isCode &&
  fill < other.fill &&
  values.every((value, row) => !isPresent(value) || value === other.values[row]);

/** Merges columns with equal values. Of many rows, marks or drops columns with one value in all. */
function mergeEqualColumns(columns: readonly Column[], structure: Omit<Structure, 'places'>): Column[] {
  const { many } = structure;
  const kept: Column[] = [];
  const seen = new Map<string, number[]>();
  for (const column of columns) {
    const key = `${column.kind} ${JSON.stringify(column.values.map((value) => (column.kind === 'date' ? String(value).slice(0, 10) : value)))}`;
    // Equal numbers are often a coincidence.
    const equal = !many && column.kind === 'number' ? [] : (seen.get(key) ?? []);
    const twin = equal.find((at) => kept[at] !== undefined && !areOthers(kept[at], column, structure));
    if (twin === undefined) seen.set(key, [...equal, kept.push(column) - 1]);
    else {
      const first = kept[twin] ?? column;
      const around = columns.find(({ id }) => id === first.partOf);
      kept[twin] = mergedAt(first, column, around);
    }
  }
  const told = kept.filter((column) => !kept.some((other) => isPartlySaid(column, other)));
  return told.flatMap((column) => {
    const { values, kind } = column;
    const tells = !many || values.length < 3 || kind === 'boolean' || kind === 'date';
    if (tells || new Set(values.map((value) => JSON.stringify(value))).size > 1) return column;
    return canBeSame(column) ? { ...column, isSame: true } : [];
  });
}

/** A state or a currency may be the same in all rows; what is long, or leads somewhere, belongs to the page. */
const canBeSame = ({ kind, values, partOf, source }: Column) =>
  (kind === 'text' || kind === 'number' || (kind === 'list' && source.path !== undefined)) &&
  partOf === undefined &&
  String(values[0] ?? '').length <= maxSame;

/** Characters of a value that all rows have. */
const maxSame = 60;

/**
 * An element of its own is a surer place than the text around it, from which the value would be cut. What that text is called,
 * `around`, is no name of this element.
 */
const mergedAt = (one: Column, other: Column, around: Column | undefined): Column => {
  // What a label names in a text is as sure as an element, and surer than a line, or what stands between elements.
  const { line, own } = other.source;
  const isSure = one.kind === 'text' && (one.label !== around?.label || line !== undefined || own === true);
  if (one.partOf === undefined || other.partOf !== undefined || isSure) return merged(one, other);
  return one.label === around?.label ? other : merged(other, one);
};

/** The first, with the names of both. */
const merged = (one: Column, other: Column): Column => ({
  ...one,
  label: one.label === '' ? other.label : one.label,
  names: [
    ...new Set([
      ...one.names,
      ...(one.label === '' || other.label === '' ? [] : [other.label]),
      ...other.names,
    ]),
  ],
  isTitle: one.isTitle ?? other.isTitle,
});
