/** Where an answer or a page sends its readers on. Forms and secrets never go to another origin. */
import { load } from 'cheerio/slim';
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

/** A page that sends its readers on: `<meta http-equiv="refresh">`, or the header `Refresh`. */
export interface Refresh {
  readonly url: string;
  readonly seconds: number;
}

/** Bytes of a page in which the element is searched. */
const head = 64 * 1024;

/** `5; url=/next`, as HTML reads it; undefined where the page only loads itself again. */
function parseRefresh(value: string, base: string): Refresh | undefined {
  const [, digits, quoted, single, plain] =
    /^\s*(\d*)[\d.]*\s*(?:[;,]|\s)\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|([^"'].*))/is.exec(
      value.slice(0, 4_000),
    ) ?? [];
  const target = (quoted ?? single ?? plain ?? '').trim();
  if (digits === undefined || target === '' || !URL.canParse(target, base)) return undefined;
  const url = new URL(target, base);
  url.hash = '';
  if (!/^https?:$/.test(url.protocol) || url.href === base) return undefined;
  return { url: url.href, seconds: Number(digits) };
}

/** Where the page sends its readers, if anywhere. Scripts are no matter: what stands in `noscript` is for others. */
export function findRefresh(page: {
  readonly url: string;
  readonly contentType: string;
  readonly header: string | undefined;
  readonly body: Buffer;
}): Refresh | undefined {
  const sent = page.header === undefined ? undefined : parseRefresh(page.header, page.url);
  if (sent !== undefined || !/html/i.test(page.contentType)) return sent;
  const text = page.body.toString('utf8', 0, head);
  if (!/http-equiv\s*=\s*["']?\s*refresh/i.test(text)) return undefined;
  const html = load(text, { xml: { xmlMode: false } });
  const meta = html('meta[http-equiv="refresh" i][content]')
    .toArray()
    .find((element) => html(element).closest('noscript').length === 0);
  const base = html('base[href]').attr('href') ?? '';
  const from = URL.canParse(base, page.url) ? new URL(base, page.url).href : page.url;
  const found = meta === undefined ? undefined : parseRefresh(meta.attribs.content ?? '', from);
  return found?.url === page.url ? undefined : found;
}
