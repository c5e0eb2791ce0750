/** The columns that a phrase names: by labels, itemprop, schema.org's names, keys and class names. */
import { asksForCount, concepts, toConcept, toConcepts, wordsFor } from '../../catalog/synonyms.ts';
import { toWords } from '../../page/words.ts';
import type { Column } from '../candidates/candidate.ts';
import { fitsKind, holdsCounts } from './kind-fit.ts';

export interface ColumnScore {
  readonly column: Column;
  /** 0 to 1.25. */
  readonly score: number;
}

/** The least score of a match by name. */
export const enough = 0.6;
/** Subtracted from the score of a column that is less likely than others with the same name. */
const lesser = 0.15;
/** Subtracted if the name is that of the surrounding object, so that the match is not clear. */
const contained = 0.6;
/**
 * Added if the name has the phrase's own words and not only synonyms: `docketNumber` before `caseId` for "docket
 * number".
 */
const literal = 0.25;
/** The share of filled rows below which a column comes later, and below which behind most others. */
const mostRows = 0.5;
export const fewRows = 0.25;
/** The weight of the last word of a longer name, such as `name` in `video.name`. */
const lastWord = 0.8;

/** Words that name a kind of value in general. */
export const general: ReadonlySet<string> = new Set([concepts.number, concepts.time]);
/** Words that distinguish the times of a recipe; no two of them are synonyms. */
const times = new Set(['cook', 'prep', 'total', 'active', 'rest', 'chill'].map(toConcept));

const getNames = ({ label, names }: Column) => [label, ...names];

/** Dice's coefficient of the words of the phrase and those of one name. */
function likeness(words: readonly string[], others: readonly string[]): number {
  if (words.length === 0 || others.length === 0) return 0;
  const shared = words.filter((word) => others.includes(word)).length;
  return (2 * shared) / (words.length + others.length);
}

/**
 * Whether the names exclude each other: "id" for "docket number", "time" for "cook time", "cook time" for "total time".
 */
function contradicts(words: readonly string[], others: readonly string[]): boolean {
  const isSpecific = words.some((word) => !general.has(word) && word !== toConcept('total'));
  const sharesGeneral = words.some((word) => general.has(word) && others.includes(word));
  const sharesSpecific = words.some((word) => !general.has(word) && others.includes(word));
  if (isSpecific && sharesGeneral && !sharesSpecific) return true;
  return words.some((word) => times.has(word)) && others.some((word) => times.has(word)) && !sharesSpecific;
}

function weighName(name: string, index: number, label: string): number {
  if (index === 0) return 1;
  if (name !== label && toWords(label).length > 1 && label.endsWith(name)) return lastWord;
  return Math.max(lastWord, 0.97 - index * 0.02);
}

/** Last words of a path that name the value of the words before: `author.name`, `price.value`. */
const valueWords = new Set(
  'name title value text label content url link href id display rendered'.split(' '),
);
/** Whether the phrase names only the surrounding object: "address" for `address.city`. */
function isContainer(words: readonly string[], { source, label }: Column): boolean {
  const at = source.path === undefined ? -1 : label.lastIndexOf('.');
  if (at < 0) return false;
  const own = toWords(label.slice(at + 1));
  return (
    !own.some((word) => valueWords.has(word)) &&
    !own.map(toConcept).some((word) => words.includes(word)) &&
    toConcepts(label.slice(0, at)).some((word) => words.includes(word))
  );
}

/** How well a column's names match the phrase, 0 to 1; earlier names count more. */
function namedAs(words: readonly string[], column: Column, ofRow: ReadonlySet<string>): number {
  const own = words.filter((word) => !ofRow.has(word));
  const wanted = own.length > 0 ? own : words;
  let best = 0;
  for (const [index, name] of getNames(column).entries()) {
    const all = toConcepts(name);
    // "Job" alone does not make a "job snippet" of jobs their "job type".
    if (contradicts(words, all) || (own.length > 0 && !own.some((word) => all.includes(word)))) continue;
    const telling = all.filter((word) => !ofRow.has(word));
    const others = telling.length > 0 ? telling : all;
    const likest = Math.max(likeness(wanted, others), likeness(words, all));
    best = Math.max(best, weighName(name, index, column.label) * likest);
  }
  return best;
}

/**
 * Parts and lines of a text rank below the whole text; a text with a date or a code in it ranks below its other parts, unless
 * a name alone is asked for: a title without its number is less than the page says.
 */
export function isLesser(column: Column, columns: readonly Column[], words: readonly string[] = []): boolean {
  const asksForName = words.length > 0 && words.every((word) => word === concepts.name);
  const isDivided = (id: string) => {
    const parts = columns.filter(({ partOf }) => partOf === id);
    const isNamed = asksForName && parts.some(({ kind, isCode }) => kind === 'text' && !isCode);
    return !isNamed && parts.some(({ isCode, kind, fill }) => (isCode || kind === 'date') && fill >= 0.8);
  };
  if (column.partOf !== undefined)
    return column.isCode || column.kind === 'date' || !isDivided(column.partOf);
  if (column.source.line !== undefined) return true;
  // A title is one without the badge beside it.
  if (column.source.own === true) return column.isTitle !== true;
  return column.kind === 'text' && !column.isCode && isDivided(column.id);
}

/** Names of dates that describe the page, not the row. They count only if the phrase uses them. */
const ofPage = /^(?:posted|updated?|modified|changed|expir\w*|upload\w*|created|crawled)$/;
const isOfPage = (phrase: string, column: Column) =>
  column.kind === 'date' &&
  !toWords(phrase).some((word) => ofPage.test(word)) &&
  getNames(column).some((name) => toWords(name).some((word) => ofPage.test(word)));

const literalLikeness = (phrase: string, column: Column) =>
  Math.max(...getNames(column).map((name) => likeness(toWords(phrase), toWords(name))));

/** The best first. */
export function byName(
  phrase: string,
  columns: readonly Column[],
  ofRow: ReadonlySet<string>,
): ColumnScore[] {
  const words = wordsFor(phrase);
  return columns
    .filter((column) => fitsKind(column, words) && (!asksForCount(phrase) || holdsCounts(column)))
    .map((column) => ({ column, named: namedAs(words, column, ofRow) }))
    .filter(({ named }) => named > 0)
    .map(({ column, named }) => ({
      column,
      score:
        named +
        literal * literalLikeness(phrase, column) -
        (isContainer(words, column) ? contained : 0) -
        (isLesser(column, columns, words) || column.fill < mostRows ? lesser : 0) -
        (column.fill < fewRows ? lesser : 0) -
        (isOfPage(phrase, column) ? lesser : 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
}
