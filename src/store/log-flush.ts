/** Flushes a write-ahead log to the disk: one flush at a time, shared by all callers that asked before it began. */
import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { brokenDisk, refusal, type StoreError } from './errors.ts';

export class LogFlush {
  readonly #file: string;
  #handle: FileHandle | undefined;
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
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  /** The flush under way; undefined where there is none. */
  get underWay(): Promise<void> | undefined {
    return this.#running;
  }

  /** After this no flush may be requested. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    await this.#handle?.close();
  }

  async #after(previous: Promise<void> | undefined): Promise<void> {
    await previous?.catch(() => undefined);
    const own = this.#next;
    this.#running = own;
    this.#next = undefined;
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#handle ??= await open(this.#file, 'r+');
      await flushFile(this.#handle.fd);
    } catch (error) {
      // A disk reports a lost write only once, so nothing counts as written from here on.
      this.#failure ??= brokenDisk(error instanceof Error ? error.message : String(error), error);
      throw this.#failure;
    } finally {
      if (this.#running === own) this.#running = undefined;
    }
  }
}

/** A flush of a file handle makes eight promises more, for each paid call twice. */
const flushFile = (fd: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
