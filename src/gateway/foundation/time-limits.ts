/** How long the parts of a run or a build may take, in milliseconds. */

export const defaultTimeLimits = {
  /** POST /task or /build-request is answered within this or is in doubt. */
  submitMs: 30_000,
  /** The same for a sync action, whose answer is its result; the call may leave before. */
  syncMs: 2 * 60_000,
  /** One GET /jobs/{id} with its attempts. */
  pollMs: 20_000,
  /** An accepted job may take a moment until the service knows it everywhere; then it is lost. */
  lostAfterMs: 10_000,
  /** A run that nobody has waited for or looked at for this long is not polled any more. */
  unwatchedMs: 120_000,
  /** A run of a batch that takes longer is left to the service; its row can be read later. */
  batchedRunMs: 60 * 60_000,
  /** Between two catalogs whose details are read for the types of their actions: 10 a minute. */
  typesPauseMs: 6_000,
};
export type TimeLimits = typeof defaultTimeLimits;
