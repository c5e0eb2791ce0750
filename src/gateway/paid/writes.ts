/**
 * Writes that follow a paid request. The answer matters more than its record: a write that fails is repeated in the
 * background until it lands, and nobody waits for it longer than a moment.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Alarms } from '../foundation/alarms.ts';
import type { Logger } from '../foundation/logger.ts';

/** How long an answer waits for its record, in milliseconds. */
const patienceMs = 2_000;
const firstRetryMs = 100;
const slowestRetryMs = 5_000;

export class Writes {
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  readonly #alarms = new Alarms();
  /** The last write of each row: those of one row follow one another. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Writes after the earlier writes of the same row. Resolves when later reads show it, at its first failure, or after
   * two seconds, whichever is first; never rejects. `subject` is for the log. `attempts` bounds the attempts if the
   * service can report the same again.
   */
  write(
    rowId: string,
    subject: string,
    write: () => Promise<unknown>,
    attempts = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    return this.#patiently((tried) => {
      const isLast = (error: unknown, attempt: number): boolean => {
        const isClosing = this.#closing.signal.aborted;
        const last = isClosing || attempt >= attempts;
        // The store closes with the process; whoever opens it next asks the service. While a disk is full or a database
        // is down each row fails again and again: its first failure says so, and its end.
        const isTold = isClosing ? attempt > 1 : attempt === 1 || last;
        const level = isTold ? 'error' : 'debug';
        this.#logger[level](
          { row: rowId, error: String(error) },
          `Could not write ${subject} of a paid call to the store; ${last ? 'given up' : 'trying again'}`,
        );
        tried();
        return last;
      };
      const writing = this.#untilWritten(this.#last.get(rowId), write, isLast).then(() => {
        tried();
        if (this.#last.get(rowId) === writing) this.#last.delete(rowId);
      });
      this.#last.set(rowId, writing);
    });
  }

  /** Resolves when later reads show everything that was written of a row, or after two seconds. */
  shown(rowId: string): Promise<void> {
    const last = this.#last.get(rowId);
    return last === undefined ? Promise.resolve() : this.#patiently((ended) => void last.then(ended));
  }

  /** Resolves when everything that was written of a row is in the store, or was given up; undefined where it is. */
  settled(rowId: string): Promise<void> | undefined {
    return this.#last.get(rowId);
  }

  /** Resolves when everything is in the store, or after `graceMs`: what is not by then is given up. */
  async close(graceMs: number): Promise<void> {
    if (this.#last.size > 0)
      await this.#patiently((ended) => void Promise.all(this.#last.values()).then(ended), graceMs);
    this.#closing.abort();
  }

  async #untilWritten(
    earlier: Promise<void> | undefined,
    write: () => Promise<unknown>,
    isLast: (error: unknown, attempt: number) => boolean,
  ): Promise<void> {
    const { signal } = this.#closing;
    if (earlier !== undefined) await earlier;
    for (let attempt = 1, pauseMs = firstRetryMs; ; attempt += 1) {
      try {
        await write();
        return;
      } catch (error) {
        if (isLast(error, attempt)) return;
      }
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(slowestRetryMs, pauseMs * 2);
    }
  }

  /** Resolves when `begin` calls back, or after `ms` milliseconds. */
  #patiently(begin: (end: () => void) => void, ms = patienceMs): Promise<void> {
    return new Promise((resolve) => {
      const stopAlarm = this.#alarms.set(ms, resolve);
      begin(() => {
        stopAlarm();
        resolve();
      });
    });
  }
}
