/**
 * A screen for visible browser windows, by Xvfb, and a person at it. Where there is no Xvfb, the tests that need it say so
 * and are skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { vi } from 'vitest';
import { executablePath } from './browser.ts';
import { freePort } from './free-port.ts';

const xvfb = '/usr/bin/Xvfb';
export const hasScreen = existsSync(xvfb);
if (!hasScreen) {
  process.stderr.write(
    `\nSKIPPED: no ${xvfb} on this machine. Visible browser windows are not tried. On Debian: apt-get install xvfb\n\n`,
  );
}

const screens = new Set<ChildProcess>();

/** For `afterEach`. */
export async function endScreens(): Promise<void> {
  for (const screen of screens) {
    screen.kill('SIGTERM');
    if (screen.exitCode === null && screen.signalCode === null) await once(screen, 'exit');
  }
  screens.clear();
}

export interface Screen {
  /** For the program: its windows open on this screen, in a browser that the person below can reach. */
  readonly environment: { readonly DISPLAY: string; readonly SVC_BROWSER: string };
  /** The page in the window whose address ends so, as soon as it is there. */
  windowAt(path: string): Promise<Page>;
}

/** `folder` takes the browser's starter. */
export async function openScreen(folder: string): Promise<Screen> {
  const screen = spawn(xvfb, ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  screens.add(screen);
  const [number] = await once(screen.stdout, 'data');
  const port = await freePort();
  // Where a browser is driven already, a second door lets the test be the person at the window; only a window has one.
  const starter = join(folder, 'browser');
  const choice = `case " $* " in *" --headless"*) exec '${executablePath}' "$@";; esac`;
  await writeFile(
    starter,
    `#!/bin/sh\n${choice}\nexec '${executablePath}' --remote-debugging-port=${port} "$@"\n`,
  );
  await chmod(starter, 0o700);
  return {
    environment: { DISPLAY: `:${String(number).trim()}`, SVC_BROWSER: starter },
    windowAt: (path) =>
      vi.waitFor(
        async () => {
          const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
          const pages = browser.contexts().flatMap((context) => context.pages());
          const page = pages.find((one) => one.url().endsWith(path));
          if (page !== undefined) return page;
          await browser.close();
          throw new Error(`No window at ${path}`);
        },
        { timeout: 30_000, interval: 300 },
      ),
  };
}
