/** Whether the values of a column can be what a phrase asks for. */
import { isYear } from '../../../compare/date.ts';
import { asksForCount, concepts, toConcept, toConcepts, wordsFor } from '../../catalog/synonyms.ts';
import type { Column } from '../candidates/candidate.ts';
import type { Kind } from '../columns/place.ts';
import { isNumberedName } from '../columns/value-kind.ts';

const rating = toConcept('rating');

/** The kind of values that a concept has. */
const kindsByConcept: ReadonlyMap<string, readonly Kind[]> = new Map([
  [concepts.ingredient, ['list']],
  [concepts.instruction, ['list']],
  [toConcept('price'), ['number']],
  [rating, ['number']],
]);
const count = toConcept('count');
/** Concepts whose values are counts or durations and so have digits. */
const counted = new Set([concepts.time, toConcept('yield'), count]);
const citation = toConcept('citation');
const persons = new Set([toConcept('author'), toConcept('judge')]);

/** Characters of a duration or a count with its unit. */
const maxCounted = 60;
const duration = /^P(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?$/;

/** The kinds of value that a phrase asks for; undefined for any kind. */
function kindsFor(words: readonly string[]): readonly Kind[] | undefined {
  // "image URL" asks for a picture, "link to the PDF" and "PDF link" for an address.
  if (words.includes(concepts.image)) return ['image'];
  if (words.includes(concepts.url)) return ['url', 'image'];
  if (words.includes(concepts.date) && !words.includes(concepts.time)) return ['date'];
  return words.map((word) => kindsByConcept.get(word)).find((kinds) => kinds !== undefined);
}

const isCount = (value: unknown) => {
  const text = String(value ?? '');
  if (perWeight.test(text)) return false;
  return /\d/.test(text) && text.length <= maxCounted && (!/^PT?\w*$/.test(text) || duration.test(text));
};

const share = ({ values }: Pick<Column, 'values'>, passes: (value: unknown) => boolean) => {
  const present = values.filter((value) => value !== null && value !== undefined);
  return present.filter(passes).length / Math.max(present.length, 1);
};

/** The unit above columns of nutrition tables: "per 100 g". */
const perWeight = /(?:^|\s)100\s*(?:g|ml)$/i;
/** Dates of year 0, which programs write for "none". */
const isYearless = (value: unknown) => /^0\d{3}-/.test(String(value));
/** Share links and menus have one or two words; a step says what to do. */
const holdsSentences = (value: unknown) =>
  Array.isArray(value) && value.some((item) => String(item).trim().split(/\s+/).length > 3);

export const holdsCounts = (column: Column): boolean =>
  column.kind !== 'date' && column.kind !== 'list' && share(column, isCount) >= 0.8;

const holdsSeveral = (value: unknown) => Array.isArray(value) && value.length > 1;
const holdsTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string');
const holdsNumberedNames = (value: unknown) => Array.isArray(value) && value.every(isNumberedName);

const isOfCount = ({ label, names }: Column) => toConcepts([label, ...names].join(' ')).includes(count);

function fitsKinds(column: Column, kinds: readonly Kind[], words: readonly string[]): boolean {
  if (!kinds.includes(column.kind)) return false;
  // "8,312 total ratings" tell how many rated.
  if (words.includes(rating) && !words.includes(count) && isOfCount(column)) return false;
  if (column.kind === 'date' && share(column, isYearless) > 0.5) return false;
  if (words.includes(concepts.instruction)) return share(column, holdsSentences) > 0.5;
  return !words.includes(concepts.ingredient) || share(column, holdsSeveral) > 0.5;
}

export function fitsKind(column: Column, words: readonly string[]): boolean {
  const { kind, isCode } = column;
  const kinds = kindsFor(words);
  if (kind === 'list' && share(column, holdsNumberedNames) > 0.5) return false;
  if (kinds !== undefined) return fitsKinds(column, kinds, words);
  if (kind === 'url' || kind === 'image') return false;
  // "open" by its own name, but no "status".
  if (kind === 'boolean' && toConcepts(column.label).join(' ') !== words.join(' ')) return false;
  if (words.some((word) => counted.has(word))) return holdsCounts(column);
  // A number is never a name, and a case number is neither a name nor a date.
  if (words.includes(concepts.name)) return kind === 'text' && !isCode;
  if (words.includes(concepts.number) && words.length > 1)
    return kind !== 'date' && kind !== 'list' && share(column, (value) => /\d/.test(String(value))) >= 0.8;
  if (words.some((word) => persons.has(word)))
    return (kind === 'text' || (kind === 'list' && share(column, holdsTexts) > 0.5)) && !isCode;
  if (words.includes(citation)) return share(column, (value) => /\d/.test(String(value))) >= 0.8;
  return true;
}

/** The concept by which a field's name alone asks for a kind: all of it, or "link", "image" and "count" at its end. */
function askedBy(name: string): string | undefined {
  const phrase = name.replaceAll('_', ' ');
  const words = wordsFor(phrase);
  const last = words.at(-1);
  if (asksForCount(phrase)) return count;
  return words.length === 1 || last === concepts.url || last === concepts.image || last === count
    ? last
    : undefined;
}

const isYearNumber = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && isYear(value);
const amounts = new Set([toConcept('price'), rating, count]);
const addresses: readonly Kind[] = ['url', 'image'];
const noTexts: readonly Kind[] = [...addresses, 'number', 'boolean'];

/** Whether the values can be what a field of this name is for. Names that ask for no kind can hold anything. */
export function canBeNamed(name: string, { kind, values }: Pick<Column, 'kind' | 'values'>): boolean {
  const asked = askedBy(name);
  if (asked === undefined) return true;
  if (asked === concepts.url || asked === concepts.image) return addresses.includes(kind);
  const isOfDigits = () => share({ values }, (value) => /\d/.test(String(value))) >= 0.5;
  if (asked === concepts.date)
    return kind === 'text'
      ? isOfDigits()
      : !noTexts.includes(kind) || (kind === 'number' && share({ values }, isYearNumber) >= 0.9);
  if (asked === concepts.name || persons.has(asked)) return ![...noTexts, 'date'].includes(kind);
  if (!amounts.has(asked) || kind === 'list') return true;
  return kind === 'number' || (kind === 'text' && isOfDigits());
}
