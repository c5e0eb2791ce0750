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

/** Resolves when every later read shows it; a queued write is in the store once its `landed` resolves. */
type Write = () => Promise<unknown>;

interface Writing {
  /** Every later read shows it, or it was given up. */
  readonly shown: Promise<void>;
  /** The first attempt has landed or failed. */
  readonly tried: Promise<void>;
  /** It is in the store, or was given up. */
  landed: Promise<void>;
  hasFailed: boolean;
}

export class Writes {
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  /** The last write of each row: those of one row follow one another. */
  readonly #last = new Map<string, Writing>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Writes after the earlier writes of the same row. Resolves when every later read shows it, at its first failure, or after
   * two seconds, whichever comes first; never rejects. `subject` is for the log. `attempts` limits them where the service
   * can tell the same again.
   */
  async write(
    rowId: string,
    subject: string,
    write: Write,
    attempts = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const [shown, onShown] = createGate();
    const [tried, onTried] = createGate();
    const writing: Writing = { shown, tried, landed: Promise.resolve(), hasFailed: false };
    const isLast = (error: unknown, attempt: number): boolean => {
      const last = this.#closing.signal.aborted || attempt >= attempts;
      this.#logger.error(
        { row: rowId, error: String(error) },
        `Could not write ${subject} of a paid call to the store; ${last ? 'given up' : 'trying again'}`,
      );
      writing.hasFailed = true;
      onTried();
      return last;
    };
    writing.landed = this.#untilLanded(this.#last.get(rowId), write, onShown, isLast);
    this.#last.set(rowId, writing);
    void writing.landed.then(() => {
      onShown();
      onTried();
      if (this.#last.get(rowId) === writing) this.#last.delete(rowId);
    });
    await patiently(Promise.race([shown, tried]));
  }

  /** Resolves when later reads show everything that was written of a row, or after two seconds. */
  async shown(rowId: string): Promise<void> {
    const last = this.#last.get(rowId);
    if (last !== undefined) await patiently(last.shown);
  }

  /** Resolves when everything that was written of a row has landed, or was given up. */
  async settled(rowId: string): Promise<void> {
    await this.#last.get(rowId)?.landed;
  }

  /** Resolves when everything has landed, or after `graceMs`: what has not landed by then is given up. */
  async close(graceMs: number): Promise<void> {
    if (this.#last.size > 0) {
      await patiently(Promise.all([...this.#last.values()].map(({ landed }) => landed)), graceMs);
    }
    this.#closing.abort();
  }

  async #untilLanded(
    earlier: Writing | undefined,
    write: Write,
    onShown: () => void,
    isLast: (error: unknown, attempt: number) => boolean,
  ): Promise<void> {
    const { signal } = this.#closing;
    await earlier?.shown;
    let behind = earlier;
    let pauseMs = firstRetryMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const written = await write();
        onShown();
        if (isQueued(written)) await written.landed;
        await behind?.tried;
        if (behind?.hasFailed !== true) return;
        // It was queued behind a write that then failed, so it may have changed nothing.
        await behind.landed;
        behind = undefined;
        continue;
      } catch (error) {
        if (isLast(error, attempt)) return;
      }
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(slowestRetryMs, pauseMs * 2);
    }
  }
}

const isQueued = (written: unknown): written is QueuedBatch =>
  typeof written === 'object' && written !== null && 'landed' in written;

function createGate(): [Promise<void>, () => void] {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [gate, open];
}

async function patiently(work: Promise<unknown>, ms = patienceMs): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
