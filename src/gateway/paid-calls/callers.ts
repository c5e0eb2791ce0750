/** The callers that wait for the submission of an intent, or for a batch. If all have left, it is not sent, or stopped. */
export class Callers {
  readonly #waiting = new Map<string, Set<{ readonly signal: AbortSignal }>>();

  /** Returns how to leave. */
  enter(id: string, signal: AbortSignal): () => void {
    const callers = this.#waiting.get(id) ?? new Set();
    const caller = { signal };
    this.#waiting.set(id, callers.add(caller));
    return () => {
      callers.delete(caller);
      if (callers.size === 0) this.#waiting.delete(id);
    };
  }

  areWaiting(id: string): boolean {
    return [...(this.#waiting.get(id) ?? [])].some(({ signal }) => !signal.aborted);
  }
}
