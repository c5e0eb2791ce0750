/**
 * Visible actions, each as the bytes of its JSON outside the heap of the engine: of tens of thousands only a few are
 * looked at, and parsed ones would take several times the memory. What is asked of all of them stands beside the bytes.
 */
import type { ActionVisitor } from '../../contract/api.ts';
import { readers } from '../../contract/reading.ts';
import type { SearchResult } from '../../contract/resources.ts';

/** What stands beside the bytes, one value for each action, in the same order. */
export interface ActionColumns {
  readonly ids: readonly string[];
  readonly slugs: readonly string[];
  readonly credits: readonly number[];
  readonly needsAccount: readonly boolean[];
}

interface Row {
  readonly id: string;
  readonly slug: string;
  readonly credits: number;
  readonly needsAccount: boolean;
}

/** The most parsed actions that are kept, so that an action in use stays the same object. */
const maxParsed = 500;
const minBlockBytes = 4_096;
const maxBlockBytes = 1_048_576;

export class PackedActions implements ActionColumns, ActionVisitor {
  #ids = new ActionIds();
  #slugs: string[] = [];
  #credits: number[] = [];
  #needsAccount: boolean[] = [];
  /** Where the JSON of each action is: its block, and start and end within that. */
  #blocks: Buffer[] = [];
  #starts: number[] = [];
  #ends: number[] = [];
  #block = Buffer.alloc(0);
  #used = 0;
  readonly #strings = new Map<string, string>();
  readonly #parsed = new Map<number, SearchResult>();
  #previous: PackedActions | undefined;
  /** The place of the next action in the previous ones. */
  #place = 0;
  #differs = false;

  /** `previous`: whether something differs is noticed, and what does not is not parsed again. */
  constructor(previous?: PackedActions) {
    this.#previous = previous;
  }

  /**
   * Actions as they were written to disk, with different ids: `ends` says where the JSON of each ends in the block. No
   * loop: at a start it would run before it is compiled.
   */
  static fromBlock(block: Buffer, ends: readonly number[], columns: ActionColumns): PackedActions {
    const actions = new PackedActions();
    actions.#ids = new ActionIds([...columns.ids]);
    actions.#slugs = [...columns.slugs];
    actions.#credits = [...columns.credits];
    actions.#needsAccount = [...columns.needsAccount];
    actions.#blocks = Array<Buffer>(ends.length).fill(block);
    actions.#starts = [0, ...ends.slice(0, -1)];
    actions.#ends = [...ends];
    return actions;
  }

