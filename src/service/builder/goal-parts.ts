/** What stands between two signs of a goal: a head, and what says more of it. */
import {
  auxiliaries,
  containers,
  demonstratives,
  fieldFillers,
  interrogatives,
  pronouns,
  quantifiers,
  ratios,
  timeAdverbs,
  whenWords,
  whereWords,
} from './goal-grammar.ts';
import { ifAny } from './goal-qualifiers.ts';
import { isOf } from './goal-segments.ts';
import { adjectives, imperatives, isEnglish, type Language } from './goal-words.ts';
import { isFieldWord, isThing } from './vocabulary.ts';
import { plain, wordsOf } from './words.ts';

export interface Part {
  words: string[];
  written: string[];
  fillers: string[];
  /** "all", "each" or a number before it; "this" or "the"; neither. */
  determiner: 'many' | 'one' | undefined;
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

const trailing = /^(?:for|to|from|in|at|on|by|against|before|after|until)$/;
/** Before one or before many. */
const ambiguous = new Set(['die', 'de']);
const comparing = /^(?:comparar|comparer|comparare|confrontare|vergleichen|vergelijken)$/;

export interface Parsed {
  readonly head: Part;
  readonly tails: Part[];
  readonly ifAny: boolean;
  readonly asked: boolean;
}

const counts = new Set(
  'number_of anzahl_ aantal_ nombre_de numero_de numero_di antal_ antall_ pocet_ liczba_'.split(' '),
);

/** What is written as one word: `unitPrice`, `kick-off`. */
const partsOf = (token: string) =>
  (/^\p{Ll}{2,}\p{Lu}/u.test(token) ? token.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, '-') : token)
    .split('-')
    .map((part) => plain(part).replace(/_$/, ''))
    .filter((part) => part !== '');

/** Where a part stands. */
interface Place {
  /** Others are joined to it. */
  readonly inList: boolean;
  /** It is surely a field, or follows what is. */
  readonly isListed: boolean;
}

/** The words between two signs. */
export function readParts(all: readonly string[], { inList, isListed }: Place, language: Language): Parsed {
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
    (part === head ? part.words.length > 0 || isContent(next, language) : ratios.has(part.preposition));
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
    else if (isFirst && whereWords.has(word) && index <= 1) {
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
        // "the list of ingredients", "and from which platform"
        !(containers.has(before) || interrogatives.has(next))
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
      (isListed || (part === head && inList && isNamed(tokens, index)))
    ) {
      part.written.push(word);
      if (word !== 'available') part.words.push(...wordsOf(word));
    } else if (/^\d+(?:-\d+)*$/.test(word)) {
      // "24 hour volume", but "10 posts"
      if (part.words.length > 0) continue;
      if (isListed && part === head) part.written.push(word);
      else part.determiner = 'many';
    } else if ((language.fillers.has(word) || imperatives.has(word)) && !isKept(word, next)) {
      const isOne = language.one.has(word) && !ambiguous.has(word) && before !== 'to';
      if (isOne && part.determiner === undefined) part.determiner = 'one';
      // "number of pages"
      if (counts.has(before)) push(token);
      part.fillers.push(word);
    } else {
      push(token);
      // "welche Filme laufen heute"
      if (asked && !isListed && !isEnglish(language) && part === head) break;
    }
  }
  // "available from"
  if (head.words.length === 0 && head.written.length > 0) head.words = head.written.slice(0, 1);
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
