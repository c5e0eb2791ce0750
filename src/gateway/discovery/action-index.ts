/**
 * Finds actions by words: in their names, websites, descriptions, params, enum values and the goals that they were
 * built for. Words are compared by their stems. Of each action the stems are kept as one text, which takes a tenth of
 * the memory of an inverted index and is made five times as fast; 50,000 of them are searched in slices.
 */

import { runInSlices } from '../../client/slices.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { NearestName } from '../foundation/nearest.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { stemsOf } from './stems.ts';

/** `weak`: not every word of the query occurs, or some of them only in a similar spelling. */
export interface RankedActions {
  /** Places in the snapshot, the best first. */
  readonly indexes: readonly number[];
  readonly weak: boolean;
}

/** What a word counts by the field in which it stands: name, website, goal, description, params. */
const weights = [4, 2, 2, 1.5, 1];
/** Of a word that only begins with the one asked for. */
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
  readonly #snapshot: Snapshot;
  /** For each action its stems: ` list book \n shop \n\n…`, one line for each field. */
  readonly #texts: readonly string[];

  private constructor(snapshot: Snapshot, texts: readonly string[]) {
    this.#snapshot = snapshot;
    this.#texts = texts;
  }

  /** What has not changed since the previous one is taken from it. */
  static async create(snapshot: Snapshot, previous?: ActionIndex): Promise<ActionIndex> {
    return new ActionIndex(snapshot, await runInSlices(textsOf(snapshot, previous)));
  }

  /** Those in which every word occurs, the best first; where there are none, the nearest ones. */
  async search(words: string, accepts: (index: number) => boolean): Promise<RankedActions> {
    const stems = [...new Set(stemsOf(words))].slice(0, maxStems);
    if (stems.length === 0) return { indexes: [], weak: false };
    const found = await runInSlices(this.#find(stems, accepts));
    const complete = found.filter(({ matched }) => matched === stems.length);
    if (complete.length > 0) return { indexes: sorted(complete), weak: false };
    const missing = stems.filter((stem) => !found.some(({ stems: own }) => own.includes(stem)));
    const corrected = missing.some(isCorrectable)
      ? await runInSlices(
          this.#find(await runInSlices(this.#corrected(stems, missing.filter(isCorrectable))), accepts),
        )
      : found;
    return { indexes: sorted(corrected).slice(0, weakCount), weak: corrected.length > 0 };
  }

  /** The text of the action at a place of another snapshot, if nothing that it was made of differs. */
  textFor(other: Snapshot, index: number): string | undefined {
    const id = other.data.actions.ids[index] ?? '';
    const own = this.#snapshot.data.actions.indexOf(id);
    if (own === undefined || this.#snapshot.goalOf(id) !== other.goalOf(id)) return undefined;
    const isSame = this.#snapshot.data.actions.line(own) === other.data.actions.line(index);
    return isSame ? this.#texts[own] : undefined;
  }

  *#find(stems: readonly string[], accepts: (index: number) => boolean): Generator<void, Match[]> {
    const counts = stems.map(() => 0);
    const rows: { index: number; weights: number[] }[] = [];
    for (const [index, text] of this.#texts.entries()) {
      if (index % stepSize === 0) yield;
      if (!accepts(index)) continue;
      const row = stems.map((stem) => weightOf(text, stem));
      if (row.every((weight) => weight === 0)) continue;
      rows.push({ index, weights: row });
      for (const [place, weight] of row.entries()) if (weight > 0) counts[place] = (counts[place] ?? 0) + 1;
    }
    // Rare words say more than common ones.
    const rarity = counts.map((count) => Math.log(1 + this.#texts.length / (1 + count)));
    const matches: Match[] = [];
    for (const [place, { index, weights: row }] of rows.entries()) {
      if (place % (stepSize * 10) === 0) yield;
      const own = stems.filter((_, stem) => (row[stem] ?? 0) > 0);
      const score = row.reduce((sum, weight, stem) => sum + weight * (rarity[stem] ?? 0), 0);
      matches.push({ index, score, matched: own.length, stems: own });
    }
    return matches;
  }

  /** The stems, those that occur nowhere replaced by the nearest one that does. */
  *#corrected(stems: readonly string[], missing: readonly string[]): Generator<void, string[]> {
    const vocabulary = new Set<string>();
    const nearest = new Map(missing.map((stem) => [stem, new NearestName(stem)]));
    for (const [index, text] of this.#texts.entries()) {
      if (index % stepSize === 0) yield;
      for (const stem of text.split(/\s+/)) {
        // Numbers are not misspelled, and there are as many as actions.
        if (vocabulary.has(stem) || /\d/.test(stem)) continue;
        vocabulary.add(stem);
        for (const candidates of nearest.values()) candidates.offer(stem);
      }
    }
    return stems.map((stem) => nearest.get(stem)?.best ?? stem);
  }
}

interface Match {
  readonly index: number;
  readonly score: number;
  readonly matched: number;
  readonly stems: readonly string[];
}

/** More words first, then the score; of equals in the order of the service. */
const sorted = (matches: readonly Match[]) =>
  matches
    .toSorted(
      (one, other) => other.matched - one.matched || other.score - one.score || one.index - other.index,
    )
    .map(({ index }) => index);

function* textsOf(snapshot: Snapshot, previous: ActionIndex | undefined): Generator<void, string[]> {
  const texts: string[] = [];
  for (let index = 0; index < snapshot.size; index += 1) {
    if (index % stepSize === 0) yield;
    const known = previous?.textFor(snapshot, index);
    const action = known === undefined ? snapshot.data.actions.read(index) : undefined;
    texts.push(known ?? (action === undefined ? '' : textOf(action, snapshot.goalOf(action.action_id))));
  }
  return texts;
}

function textOf(action: SearchResult, goal: string): string {
  const fields = [
    `${action.name} ${action.action_id}`,
    `${action.catalog_name} ${action.catalog_slug}`,
    goal,
    action.description,
    paramWords(action.params),
  ];
  return fields
    .map((field) => ` ${[...new Set(stemsOf(field.slice(0, maxFieldChars)))].join(' ')} `)
    .join('\n');
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

/** 0: the stem does not occur. */
function weightOf(text: string, stem: string): number {
  const exact = text.indexOf(` ${stem} `);
  if (exact !== -1) return fieldWeight(text, exact);
  if (stem.length < minPrefixLength) return 0;
  const prefix = text.indexOf(` ${stem}`);
  return prefix === -1 ? 0 : fieldWeight(text, prefix) * prefixWeight;
}

function fieldWeight(text: string, at: number): number {
  let field = 0;
  for (let line = text.indexOf('\n'); line !== -1 && line < at; line = text.indexOf('\n', line + 1))
    field += 1;
  return weights[field] ?? 1;
}
