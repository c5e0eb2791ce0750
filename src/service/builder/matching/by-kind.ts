/** The one column whose values are what a phrase asks for, where no name tells. */
import { isSynonym, toConcept, toConcepts } from '../../goals/synonyms.ts';
import { toWords } from '../../goals/words.ts';
import type { Candidate, Column } from '../candidates/candidate.ts';
import { isLesser } from './by-name.ts';
import { concepts, fitsKind } from './kind-fit.ts';

const codeConcepts = new Set([concepts.number, toConcept('citation')]);
const fullEnough = 0.8;
const isFull = ({ fill }: Column) => fill >= fullEnough;

/** How values look that the trade writes in one form; the first list of words must all be in the phrase. */
const forms: readonly (readonly [words: readonly string[], form: RegExp, least: number])[] = [
  [['case', 'name'], /\sv(?:s|ersus)?\.?\s|^(?:in re|in the matter|matter of|ex parte)\b/i, 0.7],
  [['disposition'], /\b(?:affirm|revers|dismiss|vacat|remand)|\b(?:den(?:ied|y)|granted)\b/i, 0.7],
  [['judge'], /\b(?:judge|justice|per curiam)\b|\bC?J\./i, 0.7],
  [['citation'], /^\d{4}[ -]\p{L}[\p{L}. -]*[ -]\d+/u, 0.9],
  [['email'], /^[^\s@]+@[^\s@]+\.\w+$/, 0.9],
];

const textOf = (value: unknown) => String(value ?? '');
const lengthOf = ({ values }: Column) =>
  values.reduce((sum: number, value) => sum + textOf(value).length, 0) / Math.max(values.length, 1);
const shortestFirst = (columns: readonly Column[]) =>
  [...columns].sort((one, other) => lengthOf(one) - lengthOf(other));

/** The shortest texts that have the form: what holds them has it as well. */
function byForm(words: readonly string[], columns: readonly Column[]): Column[] {
  const form = forms.find(([asked]) => asked.every((word) => words.includes(toConcept(word))));
  if (form === undefined) return [];
  const [, pattern, least] = form;
  const hasForm = ({ values, kind }: Column) =>
    kind === 'text' && values.filter((value) => pattern.test(textOf(value))).length >= values.length * least;
  return shortestFirst(columns.filter(hasForm)).slice(0, 1);
}

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
function byLength({ many, columns }: Candidate): Column[] {
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
    ![column.label, ...column.names].some((name) => toWords(name).some(isSynonym));
  const [first, second] = shortestFirst(many ? columns.filter(isName) : []).reverse();
  const isOnly =
    first !== undefined && (second === undefined || lengthOf(first) >= lengthOf(second) * clearlyLonger);
  return isOnly ? [first] : [];
}

/** Texts that stand in the text of another column of the row. */
const isWithin = ({ values }: Column, { values: around }: Column) =>
  values.every((value, row) => value === null || textOf(around[row]).includes(textOf(value)));

/** The row's own name, without the date or number in it. */
function byTitle(columns: readonly Column[]): Column[] {
  const titles = columns.filter((column) => column.isTitle === true && !column.isCode && isFull(column));
  const parts = columns.filter(
    (column) =>
      column.kind === 'text' &&
      titles.some(({ id }) => id === column.partOf) &&
      !column.isCode &&
      !isLesser(column, columns),
  );
  if (parts.length > 0) return parts;
  const wholes = titles.filter((column) => !isLesser(column, columns));
  if (wholes.length > 0) return wholes;
  return columns.filter(
    (column) =>
      column.kind === 'text' &&
      !column.isCode &&
      isFull(column) &&
      titles.some((title) => title !== column && isWithin(column, title)),
  );
}

function namesIn(words: readonly string[], candidate: Candidate): Column[] {
  const { columns } = candidate;
  const named = columns.filter(
    (column) =>
      fitsKind(column, words) &&
      isFull(column) &&
      [column.label, ...column.names].some((name) => toConcepts(name).includes(concepts.name)),
  );
  const formed = byForm(words, columns);
  if (formed.length > 0) return formed;
  if (named.length === 1) return named;
  const titles = byTitle(columns);
  return titles.length > 0 ? titles : byLength(candidate);
}

const dayOf = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 10) : value;

function datesIn(columns: readonly Column[]): Column[] {
  const dates = columns.filter((column) => column.kind === 'date' && isFull(column));
  const differing = dates.filter(({ values }) => new Set(values.map(dayOf)).size > 1);
  return differing.length > 0 ? differing : dates;
}

const isOfTime = ({ label, names }: Column) =>
  [label, ...names].flatMap(toConcepts).some((word) => word === concepts.time || word === concepts.date);

/** All columns that may be meant; one alone is. */
export function byKind(words: readonly string[], candidate: Candidate): Column[] {
  const { columns } = candidate;
  if (words.includes(concepts.url)) {
    const links = columns.filter(({ kind }) => kind === 'url');
    return links.some(isFull) ? links.filter(isFull) : links;
  }
  if (words.includes(concepts.image)) return columns.filter(({ kind }) => kind === 'image');
  if (words.includes(concepts.date)) return datesIn(columns);
  if (words.includes(concepts.name)) return namesIn(words, candidate);
  const formed = byForm(words, columns);
  if (formed.length > 0) return formed;
  if (words.some((word) => codeConcepts.has(word)))
    return columns.filter((column) => column.isCode && isFull(column) && !isOfTime(column));
  return [];
}
