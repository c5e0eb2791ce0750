/** What kept a recipe or a reading from its data, as a failure that its user can read. */
import { BrowserError } from '../browser/browser-error.ts';
import { FetchError } from '../fetching/errors.ts';
import { RunFailure } from '../foundation/ports.ts';
import { ParseError } from './document.ts';

export function statusFailure(status: number): RunFailure {
  if (status === 404 || status === 410) return new RunFailure(`The site has no such page (${status})`);
  const busy = status === 429 || status >= 500;
  const reason = busy ? 'is busy or has trouble; try again later' : 'did not give the page';
  return new RunFailure(`The site ${reason} (HTTP status ${status})`, { transient: busy });
}

export function toRunFailure(error: unknown): RunFailure {
  if (error instanceof RunFailure) return error;
  if (error instanceof FetchError) {
    const transient =
      error.problem === 'timeout' || error.problem === 'unreachable' || error.problem === 'cancelled';
    return new RunFailure(error.message, { transient, cause: error });
  }
  if (error instanceof BrowserError)
    return new RunFailure(error.message, { transient: error.problem === 'browser-ended', cause: error });
  if (error instanceof ParseError)
    // From a worker comes the message alone; ours say where a page lacks what the recipe is written for.
    return new RunFailure(error.message, {
      siteChanged: /may have changed/.test(error.message),
      cause: error,
    });
  if (error instanceof Error && error.name === 'AbortError')
    return new RunFailure('The run was cancelled', { transient: true, cause: error });
  return new RunFailure('The action failed for a reason that nobody foresaw', { cause: error });
}
