/**
 * What is written once money is spent. The answer matters more than its record: a write that fails is repeated in the
 * background until it lands, and nobody waits for it longer than a moment.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { QueuedBatch } from '../../store/database.ts';
import type { Logger } from '../foundation/logger.ts';

/** How long an answer waits for its record, in milliseconds. */
const patienceMs = 2_000;
const firstRetryMs = 100;
const slowestRetryMs = 5_000;

interface Write {
  readonly intentId: string;
  readonly subject: string;
  readonly write: () => Promise<QueuedBatch>;
  readonly attempts: number;
}

interface Writing {
  /** Resolves when later writes of this process come after this one, or it was given up. */
  readonly queued: Promise<void>;
  /** Resolves to true when the first attempt has landed, and to false when it has failed. */
  readonly tried: Promise<boolean>;
  /** Resolves when the write has landed, or was given up because the process ends. */
  readonly landed: Promise<void>;
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
   * seconds, whichever comes first; never rejects. `subject` is for the log. `attempts` limits them where the service can repeat the answer.
   */
  write(
    intentId: string,
    subject: string,
    write: () => Promise<unknown>,
    attempts = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const writeNow = async () => {
      await write();
      return { landed: Promise.resolve() };
    };
    return patiently(this.#start({ intentId, subject, write: writeNow, attempts }).tried);
  }

  /** The same for a write that the store may delay: resolves when every later read shows it. */
  queue(
    intentId: string,
    subject: string,
    write: () => Promise<QueuedBatch>,
    attempts = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    return patiently(this.#start({ intentId, subject, write, attempts }).queued);
  }

  /** Resolves when all writes of the intent have landed. */
  async landed(intentId: string): Promise<void> {
    await this.#writing.get(intentId)?.landed;
  }

  /** Resolves when everything has landed or failed once, or after two seconds. */
  async whenSettled(): Promise<void> {
    await patiently(Promise.all([...this.#writing.values()].map(({ tried }) => tried)));
  }

  /** Resolves when everything has landed, or after `graceMs`: what has not landed by then is given up. */
  async close(graceMs: number): Promise<void> {
    if (this.#writing.size > 0) {
      await patiently(Promise.all([...this.#writing.values()].map(({ landed }) => landed)), graceMs);
    }
    this.#closing.abort();
  }

  #start(write: Write): Writing {
    const { intentId } = write;
    let onQueued = () => {};
    let onTried = (_landed: boolean) => {};
    const queued = new Promise<void>((resolve) => {
      onQueued = resolve;
    });
    const tried = new Promise<boolean>((resolve) => {
      onTried = resolve;
    });
    const landed = this.#untilLanded(write, this.#writing.get(intentId), onQueued, onTried);
    const writing = { queued, tried, landed };
    this.#writing.set(intentId, writing);
    void landed.then(() => {
      onQueued();
      onTried(true);
      if (this.#writing.get(intentId) === writing) this.#writing.delete(intentId);
    });
    return writing;
  }

  async #untilLanded(
    { intentId, subject, write, attempts }: Write,
    earlier: Writing | undefined,
    onQueued: () => void,
    onTried: (landed: boolean) => void,
  ): Promise<void> {
    await earlier?.queued;
    const { signal } = this.#closing;
    let behind = earlier;
    let pauseMs = firstRetryMs;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = signal.aborted || attempt >= attempts;
      try {
        const { landed } = await write();
        onQueued();
        await landed;
        if (behind === undefined || (await behind.tried)) return;
        // It was queued behind a write that then failed, so it has changed nothing.
        await behind.landed;
        behind = undefined;
        continue;
      } catch (error) {
        this.#logger.error(
          { intent: intentId, error: String(error) },
          `Could not write ${subject} of a paid job to the store; ${isLast ? 'given up' : 'trying again'}`,
        );
        onTried(false);
      }
      if (isLast) return;
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(slowestRetryMs, pauseMs * 2);
    }
  }
}

async function patiently(work: Promise<unknown>, ms = patienceMs): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
