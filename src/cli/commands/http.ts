/** `svc-mcp http`: serves many MCP clients; one JSON line on stdout when it is ready, then it serves until it is told to end. */
import { createSignInHandler } from '../../mcp/pages/sign-in-handler.ts';
import { signInPath } from '../../mcp/pages/sign-in-path.ts';
import { gatewayBackend } from '../../mcp/transports/http/gateway-backend.ts';
import { isLoopback, isWildcard } from '../../mcp/transports/http/host-and-origin.ts';
import { startHttpServer } from '../../mcp/transports/http/http-server.ts';
import { pageVisitors } from '../../mcp/transports/http/page-visitors.ts';
import { loadSettings, type Settings, SettingsError } from '../config/load.ts';
import { exitWith } from '../exit.ts';
import type { Flags } from '../flags.ts';
import { openGateways } from '../gateways.ts';
import { createLogger } from '../logger.ts';
import { version } from '../version.ts';

/** Milliseconds from the signal until the process is gone: half a second less than the ten that are promised. */
const drainMs = 8_500;

export async function http(flags: Flags): Promise<void> {
  try {
    await serve(flags);
    process.exit(0);
  } catch (error) {
    exitWith(error);
  }
}

async function serve(flags: Flags): Promise<void> {
  const settings = loadSettings(process.env, flags, { ownKeys: true });
  const { publicUrl, httpToken, waitSeconds } = settings;
  const host = String(flags.host ?? '127.0.0.1');
  const port = portOf(flags.port);
  checkAdmission(settings, host);
  const logger = createLogger(settings.logLevel);
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });

  let address = publicUrl?.replace(/\/$/, '');
  const gateways = await openGateways(settings, async (page) => `${address}${signInPath}/${page.id}`, logger);
  const { pages, principalIdOf } = gateways;
  const access = { sharedKey: gateways.sharedKey, token: httpToken };
  let listening: string[] = [];
  const server = await startHttpServer({
    host,
    port,
    publicUrl,
    access,
    openBackend: (apiKey) => {
      const { principalId, gateway } = gateways.open(apiKey);
      return gatewayBackend({ id: principalId, apiKey, gateway, version, waitSeconds });
    },
    checkReady: gateways.checkReady,
    signInPages: createSignInHandler({
      pages,
      origins: () => listening,
      visitors: pageVisitors({ access, principalIdOf, publicUrl }),
    }),
    logger,
  });
  // An address that stands for all of them is none to go to.
  const local = ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${new URL(server.origin).port}`);
  address ??= isWildcard(host) ? local[0] : server.origin;
  listening = [server.origin, ...local, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
  const addresses = { url: `${address}/mcp`, sse_url: `${address}/sse`, listening_on: server.origin };
  process.stdout.write(`${JSON.stringify(addresses)}\n`);

  await ended;
  logger.info({}, 'Shutting down: calls under way answer, no new ones are taken');
  await server.close(drainMs);
  await gateways.close();
}

function portOf(flag: unknown): number {
  const port = Number(flag ?? 8080);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SettingsError(`--port must be a port number from 0 to 65535, not ${String(flag)}`);
}

/** Whoever reaches the server would spend the one key's credits. */
function checkAdmission({ baseUrl, apiKey, httpToken, publicUrl }: Settings, host: string): void {
  const clientsBringKeys = baseUrl !== undefined && apiKey === undefined;
  if (clientsBringKeys || httpToken !== undefined) return;
  const open = isLoopback(host) ? publicUrl && new URL(publicUrl).hostname : host;
  if (open === undefined || isLoopback(open)) return;
  throw new SettingsError(
    `Everyone who reaches ${open} could spend this key's credits: set SVC_HTTP_TOKEN (or SVC_HTTP_TOKEN_FILE) for ` +
      'clients to send, or leave SVC_API_KEY away and set SVC_BASE_URL, so that each client sends its own key as X-API-Key',
  );
}
