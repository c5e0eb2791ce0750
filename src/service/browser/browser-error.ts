/** Why a browser could not be used. Messages are ours and tell what to do. */
export type BrowserProblem =
  /** No browser, or no `playwright-core`: nothing can be rendered on this machine as it is. */
  | 'unavailable'
  /** The page broke its limits, crashed or closed itself. */
  | 'page-failed'
  /** The browser's process ended, perhaps because of another page. */
  | 'browser-ended';

export class BrowserError extends Error {
  readonly problem: BrowserProblem;

  constructor(problem: BrowserProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BrowserError';
    this.problem = problem;
  }
}
