/** MCP over HTTP, in every revision, for many clients: `/mcp`, `/sse` with `/messages`, and the paths of operators. */
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SubjectKeyError } from '../../../gateway/foundation/errors.ts';
import type { Logger } from '../../../gateway/foundation/logger.ts';
import type { SessionRecords } from '../../../gateway/store/session-records.ts';
import { closeIdleConnections, listen, serverOptions, stopListening } from '../../../http/server.ts';
import type { SignInHandler } from '../../pages/sign-in-handler.ts';
import type { Access } from './authentication.ts';
import { defaultHttpLimits, type HttpLimits } from './http-limits.ts';
import { createMcpRoutes } from './mcp-routes.ts';
import { Metrics } from './metrics.ts';
import { type Backend, HttpPrincipal } from './principal.ts';
import { type Caller, type KeyVerdict, Principals } from './principals.ts';
import { hostAndOriginChecks } from './request.ts';
import type { ResourceServer } from './resource-server.ts';
import { createListener, createOperatorRoutes } from './routes.ts';

export interface HttpServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The setting `SVC_PUBLIC_URL`: the address at which clients and browsers reach this server. */
  readonly publicUrl?: string | undefined;
  readonly access: Access;
  /** Admits callers by access tokens instead; `access.token` then protects the metrics only. */
  readonly resourceServer?: ResourceServer | undefined;
  /** Opens the gateway of a caller's key. */
  readonly openBackend: (caller: Caller) => Backend;
  /** Asks the service about a key that a client sends. Absent: clients send none. */
  readonly checkKey?: ((apiKey: string) => Promise<KeyVerdict>) | undefined;
  /** The setting `SVC_TRUST_PROXY`. */
  readonly trustProxy?: boolean | undefined;
  /** Records sessions, so that they survive this process. */
  readonly sessionRecords?: SessionRecords;
  /** Rejects while the server could not answer calls. */
  readonly checkReady: () => Promise<unknown>;
  /** Answers everything below the sign-in path. */
  readonly signInPages?: SignInHandler;
  readonly limits?: Partial<HttpLimits>;
  readonly logger: Logger;
}

export interface HttpServer {
  /** `http://host:port` */
  readonly origin: string;
  /**
   * Reports that it is not ready, lets calls under way answer, then refuses new ones and releases everything: at most `graceMs`
   * and a second.
   */
  close(graceMs: number): Promise<void>;
}

/** Milliseconds for which an unused connection stays open; longer than reverse proxies keep theirs by default. */
const keepAliveMs = 75_000;
/** Milliseconds for a whole request to arrive. */
/** Share of a shutdown's grace in which calls may end by themselves and new ones are still accepted. */
const naturalShare = 0.4;
/** Share in which calls under way are answered `processing`. */
const drainShare = 0.4;
/** Milliseconds until answers that a client does not read are cut off at the end of a shutdown. */
const cutMs = 500;

/** `draining`: load balancers are told to go elsewhere. `ending`: no new calls are accepted. */
type Phase = 'serving' | 'draining' | 'ending';

/** Rejects if the address is taken. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { access, logger } = options;
  const limits = { ...defaultHttpLimits, ...options.limits };
  const basePath = new URL(options.publicUrl ?? 'http://localhost').pathname.replace(/\/$/, '');
  let phase: Phase = 'serving';
  const metrics = new Metrics({
    principals: () => principals.all.length,
    sessions: () => sum(principals, ({ sessions }) => sessions.size),
    streams: () => sum(principals, ({ streams }) => streams.size),
    calls: () => sum(principals, ({ calls }) => calls),
  });
  const principals = new Principals(
    (caller) =>
      new HttpPrincipal({
        backend: options.openBackend(caller),
        limits,
        metrics,
        logger,
        messagesPath: `${basePath}/messages`,
        trustProxy: options.trustProxy,
        sessionRecords: options.sessionRecords,
      }),
    limits,
    (error) => logger.error({ err: error }, 'A principal could not be closed'),
  );
  const { checkReady } = options;
  const isShuttingDown = () => phase !== 'serving';
  const routes = [
    ...createOperatorRoutes({ access, metrics, checkReady, isShuttingDown, logger }),
    ...createMcpRoutes({ ...options, principals, limits, metrics, isEnding: () => phase === 'ending' }),
  ];
  const { signInPages, resourceServer } = options;
  const checks = hostAndOriginChecks(options);
  const server = createServer(
    serverOptions,
    createListener({ routes, checks, signInPages, resourceServer, metrics, logger, basePath }),
  );
  server.keepAliveTimeout = keepAliveMs;
  const origin = await listen(server, options);
  const stopRevoking = startRevoking(principals, options, limits);
  return {
    origin,
    close(graceMs) {
      stopRevoking();
      return shutDown(server, principals, graceMs, (next) => {
        phase = next;
      });
    },
  };
}

const sum = (principals: Principals, count: (principal: HttpPrincipal) => number) =>
  principals.all.reduce((total, principal) => total + count(principal), 0);

/** Ends sessions, streams and pages of revoked keys at an interval. Returns how to stop. */
function startRevoking(
  principals: Principals,
  { resourceServer, logger }: HttpServerOptions,
  { revocationMs }: HttpLimits,
): () => void {
  if (resourceServer === undefined) return () => undefined;
  const isCurrent = async (caller: Caller) => {
    try {
      return await resourceServer.isCurrent(caller);
    } catch (error) {
      // One unreadable key must not keep the others open. Its requests are refused, so its sessions end, too.
      if (!(error instanceof SubjectKeyError)) throw error;
      logger.warn({ err: error, subject: caller.subject?.subject }, 'The key of a subject could not be read');
      return false;
    }
  };
  const timer = setInterval(() => {
    principals
      .endRevoked(isCurrent)
      .catch((error: unknown) => logger.warn({ err: error }, 'Revoked keys could not be read'));
  }, revocationMs).unref();
  return () => clearInterval(timer);
}

async function shutDown(
  server: Server,
  principals: Principals,
  graceMs: number,
  enter: (phase: Phase) => void,
): Promise<void> {
  const waitForCalls = async (ms: number) => {
    const deadline = performance.now() + ms;
    while (sum(principals, ({ calls }) => calls) > 0 && performance.now() < deadline) await delay(20);
  };
  enter('draining');
  await waitForCalls(graceMs * naturalShare);
  enter('ending');
  const { closed } = await stopListening(server);
  for (const { backend } of principals.all) backend.endWaits();
  await waitForCalls(graceMs * drainShare);
  await principals.close(graceMs * (1 - naturalShare - drainShare));
  await closeIdleConnections(server);
  const cut = setTimeout(() => server.closeAllConnections(), cutMs);
  await closed;
  clearTimeout(cut);
}
