/**
 * What is written once money is spent. The answer matters more than its record: a write that fails is repeated in the
 * background until it lands, and nobody waits for it longer than a moment.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../logger.ts';

/** How long an answer waits for its record, in milliseconds. */
const patienceMs = 2_000;
const firstRetryMs = 100;
const slowestRetryMs = 5_000;

interface Write {
  readonly intentId: string;
  readonly what: string;
  readonly write: () => Promise<unknown>;
  readonly attempts: number;
}

interface Writing {
  /** Resolves when the write has landed, or was given up because the process ends. */
  readonly landed: Promise<void>;
  /** Resolves also at the first failure. */
  readonly tried: Promise<void>;
}

export class Records {
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  /** The last write of each intent; its writes follow one another. */
  readonly #writing = new Map<string, Writing>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Writes after the earlier writes of the same intent. Resolves when it has landed, at its first failure, or after two
   * seconds, whichever comes first; never rejects. `what` is for the log. `attempts` where the service tells it again.
   */
  write(
    intentId: string,
    what: string,
    write: () => Promise<unknown>,
    attempts = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const earlier = this.#writing.get(intentId);
    let onTried = () => {};
    const tried = new Promise<void>((resolve) => {
      onTried = resolve;
    });
    const landed = this.#untilLanded({ intentId, what, write, attempts }, earlier, onTried).finally(() => {
      onTried();
      if (this.#writing.get(intentId)?.landed === landed) this.#writing.delete(intentId);
    });
    this.#writing.set(intentId, { landed, tried });
    return patiently(tried);
  }

  /** Resolves when everything of the intent has landed. */
  async landed(intentId: string): Promise<void> {
    await this.#writing.get(intentId)?.landed;
  }

  /** Resolves when everything has landed or failed once, or after two seconds. */
  async settled(): Promise<void> {
    await patiently(Promise.all([...this.#writing.values()].map(({ tried }) => tried)).then(() => {}));
  }

  /** Resolves when everything has landed, or after `graceMs`: what has not landed by then is given up. */
  async close(graceMs: number): Promise<void> {
    if (this.#writing.size > 0) {
      const all = Promise.all([...this.#writing.values()].map(({ landed }) => landed)).then(() => {});
      await patiently(all, graceMs);
    }
    this.#closing.abort();
  }

  async #untilLanded(
    { intentId, what, write, attempts }: Write,
    earlier: Writing | undefined,
    onTried: () => void,
  ): Promise<void> {
    if (earlier !== undefined) await earlier.landed;
    const { signal } = this.#closing;
    let pauseMs = firstRetryMs;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = signal.aborted || attempt >= attempts;
      try {
        await write();
        return;
      } catch (error) {
        this.#logger.error(
          { intent: intentId, error: String(error) },
          `Could not write ${what} of a paid job to the store; ${isLast ? 'given up' : 'trying again'}`,
        );
        onTried();
      }
      if (isLast) return;
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(slowestRetryMs, pauseMs * 2);
    }
  }
}

async function patiently(work: Promise<void>, ms = patienceMs): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
