/** What a column says itself that it is: what speaks against its being something else. */
import type { Column } from './candidate.ts';
import { isWeakHead } from './content.ts';
import type { Phrase } from './goal.ts';
import { isFieldWord, isKind } from './vocabulary.ts';
import { meansSame, wordsOf } from './words.ts';

/** Names that say little enough for the column to be something else. */
const vague = ['title', 'description', 'text', 'category', 'term', 'id', 'tag'];
const isVague = (name: string) => vague.some((kind) => isKind(name, kind));

/** What happens at a date: of two dates the words decide. */
const occasions: readonly ReadonlySet<string>[] = [
  'posted published publication pubdate datepublished dateposted created added submitted listed veroffentlicht publie publicado',
  'updated modified edited lastmod lastmodified datemodified changed',
  'closing close deadline expire expiry expiration validthrough through until due end ending finish finishing finished bewerbungsschluss limite cierre',
  'start begin beginn starting startdate opening',
].map((words) => new Set(words.split(' ')));
const occasionsOf = (words: readonly string[]) =>
  occasions.filter((occasion) => words.some((word) => occasion.has(word)));

/** "Closing date" and `datePosted`: dates of different things. */
export function isOtherDate({ words }: Phrase, { names }: Column): boolean {
  const asked = occasionsOf(words);
  const told = occasionsOf(names);
  return asked.length > 0 && told.length > 0 && !asked.some((occasion) => told.includes(occasion));
}

/** "Recipe name" and `recipeCategory`: what both are of is no evidence, where the column says what of it it is. */
export function isOtherPart({ words }: Phrase, { names }: Column): boolean {
  const head = words.at(-1) ?? '';
  if (words.length < 2 || !isWeakHead(head)) return false;
  const owners = words.slice(0, -1);
  // "Post title" and `post-author-name`: the name of somebody.
  const named = names.findIndex((name) => isKind(name, 'title'));
  const [owner = ''] = names.slice(Math.max(named - 1, 0), Math.max(named, 0));
  if (isKind(owner, 'author') && !isKind(owner, 'title') && isKind(head, 'title'))
    if (!words.some((word) => meansSame(word, owner))) return true;
  return (
    !names.some((name) => meansSame(head, name)) &&
    names.some((name) => owners.includes(name)) &&
    names.some(
      (name) => isFieldWord(name) && !isKind(name, 'text') && !words.some((word) => meansSame(word, name)),
    )
  );
}

/** Its names are those of a kind of field that is not asked for here. */
export function isOtherKind({ words }: Phrase, { names }: Column): boolean {
  const telling = names.filter((name) => isFieldWord(name));
  return (
    telling.length > 0 &&
    !telling.some((name) => isVague(name) || words.some((word) => meansSame(word, name)))
  );
}

const counts = new Set(
  'reply comment answer vote upvote view point like karma download star share follower subscriber'.split(' '),
);
const isNumbered = (word: string) => /^(?:number|count|anzahl|nombre|numero)$/.test(word);

/** "Replies", "votes", "number of answers": how many there are. */
export const isCount = ({ words }: Phrase): boolean =>
  counts.has(words.at(-1) ?? '') ||
  (words.length > 1 && (isNumbered(words[0] ?? '') || /^(?:count|anzahl)$/.test(words.at(-1) ?? '')));

/** Of what is measured or counted, in most languages alike. */
const measure =
  /^(?:\W*|[\p{L}]{1,2}|km|min\w*|hours?|stunden?|std|heures?|horas?|days?|weeks?|months?|years?|tage?|jahre?|ans?|jours?|stars?|points?|pts)$/iu;

/** "14 consultants" is no GMC number: what a number counts is told beside it. */
export function isOtherCount({ words }: Phrase, { type }: Column): boolean {
  const [unit] = wordsOf(type.unitWords ?? '');
  return (
    unit !== undefined &&
    type.unit !== 'currency' &&
    !measure.test(unit) &&
    !words.some((word) => meansSame(word, unit))
  );
}

/** A number that names one of many: "lot number", "GMC number"; not how many there are. */
export const isIdentifier = ({ words }: Phrase): boolean =>
  words.length > 1 && isNumbered(words.at(-1) ?? '') && !words.slice(0, -1).some((word) => counts.has(word));

const averages = new Set(
  'average avg mean median durchschnitt durchschnittlich schnitt moyenne moyen promedio gemiddeld gemiddelde srednia sredni genomsnitt gjennomsnitt gennemsnit prumer'.split(
    ' ',
  ),
);

/** The average price of an area is the price of none of its houses; ratings are averages by nature. */
export const isOfMany = ({ words }: Phrase, { names }: Column): boolean =>
  names.some((name) => averages.has(name)) &&
  !words.some((word) => averages.has(word) || isKind(word, 'rating'));
