/** Chooses between columns that fit a phrase equally well. Each preference is one that readers share. */
import { asksForDocument, concepts, toConcept, toConcepts } from '../../catalog/synonyms.ts';
import { isPresent } from '../../page/elements.ts';
import type { Column } from '../candidates/candidate.ts';
import { isOfBefore } from './unclear.ts';

const price = toConcept('price');

interface Question {
  readonly phrase: string;
  readonly words: readonly string[];
  readonly columns: readonly Column[];
  /** What all fields of the goal ask for. */
  readonly asked: ReadonlySet<string>;
}

type Preference = (column: Column, question: Question) => boolean;

const toDay = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 10) : value;
const shownValue = (value: unknown) => String(toDay(value) ?? '').trim();

/** Whether two columns have equal values wherever both have one; dates count by their day, numbers as written. */
const sameValues = (one: Column, other: Column) =>
  one.values.every((value, row) => {
    const [first, second] = [shownValue(value), shownValue(other.values[row])];
    return first === second || (first === '') !== (second === '');
  });

const isDocument = (value: unknown) => /\.pdf(?:$|[?#])/i.test(String(value));
export const leadsToDocuments = ({ kind, values }: Column) =>
  kind === 'url' && values.filter(isDocument).length >= values.length * 0.6;
const hasDocuments = (column: Column) => {
  const { label, names } = column;
  return leadsToDocuments(column) || [label, ...names].some((name) => /\bpdf\b/i.test(name));
};

/** The picture that the page names for sharing. */
export const isPagePicture = ({ label }: Column): boolean => /^(?:og|twitter):image/.test(label);

const preferences: readonly Preference[] = [
  ({ isStated }) => isStated === true,
  (column, { phrase }) => asksForDocument(phrase) && hasDocuments(column),
  ({ isTitleLink }, { words }) => words.includes(concepts.url) && isTitleLink === true,
  // Pictures of the structured data come before pictures in the text.
  ({ label }, { words }) => words.includes(concepts.image) && /^image\b/.test(label),
  ({ fill }) => fill >= 0.9,
  ({ label }, { columns }) => label !== '' && columns.some((other) => other.label === ''),
  // "Authoring judge" before "Trial court judge" if the author is also asked for. "Number" alone does not say of what.
  ({ label }, { words, asked }) =>
    toConcepts(label).some((word) => word !== concepts.number && words.includes(word)) &&
    toConcepts(label).every((word) => asked.has(word)),
];

/** The numbers that stand in all of the texts: beside what one of them does not say they are another thing. */
function numbersOf(columns: readonly Column[]): readonly Column[] {
  const numbers = columns.filter(({ kind }) => kind === 'number');
  const isSaid = ({ rawValues }: Column, { rawValues: texts }: Column) =>
    rawValues.every((value, row) => String(texts[row] ?? '').includes(String(value ?? '')));
  const areSaid = numbers.every((number) => columns.every((column) => isSaid(number, column)));
  return areSaid && numbers.length > 0 ? numbers : columns;
}

/** A number of rows, or one beside a label of its own; what the head of a page states repeats what the page shows. */
const isAmount = ({ kind, partOf, values, label, names }: Column) =>
  kind === 'number' && partOf === undefined && (values.length > 1 || (label !== '' && names.length === 0));

/** Amounts that are equal on this page, or that have one name, may differ on the next one. */
const areRivals = (one: Column, other: Column) =>
  one !== other && isAmount(one) && isAmount(other) && one.isStated === other.isStated;

const haveOneName = (one: Column, other: Column) =>
  one.label === other.label && one.names[0] === other.names[0] && (one.label || one.names[0]) !== undefined;

/** Two prices of which none is called just so: "discounted price" and "original price" for "price". */
const arePrices = (one: Column, other: Column) => one.unit === 'currency' && other.unit === 'currency';

/**
 * The amount of all rows that is paid, where each other one of its row is the same, or stands there once more as one of before:
 * shops write the price of before as that of all rows, and strike it out beside the one of a sale.
 */
function paidPrice(columns: readonly Column[]): Column | undefined {
  const amounts = columns.filter(({ kind, unit }) => kind === 'number' && unit !== undefined);
  const [ofBefore, others] = [amounts.filter(isOfBefore), amounts.filter((column) => !isOfBefore(column))];
  const isBefore = (value: unknown, row: number) => ofBefore.some(({ values }) => values[row] === value);
  const isPaid = ({ values, unit, fill }: Column) =>
    unit === 'currency' && fill === 1 && !values.some((value, row) => isBefore(value, row));
  const isOnlyOne = (paid: Column) =>
    others.every(({ values }) =>
      values.every((value, row) => !isPresent(value) || value === paid.values[row] || isBefore(value, row)),
    );
  return ofBefore.length === 0 ? undefined : others.find((column) => isPaid(column) && isOnlyOne(column));
}

/** Columns below one head of a table, which the phrase names alone: "Run" of "Run Time" and "Run Rank". */
const areBelow = (columns: readonly Column[], phrase: string): boolean =>
  columns.filter(
    ({ source, label, partOf }) =>
      source.header !== undefined &&
      partOf === undefined &&
      label.toLowerCase().startsWith(`${phrase.toLowerCase()} `),
  ).length > 1;

/** The preferred column; undefined if several remain. `contenders`: the best first. */
export function preferred(contenders: readonly Column[], question: Question): Column | undefined {
  if (areBelow(contenders, question.phrase)) return undefined;
  const paid = question.words.join(' ') === price ? paidPrice(question.columns) : undefined;
  if (paid !== undefined && contenders.includes(paid)) return paid;
  let left = contenders;
  for (const prefers of preferences) {
    const some = left.filter((column) => prefers(column, question));
    if (some.length > 0) left = some;
  }
  const [first, ...others] = [...numbersOf(left)].sort((one, other) => other.fill - one.fill);
  if (first === undefined) return undefined;
  const isOpen =
    others.some((other) => !sameValues(first, other) || areRivals(first, other)) ||
    contenders.some(
      (other) => areRivals(first, other) && (haveOneName(first, other) || arePrices(first, other)),
    );
  return isOpen ? undefined : first;
}
