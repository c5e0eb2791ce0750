/** How long the parts of a run may take, in milliseconds. */

export const defaultRunLimits = {
  /** POST /task is answered within this or is in doubt; a sync action has the call's wait. */
  submitMs: 30_000,
  /** One GET /jobs/{id} with its attempts. */
  pollMs: 20_000,
  /** An accepted job may take a moment until the service knows it everywhere; then it is lost. */
  lostAfterMs: 10_000,
  /** A job of which a caller only holds a handle is not polled any more when nobody looked for this long. */
  unwatchedMs: 120_000,
};
export type RunLimits = typeof defaultRunLimits;
