/**
 * Finds actions by words: in their names, websites, descriptions, params, enum values and the goals that they were
 * built for. Words are compared by their stems, without stop words: `books` and `book` are the same.
 */
import { stemmer } from '@orama/stemmers/english';
import { stopwords } from '@orama/stopwords/english';
import MiniSearch, { type SearchOptions } from 'minisearch';
import type { SearchResult } from '../../contract/resources.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Snapshot } from './snapshot.ts';

/** `weak`: not every word of the query occurs, or some of them only in a similar spelling. */
export interface RankedActions {
  /** The best first. */
  readonly ids: readonly string[];
  readonly weak: boolean;
}

/** What a word counts by the field in which it stands. */
const boost = { name: 4, website: 2, goal: 2, description: 1.5, params: 1 };
type Field = keyof typeof boost;
const fields: readonly Field[] = ['name', 'website', 'goal', 'description', 'params'];

const weakCount = 10;
const maxStems = 12;
const maxValues = 200;
const maxFieldChars = 2_000;
/** Shorter stems begin too many others, and are near to too many. */
const minLength = 4;
/** Actions that are indexed before others have their turn: a few milliseconds. */
const chunkSize = 50;

const allWords: SearchOptions = {
  combineWith: 'AND',
  boost,
  prefix: ({ length }) => length >= minLength,
  weights: { prefix: 0.6, fuzzy: 0.3 },
};
const someWords: SearchOptions = {
  ...allWords,
  combineWith: 'OR',
  // Numbers are not corrected: they are rarely misspelled, and there are as many of them as actions.
  fuzzy: (stem) => stem.length >= minLength && !/\d/.test(stem) && 0.3,
};

export class ActionIndex {
  readonly #index: MiniSearch<SearchResult>;
  /** How often each stem occurs. */
  readonly #counts = new Map<string, number>();

  private constructor(snapshot: Snapshot) {
    this.#index = new MiniSearch<SearchResult>({
      idField: 'action_id',
      fields: [...fields],
      extractField: (action, name) =>
        name === 'action_id' ? action.action_id : toText(action, name, snapshot).slice(0, maxFieldChars),
      tokenize: toStems,
      processTerm: (stem) => {
        this.#counts.set(stem, (this.#counts.get(stem) ?? 0) + 1);
        return stem;
      },
    });
  }

  static async create(snapshot: Snapshot): Promise<ActionIndex> {
    const actions = new ActionIndex(snapshot);
    await actions.#index.addAllAsync(snapshot.actions, { chunkSize });
    return actions;
  }

  /** The actions in which every word occurs, the best first; if there are none, the nearest ones. */
  search(words: string, accepts: (actionId: string) => boolean): RankedActions {
    const stems = [...new Set(toStems(words))].slice(0, maxStems);
    const countOf = (stem: string) => this.#counts.get(stem) ?? 0;
    const [rarest] = stems.toSorted((a, b) => countOf(a) - countOf(b));
    if (rarest === undefined) return { ids: [], weak: false };
    // Each occurrence of a word costs memory: common ones are looked up only where the rarest occurs.
    const candidates = new Set(this.#find([rarest], allWords, accepts).map(({ id }) => id));
    const complete = this.#find(stems, allWords, (id) => candidates.has(id));
    if (complete.length > 0) return { ids: complete.map(({ id }) => id), weak: false };
    const nearest = this.#find(stems, someWords, accepts)
      .sort((a, b) => b.queryTerms.length - a.queryTerms.length || b.score - a.score)
      .slice(0, weakCount);
    return { ids: nearest.map(({ id }) => id), weak: nearest.length > 0 };
  }

  #find(stems: readonly string[], options: SearchOptions, accepts: (actionId: string) => boolean) {
    return this.#index.search(stems.join(' '), {
      ...options,
      tokenize: (query) => query.split(' '),
      processTerm: (stem) => stem,
      boostDocument: (id) => (accepts(id) ? 1 : 0),
    });
  }
}

/** An action's text in one field. */
function toText(action: SearchResult, field: string, snapshot: Snapshot): string {
  switch (field) {
    case 'name':
      return `${action.name} ${action.action_id}`;
    case 'website':
      return `${action.catalog_name} ${action.catalog_slug}`;
    case 'goal':
      return snapshot.getGoal(action.action_id);
    case 'description':
      return action.description;
    default:
      return paramWords(action.params);
  }
}

/** Names, titles and descriptions of the params, and the values they may have. */
function paramWords({ properties }: JsonObject): string {
  if (typeof properties !== 'object' || properties === null) return '';
  const words = Object.entries(properties).flatMap(([name, property]: [string, unknown]) => {
    const { title, description, enum: values }: JsonObject = Object(property);
    const firstValues = Array.isArray(values) ? values.slice(0, maxValues) : [];
    return [name, title, description, ...firstValues].filter((value) => typeof value === 'string');
  });
  return words.join(' ');
}

/** What people put around the words that matter. */
const requestWords = ['find', 'get', 'give', 'look', 'need', 'please', 'show', 'want'];
const ignored = new Set([...stopwords, ...requestWords]);
const word = /[\p{L}\p{N}]+/gu;
/** The same few words make up most texts. */
const stemCache = new Map<string, string>();
const maxKnown = 20_000;

/** `maxPages`, `max_pages` and `max-pages` are two words each. */
function toStems(text: string): string[] {
  const separate = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return (separate.match(word) ?? []).filter((token) => !ignored.has(token)).map(toStem);
}

function toStem(token: string): string {
  const before = stemCache.get(token);
  if (before !== undefined) return before;
  const stem = stemmer(token);
  if (stemCache.size >= maxKnown) stemCache.clear();
  stemCache.set(token, stem);
  return stem;
}
