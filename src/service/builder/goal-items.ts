/** A goal taken apart: sentences of items, each with where it stands. */
import {
  articles,
  containers,
  demonstratives,
  fieldFillers,
  isUnit,
  nounsToo,
  ofWords,
  ratios,
  sharing,
  singular,
} from './goal-grammar.ts';
import { withNouns } from './goal-nouns.ts';
import { type Part, readParts } from './goal-parts.ts';
import { joins, type Segment, segmentsOf, sentencesOf } from './goal-segments.ts';
import { adjectives, alsoFields, isEnglish, type Language } from './goal-words.ts';
import { isFieldWord, isThing, meaningsOf } from './vocabulary.ts';
import { meansSame, plain, wordsOf } from './words.ts';

export interface Item {
  /** In one form, the most telling last. */
  readonly words: readonly string[];
  readonly written: readonly string[];
  /** What its name has behind that: "per night". */
  readonly more: readonly string[];
  /** `start`: before anything tells; `list`: after "with", a colon or a bracket; `context`: after "of"; `after`: beyond that. */
  readonly zone: 'start' | 'list' | 'context' | 'after';
  readonly plural: boolean;
  /** "all", "each" or a number before it; "this" or "the"; neither. */
  readonly determiner: 'many' | 'one' | undefined;
  readonly afterSearch: boolean;
  /** It follows "of". */
  readonly isOf: boolean;
  /** Asked for where there is any. */
  readonly ifAny?: boolean;
  /** "which jobs": what is asked about. */
  readonly asked?: boolean;
}

const isPlural = (word: string) =>
  (/[^siu]s$/.test(word) && word.length > 3) ||
  /^(?:people|men|women|children|news|staff|movies|ies)$/.test(word);

/** "courses starting", "jobs posted": what starts, what is posted. */
const nounOf = ({ last, written }: Part) =>
  /(?:ing|ed)$/.test(last) ? (written.findLast((word) => isPlural(word)) ?? last) : last;

/** Takes a goal apart. */
export function chunksOf(goal: string): { sentences: Item[][]; english: boolean } {
  const { sentences, language } = sentencesOf(goal);
  const read: Item[][] = [];
  for (const tokens of sentences)
    read.push(itemsOf(withNouns(segmentsOf(tokens, language), language), language, read.flat()));
  return { sentences: read, english: isEnglish(language) };
}

function itemsOf(segments: readonly Segment[], language: Language, earlier: readonly Item[]): Item[] {
  const items: Item[] = [];
  let zone: Item['zone'] = 'start';
  let opened = false;
  let search = false;
  let emitted = 0;
  const known = () =>
    [...earlier, ...items].filter((item) => item.zone !== 'list').flatMap(({ words }) => words);
  segments.forEach(({ by, tokens: written }, index) => {
    if (by === 'command' && zone !== 'list') zone = 'start';
    if (by === 'open') [zone, opened] = ['list', true];
    if (by === 'close') zone = 'context';
    if (joins({ by }) && zone === 'context')
      zone = opened && items.at(-1)?.determiner !== 'many' ? 'list' : 'after';
    let owner: Item | undefined;
    const isLast = !joins(segments[index + 1]);
    // "today's departures": of nobody.
    if (by === 'owner' && items.length > emitted) {
      const last = items.pop();
      const isModified = last !== undefined && (last.zone === 'list' || items.length > 0);
      if (isModified && !last.words.every((word) => isAmong(word, known()))) owner = last;
      else if (last !== undefined && !isModified) {
        items.push({ ...last, zone: 'context' });
        // "the shop's products with title and price"
        if (!segments.slice(index + 1).some((later) => later.by === 'open')) [zone, opened] = ['list', true];
      }
    }
    const at = written.findIndex((token) => plain(token) === 'search');
    const isSearch =
      at >= 0 &&
      !/^results?$/i.test(written[at + 1] ?? '') &&
      (at === 0 || /^(?:to|can|and|then|for)$/i.test(written[at - 1] ?? ''));
    if (isSearch) [search, zone] = [true, 'context'];
    const inList = zone === 'list' || (zone !== 'context' && (joins({ by }) || !isLast));
    emitted = items.length;
    const {
      head,
      tails,
      ifAny: conditional,
      asked,
    } = readParts(
      isSearch ? written.slice(at + 1) : written,
      { inList, isListed: zone === 'list' || (inList && index > 0) },
      language,
    );
    // "website" and "type" are fields where they stand alone in a list.
    const alone = head.fillers.find(
      (word) => alsoFields.has(word) || (fieldFillers.has(word) && word !== 'like'),
    );
    if (
      head.words.length === 0 &&
      alone !== undefined &&
      inList &&
      (index > 0 || zone === 'list' || alone === 'id') &&
      head.fillers.length <= 2 &&
      !(containers.has(alone) && tails.length > 0)
    )
      Object.assign(head, { words: wordsOf(alone), written: [alone] });
    const also = head.fillers.at(-1) ?? '';
    if (head.words.length === 0 && tails.length === 0 && head.determiner === 'many' && nounsToo.has(also))
      Object.assign(head, { words: wordsOf(also), written: [also] });
    const isAlternative = by === 'or' || by === 'slash';
    const before = items.at(-1);
    // "city/town" is one field, "phone/e-mail" are two, "home or away" is one of two.
    if (isAlternative && before !== undefined && before.zone === zone && zone === 'list') {
      const both = [before.words, head.words];
      const isSingle = both.every(({ length }) => length === 1);
      const isSame =
        isSingle &&
        [...meaningsOf(before.words[0] ?? '')].some((group) => meaningsOf(head.words[0] ?? '').has(group));
      const isEither = isSingle && by === 'or' && both.every(([word = '']) => sharing.has(word));
      if (isEither)
        items[items.length - 1] = {
          ...before,
          words: [...before.words, ...head.words],
          written: [...before.written, 'or', ...head.written],
        };
      if (isSame || isEither) return;
    }
    const shown = {
      ...head,
      words: [...(owner?.words ?? []), ...head.words],
      written: [...(owner?.written ?? []), ...head.written],
    };
    const more: string[] = [];
    const others: Part[] = [];
    for (const tail of tails) {
      if (tail.words.length === 0 && tail.determiner !== 'many') continue;
      if (tail.written.some(isUnit) && measuring.test(tail.preposition)) continue;
      const place =
        others.length > 0 || head.words.length === 0
          ? 'other'
          : modifies(head, tail, { zone, isLast, inList, known: known(), isTold: earlier.length > 0 });
      if (place === 'other') others.push(tail);
      else if (place === 'part') {
        const first = shown.words.slice(0, -1);
        shown.words = [...first, ...tail.words, ...shown.words.slice(-1)];
        more.push(tail.preposition, ...tail.written);
      }
    }
    const itemOf = (part: Part, place: Item['zone'], behind: readonly string[]): Item => ({
      words: part.words,
      written: part.written,
      more: behind,
      zone: place,
      plural: isPlural(nounOf(part)) && !part.fillers.some((word) => singular.has(word)),
      determiner: part.determiner,
      afterSearch: search,
      isOf: ofWords.has(part.preposition),
      ...(conditional && place !== 'context' ? { ifAny: true } : {}),
      ...(asked ? { asked: true } : {}),
    });
    if (shown.words.length > 0 || (shown.determiner === 'many' && zone !== 'list'))
      items.push(itemOf(shown, zone, more));
    for (const tail of others) {
      zone = 'context';
      tail.words = tail.words.filter((word) => !adjectives.has(word));
      items.push(itemOf(tail, zone, []));
    }
  });
  return items;
}

