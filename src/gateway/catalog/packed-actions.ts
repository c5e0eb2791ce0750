/**
 * Visible actions, each as its JSON text: of tens of thousands only a few are looked at, and parsed ones would take
 * several times the memory. What is asked of all of them stands beside the texts.
 */
import type { ActionVisitor } from '../../contract/api.ts';
import { readers } from '../../contract/reading.ts';
import type { SearchResult } from '../../contract/resources.ts';

/** What stands beside the texts, one value for each action, in the same order. */
export interface ActionColumns {
  readonly ids: readonly string[];
  readonly slugs: readonly string[];
  readonly credits: readonly number[];
  readonly needsAccount: readonly boolean[];
}

/** Parsed ones that are kept: the same action is the same object while it is used. */
const maxParsed = 500;

export class PackedActions implements ActionColumns, ActionVisitor {
  readonly ids: string[] = [];
  readonly slugs: string[] = [];
  readonly credits: number[] = [];
  readonly needsAccount: boolean[] = [];
  readonly #lines: string[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #strings = new Map<string, string>();
  readonly #parsed = new Map<number, SearchResult>();
  #previous: PackedActions | undefined;
  /** Of the previous ones the place of the next. */
  #place = 0;
  #differs = false;

  /** `previous`: unchanged texts are shared with it. */
  constructor(previous?: PackedActions) {
    this.#previous = previous;
  }

  /** The action that follows in the previous ones, if its text is the same. */
  reuse(text: string): boolean {
    if (this.#previous?.line(this.#place) !== text) return false;
    this.#place += 1;
    if (this.#differs) this.#takeFrom(this.#previous, this.#place - 1);
    return true;
  }

  add({ action_id: id, catalog_slug: slug, credits, auth_mode }: SearchResult, text: string): void {
    this.#differ();
    const place = this.#previous?.indexOf(id);
    if (place !== undefined) this.#place = place + 1;
    // A part of a larger text would keep that in memory; of the first ones all of it is kept anyway.
    const line = this.#previous === undefined ? text : Buffer.from(text).toString();
    this.#push({ id, slug, credits, needsAccount: auth_mode === 'required' }, line);
  }

  /** After the last `add`: the previous ones themselves, where nothing differs. */
  finish(): PackedActions {
    const previous = this.#previous;
    const isSame = previous !== undefined && !this.#differs && this.#place === previous.size;
    if (!isSame) this.#differ();
    this.#previous = undefined;
    return isSame ? previous : this;
  }

  /** What was only counted until here is taken over. */
  #differ(): void {
    if (this.#differs) return;
    this.#differs = true;
    for (let index = 0; index < this.#place; index += 1) this.#takeFrom(this.#previous, index);
  }

  #takeFrom(previous: PackedActions | undefined, index: number): void {
    if (previous !== undefined) this.addLine(previous.line(index), previous, index);
  }

  /** An action as it was written to disk. */
  addLine(line: string, columns: ActionColumns, index: number): void {
    this.#push(
      {
        id: columns.ids[index] ?? '',
        slug: columns.slugs[index] ?? '',
        credits: columns.credits[index] ?? 0,
        needsAccount: columns.needsAccount[index] ?? false,
      },
      line,
    );
  }

  get size(): number {
    return this.#lines.length;
  }

  line(index: number): string {
    return this.#lines[index] ?? '';
  }

  indexOf(id: string): number | undefined {
    return this.#indexes.get(id);
  }

  at(index: number): SearchResult | undefined {
    const known = this.#parsed.get(index);
    if (known !== undefined) return known;
    const action = this.read(index);
    if (action === undefined) return undefined;
    for (const oldest of this.#parsed.keys()) {
      if (this.#parsed.size < maxParsed) break;
      this.#parsed.delete(oldest);
    }
    this.#parsed.set(index, action);
    return action;
  }

  /** Like `at`, for those who look at all of them: nothing is kept. */
  read(index: number): SearchResult | undefined {
    const line = this.#lines[index];
    return line === undefined ? undefined : parse(line);
  }

  #push(row: { id: string; slug: string; credits: number; needsAccount: boolean }, line: string): void {
    // Of two with the same id the first counts.
    if (this.#indexes.has(row.id)) return;
    this.#indexes.set(row.id, this.#lines.length);
    this.ids.push(row.id);
    this.slugs.push(this.#interned(row.slug));
    this.credits.push(row.credits);
    this.needsAccount.push(row.needsAccount);
    this.#lines.push(line);
  }

  #interned(text: string): string {
    const known = this.#strings.get(text) ?? text;
    this.#strings.set(known, known);
    return known;
  }
}

/** Undefined for a text that was damaged on disk. */
function parse(line: string): SearchResult | undefined {
  try {
    return readers.searchResult.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
