/**
 * Finds actions by words: in their names, websites, descriptions, params, enum values and the goals that they were
 * built for. Words are compared by their stems, without stop words.
 */
import { stemmer } from '@orama/stemmers/english';
import { stopwords } from '@orama/stopwords/english';
import MiniSearch, { type Query } from 'minisearch';
import type { SearchResult } from '../../contract/resources.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { JsonObject } from '../outcomes.ts';

/** `weak`: not every word of the query occurs, or some of them only in a similar spelling. */
export interface RankedActions {
  readonly actions: readonly SearchResult[];
  readonly weak: boolean;
}

interface Document {
  readonly id: number;
  readonly name: string;
  readonly site: string;
  readonly about: string;
  readonly params: string;
  readonly goal: string;
}

const fields = ['name', 'site', 'about', 'params', 'goal'] as const;
const boost = { name: 4, site: 2, goal: 2, about: 1.5, params: 1 };
const weakCount = 10;
/** Shorter words begin too many others. */
const minPrefixLength = 4;
const minFuzzyLength = 4;
const maxValues = 200;
/** Between chunks other work has its turn. */
const chunkSize = 50;

/** What people put around the words that matter. */
const requestWords = ['find', 'get', 'give', 'look', 'need', 'please', 'show', 'want'];
const ignored = new Set([...stopwords, ...requestWords]);
const word = /[\p{L}\p{N}]+/gu;

export class ActionIndex {
  readonly #actions: readonly SearchResult[];
  readonly #index: MiniSearch<Document>;

  private constructor(actions: readonly SearchResult[], index: MiniSearch<Document>) {
    this.#actions = actions;
    this.#index = index;
  }

  static async create(snapshot: Snapshot): Promise<ActionIndex> {
    const actions = [...snapshot.actions()];
    const stems = new Map<string, string>();
    const stem = (text: string) => {
      const known = stems.get(text) ?? stemmer(text);
      stems.set(text, known);
      return known;
    };
    const index = new MiniSearch<Document>({
      fields: [...fields],
      tokenize: splitWords,
      processTerm: (term) => (ignored.has(term) ? null : stem(term)),
      searchOptions: { boost },
    });
    await index.addAllAsync(
      actions.map((action, id) => toDocument(action, id, snapshot.goalOf(action.action_id))),
      { chunkSize },
    );
    return new ActionIndex(actions, index);
  }

  /** Those in which every word occurs, the best first; where there are none, the nearest ones. */
  search(words: string, accepts: (action: SearchResult) => boolean): RankedActions {
    const filter = ({ id }: { id: unknown }) => {
      const action = this.#actionOf(id);
      return action !== undefined && accepts(action);
    };
    const find = (query: Query) =>
      this.#index.search(query, { filter }).flatMap(({ id }) => this.#actionOf(id) ?? []);
    const prefix = (term: string) => term.length >= minPrefixLength;
    const strong = find({ queries: [words], combineWith: 'AND', prefix });
    if (strong.length > 0) return { actions: strong, weak: false };
    const fuzzy = (term: string) => (term.length >= minFuzzyLength ? 0.25 : false);
    const weak = find({ queries: [words], combineWith: 'OR', prefix, fuzzy });
    return { actions: weak.slice(0, weakCount), weak: weak.length > 0 };
  }

  #actionOf(id: unknown): SearchResult | undefined {
    return typeof id === 'number' ? this.#actions[id] : undefined;
  }
}

function toDocument(action: SearchResult, id: number, goal: string): Document {
  return {
    id,
    name: `${action.name} ${action.action_id}`,
    site: `${action.catalog_name} ${action.catalog_slug}`,
    about: action.description,
    params: paramWords(action.params),
    goal,
  };
}

/** Names, titles and descriptions of the params, and the values they may have. */
function paramWords({ properties }: JsonObject): string {
  if (typeof properties !== 'object' || properties === null) return '';
  const words = Object.entries(properties).flatMap(([name, property]: [string, unknown]) => {
    const { title, description, enum: values }: JsonObject = Object(property);
    const listed = Array.isArray(values) ? values.slice(0, maxValues) : [];
    return [name, title, description, ...listed].filter((value) => typeof value === 'string');
  });
  return words.join(' ');
}

/** `maxPages`, `max_pages` and `max-pages` are two words each. */
function splitWords(text: string): string[] {
  const separate = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return [...(separate.match(word) ?? [])];
}
