/** Whether the values of a column can be what a phrase asks for. */
import { toConcept } from '../../goals/synonyms.ts';
import type { Column } from '../candidates/candidate.ts';
import type { Kind } from '../columns/place.ts';
import { isNumberedName } from '../columns/value-kind.ts';

export const concepts = {
  url: toConcept('url'),
  name: toConcept('name'),
  date: toConcept('date'),
  image: toConcept('image'),
  number: toConcept('number'),
  time: toConcept('time'),
  ingredient: toConcept('ingredient'),
} as const;

/** The kind of values that a concept has. */
const kindsByConcept: ReadonlyMap<string, readonly Kind[]> = new Map([
  [concepts.ingredient, ['list']],
  [toConcept('instruction'), ['list']],
  [toConcept('price'), ['number']],
  [toConcept('rating'), ['number']],
]);
/** Concepts whose values are counts or durations and so have digits. */
const counted = new Set([concepts.time, toConcept('yield'), toConcept('count')]);
const citation = toConcept('citation');
const persons = new Set([toConcept('author'), toConcept('judge')]);

/** Characters of a duration or a count with its unit. */
const maxCounted = 60;
const duration = /^P(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?$/;

/** The kinds of value that a phrase asks for; undefined where it asks for none in particular. */
function kindsFor(words: readonly string[]): readonly Kind[] | undefined {
  // "link to the PDF", "PDF link" and "image URL" ask for an address.
  if (words.includes(concepts.url)) return ['url', 'image'];
  if (words.includes(concepts.image)) return ['image'];
  if (words.includes(concepts.date) && !words.includes(concepts.time)) return ['date'];
  return words.map((word) => kindsByConcept.get(word)).find((kinds) => kinds !== undefined);
}

const isCount = (value: unknown) => {
  const text = String(value ?? '');
  return /\d/.test(text) && text.length <= maxCounted && (!/^PT?\w*$/.test(text) || duration.test(text));
};

const share = ({ values }: Column, passes: (value: unknown) => boolean) => {
  const present = values.filter((value) => value !== null && value !== undefined);
  return present.filter(passes).length / Math.max(present.length, 1);
};

const holdsSeveral = (value: unknown) => Array.isArray(value) && value.length > 1;
const holdsNumberedNames = (value: unknown) => Array.isArray(value) && value.every(isNumberedName);

export function fitsKind(column: Column, words: readonly string[]): boolean {
  const { kind, isCode } = column;
  const kinds = kindsFor(words);
  if (kind === 'list' && share(column, holdsNumberedNames) > 0.5) return false;
  if (kinds !== undefined)
    return (
      kinds.includes(kind) && (!words.includes(concepts.ingredient) || share(column, holdsSeveral) > 0.5)
    );
  if (kind === 'url' || kind === 'image' || kind === 'boolean') return false;
  if (words.some((word) => counted.has(word)))
    return kind !== 'list' && kind !== 'date' && share(column, isCount) >= 0.8;
  // A number is never a name, and a case number is neither a name nor a date.
  if (words.includes(concepts.name)) return kind === 'text' && !isCode;
  if (words.includes(concepts.number) && words.length > 1)
    return kind !== 'date' && kind !== 'list' && share(column, (value) => /\d/.test(String(value))) >= 0.8;
  if (words.some((word) => persons.has(word))) return kind === 'text' && !isCode;
  if (words.includes(citation)) return share(column, (value) => /\d/.test(String(value))) >= 0.8;
  return true;
}
