/**
 * Finds actions by words: in their names, websites, descriptions, params, enum values and the goals that they were
 * built for. Words are compared by their stems. Each different stem has a number; of each action the numbers of its
 * stems are kept, in one array for all actions: 5 MB for 50,000 actions, which one pass searches in a few milliseconds.
 */

import { runInSlices } from '../../client/slices.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { NearestName } from '../foundation/nearest.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { StemLists } from './stem-lists.ts';
import { toStems } from './stems.ts';

/** `weak`: not every word of the query occurs, or some of them only in a similar spelling. */
export interface RankedActions {
  /** Places in the snapshot, the best first. */
  readonly indexes: readonly number[];
  readonly weak: boolean;
}

/** What a word counts by the field in which it stands: name, website, goal, description, params. */
const weights = [4, 2, 2, 1.5, 1];
/** The weight of a word that only begins with the word of the query. */
const prefixWeight = 0.6;
const weakCount = 10;
const maxStems = 12;
const maxValues = 200;
const maxFieldChars = 2_000;
/** Shorter stems begin too many others. */
const minPrefixLength = 4;
const minCorrectedLength = 4;
const stepSize = 25;

const isCorrectable = (stem: string) => stem.length >= minCorrectedLength;

export class ActionIndex {
  readonly #lists: StemLists;

  private constructor(lists: StemLists) {
    this.#lists = lists;
  }

  static async create(snapshot: Snapshot): Promise<ActionIndex> {
    return new ActionIndex(await runInSlices(listsOf(snapshot)));
  }

  /** The actions in which every word occurs, the best first; if there are none, the nearest ones. */
  async search(words: string, accepts: (index: number) => boolean): Promise<RankedActions> {
    const stems = [...new Set(toStems(words))].slice(0, maxStems);
    if (stems.length === 0) return { indexes: [], weak: false };
    const result = await runInSlices(this.#find(stems, accepts));
    if (result.isComplete) return { indexes: sorted(result.matches), weak: false };
    const unmatchedStems = stems.filter((stem, place) => result.counts[place] === 0 && isCorrectable(stem));
    const { matches } =
      unmatchedStems.length === 0
        ? result
        : await runInSlices(
            this.#find(await runInSlices(this.#correctStems(stems, unmatchedStems)), accepts),
          );
    return { indexes: sorted(matches).slice(0, weakCount), weak: matches.length > 0 };
  }

  *#find(stems: readonly string[], accepts: (index: number) => boolean): Generator<void, Found> {
    const queries: Query[] = [];
    for (const stem of stems) queries.push(yield* this.#toQuery(stem));
    const { size } = this.#lists;
    // Common words occur in most actions: one array for what each counts in each action, and no object for any.
    const table = new Float64Array(size * stems.length);
    const matched = new Uint8Array(size);
    const counts = stems.map(() => 0);
    for (let index = 0; index < size; index += 1) {
      if (index % stepSize === 0) yield;
      if (!accepts(index)) continue;
      for (const [place, query] of queries.entries()) {
        const weight = this.#getWeight(index, query);
        if (weight === 0) continue;
        table[index * stems.length + place] = weight;
        matched[index] = (matched[index] ?? 0) + 1;
        counts[place] = (counts[place] ?? 0) + 1;
      }
    }
    // Rare words say more than common ones.
    const rarity = counts.map((count) => Math.log(1 + size / (1 + count)));
    const isComplete = matched.includes(stems.length);
    const least = isComplete ? stems.length : 1;
    const matches: Match[] = [];
    for (const [index, count] of matched.entries()) {
      if (index % stepSize === 0) yield;
      if (count < least) continue;
      const score = rarity.reduce(
        (sum, rare, place) => sum + rare * (table[index * stems.length + place] ?? 0),
        0,
      );
      matches.push({ index, score, matched: count });
    }
    return { matches, isComplete, counts };
  }

  *#toQuery(stem: string): Generator<void, Query> {
    const longer = new Set<number>();
    if (stem.length >= minPrefixLength) {
      for (const [number, entry] of this.#lists.stems.entries()) {
        if (number % (stepSize * 10) === 0) yield;
        if (entry.startsWith(stem)) longer.add(number);
      }
    }
    return { exact: this.#lists.numberOf(stem), longer };
  }

  /** What a word counts in an action; 0: it does not occur. */
  #getWeight(index: number, { exact, longer }: Query): number {
    const lists = this.#lists;
    const end = lists.endOf(index);
    let first = 0;
    for (let at = lists.startOf(index); at < end; at += 1) {
      const stem = lists.stemAt(at);
      if (stem === exact) return weights[lists.fieldAt(at)] ?? 1;
      if (first === 0 && longer.size > 0 && longer.has(stem))
        first = (weights[lists.fieldAt(at)] ?? 1) * prefixWeight;
    }
    return first;
  }

  /** Replaces stems that occur nowhere by the nearest one that occurs. */
  *#correctStems(stems: readonly string[], unmatchedStems: readonly string[]): Generator<void, string[]> {
    const nearest = new Map(unmatchedStems.map((stem) => [stem, new NearestName(stem)]));
    for (const [number, stem] of this.#lists.stems.entries()) {
      if (number % stepSize === 0) yield;
      // Numbers are not corrected: they are rarely misspelled, and there are as many of them as actions.
      if (/\d/.test(stem)) continue;
      for (const candidates of nearest.values()) candidates.offer(stem);
    }
    return stems.map((stem) => nearest.get(stem)?.best ?? stem);
  }
}

/** The numbers of the stems that a word of a query matches. */
interface Query {
  readonly exact: number | undefined;
  readonly longer: ReadonlySet<number>;
}

interface Match {
  readonly index: number;
  readonly score: number;
  readonly matched: number;
}

interface Found {
  readonly matches: readonly Match[];
  /** All words occur in each of the matches. */
  readonly isComplete: boolean;
  /** In how many actions each word occurs. */
  readonly counts: readonly number[];
}

/** More words first, then the score; of equals in the order of the service. */
const sorted = (matches: readonly Match[]) =>
  matches
    .toSorted((a, b) => b.matched - a.matched || b.score - a.score || a.index - b.index)
    .map(({ index }) => index);

function* listsOf(snapshot: Snapshot): Generator<void, StemLists> {
  const lists = new StemLists();
  for (let index = 0; index < snapshot.size; index += 1) {
    yield;
    const action = snapshot.data.actions.read(index);
    const fields = action === undefined ? [] : toFields(action, snapshot.getGoal(action.action_id));
    lists.add(fields.map((field) => toStems(field.slice(0, maxFieldChars))));
  }
  lists.finish();
  return lists;
}

/** In the order of their weights. */
const toFields = (action: SearchResult, goal: string): string[] => [
  `${action.name} ${action.action_id}`,
  `${action.catalog_name} ${action.catalog_slug}`,
  goal,
  action.description,
  paramWords(action.params),
];

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
