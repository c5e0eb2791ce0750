/** `svc-mcp connect <slug>`: a person signs in to a site in a browser window; the session is kept, encrypted. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { startEmbeddedService } from '../setup/embedded.ts';

export async function connectAccount(slug: string, flags: Flags): Promise<void> {
  const settings = loadSettings(process.env, flags);
  if (settings.baseUrl !== undefined) {
    throw new SettingsError(
      `connect is for the embedded service; connect the account in the web console of ${settings.baseUrl}`,
    );
  }
  const service = await startEmbeddedService(settings);
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort(new Error('Stopped: no session was stored')));
  const lines = createInterface({ input: process.stdin });
  try {
    process.stderr.write(
      'A browser window opens. Sign in there, then press Enter here or close the window. Ctrl-C keeps nothing.\n',
    );
    const { count, leftOut, expiresAt } = await service.connectInBrowser({
      catalogSlug: slug,
      identityName: typeof flags.identity === 'string' ? flags.identity : '',
      // Without a terminal there is nobody who presses Enter.
      done: process.stdin.isTTY ? once(lines, 'line').then(() => undefined) : undefined,
      signal: stopped.signal,
    });
    const expires = expiresAt.toISOString();
    process.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ status: 'connected', catalog: slug, cookies: count, left_out: leftOut, expires_at: expires })}\n`
        : `Connected. ${count} cookies of the site are kept, encrypted, until ${expires}. Cookies of other sites were left out: ${leftOut}.\n`,
    );
  } finally {
    lines.close();
    await service.close();
  }
}
