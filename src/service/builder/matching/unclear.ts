/** Reasons for which a column is not clearly what a field of a goal means, though its name or kind fits. */
import { saysMoney } from '../../../compare/money.ts';
import { readNumber } from '../../../compare/number.ts';
import { concepts, toConcept, toConcepts, wordsFor } from '../../catalog/synonyms.ts';
import { isPresent } from '../../page/elements.ts';
import { toWords } from '../../page/words.ts';
import type { Column } from '../candidates/candidate.ts';
import { general } from './by-name.ts';

/** The share of rows with a value beyond which a column lacks none. */
const mostFilled = 0.9;
/** Rows by whose texts ranges are told. */
const sampled = 40;
const price = toConcept('price');

/** Whether a table has the header once more, with a number: it has two halves, side by side, and not only the first is meant. */
export const hasTwin = ({ source: { header } }: Column, columns: readonly Column[]) =>
  header !== undefined &&
  columns.some(
    ({ source }) =>
      source.header?.startsWith(`${header} `) === true &&
      /^\d+$/.test(source.header.slice(header.length + 1)),
  );

/**
 * Whether other amounts stand in rows that lack the column's, and none in the rows that have it: the page writes one price in
 * several ways, or only some of it is what is asked for.
 */
export function isDivided(column: Column, columns: readonly Column[]): boolean {
  const { id, values, fill } = column;
  if (fill > mostFilled || !holdsMoney(column)) return false;
  const hasBoth = (other: Column) =>
    other.values.some((value, row) => isPresent(value) && isPresent(values[row]));
  return columns.some((other) => other.id !== id && holdsMoney(other) && !hasBoth(other));
}

/**
 * Whether a row has another amount that says otherwise: it is the price of before, which the phrase does not ask for, or one that
 * is struck out as well, as where a shop hides that price by its style alone; or the phrase names another one that differs.
 */
export function isContradicted(phrase: string, column: Column, columns: readonly Column[]): boolean {
  const { id, label, values, fill } = column;
  const others = columns.filter((other) => other.id !== id && holdsMoney(other));
  const isPlain = wordsFor(phrase).join(' ') === price;
  const isCalledSo = toWords(label).join(' ') === toWords(phrase).join(' ');
  if (!holdsMoney(column)) {
    // The euros of an amount whose cents, and whose sign, stand in elements of their own.
    const isInPieces = columns.some(isSignAlone) && columns.filter(isPlainNumber).length > 1;
    const isSaidWhole = others.some((other) => other.fill >= fill);
    return column.kind === 'number' && isPlain && !isCalledSo && (isInPieces || isSaidWhole);
  }
  if (isOfBefore(column))
    return !wordsFor(phrase).includes(before) && others.some((other) => !isOfBefore(other));
  // A price is what every row has, and only some have one of before or one for members.
  if (isPlain && fill <= mostFilled && others.some((other) => other.fill > mostFilled)) return true;
  return others.some((other) => {
    const both = [...values.entries()].filter(
      ([row, value]) => isPresent(value) && isPresent(other.values[row]),
    );
    const isSame = ([row, value]: (typeof both)[number]) => value === other.values[row];
    return (
      (isOfBefore(other) && both.some(isSame)) || (isCalledSo && label === other.label && !both.every(isSame))
    );
  });
}

const before = toConcept('old');
/** Whether it is called, or struck out as, the price of before. */
export const isOfBefore = ({ label, names }: Column) =>
  toConcepts([label, ...names].join(' ')).includes(before);

const holdsMoney = ({ kind, rawValues }: Column) =>
  kind === 'number' && rawValues.some((value) => saysMoney(String(value ?? '')));

const isPlainNumber = (column: Column) => column.kind === 'number' && !holdsMoney(column);
/** A sign of money and nothing else. */
const isSignAlone = ({ kind, rawValues }: Column) =>
  kind === 'text' && rawValues.every((value) => !isPresent(value) || isMoneySign.test(String(value)));
const isMoneySign = /^\s*\p{Sc}\s*$/u;

/** Whether it is a later figure of a text, "8,1 · 120 comments", has only the name of the text, and no word beside it is asked for. */
export function isLaterFigure(phrase: string, column: Column, columns: readonly Column[]): boolean {
  const { kind, label, partOf, rawValues } = column;
  const whole = kind === 'number' ? columns.find(({ id }) => id === partOf) : undefined;
  if (whole === undefined || label !== whole.label) return false;
  const words = wordsFor(phrase);
  const isAsked = rawValues.some((value) =>
    toConcepts(String(value ?? '')).some((word) => words.includes(word)),
  );
  return (
    !isAsked &&
    whole.rawValues.slice(0, sampled).some((text, row) => {
      const at = String(text ?? '').indexOf(String(rawValues[row] ?? ''));
      return at > 0 && /\d/.test(String(text).slice(0, at));
    })
  );
}

/** What is told by its form as well. */
const toldByForm = new Set([concepts.name, concepts.date, concepts.number, toConcept('case'), price]);

