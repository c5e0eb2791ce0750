/**
 * Which costs were told. The first answer that is delivered tells what a job cost, every later one that it cost nothing more.
 * A row says that its end was delivered; here is what no row says: an answer that was written and may be read, and
 * calls of this process that wait for the same end and get it in the same moment.
 */

/** A call that waits for the end of a row. */
export interface Teller {
  /** Whether another one, which waited for the same end, tells the cost. */
  isSilent: boolean;
}

export class ToldCosts {
  readonly #written = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Teller>>();

  /** Whether an answer that tells the cost of a row was written, and may be read. */
  has(rowId: string): boolean {
    return this.#written.has(rowId);
  }

  /** An answer that tells the cost was written. Returns how to take that back: it was not read, or the row says so by now. */
  write(rowId: string): () => void {
    this.#written.set(rowId, (this.#written.get(rowId) ?? 0) + 1);
    let isTakenBack = false;
    return () => {
      if (isTakenBack) return;
      isTakenBack = true;
      const left = (this.#written.get(rowId) ?? 1) - 1;
      if (left === 0) this.#written.delete(rowId);
      else this.#written.set(rowId, left);
    };
  }

  /** A wait for the end of a row begins. `end` is to be called after it. */
  begin(rowId: string): Teller {
    const teller: Teller = { isSilent: false };
    const tellers = this.#waiting.get(rowId) ?? new Set();
    this.#waiting.set(rowId, tellers.add(teller));
    return teller;
  }

  end(rowId: string, teller: Teller): void {
    const tellers = this.#waiting.get(rowId);
    if (tellers?.delete(teller) === true && tellers.size === 0) this.#waiting.delete(rowId);
  }

  /** Whether the answer to a call tells the cost. If so, the others that wait for the same end do not. */
  tells(rowId: string, teller: Teller): boolean {
    if (teller.isSilent || this.has(rowId)) return false;
    for (const other of this.#waiting.get(rowId) ?? []) other.isSilent = other !== teller;
    return true;
  }
}
