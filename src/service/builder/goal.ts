/** What a goal in plain words asks for: the fields it lists, and what it is about. */
import { spans } from './goal-grammar.ts';
import { chunksOf, type Item } from './goal-items.ts';
import { attributes, collections, isFiller } from './goal-words.ts';
import { stem } from './stem.ts';
import { isFieldWord, isKind, isThing } from './vocabulary.ts';
import { fieldName, wordsOf } from './words.ts';

export interface Phrase {
  /** Words in one form, the most telling last: "date posted", "book title". */
  readonly words: readonly string[];
  /** The name its field gets. */
  readonly name: string;
  /** As the goal writes it: the name of a field that is a list. */
  readonly written: string;
  /** Implied by the goal, not asked for: nothing is missing without it. */
  readonly optional?: true;
  /** Asked for where there is any: without it the rest is given. */
  readonly ifAny?: true;
}

export interface Goal {
  /** Fields that the goal lists; empty where it leaves them open. */
  readonly fields: readonly Phrase[];
  /** Words for what the rows are: books, jobs. */
  readonly subject: readonly string[];
  /** Whether many things are asked for, or one; undefined where the goal does not tell. */
  readonly many: boolean | undefined;
  /** It speaks of searching by words that the caller gives. */
  readonly searches: boolean;
}

const head = ({ words }: Item) => words.at(-1) ?? '';
const isAttribute = (word: string) => attributes.some((kind) => isKind(word, kind));
/** Words before "with" that are asked for as well: "prices with currency". */
const isNaming = (word: string) => isTitleWord(word) || (isKind(word, 'price') && !isThing(word));
const isCounted = ({ written }: Item) =>
  /^(?:number_of|anzahl$|aantal$|nombre_de|numero_d)/.test(written[0] ?? '');
const isTitleWord = (word: string) =>
  /^(?:title|name|headline|heading|titel|titre|nom|nombre|titulo)$/.test(word);

/** "name version downloads": words that are fields each, with nothing between them. */
function bareFields({ words, written }: Item): Item[] | undefined {
  if (words.length < 3 || written.length !== words.length) return undefined;
  const items: Item[] = [];
  for (const [index, word] of words.entries()) {
    if (!isFieldWord(word)) {
      if (index > 0) return undefined;
    }
    const before = items.at(-1);
    const joins =
      before !== undefined &&
      isTitleWord(word) &&
      isThing(before.words[0] ?? '') &&
      before.words.length === 1;
    const item = {
      ...emptyItem,
      words: [word],
      written: [written[index] ?? word],
      plural: /[^s]s$/.test(written[index] ?? ''),
    };
    if (joins && before !== undefined)
      items[items.length - 1] = {
        ...before,
        words: [...before.words, word],
        written: [...before.written, ...item.written],
      };
    else items.push(item);
  }
  return items.length >= 2 ? items : undefined;
}
const emptyItem: Item = {
  words: [],
  written: [],
  more: [],
  isOf: false,
  zone: 'list',
  plural: false,
  determiner: undefined,
  afterSearch: false,
};

/** "owner of every boat", "height of the tower": what is asked of it. */
const isOfSome = (item: Item, items: readonly Item[]) =>
  isFieldWord(head(item)) &&
  !isThing(head(item)) &&
  items[items.indexOf(item) + 1]?.zone === 'context' &&
  items[items.indexOf(item) + 1]?.determiner !== undefined;

/** "phone number", and nothing else. */
const isOnly = (item: Item, items: readonly Item[]) =>
  items.length === 1 && /^(?:number|address)$/.test(head(item)) && item.words.some(isAttribute);

interface Reading {
  readonly fields: Item[];
  readonly subject: Item[];
  /** Fields follow a word such as "with". */
  opened: boolean;
}

