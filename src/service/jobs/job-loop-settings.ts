/** Limits and times of the loop that runs jobs. */

export interface JobLoopSettings {
  /** Jobs at a time in this process. */
  readonly concurrency: number;
  /** Builds among them. Both are one user's only while no other user's build waits. */
  readonly concurrentBuilds: number;
  /** Jobs at a time on one site, over all processes. */
  readonly concurrencyPerSite: number;
  /** Milliseconds until others may take a job of a process that died. */
  readonly leaseDuration: number;
  /** Milliseconds an attempt may take. */
  readonly timeLimit: number;
  /** Attempts that end without an answer of the job itself: transient failures and lost leases. */
  readonly maxAttempts: number;
  /** Milliseconds before the second attempt after a transient failure; the third waits twice as long. */
  readonly retryDelay: number;
  /** Milliseconds that `stop` lets running jobs go on. */
  readonly stopGrace: number;
}

export const defaultJobLoopSettings: JobLoopSettings = {
  concurrency: 8,
  concurrentBuilds: 2,
  concurrencyPerSite: 4,
  leaseDuration: 10_000,
  timeLimit: 120_000,
  maxAttempts: 5,
  retryDelay: 1_000,
  stopGrace: 3_000,
};
