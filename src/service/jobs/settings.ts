/** Limits and times of the worker that runs jobs. */

export interface JobSettings {
  /** Jobs at a time in this process, beside those of `sync` actions. */
  readonly concurrency: number;
  /** Builds among them. Both are one user's only while no other user's build waits. */
  readonly concurrentBuilds: number;
  /** Jobs at a time on one site, over all processes. */
  readonly concurrencyPerSite: number;
  /** Milliseconds until others may take a job of a process that died. */
  readonly leaseDuration: number;
  /** Milliseconds an attempt may take: the one deadline of everything that it does. */
  readonly timeLimit: number;
  /** Attempts that end without an answer of the job itself: transient failures and lost leases. */
  readonly maxAttempts: number;
  /** Milliseconds before the second attempt after a transient failure; the third waits twice as long. */
  readonly retryDelay: number;
  /** Milliseconds that `stop` lets running jobs go on. */
  readonly stopGrace: number;
}

export const defaultJobSettings: JobSettings = {
  concurrency: 8,
  concurrentBuilds: 2,
  concurrencyPerSite: 4,
  leaseDuration: 10_000,
  timeLimit: 120_000,
  maxAttempts: 5,
  retryDelay: 1_000,
  stopGrace: 3_000,
};
