/** What an answer of a site means for the build. */
import { BuildError, type FetchError } from '../../foundation/errors.ts';

/** What a page that could not be fetched means for the build. */
export function fetchFailure(error: FetchError): BuildError {
  const type =
    error.problem === 'robots'
      ? 'ROBOTS_DISALLOWED'
      : error.problem === 'timeout'
        ? 'TIMEOUT'
        : 'SITE_UNREACHABLE';
  return new BuildError(type, error.message, { cause: error });
}

/** What a status says; undefined where it is an answer to go on with. */
export function statusFailure(status: number): BuildError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 401 || status === 407)
    return new BuildError('LOGIN_REQUIRED', 'The page asks for a sign-in (HTTP status 401)');
  const reason =
    status === 403
      ? 'refuses programs'
      : status === 404 || status === 410
        ? 'has no such page'
        : 'did not give the page';
  return new BuildError('SITE_UNREACHABLE', `The site ${reason} (HTTP status ${status})`);
}
