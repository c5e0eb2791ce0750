/**
 * A signed-in session between its two forms: as it is stored (cookies as `tough-cookie` serializes them, with the
 * local storage of the site's origins beside them) and as a browser takes and gives it.
 */
import type { BrowserContext } from 'playwright-core';
import { Cookie, CookieJar, getPublicSuffix } from 'tough-cookie';
import * as z from 'zod';
import { BrowserError } from '../foundation/errors.ts';

/** The storage that a browser page starts with, or has at its end. */
export type StorageState = Exclude<Awaited<ReturnType<BrowserContext['storageState']>>, string>;

/** A session as it is stored. */
export interface KeptSession {
  readonly cookies: string;
  readonly count: number;
  /** Cookies that are not kept: those of other sites, expired ones, and ones that no site could have set. */
  readonly leftOut: number;
  /** When the last one ends; undefined where one ends with its browser. */
  readonly lastsUntil: Date | undefined;
}

/**
 * Keeps what belongs to the sites of these addresses, and nothing else: a person may visit others on the way. Throws a
 * `BrowserError` where that is nothing.
 */
export function fromStorageState(state: StorageState, addresses: readonly string[]): KeptSession {
  const sites = new Set(addresses.map((address) => getSite(new URL(address).hostname)));
  const origins = state.origins.filter(
    ({ origin, localStorage }) =>
      localStorage.length > 0 && URL.canParse(origin) && sites.has(getSite(new URL(origin).hostname)),
  );
  const now = Date.now();
  const jar = new CookieJar();
  const ends: (Date | undefined)[] = [];
  for (const cookie of state.cookies) {
    const end = cookie.expires > 0 ? new Date(Math.min(cookie.expires * 1000, latest)) : undefined;
    const isUsable = sites.has(getSite(cookie.domain)) && (end === undefined || end.getTime() > now);
    if (isUsable && store(jar, cookie, end)) ends.push(end);
  }
  if (ends.length === 0 && origins.length === 0)
    throw new BrowserError(
      'page-failed',
      `Nobody signed in: the browser has no session of ${[...sites].join(' or ')}`,
    );
  // Nothing says when a token in local storage ends.
  const ending = ends.filter((end) => end !== undefined).map((end) => end.getTime());
  const lastsUntil =
    ending.length > 0 && ending.length === ends.length ? new Date(Math.max(...ending)) : undefined;
  // tough-cookie ignores unknown members.
  const cookies = JSON.stringify({ ...jar.serializeSync(), origins });
  return { cookies, count: ends.length, leftOut: state.cookies.length - ends.length, lastsUntil };
}

/** The latest possible Date, in milliseconds. */
const latest = 8.64e15;

/** The registrable domain (`example.com` of `www.example.com`); the name itself where there is none. */
function getSite(domain: string): string {
  const host = domain.replace(/^\./, '').toLowerCase();
  return getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true }) ?? host;
}

/** False for a cookie that its site could not have set, and for one without a name, which cannot be sent. */
function store(jar: CookieJar, cookie: StorageState['cookies'][number], end: Date | undefined): boolean {
  const host = cookie.domain.replace(/^\./, '').toLowerCase();
  const address = `https://${host}/`;
  if (cookie.name === '' || !URL.canParse(address) || new URL(address).hostname !== host) return false;
  const set = new Cookie({
    key: cookie.name,
    value: cookie.value,
    // A browser writes the domain of a cookie for subdomains with a dot in front.
    ...(cookie.domain.startsWith('.') ? { domain: host } : {}),
    path: cookie.path,
    secure: cookie.secure,
    httpOnly: cookie.httpOnly,
    ...(end === undefined ? {} : { expires: end }),
  });
  try {
    return jar.setCookieSync(set, address) !== undefined;
  } catch {
    return false;
  }
}

const StoredSession = z.object({
  cookies: z.array(
    z.object({
      key: z.string(),
      // tough-cookie leaves out an empty one.
      value: z.string().default(''),
      domain: z.string(),
      path: z.string().default('/'),
      expires: z.string().optional(),
      httpOnly: z.boolean().optional(),
      secure: z.boolean().optional(),
      hostOnly: z.boolean().optional(),
      sameSite: z.string().optional(),
    }),
  ),
  origins: z
    .array(
      z.object({
        origin: z.string(),
        localStorage: z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    )
    .default([]),
});

const sameSites = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;
const toSameSite = (value: string | undefined) =>
  value === 'strict' || value === 'none' ? sameSites[value] : sameSites.lax;

/** Throws a `ZodError` without values for a session that cannot be read. */
export function toStorageState(session: string): StorageState {
  const { cookies, origins } = StoredSession.parse(JSON.parse(session));
  return {
    cookies: cookies.map((cookie) => ({
      name: cookie.key,
      value: cookie.value,
      // Without the dot a cookie is for that host alone.
      domain: cookie.hostOnly === true ? cookie.domain : `.${cookie.domain}`,
      path: cookie.path,
      expires: cookie.expires === undefined ? -1 : Date.parse(cookie.expires) / 1000 || -1,
      httpOnly: cookie.httpOnly ?? false,
      // A browser refuses SameSite=None without Secure.
      secure: cookie.secure ?? false,
      sameSite: cookie.secure === true ? toSameSite(cookie.sameSite) : sameSites.lax,
    })),
    origins,
  };
}
