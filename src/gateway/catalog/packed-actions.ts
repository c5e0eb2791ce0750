/**
 * The visible actions, each kept as the bytes of its JSON outside of the JavaScript heap: of tens of thousands only a few
 * are used, and parsed ones would take several times the memory. Values that are needed of all actions are kept in columns.
 */
import type { ActionVisitor } from '../../contract/api.ts';
import { readers } from '../../contract/reading.ts';
import type { SearchResult } from '../../contract/resources.ts';

/** The columns: one value for each action, in the same order. */
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
  /** Where the JSON of each action is: its block, and its start and end in that block. */
  #blocks: Buffer[] = [];
  #starts: number[] = [];
  #ends: number[] = [];
  #block = Buffer.alloc(0);
  #used = 0;
  readonly #strings = new Map<string, string>();
  readonly #parsed = new Map<number, SearchResult>();
  #previous: PackedActions | undefined;
  /** The index of the next action among the previous ones. */
  #place = 0;
  #differs = false;

  /** `previous`: the actions of the last refresh. Those that did not change are not parsed again. */
  constructor(previous?: PackedActions) {
    this.#previous = previous;
  }

  /**
   * The actions of a file on disk, whose ids all differ; `ends` says where the JSON of each ends in the block. Written
   * without a loop, because a start would run the loop before it is compiled.
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

  /** Takes over the next of the previous actions if its JSON is the same; returns whether it was. */
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

  /** Called after the last `add`. Returns the previous actions themselves where nothing changed. */
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

  /** The price of an action by its id. The function keeps neither the bytes nor other columns in memory. */
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

  /** At the first change: copies the unchanged actions before it, which were only counted so far. */
  #differ(): void {
    if (this.#differs) return;
    this.#differs = true;
    const previous = this.#previous;
    if (previous === undefined) return;
    for (let index = 0; index < this.#place; index += 1) this.#takeFrom(previous, index);
  }

  /** Copies the bytes: otherwise a whole old block would stay in memory for a few unchanged actions. */
  #takeFrom(previous: PackedActions, index: number): void {
    this.#copy(toRow(previous, index), previous.json(index));
  }

  #copy(row: Row, json: Uint8Array): void {
    // Of two actions with the same id the dearer counts, so that no limit is passed.
    const index = this.indexOf(row.id);
    if (index !== undefined && row.credits <= (this.#credits[index] ?? 0)) return;
    if (this.#block.length - this.#used < json.length) {
      const size = Math.min(Math.max(this.#block.length * 2, minBlockBytes), maxBlockBytes);
      this.#block = Buffer.allocUnsafeSlow(Math.max(size, json.length));
      this.#used = 0;
    }
    this.#block.set(json, this.#used);
    this.#put(row, index ?? this.size, this.#block, this.#used, this.#used + json.length);
    this.#used += json.length;
  }

  #put(
    { id, slug, credits, needsAccount }: Row,
    index: number,
    block: Buffer,
    start: number,
    end: number,
  ): void {
    if (index === this.size) this.#ids.push(id);
    this.#slugs[index] = slug;
    this.#credits[index] = credits;
    this.#needsAccount[index] = needsAccount;
    this.#blocks[index] = block;
    this.#starts[index] = start;
    this.#ends[index] = end;
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
  /** Made when the first id is looked up, because the list of tools at a start needs no index. */
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

const toRow = (columns: ActionColumns, index: number): Row => ({
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
