/** `svc-mcp service`: the embedded service by itself; one JSON line on stdout when it is ready, then it serves. */

import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings } from '../config/load.ts';
import { startEmbeddedService } from '../setup/embedded.ts';
import { createLogger } from '../setup/logger.ts';
import { startTelemetry } from '../setup/open-telemetry.ts';

export async function service(flags: Flags): Promise<void> {
  const settings = loadSettings(process.env, flags, { ownKeys: true });
  const port = Number(flags.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new SettingsError(`--port must be a port number from 0 to 65535, not ${String(flags.port)}`);
  }
  const telemetry = await startTelemetry(createLogger(settings.logLevel));
  const whenStopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const running = await startEmbeddedService(settings, { host: String(flags.host ?? '127.0.0.1'), port });
  const ready = { base_url: running.baseUrl, api_key: running.apiKey, practice_url: running.practiceUrl };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  await whenStopped;
  await running.close();
  await telemetry.close();
  process.exit(0);
}
