/**
 * Bodies of more than a megabyte. Each takes many times its length in memory until it is read, so only a few arrive at
 * once while the other connections wait.
 */
import pLimit from 'p-limit';

/** Bytes from which a body is large. */
export const largeBytes = 1_000_000;

const room = pLimit(2);

/** The share of the room that one request uses. */
export class LargeBody {
  #hasEntered = false;
  #hasLeft = false;
  #leave = () => {};

  /** Calls `onRoom` at once or when there is room. Only the first call counts. */
  enter(onRoom: () => void): void {
    if (this.#hasEntered) return;
    this.#hasEntered = true;
    void room(async () => {
      if (this.#hasLeft) return;
      onRoom();
      await new Promise<void>((resolve) => {
        this.#leave = resolve;
      });
    });
  }

  leave(): void {
    this.#hasLeft = true;
    this.#leave();
  }
}