  /** The action that follows in the previous ones, if its JSON is the same. */
  reuse(json: Uint8Array): boolean {
    const previous = this.#previous;
    if (previous === undefined || !previous.#isAt(this.#place, json)) return false;
    this.#place += 1;
    if (this.#differs) this.#takeFrom(previous, this.#place - 1);
    return true;
  }

  add({ action_id: id, catalog_slug: slug, credits, auth_mode }: SearchResult, json: Uint8Array): void {
    this.#differ();
    const place = this.#previous?.indexOf(id);
    if (place !== undefined) this.#place = place + 1;
    this.#copy({ id, slug: this.#interned(slug), credits, needsAccount: auth_mode === 'required' }, json);
  }

  /** After the last `add`: the previous ones themselves, where nothing differs. */
  finish(): PackedActions {
    const previous = this.#previous;
    const isSame = previous !== undefined && !this.#differs && this.#place === previous.size;
    if (!isSame) this.#differ();
    this.#previous = undefined;
    return isSame ? previous : this;
  }

  get ids(): readonly string[] {
    return this.#ids.all;
  }

  get slugs(): readonly string[] {
    return this.#slugs;
  }

  get credits(): readonly number[] {
    return this.#credits;
  }

  get needsAccount(): readonly boolean[] {
    return this.#needsAccount;
  }

  get size(): number {
    return this.ids.length;
  }

  /** The JSON of an action as the service sent it; empty where there is none. */
  json(index: number): Buffer {
    return this.#blocks[index]?.subarray(this.#starts[index], this.#ends[index]) ?? Buffer.alloc(0);
  }

  indexOf(id: string): number | undefined {
    return this.#ids.indexOf(id);
  }

  /** What an action costs, by its id; holds neither the bytes nor anything else of the actions. */
  prices(): (id: string) => number | undefined {
    const ids = this.#ids;
    const { credits } = this;
    return (id) => {
      const index = ids.indexOf(id);
      return index === undefined ? undefined : credits[index];
    };
  }

  at(index: number): SearchResult | undefined {
    const cached = this.#parsed.get(index);
    if (cached !== undefined) return cached;
    const action = this.read(index);
    if (action === undefined) return undefined;
    for (const oldest of this.#parsed.keys()) {
      if (this.#parsed.size < maxParsed) break;
      this.#parsed.delete(oldest);
    }
    this.#parsed.set(index, action);
    return action;
  }

  /** Like `at`, but keeps no parsed action: for callers that read all of them. */
  read(index: number): SearchResult | undefined {
    return index < this.size ? parse(this.json(index).toString()) : undefined;
  }

  #isAt(index: number, json: Uint8Array): boolean {
    const block = this.#blocks[index];
    return block?.compare(json, 0, json.length, this.#starts[index], this.#ends[index]) === 0;
  }

  /** Copies the actions that were only counted so far. */
  #differ(): void {
    if (this.#differs) return;
    this.#differs = true;
    const previous = this.#previous;
    if (previous === undefined) return;
    for (let index = 0; index < this.#place; index += 1) this.#takeFrom(previous, index);
  }

  /** A copy: a block of the previous ones would stay in memory for the few of its actions that did not change. */
  #takeFrom(previous: PackedActions, index: number): void {
    this.#copy(rowOf(previous, index), previous.json(index));
  }

  #copy(row: Row, json: Uint8Array): void {
    // If two actions have the same id, the first counts.
    if (this.indexOf(row.id) !== undefined) return;
    if (this.#block.length - this.#used < json.length) {
      const size = Math.min(Math.max(this.#block.length * 2, minBlockBytes), maxBlockBytes);
      this.#block = Buffer.allocUnsafeSlow(Math.max(size, json.length));
      this.#used = 0;
    }
    this.#block.set(json, this.#used);
    this.#push(row, this.#block, this.#used, this.#used + json.length);
    this.#used += json.length;
  }

  #push({ id, slug, credits, needsAccount }: Row, block: Buffer, start: number, end: number): void {
    this.#ids.push(id);
    this.#slugs.push(slug);
    this.#credits.push(credits);
    this.#needsAccount.push(needsAccount);
    this.#blocks.push(block);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  #interned(text: string): string {
    const cached = this.#strings.get(text);
    if (cached !== undefined) return cached;
    this.#strings.set(text, text);
    return text;
  }
}

class ActionIds {
  readonly all: string[];
  /** Made when the first id is looked up: the list of tools at a start needs none. */
  #indexes: Map<string, number> | undefined;

  constructor(ids: string[] = []) {
    this.all = ids;
  }

  indexOf(id: string): number | undefined {
    this.#indexes ??= new Map(this.all.map((action, index) => [action, index]));
    return this.#indexes.get(id);
  }

  push(id: string): void {
    this.#indexes?.set(id, this.all.length);
    this.all.push(id);
  }
}

const rowOf = (columns: ActionColumns, index: number): Row => ({
  id: columns.ids[index] ?? '',
  slug: columns.slugs[index] ?? '',
  credits: columns.credits[index] ?? 0,
  needsAccount: columns.needsAccount[index] ?? false,
});

/** Undefined for a text that was damaged on disk. */
function parse(text: string): SearchResult | undefined {
  try {
    return readers.searchResult.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
