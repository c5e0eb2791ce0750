/** Paces requested refreshes: at least 10 s apart, and at most one in 5 minutes for the same action. */

/** The shortest time between the starts of two requested refreshes. */
const apartMs = 10_000;
/** An unknown id causes at most one refresh within this time. */
const perIdMs = 5 * 60_000;
const maxIds = 1_000;

export class RefreshRequests {
  readonly #refresh: () => Promise<unknown>;
  readonly #askedAt = new Map<string, number>();
  #startedAt = Number.NEGATIVE_INFINITY;
  #waiting: { readonly timer: NodeJS.Timeout; readonly done: Promise<unknown> } | undefined;

  constructor(refresh: () => Promise<unknown>) {
    this.#refresh = refresh;
  }

  /** Milliseconds until a refresh that is asked for now starts. */
  get delayMs(): number {
    return Math.max(0, this.#startedAt + apartMs - performance.now());
  }

  /** Resolves when the refresh has ended; requests that wait for the same time share it. */
  request(): Promise<unknown> {
    if (this.#waiting === undefined) {
      const { promise, resolve } = withResolvers();
      const timer = setTimeout(() => {
        this.#waiting = undefined;
        this.#startedAt = performance.now();
        resolve(this.#refresh());
      }, this.delayMs);
      timer.unref();
      this.#waiting = { timer, done: promise };
    }
    return this.#waiting.done;
  }

  /** If every id caused a refresh lately, only a refresh that waits already; undefined if there is none. */
  requestFor(ids: readonly string[]): Promise<unknown> | undefined {
    const now = performance.now();
    const isNew = (id: string) => now - (this.#askedAt.get(id) ?? Number.NEGATIVE_INFINITY) > perIdMs;
    const reasons = ids.filter(isNew);
    if (reasons.length === 0) return this.#waiting?.done;
    if (this.#askedAt.size + reasons.length > maxIds) this.#askedAt.clear();
    for (const id of reasons.slice(0, maxIds)) this.#askedAt.set(id, now);
    return this.request();
  }

  stop(): void {
    clearTimeout(this.#waiting?.timer);
  }
}

function withResolvers() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
