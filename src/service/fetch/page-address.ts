/** Which addresses of pages are fetched, by their text alone; the connector vets where they lead. */
import { FetchError } from '../foundation/errors.ts';

const maxUrlChars = 2_048;

/**
 * An http or https address without credentials and without its fragment; ports other than the default one are for own
 * origins alone. Throws a `FetchError` of kind `forbidden`.
 */
export function parsePageAddress(
  address: string,
  base: string | undefined,
  isOwn: (url: URL) => boolean,
): URL {
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  if (url === undefined) throw new FetchError('forbidden', 'The address is not a valid URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchError('forbidden', 'Only http and https addresses are fetched');
  if (url.username !== '' || url.password !== '')
    throw new FetchError('forbidden', 'An address with a user name or password in it is not fetched');
  if (url.href.length > maxUrlChars) throw new FetchError('forbidden', 'The address is too long');
  if (url.port !== '' && !isOwn(url))
    throw new FetchError('forbidden', 'The address is not on the default port, so it is not fetched');
  url.hash = '';
  return url;
}
