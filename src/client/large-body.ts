/**
 * Room for large bodies: as text, parsed and compressed each takes many times its length in memory, so only a few are
 * read at the same time. The connections of the others wait.
 */

/** Bytes from which a body is large. */
export const largeBytes = 1_000_000;
const atOnce = 2;

let takenBytes = 0;
const waiting = new Set<LargeBody>();

/** The share of the room that one request uses. */
export class LargeBody {
  #hasRoom = false;
  #onRoom = () => {};

  /** Calls `onRoom` at once or when there is room. Only the first call counts. */
  enter(onRoom: () => void): void {
    if (this.#hasRoom || waiting.has(this)) return;
    this.#onRoom = onRoom;
    waiting.add(this);
    admit();
  }

  leave(): void {
    waiting.delete(this);
    if (this.#hasRoom) takenBytes -= 1;
    this.#hasRoom = false;
    admit();
  }

  admitNow(): void {
    waiting.delete(this);
    takenBytes += 1;
    this.#hasRoom = true;
    this.#onRoom();
  }
}

/** Does the work when there is room. */
export async function withRoom<Result>(work: () => Promise<Result>): Promise<Result> {
  const room = new LargeBody();
  await new Promise<void>((resolve) => room.enter(resolve));
  return work().finally(() => room.leave());
}

function admit(): void {
  for (const next of waiting) {
    if (takenBytes >= atOnce) return;
    next.admitNow();
  }
}
