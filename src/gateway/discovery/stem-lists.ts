/** The different stems of each action, as numbers in one array for all actions. */

/** The lowest bits hold the field in which a stem first stands. */
const fieldBits = 3;
const fieldMask = 2 ** fieldBits - 1;

export class StemLists {
  /** Each different stem; its place is its number. */
  readonly stems: string[] = [];
  readonly #numbers = new Map<string, number>();
  #entries = new Uint32Array(1_024);
  #used = 0;
  readonly #starts: number[] = [];

  get size(): number {
    return this.#starts.length;
  }

  /** The next action, by the stems of at most eight fields. */
  add(fields: readonly (readonly string[])[]): void {
    this.#starts.push(this.#used);
    const seen = new Set<number>();
    for (const [field, stems] of fields.entries()) {
      for (const stem of stems) {
        const number = this.#getNumber(stem);
        if (seen.has(number)) continue;
        seen.add(number);
        this.#push(number * 2 ** fieldBits + field);
      }
    }
  }

  /** Called after the last `add`: frees the memory that was reserved for more. */
  finish(): void {
    this.#entries = this.#entries.slice(0, this.#used);
  }

  numberOf(stem: string): number | undefined {
    return this.#numbers.get(stem);
  }

  /** The first entry of an action. */
  startOf(index: number): number {
    return this.#starts[index] ?? this.#used;
  }

  /** The one after its last. */
  endOf(index: number): number {
    return this.startOf(index + 1);
  }

  stemAt(entry: number): number {
    return (this.#entries[entry] ?? 0) >>> fieldBits;
  }

  fieldAt(entry: number): number {
    return (this.#entries[entry] ?? 0) & fieldMask;
  }

  #getNumber(stem: string): number {
    const number = this.#numbers.get(stem);
    if (number !== undefined) return number;
    this.#numbers.set(stem, this.stems.length);
    return this.stems.push(stem) - 1;
  }

  #push(entry: number): void {
    if (this.#used === this.#entries.length) {
      const larger = new Uint32Array(this.#used * 2);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    this.#entries[this.#used] = entry;
    this.#used += 1;
  }
}