/** Sorts the items of a sentence into fields and what they are of. */
function readSentence(items: readonly Item[], known: boolean): Reading {
  const reading: Reading = { fields: [], subject: [], opened: items.some(({ zone }) => zone === 'list') };
  const starts = items.filter(({ zone }) => zone === 'start');
  const [first] = starts;
  const isList = starts.length >= 2;
  const fieldLike = starts.filter((item) => isFieldWord(head(item)) || isCounted(item)).length;
  // "number of beds, agent and its phone": those before "its" are fields as well.
  const plainly = starts.filter((item) => isFieldWord(head(item)) && !isThing(head(item))).length;
  const isAdded = starts.length >= 3 && plainly >= 2;
  const isOfEach =
    isList && items.some((item) => item.zone === 'context' && item.isOf && item.determiner === 'many');
  for (const item of items) {
    if (item.zone === 'list') reading.fields.push(item);
    else if (item.zone === 'context') reading.subject.push(item);
    // "which flats are free": what is asked about, unless it is a kind of field.
    else if (item.asked === true && item.plural && (!isFieldWord(head(item)) || isThing(head(item))))
      reading.subject.push(item);
    else if (item.zone === 'after') {
      if (
        !item.afterSearch &&
        (isFieldWord(head(item)) || item.words[0] === 'who') &&
        (reading.fields.length > 0 || reading.opened)
      )
        reading.fields.push(item);
      else reading.subject.push(item);
    } else if (reading.opened && !isAdded) {
      // "product names with prices": what stands before is the subject, unless it is a field itself.
      const title = item.words.length > 1 && isTitleWord(head(item));
      const listed = isList && isAttribute(head(item)) && !isThing(head(item));
      if (isCounted(item)) reading.fields.push(item);
      else if (title || listed || (item.words.length === 1 && isNaming(head(item)))) {
        const name = item.words.slice(-1);
        reading.fields.push({ ...item, words: name, written: item.plural ? name : item.written.slice(-1) });
        reading.subject.push({ ...item, words: item.words.slice(0, -1), written: [] });
      } else reading.subject.push(item);
    } else if (isList && (fieldLike > 0 || starts.length > 2 || isOfEach)) {
      // "List books, authors and prices": what opens the sentence and is no kind of field is the subject.
      const isSubject =
        item === first && !known && item.plural && !item.words.some(isFieldWord) && starts.length > 2;
      const isBoth =
        item === first &&
        !known &&
        item.plural &&
        item.words.length > 1 &&
        starts.slice(1).every(({ plural }) => !plural);
      if (isBoth && isFieldWord(head(item))) {
        // "inspirational quotes and who said them": a quote each.
        const singular = stem(item.written.at(-1) ?? '');
        reading.fields.push({ ...item, words: item.words.slice(-1), written: [singular], plural: false });
        reading.subject.push(item);
      } else if (isSubject) {
        reading.subject.push(item);
        reading.opened = true;
      } else reading.fields.push(item);
    } else {
      const bare = bareFields(item);
      if (bare !== undefined) reading.fields.push(...bare);
      else if (isOfSome(item, items)) reading.fields.push(item);
      else if (isOnly(item, items)) reading.fields.push(item);
      else if (isAttribute(head(item)) && (!isThing(head(item)) || item.words.length > 1)) {
        // Of "product prices" the product is the subject; "opening hours" are one thing.
        const isOwner = item.determiner !== undefined || item.words.slice(0, -1).some(isThing);
        const from = isOwner && !isCounted(item) ? -1 : 0;
        reading.fields.push({ ...item, words: item.words.slice(from), written: item.written.slice(from) });
        if (from !== 0)
          reading.subject.push({
            ...item,
            words: item.words.slice(0, -1).filter((word) => !item.more.includes(word)),
            written: [],
          });
      } else reading.subject.push(item);
    }
  }
  return reading;
}

function manyOf(goal: string, items: readonly Item[], fields: readonly Item[]): boolean | undefined {
  if (items.some(({ determiner }) => determiner === 'many')) return true;
  const things = items.filter((item) => !fields.includes(item) && item.words.length > 0 && !item.afterSearch);
  if (things.some(({ plural, zone }) => plural && zone !== 'after')) return true;
  const one = things.find(
    (item) =>
      item.determiner === 'one' &&
      !item.plural &&
      !collections.has(head(item)) &&
      !collections.has(item.words[0] ?? '') &&
      !spans.has(head(item)),
  );
  // "prices and hours of the museum"
  if (one?.isOf === true) return false;
  if (fields.length > 1 && fields.every(({ plural }) => plural)) return true;
  if (one !== undefined) return false;
  if (/\b(?:this|that) (?:page|one)\b/i.test(goal)) return undefined;
  return fields.length === 1 && fields[0]?.plural === true ? true : undefined;
}

/** Longer goals are read up to here. */
const maxGoal = 2_000;

