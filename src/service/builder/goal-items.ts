/** A goal taken apart: sentences of items, each with where it stands. */
import {
  articles,
  auxiliaries,
  containers,
  demonstratives,
  fieldFillers,
  interrogatives,
  isUnit,
  nounsToo,
  ofWords,
  pronouns,
  quantifiers,
  ratios,
  sharing,
  singular,
  timeAdverbs,
  whenWords,
} from './goal-grammar.ts';
import { ifAny } from './goal-qualifiers.ts';
import { isOf, type Segment, segmentsOf, sentencesOf } from './goal-segments.ts';
import { adjectives, alsoFields, imperatives, isEnglish, type Language } from './goal-words.ts';
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
  /** Asked for where there is any. */
  readonly ifAny?: boolean;
  /** "which jobs": what is asked about. */
  readonly asked?: boolean;
}

const isPlural = (word: string) =>
  (/[^siu]s$/.test(word) && word.length > 3) ||
  /^(?:people|men|women|children|news|staff|movies|ies)$/.test(word);

/** Takes a goal apart. */
export function chunksOf(goal: string): { sentences: Item[][]; english: boolean } {
  const { sentences, language } = sentencesOf(goal);
  return {
    sentences: sentences.map((tokens) =>
      itemsOf(withNouns(segmentsOf(tokens, language), language), language),
    ),
    english: isEnglish(language),
  };
}

/** Nouns that are said once: "home and away team", "température minimale et maximale", "date de début et de fin". */
function withNouns(segments: readonly Segment[], language: Language): readonly Segment[] {
  const isNoun = (word: string) =>
    sharing.has(word) || !(language.fillers.has(word) || imperatives.has(word) || language.one.has(word));
  const content = ({ tokens }: Segment) => tokens.filter((token) => isNoun(plain(token)));
  const alone = (segment: Segment | undefined) => {
    const [word, ...more] = segment === undefined ? [] : content(segment);
    return word !== undefined && more.length === 0 && sharing.has(plain(word));
  };
  return segments.map((segment, index) => {
    const before = segments[index - 1];
    if (alone(segment)) {
      let next = index + 1;
      while (alone(segments[next]) && joins(segments[next])) next += 1;
      const [first = '', ...nouns] = joins(segments[next]) ? content(segments[next] ?? segment) : [];
      const end = nouns.findIndex((token) => isOf(language, 'context', plain(token)));
      const shared = end < 0 ? nouns : nouns.slice(0, end);
      if (shared.length > 0 && sharing.has(plain(first)))
        return { ...segment, tokens: [...segment.tokens, ...shared] };
      const [noun, ...rest] = before === undefined ? [] : content(before);
      if (joins(segment) && noun !== undefined && rest.length === 1 && sharing.has(plain(rest[0] ?? '')))
        return { ...segment, tokens: [noun, ...segment.tokens] };
    }
    const [opening = '', ...rest] = segment.tokens;
    const of = before?.tokens.findIndex((token) => ofWords.has(plain(token))) ?? -1;
    if (
      segment.by === 'join' &&
      before !== undefined &&
      ofWords.has(plain(opening)) &&
      rest.length > 0 &&
      of > 0
    )
      return { ...segment, tokens: [...before.tokens.slice(0, of), ...segment.tokens] };
    return segment;
  });
}
const joins = (segment: Segment | undefined) =>
  segment !== undefined && ['join', 'or', 'slash'].includes(segment.by);

interface Part {
  words: string[];
  written: string[];
  fillers: string[];
  determiner: Item['determiner'];
  last: string;
  /** What stands before a part that says more of the one before it: "of", "per". */
  preposition: string;
  /** It is a name: "in Oslo". */
  isProper: boolean;
}
const emptyPart = (preposition = ''): Part => ({
  words: [],
  written: [],
  fillers: [],
  determiner: undefined,
  last: '',
  preposition,
  isProper: false,
});

const trailing = /^(?:for|to|from|in|at|on|by)$/;
const comparing = /^(?:comparar|comparer|comparare|confrontare|vergleichen|vergelijken)$/;

interface Parsed {
  readonly head: Part;
  readonly tails: Part[];
  readonly ifAny: boolean;
  readonly asked: boolean;
}

const counts = new Set(['number_of', 'anzahl_', 'aantal_', 'nombre_de', 'numero_de', 'numero_di']);

/** What is written as one word: `unitPrice`, `kick-off`. */
const partsOf = (token: string) =>
  (/^\p{Ll}{2,}\p{Lu}/u.test(token) ? token.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, '-') : token)
    .split('-')
    .map((part) => plain(part).replace(/_$/, ''))
    .filter((part) => part !== '');

