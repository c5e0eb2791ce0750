/** The one column whose values are what a phrase asks for, where no name tells. */
import { toConcept, toConcepts } from '../../goals/synonyms.ts';
import type { Column } from '../candidates/candidate.ts';
import type { Kind } from '../columns/place.ts';
import { isLesser } from './by-name.ts';
import { concepts } from './kind-fit.ts';

const codeConcepts = new Set([concepts.number, toConcept('citation')]);
const fullEnough = 0.8;
const isFull = ({ fill }: Column) => fill >= fullEnough;

/** How values look that the trade writes in one form; the first list of words must all be in the phrase. */
const forms: readonly (readonly [words: readonly string[], form: RegExp, least: number])[] = [
  [['case', 'name'], /\sv(?:s|ersus)?\.?\s|^(?:in re|in the matter|matter of|ex parte)\b/i, 0.7],
  [['disposition'], /\b(?:affirm|revers|dismiss|vacat|remand)|\b(?:den(?:ied|y)|granted)\b/i, 0.7],
  [['judge'], /\b(?:judge|justice|per curiam)\b|\bC?J\./i, 0.7],
];

const textOf = (value: unknown) => String(value ?? '');
const lengthOf = ({ values }: Column) =>
  values.reduce((sum: number, value) => sum + textOf(value).length, 0) / Math.max(values.length, 1);
/** The shortest texts that have the form: what holds them has it as well. */
function byForm(words: readonly string[], columns: readonly Column[]): Column[] {
  const form = forms.find(([asked]) => asked.every((word) => words.includes(toConcept(word))));
  if (form === undefined) return [];
  const [, pattern, least] = form;
  const hasForm = (column: Column) =>
    column.kind === 'text' &&
    // Of a name what stands beside it is left out; of other texts a part is not yet the text.
    (words.includes(concepts.name) || column.partOf === undefined || !isLesser(column, columns)) &&
    column.values.filter((value) => pattern.test(textOf(value))).length >= column.values.length * least;
  return columns
    .filter(hasForm)
    .sort((one, other) => lengthOf(one) - lengthOf(other))
    .slice(0, 1);
}

/** Texts that stand in the text of another column of the row. */
const isWithin = ({ values }: Column, { values: around }: Column) =>
  values.every((value, row) => value === null || textOf(around[row]).includes(textOf(value)));

/** The row's own name: what has the form of one, its title, or else the text in the title. */
function namesIn(words: readonly string[], columns: readonly Column[]): Column[] {
  const formed = byForm(words, columns);
  if (formed.length > 0) return formed;
  const isName = (column: Column) => column.kind === 'text' && !column.isCode && isFull(column);
  const titles = columns.filter((column) => column.isTitle === true && !column.isCode && isFull(column));
  const wholes = titles.filter((column) => !isLesser(column, columns));
  if (wholes.length > 0) return wholes;
  return columns.filter(
    (column) => isName(column) && titles.some((title) => title !== column && isWithin(column, title)),
  );
}

const isOfTime = ({ label, names }: Column) =>
  [label, ...names].flatMap(toConcepts).some((word) => word === concepts.time || word === concepts.date);

/** All columns that may be meant; one alone is. */
export function byKind(words: readonly string[], columns: readonly Column[]): Column[] {
  const ofKind = (kind: Kind) => columns.filter((column) => column.kind === kind);
  if (words.includes(concepts.url)) return ofKind('url').filter(isFull);
  if (words.includes(concepts.image)) return ofKind('image');
  if (words.includes(concepts.date)) return ofKind('date').filter(isFull);
  if (words.includes(concepts.name)) return namesIn(words, columns);
  const formed = byForm(words, columns);
  if (formed.length > 0 || !words.some((word) => codeConcepts.has(word))) return formed;
  return columns.filter((column) => column.isCode && isFull(column) && !isOfTime(column));
}
