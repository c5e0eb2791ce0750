/** `svc-mcp stdio`: serves one MCP client over stdin and stdout, and ends with it. */
import { SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import { LoopbackPages } from '../../mcp/pages/loopback-pages.ts';
import { serveStdioTransport } from '../../mcp/transports/stdio.ts';
import { loadSettings } from '../config/load.ts';
import { loginValues } from '../config/login-values.ts';
import { version } from '../config/version.ts';
import { connect } from '../setup/connection.ts';
import { createLogger } from '../setup/logger.ts';
import { startTelemetry } from '../setup/open-telemetry.ts';
import { exitWith } from '../terminal/exit.ts';
import { openBrowser } from '../terminal/open-browser.ts';

export async function stdio(flags: Readonly<Record<string, unknown>>): Promise<void> {
  try {
    // Clients show people what is on stderr, some of them as errors.
    const settings = loadSettings(process.env, flags, { logLevel: 'warn' });
    const logger = createLogger(settings.logLevel);
    const telemetry = await startTelemetry(logger);
    const pages = new SignInPages();
    const listener = new LoopbackPages(pages);
    const connection = await connect(settings, logger, {
      pages,
      getAddress: (page) => listener.getAddress(page),
      loginValue: loginValues(process.env),
      openBrowser: settings.openBrowser === true ? (url) => openBrowser(url, logger) : undefined,
    });
    // Without its service nothing works: better to end with the reason than to fail at every call.
    connection.embedded?.catch(exitWith);
    await serveStdioTransport({
      gateway: {
        ...connection.gateway,
        async close(graceMs) {
          await Promise.all([listener.close(), connection.close(graceMs)]);
        },
      },
      logger,
      version,
      waitSeconds: settings.waitSeconds,
    });
    await telemetry.close();
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}