/** The words between two signs: a head, and what says more of it. */
function parse(
  all: readonly string[],
  inList: boolean,
  isListed: boolean,
  inOpened: boolean,
  language: Language,
): Parsed {
  const tokens = all.filter((token) => token !== ifAny);
  const head = emptyPart();
  const tails: Part[] = [];
  let part = head;
  let when = false;
  let asked = false;
  const push = (token: string) => {
    const word = plain(token);
    part.words.push(
      ...(counts.has(word)
        ? ['number']
        : wordsOf(token).filter((said, _, all) => all.length === 1 || !/^\d+$/.test(said))),
    );
    part.written.push(...partsOf(token));
    part.last = word;
    part.isProper = /^\p{Lu}\p{Ll}/u.test(token);
  };
  const isKept = (word: string, next: string) =>
    fieldFillers.has(word) &&
    isListed &&
    (part.words.length > 0 || ratios.has(part.preposition) || isContent(next, language));
  const turn = (preposition: string) => {
    part = emptyPart(preposition);
    tails.push(part);
  };
  for (const [index, token] of tokens.entries()) {
    const word = plain(token);
    const next = plain(tokens[index + 1] ?? '');
    const before = plain(tokens[index - 1] ?? '');
    const isFirst = head.words.length === 0 && tails.length === 0;
    if (isFirst && whenWords.has(word) && index <= 1) when = true;
    else if (isFirst && word === 'where' && index <= 1) {
      push('location');
      turn('of');
    } else if (pronouns.has(word) && (part.words.length > 0 || when || !isOf(language, 'many', before))) {
      if (part.words.length === 0 || head.words[0] === 'who') continue;
      // "the date it was posted", but "the platform it leaves from".
      const is = tokens.findIndex((other, at) => at > index && auxiliaries.has(plain(other)));
      for (const said of is < 0 ? [] : tokens.slice(is + 1).filter((other) => /ed$/.test(other))) push(said);
      break;
    } else if (head.words.length > 0 && tails.length === 0 && /^(?:that|which|whose)$/.test(word)) break;
    else if (part.words.length > 0 && (quantifiers.has(word) || demonstratives.has(word))) {
      turn('of');
      part.determiner = quantifiers.has(word) ? 'many' : 'one';
      part.fillers.push(word);
    } else if (word === 'to' && part.words.length === 0 && language.fillers.has(next)) {
      // "I want to know": the goal has not begun.
    } else if (isOf(language, 'context', word)) {
      if (tokens.length === 1 && isListed) push(token);
      else if (head.words[0] === 'who' && tails.length === 0) continue;
      // "goals for and goals against", "posted at": nothing follows that it could be of.
      else if (index === tokens.length - 1) {
        if (isListed && part === head && !asked && trailing.test(word)) part.written.push(word);
      } else if (
        part.words.length > 0 ||
        !(
          containers.has(before) ||
          interrogatives.has(next) ||
          (inOpened && index === 0 && !quantifiers.has(next))
        )
      )
        turn(word);
    } else if (isOf(language, 'many', word) && !isKept(word, next)) {
      if (!isListed || !containers.has(word)) part.determiner = 'many';
      part.fillers.push(word);
    } else if (interrogatives.has(word) || comparing.test(word)) {
      asked ||= interrogatives.has(word) && head.words.length === 0;
      part.fillers.push(word);
    } else if (asked && auxiliaries.has(word) && part.words.length > 0) break;
    else if (
      adjectives.has(word) &&
      part.words.length === 0 &&
      part === head &&
      (isListed || (inList && isNamed(tokens, index)))
    ) {
      part.written.push(word);
      if (word !== 'available') part.words.push(...wordsOf(word));
    } else if (/^\d+$/.test(word)) part.determiner = 'many';
    else if ((language.fillers.has(word) || imperatives.has(word)) && !isKept(word, next)) {
      if (language.one.has(word) && part.determiner === undefined && before !== 'to') part.determiner = 'one';
      // "number of pages"
      if (counts.has(before)) push(token);
      part.fillers.push(word);
    } else push(token);
  }
  if (when) asTime(head, tails);
  return {
    head,
    tails,
    ifAny: all.includes(ifAny),
    asked,
  };
}

