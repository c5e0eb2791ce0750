/**
 * Which actions a build would only repeat. The words of the goal decide, without English endings and by the table of
 * synonyms, so that the same goal in other words meets the action that is there, and another goal on the same site does not.
 */
import * as z from 'zod';
import { type Goal, readGoal } from '../goals/read-goal.ts';
import { toConcepts } from '../goals/synonyms.ts';

export interface DescribedAction {
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly recipe: unknown;
  /** What it was built for, where that is stored. */
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

interface Wanted {
  readonly goal: Goal;
  /** Of its subject and its fields. */
  readonly words: readonly string[];
  readonly topic: readonly string[];
}

function readWanted(text: string): Wanted {
  const goal = readGoal(text.replace(/\s+/g, ' ').trim().slice(0, maxText));
  const topic = toConcepts(goal.subject).slice(0, maxWords);
  const fields = goal.searches ? [] : goal.fields.flatMap(({ phrase }) => toConcepts(phrase));
  return { goal, topic, words: [...new Set([...topic, ...fields])].slice(0, maxWords) };
}

/**
 * For each action, from 0, another thing, to 1: how much of the goal it speaks of; below 2/3 it is 0. A goal that
 * names nothing in particular is met by every action.
 */
export function similarityTo(goalText: string): (action: DescribedAction) => number {
  const wantedWords = readWanted(goalText);

  return (action) => {
    if (wantedWords.words.length === 0) return 1;
    const offered = readWanted(action.goal ?? action.name);
    const extract = Extracting.safeParse(action.recipe).data?.extract;
    const { searches } = offered.goal;
    if (wantedWords.goal.searches ? !canSearch(action, searches) : searches) return 0;
    const many = manyIn(extract) ?? offered.goal.many;
    if (wantedWords.goal.many !== undefined && many !== undefined && wantedWords.goal.many !== many) return 0;

    const site = toConcepts(action.site);
    const fields = Object.keys({ ...extract?.fields, ...extract?.columns });
    const text = [action.name, action.description ?? '', ...action.tags, ...fields].join('\n');
    const actionWords = new Set([...offered.words, ...toConcepts(text).slice(0, maxWords * 3)]);
    const specificWords = wantedWords.words.filter((word) => !site.includes(word) || actionWords.has(word));
    const covered = specificWords.filter((word) => actionWords.has(word));
    if (covered.length === 0) return 0;
    const share = covered.length / specificWords.length;
    return share >= enoughWords && overlap(wantedWords.topic, offered.topic, site) >= enoughTopic ? share : 0;
  };
}

/** Dice's coefficient, without words for the site where others are left; of a goal without a topic nothing differs. */
function overlap(a: readonly string[], b: readonly string[], site: readonly string[]): number {
  const specificWords = (words: readonly string[]) => {
    const rest = words.filter((word) => !site.includes(word));
    return rest.length > 0 ? rest : words;
  };
  const [first, second] = [specificWords(a), specificWords(b)];
  if (first.length === 0 || second.length === 0) return 1;
  const shared = first.filter((word) => second.includes(word)).length;
  return (2 * shared) / (first.length + second.length);
}

function canSearch({ parameters }: DescribedAction, mentionsSearch: boolean): boolean {
  const { data } = Properties.safeParse(parameters);
  return mentionsSearch || Object.keys(data?.properties ?? {}).some((name) => searchParam.test(name));
}

/** Whether it gives rows or one record; undefined where the recipe does not tell. */
function manyIn(extract: z.infer<typeof Extracting>['extract'] | undefined): boolean | undefined {
  if (extract === undefined || (extract.kind === 'json' && extract.list === undefined)) return undefined;
  return extract.list !== undefined || extract.kind === 'table' || extract.kind === 'feed';
}
