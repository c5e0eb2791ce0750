/** `svc-mcp stdio`: serves one MCP client over stdin and stdout, and ends with it. */
import { createPageHandler } from '../../gateway/accounts/login.ts';
import type { SignInPage } from '../../gateway/accounts/sign-in-pages.ts';
import { SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import { PageRecords } from '../../gateway/store/page-records.ts';
import { LoopbackPages } from '../../mcp/pages/loopback-pages.ts';
import { serveStdioTransport } from '../../mcp/transports/stdio.ts';
import { loadSettings } from '../config/load.ts';
import { loginValues } from '../config/login-values.ts';
import { version } from '../config/version.ts';
import { connect, openGatewayDatabase } from '../setup/connection.ts';
import { createLogger } from '../setup/logger.ts';
import { startTelemetry } from '../setup/open-telemetry.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { exitWith } from '../terminal/terminal.ts';

export async function stdio(flags: Readonly<Record<string, unknown>>): Promise<void> {
  try {
    // Clients show people what is on stderr, some of them as errors.
    const settings = loadSettings(process.env, flags, { logLevel: 'warn' });
    const logger = createLogger(settings.logLevel);
    const telemetry = await startTelemetry(logger);
    const database = openGatewayDatabase(settings, logger);
    const pages = new SignInPages({
      records: new PageRecords(database, { keepKeys: false }),
      createHandler: (page) => createPageHandler(connection.api, page),
    });
    const listener = new LoopbackPages(pages);
    const signIn = {
      pages,
      getAddress: (page: SignInPage) => listener.getAddress(page),
      loginValue: loginValues(process.env),
      openBrowser: settings.openBrowser === true ? (url: string) => openBrowser(url, logger) : undefined,
    };
    const connection = await connect(settings, logger, signIn, database);
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
