/** How well a column is what a phrase of the goal asks for: by its names, its type and the look of its values. */
import { perUnit } from './amounts.ts';
import type { Column } from './candidate.ts';
import { isCount, isIdentifier, isOfMany, isOtherCount, isOtherDate, isOtherPart } from './claims.ts';
import { contentFit, isWeakHead, lookOf } from './content.ts';
import { meansState } from './flags.ts';
import type { Goal, Phrase } from './goal.ts';
import { weekday } from './groups.ts';
import { isFieldWord, isKind } from './vocabulary.ts';
import { likeness, meansSame, plain, wordsOf } from './words.ts';

/** The least score of a pair that counts. */
export const enough = 0.45;

const numeric = new Set(
  'price cost amount preis prix precio salary rating score star point vote number count quantity qty size year comment reply view temperature elevation height weight population distance percent answer download played won lost gain ascent climb'.split(
    ' ',
  ),
);
/** Words that tell nothing about what is asked for. */
export const generic = new Set(
  'product service item thing entry listing post result data content element object stuff article page link offer deal goods good set group kind name title file document resource overview update produkt artikel producto produit prodotto date price'.split(
    ' ',
  ),
);
const durations = new Set(
  'cook cooking prep preparation total reading travel delivery shipping running run play ready bake baking driving waiting kochzeit'.split(
    ' ',
  ),
);

const places = new Set(
  'start starting end finishing meeting pickup departure boarding access entry'.split(' '),
);

const isFile = (word: string) =>
  /^(?:file|audio|video|media|enclosure|mp3|mp4|pdf|download|datei|fichier|archivo)$/.test(word);

const coded = new Set('isbn ean gtin upc'.split(' '));
const timeOfDay = /^(?:time|hour|clock|kickoff|uhrzeit|zeit|heure|hora|ora)$/;
const clock = /^\d{1,2}[:.]\d\d(?:\s?[ap]\.?m\.?)?$/i;
const isWeekday = (sample: string) => weekday.test(sample) && !/\d/.test(sample);
const hasTime = (column: Column) => column.samples.some((sample) => /\d:\d\d/.test(sample));

/** "3 nights, 2 adults": no amount of money. */
const counted = /^\d+ \p{L}{3,}(?:, \d+ \p{L}{3,})*$/u;

/** "Answers" may be the texts themselves, where a text is called so or is long. */
const isTextOf = ({ words }: Phrase, column: Column) =>
  !words.includes('number') &&
  /^(?:comment|reply|answer)$/.test(words.at(-1) ?? '') &&
  (column.length > 25 || column.names.some((name) => likeness(words.at(-1) ?? '', name) >= 0.85)) &&
  !column.isTitle;

