/** `svc-mcp http`: serves many MCP clients; one JSON line on stdout when it is ready, then it serves until it is told to end. */
import { isLoopback } from '../../contract/web-address.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import { SessionRecords } from '../../gateway/store/session-records.ts';
import { createSignInHandler, signInPath } from '../../mcp/pages/sign-in-handler.ts';
import { createPageVisitors } from '../../mcp/transports/http/authentication.ts';
import { startHttpServer } from '../../mcp/transports/http/http-server.ts';
import { gatewayBackend } from '../../mcp/transports/http/principal.ts';
import { isWildcard } from '../../mcp/transports/http/request.ts';
import type { ResourceServer } from '../../mcp/transports/http/resource-server.ts';
import { SettingsError } from '../config/errors.ts';
import type { Flags } from '../config/flags.ts';
import { loadSettings, type Settings } from '../config/load.ts';
import { version } from '../config/version.ts';
import { openHosting } from '../setup/hosting.ts';
import { createLogger } from '../setup/logger.ts';
import { startTelemetry } from '../setup/open-telemetry.ts';
import { exitWith } from '../terminal/terminal.ts';

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
  const { publicUrl, httpToken, waitSeconds, trustProxy } = settings;
  const requestsPerMinute = settings.httpRequestsPerMinute;
  const host = String(flags.host ?? '127.0.0.1');
  const port = parsePort(flags.port);
  checkAdmission(settings, host);
  const logger = createLogger(settings.logLevel);
  const telemetry = await startTelemetry(logger);
  const whenStopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });

  let address = publicUrl?.replace(/\/$/, '');
  const hosting = await openHosting(settings, async (page) => `${address}${signInPath}/${page.id}`, logger);
  const { pages, getPrincipalId } = hosting;
  const access = { sharedKey: hosting.sharedKey, token: httpToken };
  const resourceServer = await openResourceServer(settings, hosting.database, () => address ?? '', logger);
  let listening: string[] = [];
  const server = await startHttpServer({
    host,
    port,
    publicUrl,
    access,
    resourceServer,
    openBackend: (caller) => {
      const id = getPrincipalId(caller);
      return gatewayBackend({
        id,
        apiKey: caller.apiKey,
        gateway: hosting.open(caller),
        endSignIns: () => pages.end(id),
        version,
        waitSeconds,
      });
    },
    checkKey: hosting.checkKey,
    trustProxy,
    sessionRecords: new SessionRecords(hosting.database),
    checkReady: hosting.checkReady,
    ...(requestsPerMinute !== undefined && { limits: { requestsPerMinute } }),
    signInPages: createSignInHandler({
      pages,
      origins: () => listening,
      visitors: createPageVisitors({ access, resourceServer, getPrincipalId, publicUrl }),
    }),
    logger,
  });
  // A client cannot open a wildcard address.
  const local = ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${new URL(server.origin).port}`);
  const watching = hosting.serveWatches();
  address ??= isWildcard(host) ? local[0] : server.origin;
  listening = [server.origin, ...local, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
  const addresses = { url: `${address}/mcp`, sse_url: `${address}/sse`, listening_on: server.origin };
  process.stdout.write(`${JSON.stringify(addresses)}\n`);

  await whenStopped;
  logger.info({}, 'Shutting down: running calls are finished, new ones are refused');
  await Promise.all([server.close(drainMs), watching.close()]);
  await hosting.close();
  await telemetry.close();
}

/** Loaded only if an issuer is set. */
async function openResourceServer(
  settings: Settings,
  database: GatewayDatabase,
  baseUrl: () => string,
  logger: Logger,
): Promise<ResourceServer | undefined> {
  const { oauthIssuer: issuer, oauthAudience: audience } = settings;
  if (issuer === undefined) return undefined;
  const [{ AuthorizationServer }, { ResourceServer }, { createSubjectKeys }] = await Promise.all([
    import('../../client/authorization-server.ts'),
    import('../../mcp/transports/http/resource-server.ts'),
    import('../setup/subject-keys.ts'),
  ]);
  const server = new AuthorizationServer(issuer);
  const keys = createSubjectKeys(database, settings);
  return new ResourceServer({
    issuer,
    audience,
    baseUrl,
    fetchKeySet: () => server.keySet(),
    retryAfterSeconds: Math.ceil(server.pauseMs / 1000),
    getKey: (subject) => keys.getKey(subject),
    logger,
  });
}

function parsePort(flag: unknown): number {
  const port = Number(flag ?? 8080);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SettingsError(`--port must be a port number from 0 to 65535, not ${String(flag)}`);
}

/** Without a token, everyone who reaches the server could spend the shared key's credits. */
function checkAdmission(settings: Settings, host: string): void {
  const { baseUrl, apiKey, httpToken, publicUrl, oauthIssuer, oauthAudience } = settings;
  if (oauthIssuer === undefined && oauthAudience !== undefined) {
    throw new SettingsError(
      'SVC_OAUTH_AUDIENCE is set but SVC_OAUTH_ISSUER is not: the server would not check access tokens',
    );
  }
  if (oauthIssuer !== undefined) {
    if (apiKey === undefined) return;
    throw new SettingsError(
      'SVC_OAUTH_ISSUER and SVC_API_KEY are both set: with one shared key everybody would use the accounts of ' +
        'everybody. Unset SVC_API_KEY and give each subject its own key: svc-mcp http keys add <subject>',
    );
  }
  const clientsBringKeys = baseUrl !== undefined && apiKey === undefined;
  if (clientsBringKeys || httpToken !== undefined) return;
  const open = isLoopback(host) ? publicUrl && new URL(publicUrl).hostname : host;
  if (open === undefined || isLoopback(open)) return;
  throw new SettingsError(
    `Everyone who reaches ${open} could spend this key's credits: set SVC_HTTP_TOKEN (or SVC_HTTP_TOKEN_FILE) for ` +
      'clients to send, or unset SVC_API_KEY and set SVC_BASE_URL, so that each client sends its own key as X-API-Key',
  );
}
