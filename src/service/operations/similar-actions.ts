/**
 * Which actions a build would only repeat. Words decide, in one form and compared by what they commonly mean, so that
 * the same goal in other words meets the action that is there, and another goal on the same site does not.
 */
import * as z from 'zod';
import { contentWords, type Goal, readGoal } from '../builder/goal.ts';
import { isFieldWord } from '../builder/vocabulary.ts';
import { likeness, meansSame } from '../builder/words.ts';

export interface DescribedAction {
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly recipe: unknown;
  /** What it was built for, where that is known. */
  readonly goal: string | undefined;
  /** Name and domain of its site, whose words say nothing about one action of it. */
  readonly site: string;
}

/** The share of the goal's words that the action must speak of too. */
const enoughWords = 2 / 3;
/** How much of what both are about must be the same, from 0 to 1. */
const enoughTopic = 0.6;
/** Words of one text that are compared: a text may be long, and there may be many. */
const maxWords = 60;
/** Characters of a goal that are read: there may be many actions, and each is read while others wait. */
const maxText = 1_000;
const searchParam = /^(?:q|query|search|keywords?|terms?|text)$/i;

const Properties = z.looseObject({ properties: z.record(z.string(), z.unknown()) });
const Extracting = z.looseObject({
  extract: z.looseObject({
    kind: z.string(),
    list: z.string().optional(),
    fields: z.record(z.string(), z.unknown()).optional(),
    columns: z.record(z.string(), z.unknown()).optional(),
  }),
});

/**
 * For each action, from 0, another thing, to 1: how much of the goal it speaks of; below 2/3 it is 0. A goal that
 * names nothing in particular is met by every action.
 */
export function similarityTo(wanted: string): (action: DescribedAction) => number {
  const goal = beginning(wanted);
  const asked = readGoal(goal);
  const words = wordsFor(goal, asked);
  const topic = topicOf(goal, asked.subject);

  return (action) => {
    if (words.length === 0) return 1;
    const purpose = beginning(action.goal ?? action.name);
    const offered = readGoal(purpose);
    const extract = Extracting.safeParse(action.recipe).data?.extract;
    if (asked.searches ? !canSearch(action, offered.searches) : offered.searches) return 0;
    const many = manyIn(extract) ?? offered.many;
    if (asked.many !== undefined && many !== undefined && asked.many !== many) return 0;

    const site = contentWords(action.site);
    const text = [
      ...[purpose, action.name, action.description ?? '', ...action.tags],
      ...Object.keys({ ...extract?.fields, ...extract?.columns }),
    ].join('\n');
    const told = [...wordsFor(purpose, offered), ...contentWords(text).slice(0, maxWords * 3)];
    const covered = sharedWith(told, words);
    if (covered.length === 0) return 0;
    const share = covered.length / (covered.length + without(covered, words, site).length);
    const topics = [topic, topicOf(purpose, offered.subject)] as const;
    return share >= enoughWords && overlap(topics, site) >= enoughTopic ? share : 0;
  };
}

/** What a goal names, in its own language; of one that searches also what it searches by. */
function wordsFor(text: string, { searches, subject, fields }: Goal): string[] {
  const asked = fields.filter(({ optional }) => optional !== true).flatMap((field) => field.words);
  const named = searches
    ? []
    : [...new Set([...subject, ...asked])].filter((word) => contentWords(word).length > 0);
  return (named.length > 0 ? named : contentWords(text)).slice(0, maxWords);
}

const beginning = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, maxText);

const sharedWith = (others: readonly string[], words: readonly string[]) =>
  words.filter((word) => others.some((other) => meansSame(word, other)));

/** What of `words` is not shared and tells things apart: words for the site do not, nor that a thing has a name. */
const without = (shared: readonly string[], words: readonly string[], site: readonly string[]) =>
  words.filter(
    (word) =>
      !shared.includes(word) &&
      !meansSame(word, 'title') &&
      !site.some((other) => likeness(word, other) >= 0.6),
  );

/** What the rows are: the subject, or else the words that are not fields, or else all. */
function topicOf(text: string, subject: readonly string[]): readonly string[] {
  if (subject.length > 0) return subject.slice(0, maxWords);
  const words = contentWords(text).slice(0, maxWords);
  const things = words.filter((word) => !isFieldWord(word));
  return things.length > 0 ? things : words;
}

/** Dice's coefficient. */
function overlap(
  [one, other]: readonly [readonly string[], readonly string[]],
  site: readonly string[],
): number {
  const shared = [sharedWith(other, one), sharedWith(one, other)] as const;
  const both = shared[0].length + shared[1].length;
  const all = both + without(shared[0], one, site).length + without(shared[1], other, site).length;
  return both === 0 ? 0 : both / all;
}

function canSearch({ parameters }: DescribedAction, saysSo: boolean): boolean {
  const { data } = Properties.safeParse(parameters);
  return saysSo || Object.keys(data?.properties ?? {}).some((name) => searchParam.test(name));
}

/** Whether it gives rows or one record; undefined where the recipe does not tell. */
function manyIn(extract: z.infer<typeof Extracting>['extract'] | undefined): boolean | undefined {
  if (extract === undefined || (extract.kind === 'json' && extract.list === undefined)) return undefined;
  return extract.list !== undefined || extract.kind === 'table' || extract.kind === 'feed';
}
