/**
 * The one place that sends a POST that spends, and judges its answer: accepted,
 * certainly not taken, or unknown. A doubt is never resolved by sending again.
 */
import type { ApiError } from '../../client/errors.ts';

export type Judgement = 'not-taken' | 'unknown';

/**
 * `not-taken`: nothing left this machine, or the service said no. An error envelope is a no, but for a 5xx that is
 * not documented as "not deducted"; so is a 4xx, with or without an envelope, because HTTP says that the request
 * was not carried out (408 speaks of time, not of that).
 */
export function judge(error: ApiError, notDeductedCodes: readonly string[]): Judgement {
  if (error.sent === 'no') return 'not-taken';
  if (error.kind === 'rate-limit') return 'not-taken';
  if (error.kind === 'service') {
    return error.httpStatus < 500 || notDeductedCodes.includes(error.code) ? 'not-taken' : 'unknown';
  }
  if (error.kind === 'contract') {
    return error.httpStatus >= 400 && error.httpStatus < 500 && error.httpStatus !== 408
      ? 'not-taken'
      : 'unknown';
  }
  return 'unknown';
}

/**
 * Whether a refusal of a request with the same idempotency key also tells that the earlier one was not taken. These do
 * not: the service has looked at neither, or it failed, and "not deducted" then holds for the repeat only.
 */
export function answersDoubt(error: ApiError): boolean {
  return (
    error.kind === 'service' &&
    error.httpStatus < 500 &&
    error.httpStatus !== 429 &&
    !['UNAUTHORIZED', 'IDEMPOTENCY_KEY_REUSED'].includes(error.code)
  );
}

/** Requests this process is sending right now, by intent: others of the same call wait for the same answer. */
export class Submissions<Sent> {
  readonly #underWay = new Map<string, Promise<Sent>>();

  /** `recorded`: until then the store does not show to others of this process what the answer was. */
  start(intentId: string, send: () => Promise<Sent>, recorded: () => Promise<void>): void {
    const sent = send();
    this.#underWay.set(intentId, sent);
    // The caller may be gone by now; what the answer means is written all the same.
    void sent
      .catch(() => undefined)
      .then(recorded)
      .finally(() => this.#underWay.delete(intentId));
  }

  find(intentId: string): Promise<Sent> | undefined {
    return this.#underWay.get(intentId);
  }

  /** Resolves when every request under way was answered or `graceMs` have passed. */
  async settle(graceMs: number): Promise<void> {
    if (this.#underWay.size === 0) return;
    const limit = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
    await Promise.race([Promise.allSettled(this.#underWay.values()), limit]);
  }
}
