/**
 * A signed-in session between its two forms: as it is stored (cookies as `tough-cookie` serializes them, with the
 * local storage of the site's origins beside them) and as a browser takes and gives it.
 */
import type { BrowserContext } from 'playwright-core';
import * as z from 'zod';
import { OriginStorage } from './cookie-file.ts';

/** The storage that a browser page starts with, or has at its end. */
export type StorageState = Exclude<Awaited<ReturnType<BrowserContext['storageState']>>, string>;

const StoredSession = z.object({
  cookies: z.array(
    z.object({
      key: z.string(),
      value: z.string(),
      domain: z.string(),
      path: z.string().default('/'),
      expires: z.string().optional(),
      httpOnly: z.boolean().optional(),
      secure: z.boolean().optional(),
      hostOnly: z.boolean().optional(),
      sameSite: z.string().optional(),
    }),
  ),
  origins: z.array(OriginStorage).default([]),
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