const listPattern =
  /[.;!?\n]\s*(?:fields?|columns?|keys|felder|spalten|champs|colonnes|campos|columnas|campi|colonne|velden|kolommen|colunas|pola|kolumny)\s*:\s*(\S.*)$/is;

/** "… Fields: name, price": what is listed so is all that is asked for, whatever was said before. */
function listedNames(goal: string): readonly string[] | undefined {
  const list = listPattern.exec(goal)?.[1];
  if (list === undefined) return undefined;
  const names = readGoal(`with ${list}`).fields.map(({ name }) => name);
  return names.length >= 2 ? names : undefined;
}

export function readGoal(text: string): Goal {
  const goal = text
    .slice(0, maxGoal * 2)
    .replace(/[^\S\n]+/g, ' ')
    .trim()
    .slice(0, maxGoal);
  const { sentences, english } = chunksOf(goal);
  const searches =
    /(?:^|\b(?:to|can|and|then|for|a)\s+|[.;,]\s*)search\b(?!\s+results?)|\bsearch(?:es)? (?:by|for|the)\b|\bby (?:a )?(?:keywords?|query)\b|\blook(?:s|ing)? up\b|\b(?:keyword|full-?text) search\b/i.test(
      goal,
    );
  const fields: Item[] = [];
  const subject: Item[] = [];
  let opened = false;
  for (const items of sentences) {
    const reading = readSentence(
      items,
      subject.some(({ words }) => words.length > 0),
    );
    fields.push(...reading.fields);
    subject.push(...reading.subject);
    opened ||= reading.opened && reading.fields.length > 0;
  }
  const isPlural = fields.length > 0 && fields.every(({ plural }) => plural);
  const many = manyOf(goal, sentences.flat(), fields);
  const listed = listedNames(goal);
  const phrases = fields
    .filter(({ words }) => words.length > 0)
    .map(({ words: said, written, more, ifAny }): Phrase => {
      // "who published" asks for a name, not for the time.
      const words = said[0] === 'who' ? [...said.slice(1), 'who'] : said;
      const [last = ''] = written.slice(-1);
      const whole = fieldName([...written, ...more]);
      const singular = fieldName([...written.slice(0, -1), english ? stem(last) : last, ...more]);
      // "titles and prices" are a title and a price each; beside "name", "points" are meant as they are written.
      return {
        words,
        name: isPlural && !/_of_|hours$/.test(whole) ? singular : whole,
        written: whole,
        ...(ifAny === true ? { ifAny: true as const } : {}),
      };
    })
    .filter(({ name }) => name !== '' && (listed === undefined || listed.includes(name)));
  if (listed !== undefined)
    phrases.sort((one, other) => listed.indexOf(one.name) - listed.indexOf(other.name));
  const about = subjectWords(subject);
  // "Books with price": whoever asks so wants to know which book.
  const isNamed = phrases.some(({ words }) => words.some((word) => isKind(word, 'title')));
  const asksOfMany = many === true && phrases.length < 3 && about.length > 0;
  if (((opened && about.length > 0 && many !== false) || asksOfMany) && phrases.length > 0 && !isNamed)
    phrases.unshift({
      words: [...about.slice(0, 1), 'title'],
      name: 'title',
      written: 'title',
      optional: true,
    });
  const seen = new Set<string>();
  return {
    fields: phrases.filter(({ name }) => !seen.has(name) && seen.add(name)).slice(0, 20),
    subject: about,
    many,
    searches,
  };
}

/** The words, in one form and each once, that say what a goal, a name or a description is about. */
export const contentWords = (text: string): string[] =>
  [...new Set(wordsOf(text))].filter((word) => !isFiller(word));

const superlative =
  /^(?:who|erste[nr]?|premiere|primera|eerste|(?:cheap|larg|bigg|tall|high|low|long|fast|new|old|great)est)$/;

/** What stands right before the fields first: in "a comparison of offers, all laptops with …" the laptops. */
function subjectWords(items: readonly Item[]): string[] {
  const told = items.filter(({ afterSearch, words }) => !afterSearch && words.length > 0);
  const main = told.filter(({ zone }) => zone === 'start' || zone === 'context');
  const [first] = main.filter(({ determiner, plural }) => determiner !== undefined || plural).slice(-1);
  const ordered = first === undefined ? told : [first, ...told.filter((item) => item !== first)];
  return [...new Set(ordered.flatMap(({ words }) => words))].filter((word) => !superlative.test(word));
}
