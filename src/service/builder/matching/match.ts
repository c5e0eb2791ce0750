/**
 * Which column of a candidate each field of a goal means. Only what the page says counts: labels, itemprop, schema.org's
 * names, class names, and the kind of the values. Nothing is guessed by position: a field without one clear column is open.
 */

import type { Goal, GoalField } from '../../goals/read-goal.ts';
import { conceptsOf, isSynonym, toConcept } from '../../goals/synonyms.ts';
import { wordsOf } from '../../goals/words.ts';
import type { Candidate, Column, Kind } from '../candidates/candidate.ts';

export interface FieldMatch {
  readonly field: GoalField;
  /** The best column, if there is any. */
  readonly column: Column | undefined;
  /** No other column fits as well. */
  readonly isClear: boolean;
}

export interface CandidateMatch {
  readonly candidate: Candidate;
  readonly fields: readonly FieldMatch[];
  /** Of all fields the share with a clear column. */
  readonly clear: number;
  readonly score: number;
}

/** The kind of values that a concept has. */
const kindsOf: Readonly<Record<string, readonly Kind[]>> = {
  date: ['date'],
  imag: ['image'],
  url: ['url'],
  ingredi: ['list'],
  instruct: ['list'],
  price: ['number'],
  rate: ['number'],
};

const urlConcept = toConcept('url');
const nameConcept = toConcept('name');
const dateConcept = toConcept('date');
const imageConcept = toConcept('image');
const numberConcept = toConcept('number');
const codeConcepts = new Set([numberConcept, toConcept('citation')]);
const timeConcept = toConcept('time');
const counted = new Set([timeConcept, toConcept('yield'), toConcept('count')]);

/** The kinds that fit a phrase; all where it does not tell. */
function kindsFor(words: readonly string[]): readonly Kind[] | undefined {
  // "link to the PDF", "PDF link", "image URL": the address of it.
  if (words.includes(urlConcept)) return ['url', 'image'];
  if (words.includes(imageConcept)) return ['image'];
  if (words.includes(dateConcept) && !words.includes(timeConcept)) return ['date'];
  const [kinds] = words.map((word) => kindsOf[word]).filter((found) => found !== undefined);
  return kinds;
}

/** Whether the column's values can be what the words ask for. */
function fitsKind({ kind, isCode, values }: Column, words: readonly string[]): boolean {
  const kinds = kindsFor(words);
  if (kinds !== undefined) return kinds.includes(kind);
  // How many, how long, how good: all are told in digits.
  if (
    words.some((word) => counted.has(word)) &&
    !values.some((value) => /\d/.test(JSON.stringify(value ?? '')))
  )
    return false;
  if (kind === 'url' || kind === 'image' || kind === 'boolean') return false;
  // Names are no numbers, and numbers of cases are no names or dates.
  if (words.includes(nameConcept)) return kind === 'text' && !isCode;
  if (words.includes(numberConcept) && words.length > 1) return kind !== 'date' && kind !== 'list';
  return true;
}

/** Dice's coefficient of the words of the phrase and those of one name. */
function likeness(words: readonly string[], others: readonly string[]): number {
  if (words.length === 0 || others.length === 0) return 0;
  const shared = words.filter((word) => others.includes(word)).length;
  return (2 * shared) / (words.length + others.length);
}

/** The number of servings is a count of servings, not their number. */
const wordsFor = (phrase: string) => conceptsOf(phrase.replace(/^number of /i, ''));

/** Words that say which kind of value, not which of them. */
const general = new Set([numberConcept, timeConcept]);

/** How well a column's names are what the phrase says, 0 to 1; the first names count most. */
function namedAs(words: readonly string[], column: Column, ofRow: ReadonlySet<string>): number {
  const own = words.filter((word) => !ofRow.has(word));
  const wanted = own.length > 0 ? own : words;
  let best = 0;
  const isSpecific = words.some((word) => !general.has(word));
  for (const [index, name] of [column.label, ...column.names].entries()) {
    const all = conceptsOf(name);
    // "Id" is not yet the docket number, nor "time" the time of cooking.
    if (isSpecific && words.every((word) => general.has(word) || !all.includes(word))) {
      if (words.some((word) => general.has(word) && all.includes(word))) continue;
    }
    const told = all.filter((word) => !ofRow.has(word));
    const others = told.length > 0 ? told : all;
    const weight = index === 0 ? 1 : Math.max(0.8, 0.97 - index * 0.02);
    best = Math.max(best, weight * Math.max(likeness(wanted, others), likeness(words, all)));
  }
  return best;
}

