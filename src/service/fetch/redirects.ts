/** The next request after a redirect: forms and secrets never go to another origin. */
import { FetchError } from '../foundation/errors.ts';

/** One request on the way to a page. */
export interface Hop {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
/** Headers that may follow to another origin; any other could be a secret of the first one. */
const harmlessHeaders = new Set(['accept', 'accept-language']);

/** The next request; undefined if the answer is the page itself. `admit` refuses addresses that are not fetched. */
export function nextHop(
  hop: Hop,
  answer: { readonly status: number; readonly location: string | undefined },
  admit: (address: string, base: string) => URL,
): Hop | undefined {
  const { status, location } = answer;
  if (!redirectStatuses.has(status) || location === undefined) return undefined;
  // Header bytes arrive as Latin-1; an address that is not plain ASCII was meant as UTF-8.
  const url = admit(Buffer.from(location, 'latin1').toString('utf8'), hop.url.href);
  const sameOrigin = url.origin === hop.url.origin;
  const keepsForm = (status === 307 || status === 308) && hop.method === 'POST';
  if (keepsForm && !sameOrigin)
    throw new FetchError('redirects', 'The site redirected a form to another site, so it was not sent');
  const headers = Object.entries(hop.headers).filter(([name]) => {
    if (!sameOrigin) return harmlessHeaders.has(name.toLowerCase());
    return keepsForm || name.toLowerCase() !== 'content-type';
  });
  return {
    url,
    method: keepsForm ? 'POST' : 'GET',
    headers: Object.fromEntries(headers),
    body: keepsForm ? hop.body : undefined,
  };
}
