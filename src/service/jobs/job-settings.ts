/** Limits and times of the worker that runs jobs. */

export interface JobSettings {
  /** Jobs at a time in this process, beside those of `sync` actions. Where the service has several users, one gets all but one. */
  readonly concurrency: number;
  /** Builds among them. One user gets both places only while no other user's build waits. */
  readonly concurrentBuilds: number;
  /** Jobs at a time on one site, over all processes. */
  readonly concurrencyPerSite: number;
  /** Milliseconds until another process may take over the job of a dead process. */
  readonly leaseDuration: number;
  /** The deadline of an attempt, in milliseconds. */
  readonly timeLimit: number;
  /** Attempts without a final outcome: transient failures and lost leases. */
  readonly maxAttempts: number;
  /** Milliseconds before the second attempt after a transient failure; the third waits twice as long. */
  readonly retryDelay: number;
  /** Milliseconds that `stop` waits for running jobs. */
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
