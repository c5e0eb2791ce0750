/** `svc-mcp connect <slug>`: a person signs in to a site in a browser window; the session is kept, encrypted. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isApiError } from '../../client/errors.ts';
import { createHttpClient } from '../../client/http-client.ts';
import { SettingsError, SignInError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings, type Settings } from '../config/load.ts';
import { type EmbeddedService, startEmbeddedService } from '../setup/embedded.ts';
import { unknownCatalog } from '../setup/unknown-catalog.ts';
import { countText } from '../terminal/text.ts';

export async function connectAccount(slug: string, flags: Flags): Promise<void> {
  // A person reads the terminal, not a log.
  const settings = loadSettings(process.env, flags, { logLevel: 'warn' });
  if (settings.baseUrl !== undefined) {
    throw new SettingsError(
      `connect is for the embedded service; connect the account in the web console of ${settings.baseUrl}`,
    );
  }
  const service = await startEmbeddedService(settings);
  try {
    await checkSignIn(service, settings, slug);
    await signInAtWindow(service, slug, flags);
  } finally {
    await service.close();
  }
}

/** Throws a `SignInError` that says how else to sign in where no window can do it. */
async function checkSignIn(
  { baseUrl, apiKey, showsBrowser }: EmbeddedService,
  settings: Settings,
  slug: string,
): Promise<void> {
  const api = createHttpClient({ baseUrl, apiKey, apiPrefix: settings.apiPrefix });
  try {
    const { auth_types } = (await api.getCatalog(slug)).catalog;
    if (auth_types.length === 0)
      throw new SignInError(`${slug} has no sign-in: its actions run without an account`);
    if (!auth_types.includes('browser_state'))
      throw new SignInError(`${slug} signs in with a user name and password: svc-mcp login ${slug}`);
  } catch (error) {
    if (!isApiError(error) || error.kind !== 'service' || error.httpStatus !== 404) throw error;
    throw await unknownCatalog(slug, settings);
  } finally {
    await api.close();
  }
  if (!showsBrowser)
    throw new SignInError(
      'No browser window can be shown here: it needs a desktop, and Chromium, Chrome or Edge (svc-mcp doctor)',
    );
}

async function signInAtWindow(service: EmbeddedService, slug: string, flags: Flags): Promise<void> {
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort(new Error('Stopped: no session was stored')));
  const lines = createInterface({ input: process.stdin });
  try {
    process.stderr.write(
      'A browser window opens. Sign in there, then press Enter here or close the window. Ctrl-C cancels.\n',
    );
    const { count, leftOut, expiresAt } = await service.connectInBrowser({
      catalogSlug: slug,
      identityName: typeof flags.identity === 'string' ? flags.identity : '',
      // Without a terminal nobody can press Enter.
      done: process.stdin.isTTY ? once(lines, 'line').then(() => undefined) : undefined,
      signal: stopped.signal,
    });
    const expires = expiresAt.toISOString();
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ status: 'connected', catalog: slug, cookies: count, left_out: leftOut, expires_at: expires })}\n`
        : `Connected. ${countText(count, 'cookie')} of the site ${count === 1 ? 'is' : 'are'} kept, encrypted, until ${expires}. Cookies of other sites were left out: ${leftOut}.\n`,
    );
  } finally {
    lines.close();
  }
}
