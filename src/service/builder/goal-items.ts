/** A goal taken apart: sentences of items, each with where it stands. */

import { ifAny, withQualifiers } from './goal-qualifiers.ts';
import { adjectives, alsoFields, imperatives, isEnglish, type Language, languageOf } from './goal-words.ts';
import { isFieldWord, isKind, isThing } from './vocabulary.ts';
import { plain, wordsOf } from './words.ts';

export interface Item {
  /** In one form. */
  readonly words: readonly string[];
  readonly written: readonly string[];
  /** `start`: before anything tells; `list`: after "with", a colon or a bracket; `context`: after "of"; `after`: beyond that. */
  readonly zone: 'start' | 'list' | 'context' | 'after';
  readonly plural: boolean;
  /** Joined to others by a comma or "and". */
  readonly listed: boolean;
  /** "all", "each" or a number before it; "this" or "the"; neither. */
  readonly determiner: 'many' | 'one' | undefined;
  readonly afterSearch: boolean;
  /** Asked for where there is any. */
  readonly ifAny?: boolean;
}

const isPlural = (word: string) =>
  (/[^siu]s$/.test(word) && word.length > 3) ||
  /^(?:people|men|women|children|news|staff|movies|ies)$/.test(word);

/** What is said in many words, said in one. */
function prepared(goal: string): string {
  return withQualifiers(` ${goal.normalize('NFKC')} `)
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/[’‘`]/g, "'")
    .replace(/["“”„«»*]/g, ' ')
    .replace(/\b(what|who|where|when|how|it|that|there|here)'s\b/gi, '$1 is')
    .replace(/'(?:m|re|ve|ll|d)\b/gi, ' ')
    .replace(/\b(l|d|qu|j|n|s|c|un|dell|all|nell|sull)'(?=\p{L})/giu, '$1 ')
    .replace(/\bn't\b/g, ' ')
    .replace(/\b(?:e\.g\.|i\.e\.|etc\.?|such as|for example|z\.\s?B\.)/gi, ' ')
    .replace(/\b(?:incl|inkl)\./gi, ' including ')
    .replace(/\bw\/\s*/gi, ' with ')
    .replace(/\b(?:as well as|and also|sowie)\b/gi, ' , ')
    .replace(/\b(?:along|together) with\b/gi, ' with ')
    .replace(/\by compris\b/gi, ' avec ')
    .replace(/\b(\p{L})\/(\p{L})\b/gu, '$1$2')
    .replace(/\band\/or\b/gi, ' and ')
    .replace(/\s[+&]\s|[/|•、，]/g, ' , ')
    .replace(/[-–—]\s|\s[-–—]/g, ' : ')
    .replace(
      /\b(?:is|are|if|whether) (?:it|they|each|every one) (?:is |are )?(?:still )?(?:in[- ]stock|available)\b/gi,
      ' , availability ',
    )
    .replace(/\bwhether (?:it|they)?\s*(?:is|are)?\b/gi, ' ')
    .replace(/\bin[- ]stock\b/gi, ' availability ')
    .replace(/\b(?:is|are) it\b/gi, ' ')
    .replace(/\bhow much (?:(?:is|are|does|do|would|will|for)\b)?/gi, ' price of ')
    .replace(/\bwas kosten?\b|\bwas kostet\b|\bwie teuer\b/gi, ' preis von ')
    .replace(/\bcombien co[uû]te(?:nt)?\b/gi, ' prix de ')
    .replace(/\bcu[aá]nto cuestan?\b/gi, ' precio de ')
    .replace(/\bhow many\b/gi, ' number of ')
    .replace(/\bhow long\b/gi, ' duration of ')
    .replace(/\bhow (?:tall|high)\b/gi, ' height of ')
    .replace(/\bhow (?:big|large)\b/gi, ' size of ')
    .replace(/\bhow heavy\b/gi, ' weight of ')
    .replace(/\bhow old\b/gi, ' age of ')
    .replace(
      /([,:(]\s*|\b(?:and|with)\s+|^\s*)when\b(?:\s+(?:is|are|was|were|does|do|did)\b)?/gi,
      '$1 date of ',
    )
    .replace(
      /([,:(]\s*|\b(?:and|with)\s+|^\s*)where\b(?:\s+(?:is|are|was|were|does|do|did)\b)?/gi,
      '$1 location of ',
    )
    .replace(
      /\b(number|amount|count|total number|quantity) of (?:the |its |their |all )?(?=\p{L})/giu,
      ' number_of ',
    )
    .replace(/\b(?:anzahl|zahl) (?:der |von )?(?=\p{L})/giu, ' anzahl_ ')
    .replace(/\bnombre de (?=\p{L})/giu, ' nombre_de ')
    .replace(/\bn[uú]mero de (?=\p{L})/giu, ' numero_de ')
    .replace(/'s\b/g, ' of-owner ');
}

const tokenPattern = /[\p{L}\p{N}_#%][\p{L}\p{N}\p{M}_#%'-]*|[,;:()[\]{}.\n?!]/gu;

/** Takes a goal apart. */
export function chunksOf(goal: string): { sentences: Item[][]; english: boolean } {
  const tokens = prepared(goal).match(tokenPattern) ?? [];
  const language = languageOf(tokens.map(plain));
  const sentences: string[][] = [[]];
  tokens.forEach((token, index) => {
    const next = plain(tokens[index + 1] ?? '');
    // "…: list the …", "… and give me the …"
    const ends =
      /^[.?!\n]$/.test(token) ||
      ((/^[;:]$/.test(token) || /^(?:and|then)$/i.test(token)) && imperatives.has(next) && next !== 'read');
    if (ends) sentences.push([]);
    else sentences.at(-1)?.push(token);
  });
  return {
    sentences: sentences.filter(({ length }) => length > 0).map((sentence) => itemsOf(sentence, language)),
    english: isEnglish(language),
  };
}

function itemsOf(tokens: readonly string[], language: Language): Item[] {
  const items: Item[] = [];
  let words: string[] = [];
  let written: string[] = [];
  let fillers: string[] = [];
  let zone: Item['zone'] = 'start';
  let listed = false;
  let determiner: Item['determiner'];
  let search = false;
  let opened = false;
  let conditional = false;
  const skip = new Set<number>();
  /** Words of the next are put before these: "date of publication". */
  let last: string | undefined;
  const flush = () => {
    // "website" and "type" are fields where they stand alone in a list.
    if (words.length === 0 && zone !== 'context') {
      const [alone] = fillers.filter((word) => alsoFields.has(word));
      if (alone !== undefined && (zone === 'list' || listed) && fillers.length <= 2) {
        words = wordsOf(alone);
        written = [alone];
      }
    }
    if (words.length > 0 || (determiner === 'many' && zone !== 'list'))
      items.push({
        words,
        written,
        zone,
        plural: isPlural(last ?? ''),
        listed,
        determiner,
        afterSearch: search,
        ...(conditional ? { ifAny: true } : {}),
      });
    words = [];
    written = [];
    fillers = [];
    determiner = undefined;
    last = undefined;
    conditional = false;
  };
  const has = (set: ReadonlySet<string>, kind: 'opens' | 'joins' | 'context', word: string) =>
    set.has(word) || (isEnglish(language) ? false : englishAlso[kind].has(word));
  tokens.forEach((token, index) => {
    const word = plain(token);
    const next = plain(tokens[index + 1] ?? '');
    const before = plain(tokens[index - 1] ?? '');
    if (skip.delete(index)) return;
    if (word === ifAny) {
      conditional = true;
      return;
    }
    if (/^[,;]$/.test(token) || has(language.joins, 'joins', word)) {
      flush();
      listed = true;
      if (zone === 'context') zone = opened && items.at(-1)?.determiner !== 'many' ? 'list' : 'after';
    } else if (
      /^[:([{]$/.test(token) ||
      (has(language.opens, 'opens', word) && !/^(?:would|i|we|id)$/.test(before))
    ) {
      flush();
      zone = 'list';
      opened = true;
      listed = false;
    } else if (/^[)\]}]$/.test(token)) {
      flush();
      zone = 'after';
    } else if (token === 'of-owner') {
      // "the product's name": the owner is the context.
      zone = 'context';
      flush();
      zone = 'list';
      opened = true;
    } else if (
      word === 'search' &&
      !/^results?$/.test(next) &&
      (index === 0 || /^(?:to|can|and|then|,|for)$/.test(before))
    ) {
      flush();
      search = true;
      zone = 'context';
    } else if (
      has(language.context, 'context', word) &&
      words.length > 0 &&
      isCompound(tokens, index, language)
    ) {
      // "date of publication": the second names it more closely.
      const [head = ''] = words.slice(-1);
      const at = next === 'the' ? index + 2 : index + 1;
      words = [...words.slice(0, -1), ...wordsOf(tokens[at] ?? ''), head];
      written = [...written, word, plain(tokens[at] ?? '')];
      for (let taken = index + 1; taken <= at; taken++) skip.add(taken);
    } else if (
      (asking.test(word) && (/^(?:i|we|please|to)$/.test(before) || before === ',')) ||
      (zone === 'context' && words.length > 0 && commanding.test(word))
    ) {
      // "For all flights I need …": what was before is what it is about.
      flush();
      if (zone === 'context' || zone === 'after') [zone, listed] = ['start', false];
    } else if (word === 'to' && words.length === 0 && language.fillers.has(next)) {
      // "I want to know": the goal has not begun.
    } else if (
      trailing.test(word) &&
      words.length > 0 &&
      (zone === 'list' || listed) &&
      (/^[,;)]?$/.test(next) || has(language.joins, 'joins', next))
    ) {
      // "goals for and goals against": nothing follows that it could be of.
      written.push(word);
    } else if (has(language.context, 'context', word)) {
      if (words.length > 0 || zone !== 'list') {
        flush();
        zone = 'context';
      }
    } else if (language.many.has(word) || (!isEnglish(language) && /^(?:all|every|each)$/.test(word))) {
      determiner = 'many';
      fillers.push(word);
    } else if (zone !== 'start' && /^(?:that|which|who|whose)$/.test(word) && words.length > 0) {
      flush();
      zone = 'context';
    } else if (adjectives.has(word) && words.length === 0 && (zone === 'list' || listed)) {
      written.push(word);
      if (word !== 'available') words.push(...wordsOf(word));
    } else if (/^\d+$/.test(word)) {
      determiner = 'many';
    } else if (
      (language.fillers.has(word) || imperatives.has(word)) &&
      !(nouns.has(word) && (zone === 'list' || listed) && (words.length > 0 || isContent(next)))
    ) {
      if (language.one.has(word) && determiner === undefined && before !== 'to') determiner = 'one';
      // "number of pages"
      if (counts.has(before)) words.push(...wordsOf(token));
      if (counts.has(before)) written.push(word);
      fillers.push(word);
    } else {
      words.push(...(counts.has(word) ? ['number'] : wordsOf(token)));
      written.push(word);
      last = word;
    }
  });
  flush();
  return items;
}
const trailing = /^(?:for|to|from|in|at|on|by)$/;
const asking = /^(?:need|want|require|get|show|give|extract|list)$/;
const commanding = /^(?:give|show|return|extract|provide|tell|fetch|collect|output|need|want)$/;
/** Fillers that are part of a field's name: "employment type", "page count". */
const nouns = new Set(
  'page type kind site website status part set record row table item entry list detail front goal result'.split(
    ' ',
  ),
);
/** A word of a field: no sign, no joining word. */
const isContent = (word: string) =>
  /^\p{L}{3,}$/u.test(word) &&
  ![...Object.values(englishAlso), englishWords.fillers].some((set) => set.has(word));
const counts = new Set(['number_of', 'anzahl_', 'nombre_de', 'numero_de']);
const englishWords = languageOf([]);
const englishAlso = {
  opens: new Set(['with', 'including', 'incl']),
  joins: englishWords.joins,
  context: new Set(['of', 'for', 'from']),
};

/** "date of publication", "place of birth": one field, and not "title of the books". */
function isCompound(tokens: readonly string[], index: number, language: Language): boolean {
  const before = wordsOf(tokens[index - 1] ?? '').at(-1) ?? '';
  // "name of the author", but not "title of the book", which is what the goal is about.
  const next = plain(tokens[index + 1] ?? '');
  const isThe =
    next === 'the' &&
    isFieldWord(wordsOf(tokens[index + 2] ?? '').at(-1) ?? '') &&
    !isThing(wordsOf(tokens[index + 2] ?? '').at(-1) ?? '');
  const at = isThe ? index + 2 : index + 1;
  const after = plain(tokens[at] ?? '');
  const beyond = tokens[at + 1];
  const isEnd = beyond === undefined || /^[,;:()\]}]$/.test(beyond) || language.joins.has(plain(beyond));
  if (!isEnd || !isFieldWord(before) || isPlural(after) || index < 1) return false;
  if (language.fillers.has(after) || language.many.has(after) || language.one.has(after)) return false;
  const preposition = plain(tokens[index] ?? '');
  // "price per kg", "Preis pro Nacht"
  if (
    /^(?:per|pro|par|por|al|za)$/.test(preposition) &&
    (isKind(before, 'price') || isKind(before, 'salary'))
  )
    return /^\p{L}{1,}\d?$/u.test(after);
  return /^(?:of|de|di|von|du)$/.test(preposition) && /^\p{L}{3,}$/u.test(after);
}
