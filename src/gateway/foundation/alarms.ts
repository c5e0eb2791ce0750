/**
 * Limits of waits that are rarely reached. One timer serves them all: a paid call sets several, and ends long before.
 */
interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

export class Alarms {
  readonly #alarms = new Set<Alarm>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = 0;

  /** Calls `ring` after so many milliseconds. Returns how to prevent that. While one is set, the process goes on. */
  set(ms: number, ring: () => void): () => void {
    const now = performance.now();
    const alarm = { at: now + ms, ring };
    this.#alarms.add(alarm);
    // A timer that is overdue was lost with a clock that a test had replaced.
    if (this.#timer === undefined || alarm.at < this.#timerAt || this.#timerAt < now) this.#start(alarm.at);
    this.#timer?.ref();
    return () => {
      this.#alarms.delete(alarm);
      if (this.#alarms.size === 0) this.#timer?.unref();
    };
  }

  #start(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    // A longer delay than this would overflow setTimeout and end at once.
    const delayMs = Math.min(Math.max(0, at - performance.now()), 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#ring(), delayMs);
  }

  #ring(): void {
    this.#timer = undefined;
    let next = Number.POSITIVE_INFINITY;
    // A timer of Node may come a little early.
    const now = performance.now() + 1;
    for (const alarm of [...this.#alarms]) {
      if (alarm.at > now) next = Math.min(next, alarm.at);
      else if (this.#alarms.delete(alarm)) alarm.ring();
    }
    for (const { at } of this.#alarms) next = Math.min(next, at);
    if (this.#alarms.size > 0 && this.#timer === undefined) this.#start(next);
  }
}
