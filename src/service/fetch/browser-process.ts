/** The browser's process: started when a page needs it, kept for a minute, and started again after it ended. */
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { BrowserError } from '../foundation/errors.ts';
import { type BrowserLocation, isLinuxRoot } from './find-browser.ts';

export interface BrowserProcessOptions {
  readonly location: BrowserLocation;
  /** False: Chromium runs without its sandbox (setting `SVC_BROWSER_SANDBOX`). */
  readonly sandbox: boolean;
  /** The proxy for all traffic. */
  readonly proxyServer: string;
  /** Milliseconds without a page until the process ends. */
  readonly idleMs?: number | undefined;
  /** Shows a window, for people to sign in. */
  readonly visible?: boolean;
}

const launchTimeoutMs = 20_000;
/** Environment variables that the browser needs; keys and other secrets are not passed on. */
const environmentNames =
  /^(PATH|HOME|USER|LANG|LC_\w+|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SYSTEMROOT|APPDATA|LOCALAPPDATA|USERPROFILE|PROGRAMFILES.*)$/i;

const launchArguments = [
  '--disable-quic',
  // WebRTC may use UDP only through the proxy, which carries none. Chromium renamed the switch: each version obeys one
  // of the two and ignores the other.
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // The browser resolves no names: the proxy does, and vets the addresses.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--no-first-run',
  // Bounds the heap of scripts; other memory is watched from outside.
  '--js-flags=--max-old-space-size=512',
];

export class BrowserProcess {
  readonly #options: BrowserProcessOptions;
  #browser: Promise<Browser> | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: BrowserProcessOptions) {
    this.#options = options;
  }

  /** Rejects with a `BrowserError` where no browser can be started, and with whatever `work` rejects with. */
  async use<Result>(work: (browser: Browser) => Promise<Result>): Promise<Result> {
    clearTimeout(this.#idle);
    this.#users += 1;
    try {
      this.#browser ??= this.#start();
      return await work(await this.#browser);
    } finally {
      this.#users -= 1;
      if (this.#users === 0) {
        this.#idle = setTimeout(() => void this.close(), this.#options.idleMs ?? 60_000);
        this.#idle.unref();
      }
    }
  }

  /** Ends the process; the next page starts another. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const browser = this.#browser;
    this.#browser = undefined;
    await browser?.then(
      (running) => running.close(),
      () => undefined,
    );
  }

  #start(): Promise<Browser> {
    const starting = start(this.#options);
    const forget = () => {
      if (this.#browser === starting) this.#browser = undefined;
    };
    starting.then((browser) => browser.on('disconnected', forget), forget);
    return starting;
  }
}

async function start(options: BrowserProcessOptions): Promise<Browser> {
  const { location } = options;
  if (location.kind === 'none') throw noBrowser(location);
  const { chromium } = await loadPlaywright();
  try {
    if (options.sandbox && isLinuxRoot()) throw sandboxRefused();
    const browser = await chromium.launch({
      executablePath: location.path,
      headless: options.visible !== true,
      chromiumSandbox: options.sandbox,
      // Chromium reaches loopback and link-local addresses without its proxy unless that is switched off.
      proxy: { server: options.proxyServer, bypass: '<-loopback>' },
      args: launchArguments,
      // Playwright lets every page open windows.
      ignoreDefaultArgs: ['--disable-popup-blocking'],
      env: Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) =>
          value !== undefined && environmentNames.test(name) ? [[name, value]] : [],
        ),
      ),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: launchTimeoutMs,
    });
    processGroups.set(browser, await readProcessGroup(browser));
    return browser;
  } catch (error) {
    if (error instanceof BrowserError) throw error;
    if (/no usable sandbox|without --no-sandbox/i.test(String(error))) throw sandboxRefused(error);
    throw new BrowserError(
      'unavailable',
      `The browser ${location.path} could not be started. Run svc-mcp doctor.`,
      error,
    );
  }
}

const processGroups = new WeakMap<Browser, number | undefined>();

/**
 * The group of processes that the browser is in, if it is one that this process started: a script beside the program
 * (`/usr/bin/chromium-headless-shell`) may lead it, and a container has process ids of its own.
 */
async function readProcessGroup(browser: Browser): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const id = processInfo.find(({ type }) => type === 'browser')?.id;
  if (id === undefined || process.platform !== 'linux') return id;
  const { group } = await readRelations(id);
  const { parent } = await readRelations(group);
  return parent === process.pid ? group : undefined;
}

/** NaN where there is no such process. */
async function readRelations(id: number): Promise<{ parent: number; group: number }> {
  const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
  // "id (name) state parent group …", where a name may hold anything.
  const [, , parent, group] = stat.slice(stat.lastIndexOf(')')).split(' ');
  return { parent: Number(parent), group: Number(group) };
}

/** Ends a browser that does not answer, and resolves when the next page would get another. */
export async function killBrowser(browser: Browser): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    browser.on('disconnected', () => resolve());
  });
  if (!browser.isConnected()) return;
  if (!killGroup(processGroups.get(browser))) await browser.close().catch(() => undefined);
  else await ended;
}

/** All of it: a process of a page that is busy does not notice that the browser is gone. */
function killGroup(group: number | undefined): boolean {
  if (group === undefined) return false;
  try {
    return process.kill(-group, 'SIGKILL');
  } catch {
    return false;
  }
}

async function loadPlaywright() {
  try {
    return await import('playwright-core');
  } catch (error) {
    throw new BrowserError(
      'unavailable',
      'This page needs a browser, and playwright-core, which drives it, is not installed. Run: npm install -g playwright-core',
      error,
    );
  }
}

function sandboxRefused(cause?: unknown): BrowserError {
  return new BrowserError(
    'unavailable',
    "The browser's sandbox cannot run here: it does not run as root and in many containers. Run svc-mcp as another user, or set SVC_BROWSER_SANDBOX=off if you trust every page that it opens.",
    cause,
  );
}

function noBrowser(location: BrowserLocation & { kind: 'none' }): BrowserError {
  const messages = {
    off: 'This page needs a browser, and SVC_BROWSER is off. Set SVC_BROWSER=auto.',
    'not-installed':
      'This page needs a browser, and none was found. Install Chromium, Chrome or Edge, or set SVC_BROWSER to its path.',
    'not-executable': 'This page needs a browser, and the file that SVC_BROWSER names cannot be run.',
  };
  return new BrowserError('unavailable', messages[location.reason]);
}
