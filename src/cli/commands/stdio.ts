/** `svc-mcp stdio`: serves one MCP client over stdin and stdout, and ends with it. */
import { serveStdioTransport } from '../../mcp/transports/stdio.ts';
import { loadSettings } from '../config/load.ts';
import { connect } from '../connection.ts';
import { exitWith } from '../exit.ts';
import { createLogger } from '../logger.ts';
import { version } from '../version.ts';

export async function stdio(flags: Readonly<Record<string, unknown>>): Promise<void> {
  try {
    const settings = loadSettings(process.env, flags);
    const logger = createLogger(settings.logLevel);
    const connection = await connect(settings, logger);
    // Without its service nothing works: better to end with the reason than to fail at every call.
    connection.embedded?.catch(exitWith);
    await serveStdioTransport({
      gateway: { ...connection.gateway, close: (graceMs) => connection.close(graceMs) },
      logger,
      version,
      waitSeconds: settings.waitSeconds,
    });
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}
