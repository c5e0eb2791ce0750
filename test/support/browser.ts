/**
 * Headless Chromium, where it is installed. Where it is not, the tests that need it say so and are skipped:
 *
 *     describe.skipIf(!hasBrowser)('…', () => { const page = await openPage(); … });
 */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const windowless = '/usr/bin/chromium-headless-shell';
/** A browser that can show windows. */
export const executablePath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));
export const hasBrowser = executablePath !== undefined;
/** Every kind of browser that is installed here: one without windows differs in what it is made of. */
export const browserPaths = [windowless, executablePath].filter(
  (path): path is string => path !== undefined && existsSync(path),
);

if (!hasBrowser) {
  process.stderr.write(
    '\nSKIPPED: no Chromium on this machine. The tests of the pages in a browser are not run. On Debian: apt-get install chromium\n\n',
  );
}

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Promise<Browser> | undefined;

/** A page of a browser of its own: no cookies, no history. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  // The one without windows, where it is: it shows pages alike, in less than half the time.
  const [preferred] = browserPaths;
  if (preferred === undefined) throw new Error('There is no Chromium on this machine');
  browser ??= chromium.launch({ executablePath: preferred, args, headless: true });
  const context = await (await browser).newContext(options);
  return context.newPage();
}

/** For `afterAll`. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}