/** What the row is called says nothing about one of its columns: "case" of "case name" in a list of cases. */
function wordsOfRow(candidate: Candidate, goal: Goal): Set<string> {
  const subject = conceptsOf(`${goal.subject} ${candidate.about} ${candidate.type ?? ''}`);
  return new Set(
    subject.filter((word) => word !== nameConcept && word !== dateConcept && word !== urlConcept),
  );
}

/** The least that names must say, and how much less another may say. */
const enough = 0.6;
const margin = 0.12;
/** What the only column of a kind is worth where no name tells. */
const onlyOfKind = 0.62;

interface Scored {
  readonly column: Column;
  readonly score: number;
}

/** A part of a text, which a field means only where it has a name of its own. */
const lesser = 0.15;
/** What the very words of the phrase add to their synonyms: "docket number" is `docketNumber` before `caseId`. */
const literal = 0.25;
/** Columns that fewer rows have come after those that most have. */
const mostRows = 0.5;

/** Parts and lines of a text come after the whole; a text in which a date or a code stands comes after its other parts. */
function isLesser(column: Column, columns: readonly Column[]): boolean {
  const isDivided = (id: string) =>
    columns.some((part) => part.partOf === id && (part.isCode || part.kind === 'date') && part.fill >= 0.8);
  if (column.partOf !== undefined)
    return column.isCode || column.kind === 'date' || !isDivided(column.partOf);
  if (column.source.own === true || column.source.line !== undefined) return true;
  return column.kind === 'text' && !column.isCode && isDivided(column.id);
}

const literalLikeness = (phrase: string, { label, names }: Column) =>
  Math.max(...[label, ...names].map((name) => likeness(wordsOf(phrase), wordsOf(name))));

