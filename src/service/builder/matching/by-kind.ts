/** The single column whose values fit a phrase, if no name matches. */
import { concepts, isSynonym, toConcept, toConcepts } from '../../catalog/synonyms.ts';
import { toWords } from '../../page/words.ts';
import type { Column } from '../candidates/candidate.ts';
import type { Kind } from '../columns/place.ts';
import { isLesser } from './by-name.ts';

const otherThings = new Set(['author', 'date', 'time', 'price', 'rating'].map(toConcept));
const codeConcepts = new Set([concepts.number, toConcept('citation')]);
const isFull = ({ fill }: Column) => fill >= 0.8;

/** Forms of values that courts write alike. A form applies where the phrase has all its words; `least` is the share of values with it. */
const forms: readonly (readonly [words: readonly string[], form: RegExp, least: number])[] = [
  [['case', 'name'], /\sv(?:s|ersus)?\.?\s|^(?:in re|in the matter|matter of|ex parte)\b/i, 0.7],
  [['disposition'], /\b(?:affirm|revers|dismiss|vacat|remand)|\b(?:den(?:ied|y)|granted)\b/i, 0.7],
  [['judge'], /\b(?:judge|justice|per curiam)\b|\bC?J\./i, 0.7],
];

/** Minimum characters of a value with a form: shorter ones hold only the form's mark, such as "In re". */
const shortest = 7;

const toText = (value: unknown) => String(value ?? '');
const getLength = ({ values }: Column) =>
  values.reduce((sum: number, value) => sum + toText(value).length, 0) / Math.max(values.length, 1);
/** The column with the shortest texts of that form, because longer texts around them match too. */
function byForm(words: readonly string[], columns: readonly Column[]): Column[] {
  const form = forms.find(([asked]) => asked.every((word) => words.includes(toConcept(word))));
  if (form === undefined) return [];
  const [, pattern, least] = form;
  const hasForm = (column: Column) =>
    column.kind === 'text' &&
    // A name may be part of a text; other forms need the whole text.
    (words.includes(concepts.name) || column.partOf === undefined || !isLesser(column, columns)) &&
    column.values.filter((value) => pattern.test(toText(value))).length >= column.values.length * least;
  return columns
    .filter((column) => hasForm(column) && getLength(column) >= shortest)
    .sort((one, other) => getLength(one) - getLength(other))
    .slice(0, 1);
}

/** Whether each text of a column is part of the other column's text in the same row. */
const isWithin = ({ values }: Column, { values: around }: Column) =>
  values.every((value, row) => value === null || toText(around[row]).includes(toText(value)));

/** Columns that may be the row's name: texts of that form, else the title, else a text within the title. */
function namesIn(words: readonly string[], columns: readonly Column[]): Column[] {
  const formed = byForm(words, columns);
  if (formed.length > 0) return formed;
  const isName = (column: Column) => column.kind === 'text' && !column.isCode && isFull(column);
  const titles = columns.filter(
    (column) => column.isTitle === true && !column.isCode && isFull(column) && !isOtherThing(column),
  );
  const wholes = titles.filter((column) => !isLesser(column, columns, words));
  if (wholes.length > 0) return wholes;
  return columns.filter(
    (column) => isName(column) && titles.some((title) => title !== column && isWithin(column, title)),
  );
}

/** Whether the page labels it as something else than the row's name: its author, date or price. */
function isOtherThing({ label, names }: Column): boolean {
  const words = [label, ...names].flatMap(toConcepts);
  return words.some((word) => otherThings.has(word)) && !words.includes(concepts.name);
}

/** An amount of money that the page calls nothing else. */
const isPlainAmount = ({ unit, label, fill }: Column) => unit === 'currency' && label === '' && fill >= 0.8;

const isOfTime = ({ label, names }: Column) =>
  [label, ...names].flatMap(toConcepts).some((word) => word === concepts.time || word === concepts.date);

/** Words for dates of any kind; others, such as "posted", ask for one of them. */
const anyDate = /^(?:dates?|days?|when|datum|fecha)$/i;
/** Whether the page calls the column something that is no date, such as a start. */
const saysOther = ({ label, names: [name = ''] }: Column) =>
  toWords(label || name).some(isSynonym) &&
  !toConcepts(label || name).some((word) => word === concepts.date || word === concepts.time);

/** All columns that the phrase may mean; the answer is clear only if there is exactly one. */
export function byKind(phrase: string, words: readonly string[], columns: readonly Column[]): Column[] {
  const ofKind = (kind: Kind) => columns.filter((column) => column.kind === kind);
  if (words.includes(concepts.image)) return ofKind('image');
  // Beside a title that leads somewhere in most rows, what all rows lead to is another thing.
  if (words.includes(concepts.url))
    return ofKind('url').filter((column) => isFull(column) || column.isTitleLink === true);
  if (words.includes(concepts.date)) {
    const dates = ofKind('date').filter(isFull);
    return toWords(phrase).some((word) => anyDate.test(word))
      ? dates
      : dates.filter((one) => !saysOther(one));
  }
  if (words.includes(toConcept('price'))) return ofKind('number').filter(isPlainAmount);
  if (words.includes(concepts.name)) return namesIn(words, columns);
  const formed = byForm(words, columns);
  if (formed.length > 0 || !words.some((word) => codeConcepts.has(word))) return formed;
  return columns.filter((column) => column.isCode && isFull(column) && !isOfTime(column));
}