/** How far the type of the column is what such a field has: 1 speaks for it, 0 against it. */
export function typeFit(phrase: Phrase, column: Column): number {
  const { type } = column.type.rules;
  const head = phrase.words.at(-1) ?? '';
  const asks = (...kinds: string[]) => phrase.words.some((word) => kinds.some((kind) => isKind(word, kind)));
  const means = (kind: string) =>
    isKind(head, kind) || (isWeakHead(head) && phrase.words.some((word) => isKind(word, kind)));
  if (asks('image') && !isWeakHead(head))
    return type === 'image' ? 1 : isKind(head, 'url') && type === 'url' ? 0.1 : 0;
  // A website is elsewhere.
  if (/^(?:website|homepage|web|webseite)$/.test(head))
    return type === 'url'
      ? column.samples.every((sample) => /^https?:/.test(sample))
        ? 1
        : 0
      : type === 'text' && column.length < 60
        ? 0.5
        : 0;
  if (isKind(head, 'url') && head !== 'address') return type === 'url' ? 1 : 0;
  if (type === 'image') return 0;
  // A file is given by its address.
  if (type === 'url')
    return isFile(head) && column.names.some((name) => isFile(name) || name === 'enclosure') ? 1 : 0;
  // "(3,907)" beside stars: how many rated it.
  const countsOpinions =
    column.type.unit !== 'currency' &&
    column.names.some((name) => /^(?:rating|review|vote|comment)$/.test(name));
  if (means('price') && countsOpinions && !column.names.some((name) => isKind(name, 'price'))) return 0;
  if (means('price') || means('salary') || means('discount'))
    return type === 'number'
      ? column.type.unit === 'currency'
        ? 1
        : 0.6
      : type === 'text' &&
          column.length < 40 &&
          column.samples.some((sample) => /\d|free|gratis|kostenlos|gratuit/i.test(sample)) &&
          !(means('price') && column.samples.every((sample) => counted.test(sample)))
        ? 0.4
        : 0;
  // Where something starts or people meet.
  if (head === 'point' && phrase.words.some((word) => places.has(word))) return type === 'text' ? 0.7 : 0;
  const lasts =
    isKind(head, 'duration') && (head !== 'time' || phrase.words.some((word) => durations.has(word)));
  // Nor is a sum of money a time, an opinion or a measure.
  const measured = ['date', 'rating', 'weight', 'size', 'temperature', 'distance', 'room'];
  if (column.type.unit === 'currency' && (lasts || measured.some(means))) return 0.1;
  if (lasts)
    return type === 'date' ? 0.1 : type === 'number' || contentFit(phrase.words, column) > 0 ? 0.9 : 0.4;
  if (phrase.words.includes('year')) return type === 'number' ? 0.9 : type === 'date' ? 0.7 : 0.4;
  // In German a day, but never several.
  if (means('date') && !/(?:^|_)tags$/.test(phrase.written)) {
    // A day of the week is no time of day.
    if (timeOfDay.test(head) && column.samples.length > 0 && column.samples.every(isWeekday)) return 0;
    // Of two, a time of day is the one that says it.
    if (type === 'text' && timeOfDay.test(head) && column.samples.every((sample) => clock.test(sample)))
      return column.samples.length > 0 ? 1.3 : 0.45;
    if (type === 'date') return /time|hour|zeit|heure|hora/.test(head) ? (hasTime(column) ? 1.15 : 0.85) : 1;
    if (contentFit(phrase.words, column) > 0) return 0.8;
    // A long text without a digit says no time.
    if (
      column.length > 20 &&
      column.samples.length > 0 &&
      !column.samples.some((sample) => /\d/.test(sample))
    )
      return 0;
    return column.length < 60 && type !== 'number' ? 0.45 : 0.1;
  }
  if (means('rating') && !means('title')) return type === 'number' || type === 'json' ? 0.9 : 0.3;
  if (means('weight') || means('size') || means('temperature') || means('distance'))
    return type === 'number' ? 0.9 : 0.4;
  if (isCount(phrase) && type !== 'number' && !isTextOf(phrase, column))
    return column.length < 40 &&
      column.samples.length > 0 &&
      column.samples.every((sample) => /^\D*\d[\d.,’' ]*(?:[-–]\s?\d[\d.,]*)?\D*$|^no\b|^-$/i.test(sample))
      ? 0.4
      : 0;
  // Digits that tell one from another, not how many there are.
  if (
    phrase.words.some((word) => coded.has(word)) &&
    !column.samples.every((sample) => /\d{5}/.test(sample.replace(/[\s-]/g, '')))
  )
    return column.samples.length === 0 ? 0.5 : 0;
  // "Flight number": a name.
  if (head === 'number' && phrase.words.length > 1)
    return type === 'number' ? 0.8 : column.samples.some((sample) => /\d/.test(sample)) ? 0.7 : 0.2;
  if (numeric.has(head) || phrase.words.includes('number'))
    return type === 'number' ? 0.8 : /^(?:comment|reply|answer)$/.test(head) ? 0.5 : 0.35;
  if (asks('title')) {
    // An initial is no name, nor is an excerpt.
    const isNamed = type === 'text' && column.length > 2;
    return !isNamed ? 0.2 : column.length > 120 ? 0.4 : 0.7;
  }
  if (asks('description', 'text'))
    return type !== 'text' ? 0.1 : column.length < 10 ? 0.3 : Math.min(0.4 + column.length / 200, 1);
  if (asks('author', 'location', 'company', 'category', 'availability', 'brand', 'difficulty'))
    return type === 'text'
      ? column.length > 90
        ? 0.25
        : 0.6
      : type === 'boolean' || type === 'json'
        ? 0.5
        : 0.15;
  // Money is no dish, whatever is left.
  return column.type.unit === 'currency' ? 0.1 : 0.5;
}

/** How much a word of a phrase tells; of "phone number" the first, of "date posted" both. */
function weightOf({ words }: Phrase, isHead: boolean, isFirst: boolean, isWeak: boolean): number {
  if (isHead) return isWeak && words.length > 1 ? 0.7 : 1;
  // "page count": the count says nothing.
  if (isWeakHead(words.at(-1) ?? '')) return 1;
  if (isFirst) return 0.3;
  return isWeak ? 1 : 0.7;
}

/** From 0 to 1: how far the names of the column are the phrase. */
function namesFit(phrase: Phrase, column: Column, head: string, subject: readonly string[]): number {
  const isOwner = (word: string) => phrase.words.length > 1 && word !== head && subject.includes(word);
  const isBare = phrase.words.slice(0, -1).every(isOwner);
  let named = 0;
  column.names.forEach((name, index) => {
    // Of "date posted" each word tells; the last of "book title" tells most.
    phrase.words.forEach((word, place) => {
      // "P." is what begins so, in whatever language.
      if (/^\p{L}$/u.test(name) && word[0] !== name) return;
      const isHead = word === head;
      const isFirst = place === 0 && phrase.words.length > 1 && generic.has(word);
      const weight = isOwner(word)
        ? 0.3
        : isHead && isBare
          ? 1
          : weightOf(phrase, isHead, isFirst, isWeakHead(word));
      named = Math.max(named, likeness(word, name) * weight * (index < 3 ? 1 : 0.85));
    });
  });
  const matched = phrase.words.filter((word) =>
    column.names.some((name) => likeness(word, name) >= 0.85),
  ).length;
  if (phrase.words.length > 1 && matched === phrase.words.length) return 1.15;
  // Both words by their meaning: "job title" and "position name".
  const free = [...column.names];
  const meant = phrase.words.filter((word) => {
    const at = free.findIndex((name) => meansSame(word, name));
    if (at >= 0) free.splice(at, 1);
    return at >= 0;
  }).length;
  return phrase.words.length > 1 && meant === phrase.words.length && column.names.length > 1
    ? Math.max(named, 0.95)
    : named;
}

/** From 0 to 1: how likely a table's short header is an abbreviation of the phrase: "Pts", "GD", "W". */
function shortFit({ words, written }: Phrase, { short, names }: Column): number {
  if (short === undefined) return 0;
  const letters = plain(short).replace(/[^a-z]/g, '');
  const said = written.split('_').filter((word) => word !== '');
  if (letters.length > 1 && said.length > 1 && said.map((word) => word[0]).join('') === letters) return 0.9;
  // What its group is called may be said before: "home wins".
  const head = said.at(-1) ?? '';
  const others = words.slice(0, -1);
  if (others.some((word) => !names.some((name) => meansSame(word, name)))) return 0;
  if (letters === '' || head.length <= letters.length || head[0] !== letters[0]) return 0;
  if (letters.length === 1) return 0.6;
  let at = 0;
  for (const letter of head) if (letter === letters[at]) at += 1;
  return at === letters.length ? 0.85 : 0;
}

/** Of what begins and what ends one is not the other, though both are dates. */
const begins = new Set('posted published created start begin opening listed added'.split(' '));
const ends = new Set('closing close deadline expiry expire expiration end until'.split(' '));
const isOpposite = (words: readonly string[], names: readonly string[]) => {
  const has = (all: readonly string[], some: ReadonlySet<string>) => all.some((word) => some.has(word));
  return (
    (has(words, begins) && !has(words, ends) && has(names, ends) && !has(names, begins)) ||
    (has(words, ends) && !has(words, begins) && has(names, begins) && !has(names, ends))
  );
};

const measures = new Set(
  'unit per kilo kg gram litre liter base basic grundpreis einheit unite unidad'.split(' '),
);
const periods = new Set('today week weekly month monthly daily yesterday'.split(' '));
const former = new Set(
  'old was former before compare rrp msrp uvp strike original previous alt alter alte altes alten ehemal vorher statt ancien ancienne barre antiguo anterior antes vecchio precedente oud oude gammal stara stary'.split(
    ' ',
  ),
);
const present = new Set('now current sale new special reduced discounted final aktuell'.split(' '));
const isOldWord = (word: string) => former.has(word);

const isBareName = ({ words }: Phrase) =>
  words.length === 1 && /^(?:name|naam|nom|nombre|nome|namn|navn)$/.test(words[0] ?? '');
const isBareHeading = ({ words }: Phrase) =>
  words.length === 1 && /^(?:title|headline|heading|titel|titre|titulo|titolo)$/.test(words[0] ?? '');
const persons = new Set('consumer customer profile person member reviewer'.split(' '));

/** "Genres": the word that is asked for, and nothing that it names. */
const saysItself = ({ words }: Phrase, { samples, type }: Column) =>
  type.rules.type === 'text' &&
  samples.length > 0 &&
  samples.every((sample) => sample.length < 40 && wordsOf(sample).every((word) => words.includes(word)));

const isJustName = ({ words }: { readonly words: readonly string[] }) =>
  words.length > 0 && words.every((word) => /^(?:title|name)$/.test(word));

const isDrawn = ({ source }: Column) =>
  source.in === 'html' && (source.count !== undefined || /^(?:style|class)$/.test(source.attribute ?? ''));

/** From 0 to about 1.3: how likely the column is what the phrase asks for. */
export function fitOf(phrase: Phrase, column: Column, goal: Goal): number {
  if (column.isFlag === true) return meansState(phrase.words, column.names) ? 1.3 : 0;
  const [subject = ''] = goal.subject;
  const head = phrase.words.at(-1) ?? '';
  const type = typeFit(phrase, column);
  if (type === 0 || isOtherDate(phrase, column)) return 0;
  // A day that stands above is no time of day.
  if (column.isAbove === true && timeOfDay.test(head) && !hasTime(column)) return 0;
  // What a kilo costs is asked for by that word alone.
  if (column.names.includes(perUnit) && !phrase.words.some((word) => measures.has(word))) return 0;
  let score = namesFit(phrase, column, head, goal.subject);
  score = Math.max(score, shortFit(phrase, column));
  if (isOtherPart(phrase, column)) score *= 0.3;
  if (isIdentifier(phrase) && isOtherCount(phrase, column)) return 0;
  if (isOfMany(phrase, column)) score *= 0.4;
  // Of two changes one is in percent.
  const isPercent = phrase.words.some((word) => isKind(word, 'percent'));
  const showsPercent = column.names.includes('%') || column.type.unitWords === '%';
  if (isPercent && showsPercent) score = Math.max(score, 0.95);
  else if (isPercent !== showsPercent && phrase.words.length > 1) score *= 0.7;
  for (const name of column.nearNames)
    for (const word of phrase.words) score = Math.max(score, likeness(word, name) * 0.7);
  // What all the words stand around, such as `review-score`.
  if (phrase.words.length > 1 && phrase.words.every((word) => column.nearNames.includes(word)))
    score = Math.max(score, 0.95);
  const isTitle = phrase.words.some(
    (word) => (word !== subject || phrase.words.length === 1) && isKind(word, 'title'),
  );
  // "Name, title and text": of a review the title is its heading, and the name that of who wrote it.
  const isWriter = isBareName(phrase) && goal.fields.some((other) => isBareHeading(other));
  if (isWriter && column.nearNames.some((name) => isKind(name, 'author') || persons.has(name)))
    score = Math.max(score, 0.9);
  if (isTitle && column.isTitle && !isWriter)
    score = Math.max(score, phrase.words.length > 1 && !generic.has(phrase.words[0] ?? '') ? 0.7 : 0.9);
  // Of "name" and "job title" the first is what the heading says.
  if (column.isTitle && isJustName(phrase) && goal.fields.filter(isJustName).length === 1)
    score = Math.max(score, 0.98);
  else if (column.isTitle && goal.fields.some(isJustName) && isJustName({ words: column.names }))
    score = Math.min(score, 0.7);
  // Of what is not called anything the row's name is the likeliest.
  if (column.isTitle && score > 0 && phrase.words.length === 1 && !isFieldWord(head)) score += 0.1;
  const content = contentFit(phrase.words, column);
  if (content === 1) score = Math.max(score, 0.55) + 0.1;
  else if (score < 0.3 && column.names.length === 0 && type >= 0.9) score = 0.5;
  else if (score < 0.3 && type >= 1 && !['text', 'json'].includes(column.type.rules.type)) score = 0.48;
  else if (content > 0 && score < 0.3 && column.names.length === 0) score = 0.5;
  if (isOpposite(phrase.words, column.names)) score *= 0.3;
  // "310 stars today" are not all of them.
  if (column.names.some((name) => periods.has(name)) && !phrase.words.some((word) => periods.has(word)))
    score *= 0.3;
  // "2h 22m" is no title.
  const look = lookOf(column);
  if (look !== undefined && !phrase.words.some((word) => isKind(word, look) || isKind(word, 'text')))
    score -= 0.25;
  // What was the price is no price, unless it is asked for.
  const wasBefore = column.names.some((name) => isOldWord(name));
  const asksBefore = phrase.words.some(isOldWord);
  const isOld = wasBefore && !asksBefore;
  if (wasBefore && asksBefore && column.type.unit === 'currency') score = Math.max(score, 0.95);
  // And the other way round, where it is not called so.
  const isNoOld = asksBefore && !wasBefore && column.names.some((name) => present.has(name));
  // "link" alone is where the row leads to.
  if (column.isTitleLink === true && phrase.words.every((word) => isKind(word, 'url') || word === subject))
    score = Math.max(score, 1.1);
  if (score < 0.3 || saysItself(phrase, column)) return 0;
  const exact = column.names[0] !== undefined && phrase.words.includes(column.names[0]) ? 0.08 : 0;
  const standard = column.standard === true ? 0.15 : 0;
  // A place that few rows have is rarely what is asked for of each.
  const spread = score >= 1.15 ? 0.9 + 0.1 * column.fill : 0.6 + 0.4 * column.fill;
  return (
    score * (0.55 + 0.45 * type) * spread +
    exact +
    standard +
    column.fill * 0.06 -
    // What stands in the row itself comes first.
    (column.isAbove === true ? 0.1 : 0) -
    // Nor does a part of a text, where another is that value as a whole.
    (column.division === 'part' || column.division === 'piece' ? 0.03 : 0) -
    // What is written is clearer than what is drawn.
    (isDrawn(column) ? 0.05 : 0) -
    // In a table with a header what is the same in all rows is meant as well.
    (column.constant && column.source.in !== 'table' ? 0.2 : 0) -
    (isOld || isNoOld ? 0.25 : 0)
  );
}

/** Its own name is that of another field which is asked for and which it can be, and does not name this one at all. */
export function isAnothers(phrase: Phrase, column: Column, others: readonly Phrase[]): boolean {
  const { names } = column;
  if (names.some((name) => phrase.words.some((word) => meansSame(word, name)))) return false;
  return others.some((other) => {
    const head = other.words.at(-1) ?? '';
    const isNamed = names.some((name) => likeness(head, name) >= 0.85);
    // The text of `a.link` is no address.
    return other.words !== phrase.words && !isWeakHead(head) && isNamed && typeFit(other, column) > 0;
  });
}
