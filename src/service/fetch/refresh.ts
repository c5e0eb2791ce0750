/** Pages that send their readers on: `<meta http-equiv="refresh">`, and the header `Refresh`. */
import { load } from 'cheerio/slim';

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
