/** Flushes a write-ahead log to the disk: one flush at a time, shared by all callers that asked before it began. */
import fs from 'node:fs';
import { brokenDisk, refusal, type StoreError } from './errors.ts';

export class LogFlush {
  readonly #file: string;
  #descriptor: number | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: StoreError | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws a `StoreError` after a failed flush: later writes would be as uncertain as the lost ones. */
  check(): void {
    if (this.#failure === undefined) return;
    throw refusal('broken-disk', this.#failure.message, this.#failure.cause);
  }

  /** Resolves when all that was written before the call is on the disk. After a failure it always rejects. */
  flush(): Promise<void> {
    // The flush under way may have begun before the caller's commit.
    this.#next ??= new Promise((resolve, reject) => {
      const begin = () => this.#begin(resolve, reject);
      if (this.#running === undefined) queueMicrotask(begin);
      else this.#running.then(begin, begin);
    });
    return this.#next;
  }

  /** The flush under way; undefined where there is none. */
  get underWay(): Promise<void> | undefined {
    return this.#running;
  }

  /** After this no flush may be requested. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
  }

  /** With a callback, because a file handle makes eight promises for each flush. */
  #begin(resolve: () => void, reject: (failure: StoreError) => void): void {
    this.#running = this.#next;
    this.#next = undefined;
    const fail = (error: unknown) => {
      // A disk reports a lost write only once, so nothing counts as written from here on.
      this.#failure ??= brokenDisk(error instanceof Error ? error.message : String(error), error);
      this.#running = undefined;
      reject(this.#failure);
    };
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#descriptor ??= fs.openSync(this.#file, 'r+');
      fs.fdatasync(this.#descriptor, (error) => {
        if (error !== null) return fail(error);
        this.#running = undefined;
        resolve();
      });
    } catch (error) {
      fail(error);
    }
  }
}
