/**
 * Where a death of the process could cost money or lose something. Every point has a test that kills the process
 * there with SIGKILL and shows what the next start finds (test/service/crash.test.ts).
 */
export const crashPoints = [
  /** The charge and the job are written, not committed: nothing happened, nothing was acknowledged. */
  'submit.before-commit',
  /** Committed, not answered: the job runs; the client does not know (its matter). */
  'submit.after-commit',
  /** Leased, not started: the lease ends and the job is leased again. */
  'lease.after-commit',
  /** The recipe ran, nothing is written: it runs again, since recipes only read. */
  'run.after',
  /** The end and its settlement or refund are written, not committed: as `run.after`. */
  'finish.before-commit',
  /** The end is committed: nothing is left to do. */
  'finish.after-commit',
  /** The build request and its charge are written, not committed. */
  'build.before-commit',
  /** Committed, not answered: the build runs and is listed. */
  'build.after-commit',
  /** The cookies are stored, not answered: login again refreshes the same row. */
  'login.after-cookies',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** Called at each point; does nothing, except in the tests that end the process there. */
export type CrashHook = (point: CrashPoint) => void;
