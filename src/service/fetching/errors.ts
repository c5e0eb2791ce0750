/** Why a page could not be fetched. Messages are ours and name at most the host that was asked for. */
export type FetchProblem =
  /** The address is not one this service fetches: wrong scheme or port, private network, credentials in it. */
  | 'forbidden'
  /** The site's robots.txt asks programs not to fetch this address. */
  | 'robots'
  | 'too-large'
  | 'timeout'
  /** No connection, or it broke. */
  | 'unreachable'
  | 'redirects'
  /** The caller's signal was aborted. */
  | 'cancelled';

export class FetchError extends Error {
  readonly problem: FetchProblem;

  constructor(problem: FetchProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'FetchError';
    this.problem = problem;
  }
}
