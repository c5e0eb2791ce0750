/**
 * The fields that a goal names: the longest list of phrases in it, after a colon or words such as "with". Nothing else
 * of the goal is parsed; a goal without such a list needs a choice.
 */

import { toFieldName } from '../page/words.ts';
import { toConcepts } from './synonyms.ts';

export interface GoalField {
  /** `link_to_the_pdf` */
  readonly name: string;
  readonly phrase: string;
}

export interface Goal {
  readonly fields: readonly GoalField[];
  /** The rest of the goal, such as "all court opinions". */
  readonly subject: string;
  /** The goal asks for several rows; undefined if it does not say. */
  readonly many: boolean | undefined;
  /** The goal asks for a search. */
  readonly searches: boolean;
}

const maxGoal = 2_000;
const maxFields = 30;
const maxWords = 6;

/** Where a list of fields begins. */
const lead =
  /:|\b(?:with|including|includes?|incl\.|give(?: me)?|giving|show(?:ing)?|return(?:ing)?|extract(?:ing)?|collect|fetch|scrape|get|need|want|list)\b/i;
/** Even a single phrase after it is a field. */
const isFieldLead = /^(?::|with|includ)/i;
const leading =
  /^(?:and|or|plus|also|as well as|the|an?|its|their|his|her|each|every|all|any|me|us|please|of|fields?|i need|i want|for (?:each|every)(?: \p{L}+)?,?)\s+/iu;
/** "the image of this recipe": the part from "of" on does not belong to the name. */
const trailing =
  /\s+(?:of|for|from|in|on|to)\s+(?:this|these|that|those|each|every|all|it|them|the (?:page|site|list|table))\b.*$|\s+(?:if|where|when)\s+.*$|\s+(?:please|too|as well|respectively|here)$/i;

function toPhrase(text: string): string {
  let phrase = text
    .replace(/^.*\p{L}['’]s?\s+(?=\p{L})|[“”"`]/gu, '')
    .replace(/\([^)]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  for (let before = ''; before !== phrase; ) {
    before = phrase;
    phrase = phrase.replace(leading, '').replace(trailing, '').trim();
  }
  return phrase;
}

/** The phrases of a list, such as "name, price and image"; empty if it is not a list of short phrases. */
function phrasesIn(text: string): string[] {
  const phrases = text
    .split(/,|;|\n|\s+and\s+|\s+&\s+|\s+plus\s+|\s+as well as\s+/i)
    .map(toPhrase)
    .filter((phrase) => phrase !== '');
  const isList = phrases.every((phrase) => phrase.split(' ').length <= maxWords && /\p{L}/u.test(phrase));
  return isList ? phrases.slice(0, maxFields) : [];
}

/** The text after each lead, up to the end of the sentence. */
function listsIn(sentence: string): { readonly phrases: string[]; readonly before: string }[] {
  const lists: { phrases: string[]; before: string }[] = [];
  let rest = sentence;
  let before = '';
  for (let match = lead.exec(rest); match !== null; match = lead.exec(rest)) {
    before += rest.slice(0, match.index + match[0].length);
    rest = rest.slice(match.index + match[0].length);
    const phrases = phrasesIn(rest);
    // "Show me the boats" names no field.
    if (phrases.length > 1 || isFieldLead.test(match[0])) lists.push({ phrases, before });
  }
  return lists;
}

export function readGoal(text: string): Goal {
  const goal = text.slice(0, maxGoal).trim();
  const sentences = goal.split(/[.!?](?:\s+|$)|\n{2,}/).filter((sentence) => sentence.trim() !== '');
  const lists = sentences.flatMap((sentence) => listsIn(sentence));
  // The last lead before the most phrases: in "get every opinion with name and date" the text after "with".
  const best = lists.reduce<{ phrases: string[]; before: string }>(
    (most, list) => (list.phrases.length >= most.phrases.length && list.phrases.length > 0 ? list : most),
    { phrases: [], before: goal },
  );
  const fields = new Map<string, GoalField>();
  for (const phrase of best.phrases) {
    const name = toFieldName(phrase);
    if (name !== '' && !fields.has(name)) fields.set(name, { name, phrase });
  }
  const [first = ''] = sentences;
  return {
    fields: [...fields.values()],
    subject: best.phrases.length > 0 && first.includes(best.before) ? best.before.replace(lead, '') : first,
    many: manyIn(goal),
    searches: /^\s*(?:search|find)\b|\bsearch(?:es)? (?:for|by)\b/i.test(goal),
  };
}

function manyIn(goal: string): boolean | undefined {
  if (/\b(?:all|every|each|list all|lists?\b(?! of))\b/i.test(goal)) return true;
  if (
    /\b(?:this|the) (?:recipe|article|product|page|event|book|item|post|job|film|movie|person|company)\b/i.test(
      goal,
    )
  )
    return false;
  return undefined;
}

/** The names of the goal's fields for which no chosen name is the same or a synonym. */
export function absentFields({ fields }: Goal, names: readonly string[]): string[] {
  const chosen = new Set(names.flatMap(toConcepts));
  return fields
    .filter(({ name, phrase }) => {
      const words = toConcepts(phrase);
      return !names.includes(name) && (words.length === 0 || !words.some((word) => chosen.has(word)));
    })
    .map(({ name }) => name);
}