/** Whether it is a part of a text whose name, "Players / age", is that of several fields: nothing says which of them the part is. */
export function isPartOfSeveral(
  phrase: string,
  { partOf, label }: Column,
  columns: readonly Column[],
  asked: ReadonlySet<string>,
): boolean {
  const whole = columns.find(({ id }) => id === partOf);
  const words = wordsFor(phrase);
  return (
    whole !== undefined &&
    label === whole.label &&
    !words.some((word) => toldByForm.has(word)) &&
    toConcepts(label).some((word) => asked.has(word) && !words.includes(word))
  );
}

/** Whether one word joins the names of two columns, as in "cena a datum": two fields, in a language that is not read. */
export function joinsTwo(phrase: string, columns: readonly Column[]): boolean {
  const words = toWords(phrase);
  const names = new Set(columns.map(({ label }) => toWords(label).join(' ')));
  const isName = (some: readonly string[]) => some.length > 0 && names.has(some.join(' '));
  if (isName(words)) return false;
  return words.some((_, at) => isName(words.slice(0, at)) && isName(words.slice(at + 1)));
}

/** Whether the column is an end of a range such as `€10 - €20` or `8 pm – 11 pm`: alone it says another thing than the text. */
export function isEndOfRange(column: Column, columns: readonly Column[]): boolean {
  const { kind, partOf, rawValues } = column;
  if (kind === 'number') {
    const whole = columns.find(({ id }) => id === partOf)?.values ?? [];
    return whole.slice(0, sampled).some((text) => readNumber(String(text ?? ''))?.kind === 'range');
  }
  const ends = [...rawValues.slice(0, sampled).entries()].filter(([, value]) => isPresent(value));
  const isEndIn = ({ rawValues: texts }: Column) =>
    ends.every(([row, value]) => {
      const text = String(texts[row] ?? '');
      const end = String(value);
      return text.endsWith(end) && /\d.*\s[-–—]\s*$/.test(text.slice(0, -end.length)) && /\d/.test(end);
    });
  return kind === 'text' && ends.length > 0 && columns.some(isEndIn);
}

/** Figures without a word: numbers, dates, scores such as "28:9", ranges. */
const areFigures = ({ kind, rawValues }: Column) =>
  kind === 'number' ||
  kind === 'date' ||
  rawValues.every((value) => !isPresent(value) || /^\P{L}*\p{Nd}\P{L}*$/u.test(String(value)));

/**
 * The words of a phrase that nothing says of its figures: "old" of "old price" for a price, "difference" of "goal difference"
 * for the goals. Such columns look alike, and only words tell which one is meant.
 */
export function openWords(phrase: string, column: Column, ofRow: ReadonlySet<string>): string[] {
  const { label, names, kind, unit } = column;
  if (!areFigures(column)) return [];
  const said = new Set(toConcepts([label, ...names].join(' ')));
  const ofKind = new Set([
    ...ofNumbers,
    kind === 'date' ? concepts.date : '',
    unit === 'currency' ? price : '',
  ]);
  return wordsFor(phrase).filter((word) => !said.has(word) && !ofRow.has(word) && !ofKind.has(word));
}

/** Words of numbers that do not say of what. */
const ofNumbers = [...general, concepts.name, toConcept('total')];

/** Whether a text has those of several other elements in it: a block, which is named by its class, and no value. */
export function isBlock(column: Column, columns: readonly Column[]): boolean {
  const { kind, partOf, source, rawValues } = column;
  if (kind !== 'text' || partOf !== undefined || source.header !== undefined) return false;
  const others = columns.filter((other) => other.id !== column.id && other.partOf === undefined);
  return rawValues.slice(0, sampled).some((text, row) => {
    if (typeof text !== 'string') return false;
    const within = others.flatMap(({ rawValues: { [row]: part } }) =>
      typeof part === 'string' && part !== '' && part.length < text.length && text.includes(part) ? part : [],
    );
    return within.some((one) => within.some((other) => !one.includes(other) && !other.includes(one)));
  });
}

/** Whether it has the text of a link, and in some rows words beside that: the name of the row may be the link alone. */
export function hasMoreThanLink(column: Column, columns: readonly Column[]): boolean {
  if (column.kind !== 'text' || column.source.path !== undefined) return false;
  const links = columns.filter(({ kind }) => kind === 'url').map(({ source }) => source.select);
  const isLinkWithin = ({ source, kind, partOf, values }: Column) => {
    const { own, line, select } = source;
    if (kind !== 'text' || partOf !== undefined || own === true || line !== undefined) return false;
    const pairs = values.map(
      (value, row) => [String(value ?? ''), String(column.values[row] ?? '')] as const,
    );
    return (
      links.includes(select) &&
      pairs.every(([text, whole]) => text !== '' && whole.includes(text)) &&
      pairs.some(([text, whole]) => /\p{L}{2}/u.test(whole.replace(text, '')))
    );
  };
  return columns.some((other) => other.id !== column.id && isLinkWithin(other));
}
