/**
 * When this process was late, and with it the gateways within it; a gateway that is a process of its own shares its
 * processors. What a gateway was late for then is no fault of its own.
 */
const everyMs = 50;
/** Longer than any run asks back. */
const keptMs = 10 * 60_000;

export class StandstillWatch {
  #standstills: { readonly from: number; readonly to: number }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let dueAt = performance.now() + everyMs;
    this.#timer = setInterval(() => {
      const now = performance.now();
      if (now - dueAt > everyMs) this.#standstills.push({ from: dueAt, to: now });
      dueAt = now + everyMs;
    }, everyMs).unref();
  }

  /** Milliseconds between the two times (`performance.now()`) in which this process should have run and did not. */
  during(start: number, end: number): number {
    this.#standstills = this.#standstills.filter(({ to }) => to > performance.now() - keptMs);
    return this.#standstills
      .map(({ from, to }) => Math.max(0, Math.min(to, end) - Math.max(from, start)))
      .reduce((sum, ms) => sum + ms, 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
