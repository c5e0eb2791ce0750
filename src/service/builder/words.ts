/** Words: taken from texts, keys and class names, brought to one form, and compared by what they commonly mean. */

/** Each line: words that sites and people use for the same kind of field. */
const meanings = `
title name headline heading caption subject titel titre titulo überschrift nom nombre bezeichnung
price cost amount preis prix precio fee tarif
url link href permalink webpage
image img photo picture thumbnail thumb cover poster avatar logo icon foto bild
date time published posted publication pubdate datepublished created updated modified when day datetime deadline closing start datum fecha termin zeit
author writer byline creator poster autor by artist speaker user username submitter nick nickname handle commenter reviewer poster
rating score star note bewertung grade
description summary desc excerpt abstract teaser snippet blurb intro lead overview beschreibung
location place city venue where region town ort lieu ciudad standort
company employer organization organisation firm business firma hiringorganization organizer
brand manufacturer maker vendor hersteller marke
salary pay wage compensation gehalt lohn remuneration
availability available stock instock inventory verfügbarkeit lager
category genre section department type topic kategorie rubrik
tag keyword label
comment reply response discussion answer kommentar
review opinion
text body content message articlebody
quote quotation
phone telephone tel telefon mobile
email mail
vote point upvote like
view hit visit read
id identifier sku isbn code number nr ref reference
size length
quantity qty count
duration runtime length
year released release
ingredient zutat
instruction step method direction
position rank place #
change delta diff
country nation land
definition meaning explanation
term word
version release
status state
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

/** Each line: words for the same kind of thing, which a goal speaks of but which are no fields. */
const things = `
job position role vacancy opening career
staff people person member employee team contact colleague faculty
car vehicle auto
house property home apartment flat estate
movie film
story news article post headline blog entry
shop store market branch outlet
course class lesson training programme program
event show concert gig happening calendar
book novel
recipe dish meal food
hotel accommodation lodging
restaurant cafe eatery
plant flower
animal pet
club team
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

const fieldWords = new Set(meanings.flat());
const meaningsOf = new Map<string, number[]>();
for (const [index, words] of [...meanings, ...things].entries())
  for (const word of words) meaningsOf.set(word, [...(meaningsOf.get(word) ?? []), index]);

/** The singular, roughly: enough to compare by. */
export function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}

/** Small-letter words of any text, key or class name: `datePosted`, `job-title`, `Unit price:`. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}#%]+/u)
    .filter((word) => word !== '')
    .map(stem);
}

/** `dept` for department: its letters in order, with hardly a vowel. */
function abbreviates(short: string, long: string): boolean {
  if (short.length < 3 || short.length > 5 || long.length < short.length + 3 || short[0] !== long[0])
    return false;
  if ((short.match(/[aeiou]/g) ?? []).length > 1) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

/** From 0 to 1: how likely two words name the same kind of thing. */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const shorter = Math.min(one.length, other.length);
  if (shorter >= 4 && (one.startsWith(other) || other.startsWith(one))) return 0.85;
  const groups = meaningsOf.get(other);
  if (meaningsOf.get(one)?.some((group) => groups?.includes(group)) === true) return 0.75;
  if (abbreviates(one, other) || abbreviates(other, one)) return 0.75;
  if (shorter >= 4 && (one.includes(other) || other.includes(one))) return 0.6;
  return 0;
}

/** Whether the word names a kind of field that many sites have. */
export const isFieldWord = (word: string) => fieldWords.has(word);

export const meansSame = (word: string, other: string) => likeness(word, other) >= 0.75;

/** A field's name of these words. */
export const fieldName = (words: readonly string[]) =>
  words
    .join('_')
    .normalize('NFKD')
    .replace(/[^\w]+/g, '')
    .replace(/^(?=\d)/, '_')
    .slice(0, 40);