/** "when this article was last updated": what happens is the field, and whom it happens to the subject. */
function asTime(head: Part, tails: Part[]) {
  const from = head.words.findIndex((word) => timeAdverbs.has(word));
  const at = from >= 0 ? from : head.words.length - 1;
  const subject = head.words.slice(0, Math.max(at, 0));
  if (subject.length > 0)
    tails.push({ ...emptyPart(), words: subject, determiner: head.determiner, last: subject.at(-1) ?? '' });
  head.written = head.words.length === 0 ? ['date'] : head.written.slice(-(head.words.length - at));
  head.words = [...head.words.slice(Math.max(at, 0)), 'date'];
  head.last = '';
  head.determiner = undefined;
}

/** "first name" at the start, but "latest movies". */
function isNamed(tokens: readonly string[], index: number): boolean {
  const [word = ''] = wordsOf(tokens[index + 1] ?? '').slice(-1);
  return tokens.length - index === 2 && isFieldWord(word) && !isThing(word);
}

/** A word of a field: no sign, no joining word. */
const isContent = (word: string, language: Language) =>
  /^\p{L}{3,}$/u.test(word) &&
  !isOf(language, 'context', word) &&
  !isOf(language, 'opens', word) &&
  !language.fillers.has(word);

function itemsOf(segments: readonly Segment[], language: Language): Item[] {
  const items: Item[] = [];
  let zone: Item['zone'] = 'start';
  let opened = false;
  let search = false;
  let emitted = 0;
  const known = () => items.filter((item) => item.zone !== 'list').flatMap(({ words }) => words);
  segments.forEach(({ by, tokens: written }, index) => {
    if (by === 'command' && zone !== 'list') zone = 'start';
    if (by === 'open') [zone, opened] = ['list', true];
    if (by === 'close') zone = 'after';
    if (joins({ by, tokens: [] }) && zone === 'context')
      zone = opened && items.at(-1)?.determiner !== 'many' ? 'list' : 'after';
    let owner: Item | undefined;
    const isLast = !joins(segments[index + 1]);
    // "today's departures": of nobody.
    if (by === 'owner' && items.length > emitted) {
      const last = items.pop();
      const isModified = last !== undefined && (last.zone === 'list' || items.length > 0);
      if (isModified && !last.words.every((word) => known().some((other) => meansSame(word, other))))
        owner = last;
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
    const inList = zone === 'list' || (zone !== 'context' && (joins({ by, tokens: [] }) || !isLast));
    emitted = items.length;
    const {
      head,
      tails,
      ifAny: conditional,
      asked,
    } = parse(
      isSearch ? written.slice(at + 1) : written,
      inList,
      zone === 'list' || (inList && index > 0),
      zone === 'list',
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
          : modifies(head, tail, zone, isLast, inList, known());
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
      plural: isPlural(part.last) && !part.fillers.some((word) => singular.has(word)),
      determiner: part.determiner,
      afterSearch: search,
      ...(conditional && place !== 'context' ? { ifAny: true } : {}),
      ...(asked ? { asked: true } : {}),
    });
    if (shown.words.length > 0 || (shown.determiner === 'many' && zone !== 'list'))
      items.push(itemOf(shown, zone, more));
    for (const tail of others) {
      zone = 'context';
      items.push(itemOf(tail, zone, []));
    }
  });
  return items;
}

const measuring = /^(?:in|en|em|im|um|under|over|below|above|unter|uber|sous|bajo|than)$/;

/** Whether what follows a preposition is part of the field's name, says nothing new, or is what the goal is about. */
function modifies(
  head: Part,
  tail: Part,
  zone: Item['zone'],
  isLast: boolean,
  inList: boolean,
  known: readonly string[],
): 'part' | 'nothing' | 'other' {
  const { preposition } = tail;
  if (
    tail.determiner === 'many' ||
    preposition === '' ||
    tail.fillers.some((word) => demonstratives.has(word))
  )
    return 'other';
  if (ratios.has(preposition)) return 'part';
  const isOwn = tail.words.every((word) => known.some((other) => meansSame(word, other)));
  const isDefinite = tail.fillers.some((filler) => articles.has(filler));
  if (zone === 'list') {
    if (known.length === 0 && isLast) return isCompound(head, tail, isDefinite) ? 'part' : 'other';
    if (isOwn) return 'nothing';
    return /^(?:in|at|near)$/.test(preposition) && tail.isProper ? 'other' : 'part';
  }
  if (zone === 'context' || !inList) return isCompound(head, tail, isDefinite) ? 'part' : 'other';
  if (isLast) return isCompound(head, tail, isDefinite) ? 'part' : 'other';
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
