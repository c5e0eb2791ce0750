/**
 * A session from a browser: a Netscape cookie file, the JSON of an extension, or the storage state of Playwright, whose
 * local storage is kept as well.
 */

import { Cookie, CookieJar, getPublicSuffix } from 'tough-cookie';
import * as z from 'zod';
import { CookieFileError } from '../foundation/errors.ts';

export interface ImportedCookies {
  /** As `tough-cookie` serializes them, with the local storage of the site's origins beside them. */
  readonly cookies: string;
  readonly count: number;
  /** Cookies that are not kept: those of other sites, expired ones, and ones that no site could have set. */
  readonly leftOut: number;
  /** When the last one ends; undefined where one ends with its browser. */
  readonly lastsUntil: Date | undefined;
}

interface BrowserCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  /** Not sent to subdomains. */
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** Undefined: ends with the browser. */
  readonly expires: Date | undefined;
}

/**
 * Keeps the cookies of the sites that these hosts belong to, and no others: a browser's file holds much more than
 * is needed here. Throws a `CookieFileError`.
 */
export function readCookieFile(text: string, hosts: readonly string[]): ImportedCookies {
  const file = /^[[{]/.test(text.trim()) ? readJson(text) : { cookies: readNetscape(text), origins: [] };
  const all = file.cookies;
  const sites = new Set(hosts.map(getSite));
  const origins = file.origins.filter(
    ({ origin, localStorage }) =>
      localStorage.length > 0 && URL.canParse(origin) && sites.has(getSite(new URL(origin).hostname)),
  );
  const now = Date.now();
  const jar = new CookieJar();
  let count = 0;
  let lastsUntil: Date | undefined = new Date(now);
  for (const cookie of all) {
    const usable =
      sites.has(getSite(cookie.domain)) && (cookie.expires === undefined || cookie.expires.getTime() > now);
    if (!usable || !store(jar, cookie)) continue;
    count += 1;
    if (cookie.expires === undefined || lastsUntil === undefined) lastsUntil = undefined;
    else if (cookie.expires > lastsUntil) lastsUntil = cookie.expires;
  }
  if (count === 0 && origins.length === 0) {
    throw new CookieFileError(
      all.length === 0
        ? 'There are no cookies in it.'
        : `None of its ${all.length} cookies is a valid one of ${[...sites].join(' or ')}.`,
    );
  }
  // Nothing says when a token in local storage ends.
  if (count === 0) lastsUntil = undefined;
  // tough-cookie ignores unknown members.
  const cookies = JSON.stringify({ ...jar.serializeSync(), origins });
  return { cookies, count, leftOut: all.length - count, lastsUntil };
}

/** The registrable domain (`example.com` of `www.example.com`); the name itself where there is none. */
function getSite(domain: string): string {
  const host = domain.replace(/^\./, '').toLowerCase();
  return getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true }) ?? host;
}

/** False for a cookie that its site could not have set. */
function store(jar: CookieJar, cookie: BrowserCookie): boolean {
  const host = cookie.domain.replace(/^\./, '').toLowerCase();
  const address = `https://${host}/`;
  if (!URL.canParse(address) || new URL(address).hostname !== host) return false;
  const set = new Cookie({
    key: cookie.name,
    value: cookie.value,
    ...(cookie.hostOnly ? {} : { domain: host }),
    path: cookie.path,
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    ...(cookie.expires === undefined ? {} : { expires: cookie.expires }),
  });
  try {
    return jar.setCookieSync(set, address) !== undefined;
  } catch {
    return false;
  }
}

/** One cookie a line: domain, subdomains too, path, secure, end in Unix seconds (0: with the browser), name, value. */
function readNetscape(text: string): BrowserCookie[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.flatMap((line, index) => {
    const httpOnly = line.startsWith('#HttpOnly_');
    if (line.trim() === '' || (line.startsWith('#') && !httpOnly)) return [];
    const fields = (httpOnly ? line.slice('#HttpOnly_'.length) : line).split('\t');
    const [domain, subdomains, path, secure, end, name, value = ''] = fields;
    const hasForm =
      fields.length <= 7 && isFlag(subdomains) && isFlag(secure) && /^-?\d+(\.\d+)?$/.test(end ?? '');
    if (!hasForm || !domain || !path?.startsWith('/') || !isName(name) || !isValue(value)) {
      throw new CookieFileError(
        `Line ${index + 1} is not a line of a Netscape cookie file: seven fields with tabs between them.`,
      );
    }
    return {
      name,
      value,
      domain,
      hostOnly: subdomains === 'FALSE',
      path,
      secure: secure === 'TRUE',
      httpOnly,
      expires: toDate(Number(end)),
    };
  });
}

const isFlag = (text: string | undefined): boolean => text === 'TRUE' || text === 'FALSE';
/** What a `Cookie` header can carry; anything else could forge another header or cookie. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const isName = (text: string | undefined): text is string => !!text && !/[\x00-\x20\x7f;=,]/.test(text);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const isValue = (text: string): boolean => !/[\x00-\x1f\x7f;]/.test(text);

const JsonCookie = z.object({
  name: z.string().refine(isName),
  value: z.string().refine(isValue),
  domain: z.string().min(1),
  path: z.string().startsWith('/').default('/'),
  hostOnly: z.boolean().optional(),
  secure: z.boolean().default(false),
  httpOnly: z.boolean().default(false),
  /** Playwright and puppeteer; −1 for one that ends with the browser. */
  expires: z.number().nullish(),
  /** Extensions. */
  expirationDate: z.number().nullish(),
});
/** The local storage of one origin, as Playwright writes it. */
export const OriginStorage = z.object({
  origin: z.string(),
  localStorage: z.array(z.object({ name: z.string(), value: z.string() })),
});
const JsonFile = z.union([
  z.array(JsonCookie).transform((cookies) => ({ cookies, origins: [] })),
  z.object({ cookies: z.array(JsonCookie), origins: z.array(OriginStorage).default([]) }),
]);

function readJson(text: string): { cookies: BrowserCookie[]; origins: z.infer<typeof OriginStorage>[] } {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new CookieFileError('It begins like JSON but is not valid JSON. Was all of it copied?');
  }
  const parsed = JsonFile.safeParse(content);
  if (!parsed.success) {
    throw new CookieFileError(
      'It is JSON, but no list of cookies: each needs a name, a value and a domain that are valid.',
    );
  }
  const { origins } = parsed.data;
  const cookies = parsed.data.cookies.map(({ expires, expirationDate, hostOnly, ...cookie }) => ({
    ...cookie,
    // Chromium writes the domain of a cookie for subdomains with a dot in front.
    hostOnly: hostOnly ?? !cookie.domain.startsWith('.'),
    expires: toDate(expires ?? expirationDate ?? 0),
  }));
  return { cookies, origins };
}

/** The latest possible Date, in milliseconds. */
const latest = 8.64e15;
const toDate = (unixSeconds: number): Date | undefined =>
  unixSeconds <= 0 ? undefined : new Date(Math.min(unixSeconds * 1000, latest));
