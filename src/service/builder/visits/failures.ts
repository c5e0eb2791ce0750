/** Why a build fails when a site does not return the page. */
import { BuildError, type FetchError } from '../../foundation/errors.ts';

/** The build error for a page that could not be fetched. */
export function fetchFailure(error: FetchError): BuildError {
  const type =
    error.problem === 'robots'
      ? 'ROBOTS_DISALLOWED'
      : error.problem === 'timeout'
        ? 'TIMEOUT'
        : 'SITE_UNREACHABLE';
  return new BuildError(type, error.message, { cause: error });
}

/** The build error for an HTTP status; undefined for a success. */
export function statusFailure(status: number): BuildError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 407)
    return new BuildError('LOGIN_REQUIRED', `The page asks for a sign-in (HTTP status ${status})`);
  const reason =
    status === 403
      ? 'refused the request'
      : status === 404 || status === 410
        ? 'has no such page'
        : 'did not return the page';
  return new BuildError('SITE_UNREACHABLE', `The site ${reason} (HTTP status ${status})`);
}
