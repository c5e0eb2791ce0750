/** The callers that wait for the submission of an intent. If all have left, it is not sent. */
export class Callers {
  readonly #waiting = new Map<string, Set<{ readonly signal: AbortSignal }>>();

  /** Returns how to leave. */
  enter(intentId: string, signal: AbortSignal): () => void {
    const callers = this.#waiting.get(intentId) ?? new Set();
    const caller = { signal };
    this.#waiting.set(intentId, callers.add(caller));
    return () => {
      callers.delete(caller);
      if (callers.size === 0) this.#waiting.delete(intentId);
    };
  }

  areWaiting(intentId: string): boolean {
    return [...(this.#waiting.get(intentId) ?? [])].some(({ signal }) => !signal.aborted);
  }
}