const measuring = /^(?:in|en|em|im|um|under|over|below|above|unter|uber|sous|bajo|than)$/;

/** Whether the word is for what the goal is about. */
const isAmong = (word: string, known: readonly string[]) =>
  known.some((other) => word === other || (isThing(word) && meansSame(word, other)));

interface Surroundings {
  readonly zone: Item['zone'];
  /** No other is joined to it. */
  readonly isLast: boolean;
  readonly inList: boolean;
  /** What the goal is about, as far as it is read. */
  readonly known: readonly string[];
  /** An earlier sentence tells what the goal is about. */
  readonly isTold: boolean;
}

/** Whether what follows a preposition is part of the field's name, says nothing new, or is what the goal is about. */
function modifies(
  head: Part,
  tail: Part,
  { zone, isLast, inList, known, isTold }: Surroundings,
): 'part' | 'nothing' | 'other' {
  const { preposition } = tail;
  if (
    tail.determiner === 'many' ||
    preposition === '' ||
    tail.fillers.some((word) => demonstratives.has(word))
  )
    return 'other';
  if (ratios.has(preposition)) return 'part';
  const isOwn = tail.words.every((word) => isAmong(word, known));
  // "Telefonnummer der Arztpraxen"
  const isDefinite = articles.has(preposition) || tail.fillers.some((filler) => articles.has(filler));
  if (zone === 'list') {
    if (known.length === 0 && isLast) return isCompound(head, tail, isDefinite) ? 'part' : 'other';
    if (isOwn) return 'nothing';
    return /^(?:in|at|near)$/.test(preposition) && tail.isProper ? 'other' : 'part';
  }
  if (zone === 'context' || !inList) return isCompound(head, tail, isDefinite) ? 'part' : 'other';
  if (isLast && (!isTold || isPlural(tail.last)))
    return isCompound(head, tail, isDefinite) ? 'part' : 'other';
  return isDefinite && !isCompound(head, tail, isDefinite) ? 'other' : 'part';
}

/** "date of publication", "name of the author": one field, and not "title of the book", which is what the goal is about. */
function isCompound(head: Part, tail: Part, isDefinite: boolean): boolean {
  const [word = ''] = tail.words.slice(-1);
  return (
    ofWords.has(tail.preposition) &&
    isFieldWord(head.words.at(-1) ?? '') &&
    tail.words.length === 1 &&
    !isPlural(tail.last) &&
    (!isDefinite || (isFieldWord(word) && !isThing(word)))
  );
}
