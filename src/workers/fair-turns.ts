/**
 * Chooses the next task where many wait for few places: a key with many tasks delays only its own. One place is always
 * free of it.
 */
import { TooManyTasksError } from './errors.ts';

interface KeyTurns {
  running: number;
  readonly waiting: (() => void)[];
}

export class FairTurns {
  readonly #places: number;
  readonly #maxWaiting: number;
  /** The keys with tasks; the one that was served last is at the end. */
  readonly #keys = new Map<string, KeyTurns>();
  #running = 0;

  /** `maxWaiting`: tasks of one key that may wait. */
  constructor(places: number, maxWaiting: number) {
    this.#places = places;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves when it is this task's turn; then call `leave`. Rejects with a `TooManyTasksError`, and with the signal's
   * reason, where it is aborted before.
   */
  async enter(key: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const turns = this.#keys.get(key) ?? { running: 0, waiting: [] };
    if (this.#running >= this.#places || this.#hasItsShare(key, turns)) {
      if (turns.waiting.length >= this.#maxWaiting) throw new TooManyTasksError();
      this.#keys.set(key, turns);
      await waitForTurn(turns.waiting, signal).finally(() => this.#forgetIdle(key));
      return;
    }
    this.#start(key, turns);
  }

  leave(key: string): void {
    this.#running -= 1;
    const turns = this.#keys.get(key);
    if (turns !== undefined) turns.running -= 1;
    this.#forgetIdle(key);
    this.#startNext();
  }

  /** The key with the fewest running tasks, so that none holds more than its share while others wait. */
  #startNext(): void {
    const waiting = [...this.#keys].filter(
      ([key, turns]) => turns.waiting.length > 0 && !this.#hasItsShare(key, turns),
    );
    const fewest = Math.min(...waiting.map(([, { running }]) => running));
    const next = waiting.find(([, { running }]) => running === fewest);
    if (next === undefined) return;
    const [key, turns] = next;
    this.#keys.delete(key);
    this.#start(key, turns);
    turns.waiting.shift()?.();
  }

  /** Tasks without a key share all places. */
  #hasItsShare(key: string, { running }: KeyTurns): boolean {
    return key !== '' && running >= Math.max(1, this.#places - 1);
  }

  #start(key: string, turns: KeyTurns): void {
    this.#keys.set(key, turns);
    turns.running += 1;
    this.#running += 1;
  }

  #forgetIdle(key: string): void {
    const turns = this.#keys.get(key);
    if (turns?.running === 0 && turns.waiting.length === 0) this.#keys.delete(key);
  }
}

/** Rejects, and gives up its place, when the signal is aborted. */
function waitForTurn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(signal?.reason);
    };
    waiting.push(start);
    signal?.addEventListener('abort', leave, { once: true });
  });
}