function byName(phrase: string, columns: readonly Column[], ofRow: ReadonlySet<string>): Scored[] {
  const words = wordsFor(phrase);
  return columns
    .filter((column) => fitsKind(column, words))
    .map((column) => ({ column, named: namedAs(words, column, ofRow) }))
    .filter(({ named }) => named > 0)
    .map(({ column, named }) => ({
      column,
      score:
        named +
        literal * literalLikeness(phrase, column) -
        (isLesser(column, columns) || column.fill < mostRows ? lesser : 0) -
        (column.kind === 'number' && words.includes(numberConcept) && words.length > 1 ? lesser : 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
}

const textOf = (value: unknown) => String(value ?? '');
const lengthOf = ({ values }: Column) =>
  values.reduce((sum: number, value) => sum + textOf(value).length, 0) / Math.max(values.length, 1);
const longestName = 120;
/** How much longer than the other names of a row it must be. */
const clearlyLonger = 1.25;

/** Several words, most of them with a capital: names are, sentences are not. */
function looksLikeName(value: unknown): boolean {
  const words = textOf(value).match(/\p{L}{4,}/gu) ?? [];
  const capital = words.filter((word) => /^\p{Lu}/u.test(word)).length;
  return /\S\s+\S/.test(textOf(value)) && capital >= words.length * 0.6;
}

/** The longest names that differ from row to row and that the page calls nothing else. */
function byLength({ many, columns }: Candidate): Scored[] {
  const hasLabels = ({ id, label }: Column) =>
    columns.some((part) => part.partOf === id && part.label !== '' && part.label !== label);
  const isName = (column: Column) =>
    column.kind === 'text' &&
    !column.isCode &&
    column.fill >= 0.9 &&
    !isLesser(column, columns) &&
    !hasLabels(column) &&
    column.values.filter(looksLikeName).length >= column.values.length * 0.8 &&
    new Set(column.values).size >= column.values.length * 0.8 &&
    lengthOf(column) <= longestName &&
    ![column.label, ...column.names].some((name) => wordsOf(name).some(isSynonym));
  const names = many ? columns.filter(isName) : [];
  const [first, second] = names.sort((one, other) => lengthOf(other) - lengthOf(one));
  if (first === undefined) return [];
  const isOnly = second === undefined || lengthOf(first) >= lengthOf(second) * clearlyLonger;
  return isOnly ? [{ column: first, score: onlyOfKind }] : [];
}

const isOfTime = ({ label, names }: Column) =>
  [label, ...names].flatMap(conceptsOf).some((word) => word === timeConcept || word === dateConcept);

/** The one column whose kind is what the phrase asks for, where no name tells. */
function byKind(words: readonly string[], candidate: Candidate): Scored[] {
  const { columns } = candidate;
  const only = (some: readonly Column[]): Scored[] =>
    some.map((column) => ({ column, score: some.length === 1 ? onlyOfKind : onlyOfKind - margin }));
  const full = (column: Column) => column.fill >= 0.8;
  if (words.includes(urlConcept)) {
    const links = columns.filter((column) => column.kind === 'url' && full(column));
    const titles = links.filter(({ isTitleLink }) => isTitleLink === true);
    if (links.length === 0) return only(columns.filter(({ kind }) => kind === 'url'));
    return only(titles.length === 1 ? titles : links);
  }
  if (words.includes(imageConcept)) return only(columns.filter(({ kind }) => kind === 'image'));
  if (words.includes(dateConcept)) {
    const dates = columns.filter((column) => column.kind === 'date' && full(column));
    const differing = dates.filter(({ values }) => new Set(values.map(dayOf)).size > 1);
    return only(differing.length > 0 ? differing : dates);
  }
  if (words.some((word) => codeConcepts.has(word)))
    return only(columns.filter((column) => column.isCode && full(column) && !isOfTime(column)));
  if (words.includes(nameConcept)) {
    const titles = columns.filter((column) => column.isTitle === true && !column.isCode && full(column));
    const parts = columns.filter(
      (column) =>
        column.kind === 'text' && titles.some(({ id }) => id === column.partOf) && !isLesser(column, columns),
    );
    const found = parts.length > 0 ? parts : titles.filter((column) => !isLesser(column, columns));
    return found.length > 0 ? only(found) : byLength(candidate);
  }
  return [];
}

function matchField(
  field: GoalField,
  candidate: Candidate,
  goal: Goal,
  taken: ReadonlySet<string>,
): FieldMatch {
  const words = wordsFor(field.phrase);
  const free = candidate.columns.filter(({ id }) => !taken.has(id));
  const ofRow = wordsOfRow(candidate, goal);
  const named = byName(field.phrase, free, ofRow);
  const [first] = named;
  const found =
    first !== undefined && first.score >= enough ? named : byKind(words, { ...candidate, columns: free });
  const [best, second] = found;
  const isClear =
    best !== undefined &&
    best.score >= enough &&
    best.column.isUncertain !== true &&
    (second === undefined || best.score - second.score >= margin || sameValues(best.column, second.column));
  return { field, column: best?.column ?? first?.column, isClear };
}

const dayOf = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 10) : value;
const shownValue = (value: unknown) => String(dayOf(value) ?? '').trim();
/** The same in every row, dates by their day, numbers as they are written. */
const sameValues = (one: Column, other: Column) =>
  one.values.every((value, row) => shownValue(value) === shownValue(other.values[row]));

export function matchCandidate(candidate: Candidate, goal: Goal): CandidateMatch {
  const taken = new Set<string>();
  // Fields that names tell surely come first, so that what is left is free for the others.
  const order = [...goal.fields].sort(
    (one, other) => bestNamed(other, candidate, goal) - bestNamed(one, candidate, goal),
  );
  const matches = new Map<GoalField, FieldMatch>();
  for (const field of order) {
    const match = matchField(field, candidate, goal, taken);
    matches.set(field, match);
    if (match.isClear && match.column !== undefined) taken.add(match.column.id);
  }
  const fields = goal.fields.flatMap((field) => matches.get(field) ?? []);
  const count = fields.filter(({ isClear }) => isClear).length;
  return {
    candidate,
    fields,
    clear: fields.length === 0 ? 0 : count / fields.length,
    score: count + fields.filter(({ column }) => column !== undefined).length * 0.3,
  };
}

const bestNamed = (field: GoalField, candidate: Candidate, goal: Goal) =>
  byName(field.phrase, candidate.columns, wordsOfRow(candidate, goal))[0]?.score ?? 0;

const fitsMany = ({ many }: Candidate, goal: Goal) => goal.many === undefined || goal.many === many;

/** All candidates by how well they fit the goal; `candidates` come the best first. */
export function matchGoal(candidates: readonly Candidate[], goal: Goal): CandidateMatch[] {
  return candidates
    .map((candidate) => matchCandidate(candidate, goal))
    .map((match) =>
      fitsMany(match.candidate, goal) ? match : { ...match, clear: 0, score: match.score * 0.5 },
    )
    .map((match, index) => ({ match, index }))
    .sort((one, other) => other.match.score - one.match.score || one.index - other.index)
    .map(({ match }) => match);
}

/** The candidate of which every field is clear; undefined where there is none. */
export function clearMatch(matches: readonly CandidateMatch[], goal: Goal): CandidateMatch | undefined {
  if (goal.fields.length === 0) return undefined;
  return matches.find(({ clear }) => clear === 1);
}
