/** `svc-mcp stdio`: serves one MCP client over stdin and stdout, and ends with it. */
import type { SignInPage, SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import { LoopbackPages } from '../../mcp/pages/loopback-pages.ts';
import { serveStdioTransport } from '../../mcp/transports/stdio.ts';
import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings, type Settings } from '../config/load.ts';
import { loginValues } from '../config/login-values.ts';
import { version } from '../config/version.ts';
import { createSignInPages } from '../setup/create-sign-in-pages.ts';
import { type Gateways, openGateways, ownCaller, unusableGateway } from '../setup/gateways.ts';
import { createLogger } from '../setup/logger.ts';
import { startTelemetry, type Telemetry } from '../setup/open-telemetry.ts';
import { watchOutlets } from '../setup/watch-outlets.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { exitWith, tellProblem } from '../terminal/terminal.ts';

/** Milliseconds until the embedded service starts without having been asked: after the answers to a client's first requests. */
const unaskedStartMs = 1_000;

interface Opened {
  readonly gateway: Gateway;
  readonly logger: Logger;
  readonly waitSeconds?: number | undefined;
  readonly exitCode: 0 | 1;
  readonly telemetry?: Telemetry;
}

/** Nothing is opened before the client's first message: a handshake waits for no database and no service. */
export async function stdio(flags: Flags): Promise<void> {
  try {
    const { gateway, logger, waitSeconds, exitCode, telemetry } = await open(flags);
    gateway.serveWatches();
    await serveStdioTransport({ gateway, logger, version, waitSeconds });
    await telemetry?.close();
    process.exit(exitCode);
  } catch (error) {
    exitWith(error);
  }
}

async function open(flags: Flags): Promise<Opened> {
  try {
    // Clients show people what is on stderr, some of them as errors.
    return await openUsable(loadSettings(process.env, flags, { logLevel: 'warn' }));
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    // Few clients show what a server said before it ended; all show what a call answers.
    tellProblem(error);
    const silent = createLogger('silent');
    return { gateway: unusableGateway(error, silent), logger: silent, exitCode: 1 };
  }
}

async function openUsable(settings: Settings): Promise<Opened> {
  const logger = createLogger(settings.logLevel);
  const telemetry = await startTelemetry(logger);
  const gateways = await openGateways(settings, logger);
  const caller = ownCaller(gateways);
  const pages = createSignInPages(gateways, caller.apiKey);
  const listener = new LoopbackPages(pages);
  const own = gateways.open(caller, {
    signIn: { ...signInBy(pages, listener, { settings, logger }), apiKey: caller.apiKey },
    watchOutlets: watchOutlets(settings),
  });
  const starting = startUnasked(gateways);
  const close = async (graceMs?: number) => {
    await own.close(graceMs);
    await gateways.close();
  };
  const gateway = {
    ...own,
    async close(graceMs?: number) {
      clearTimeout(starting);
      await Promise.all([listener.close(), close(graceMs)]);
    },
  };
  return { gateway, logger, waitSeconds: settings.waitSeconds, exitCode: 0, telemetry };
}

const signInBy = (
  pages: SignInPages,
  listener: LoopbackPages,
  { settings, logger }: { settings: Settings; logger: Logger },
) => ({
  pages,
  getAddress: (page: SignInPage) => listener.getAddress(page),
  loginValue: loginValues(process.env),
  openBrowser: settings.openBrowser === true ? (url: string) => openBrowser(url, logger) : undefined,
});

/** A database that can never be used is told unasked too. The embedded service runs what others left, and sees changed files. */
function startUnasked({ embedded, database }: Gateways): NodeJS.Timeout {
  return setTimeout(() => {
    Promise.all([database.checkUsable(), embedded?.start()]).catch(tellProblem);
  }, unaskedStartMs).unref();
}
