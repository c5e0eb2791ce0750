/** MCP over HTTP, in every revision, for many clients: `/mcp`, `/sse` with `/messages`, and what operators need. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from '../../../gateway/logger.ts';
import type { SessionRecords } from '../../../gateway/sessions/session-records.ts';
import { signInPath } from '../../pages/sign-in-path.ts';
import { type Access, authentication, callerReader } from './authentication.ts';
import { readJson } from './body.ts';
import type { Caller, ResourceServer } from './caller.ts';
import { hostAndOriginChecks } from './host-and-origin.ts';
import { KeyChecks, type KeyVerdict } from './key-checks.ts';
import { defaultHttpLimits, type HttpLimits } from './limits.ts';
import { Metrics } from './metrics.ts';
import { type Backend, Principal } from './principal.ts';
import { Principals } from './principals.ts';
import { HttpRefusal, refuse } from './refusal.ts';
import {
  checkIds,
  clientAddress,
  isFromThisMachine,
  isOfOlderRevision,
  requestIdOf,
  targetOf,
} from './request.ts';
import { createRequestRates, type RequestRates } from './request-rates.ts';

export interface HttpServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The setting `SVC_PUBLIC_URL`: what clients and browsers see of this server. */
  readonly publicUrl?: string | undefined;
  readonly access: Access;
  /** Admits callers instead, by access tokens; `access.token` is then for the metrics alone. */
  readonly resourceServer?: ResourceServer | undefined;
  /** Opens what stands behind a caller's key. */
  readonly openBackend: (caller: Caller) => Backend;
  /** Asks the service about a key that a client brings. Absent: clients bring none. */
  readonly checkKey?: ((apiKey: string) => Promise<KeyVerdict>) | undefined;
  /** The setting `SVC_TRUST_PROXY`. */
  readonly trustProxy?: boolean | undefined;
  /** Where sessions are recorded, so that they outlive this process. */
  readonly sessionRecords?: SessionRecords | undefined;
  /** Rejects while the server could not answer calls. */
  readonly checkReady: () => Promise<unknown>;
  /** Answers everything below the sign-in path. */
  readonly signInPages?: ((request: Request) => Promise<Response>) | undefined;
  readonly limits?: Partial<HttpLimits>;
  /** Absent: counted in this process. */
  readonly requestRates?: RequestRates | undefined;
  readonly logger: Logger;
}

export interface HttpServer {
  /** `http://host:port` */
  readonly origin: string;
  /**
   * Is not ready from now on, lets calls under way answer, takes no more after a while, and releases everything, within
   * `graceMs` and a second.
   */
  close(graceMs: number): Promise<void>;
}

/** Milliseconds a reverse proxy may keep a connection that it does not use; longer than proxies do by default. */
const keepAliveMs = 75_000;
/** Milliseconds for a whole request to arrive. */
const requestMs = 60_000;
/** The part of a shutdown's grace in which calls may end by themselves, and those that still come are taken. */
const naturalEnd = 0.4;
/** The part in which their answers, which are handles then, are written. */
const handles = 0.4;

const paths = ['/mcp', '/sse', '/messages', '/healthz', '/readyz', '/metrics'] as const;
type Path = (typeof paths)[number];
const methods: Readonly<Record<Path, readonly string[]>> = {
  '/mcp': ['GET', 'POST', 'DELETE'],
  '/sse': ['GET'],
  '/messages': ['POST'],
  '/healthz': ['GET', 'HEAD'],
  '/readyz': ['GET', 'HEAD'],
  '/metrics': ['GET'],
};

/** Rejects if the address is taken. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { access, logger, openBackend, resourceServer } = options;
  const limits = { ...defaultHttpLimits, ...options.limits };
  const checks = hostAndOriginChecks(options);
  const { admit } = authentication(access);
  const callerOf = callerReader(access, resourceServer);
  const rates = options.requestRates ?? createRequestRates(limits);
  const basePath = new URL(options.publicUrl ?? 'http://localhost').pathname.replace(/\/$/, '');
  const metrics = new Metrics({
    principals: () => principals.all.length,
    sessions: () => sum(({ sessions }) => sessions.size),
    streams: () => sum(({ streams }) => streams.size),
    calls: () => sum(({ calls }) => calls),
  });
  const principals = new Principals(
    (caller) =>
      new Principal({
        backend: openBackend(caller),
        limits,
        metrics,
        logger,
        messagesPath: `${basePath}/messages`,
        sessionRecords: options.sessionRecords,
      }),
    limits,
    (error) => logger.error({ err: error }, 'A principal could not be closed'),
  );
  const sum = (count: (principal: Principal) => number) =>
    principals.all.reduce((total, principal) => total + count(principal), 0);
  // Who has a page's address may use it, and addresses are secrets: they are neither counted nor logged.
  const signIn =
    options.signInPages && getRequestListener(options.signInPages, { overrideGlobalObjects: false });
  /** `draining`: the load balancer is told to go elsewhere; `ending`: no new calls are taken. */
  let state: 'serving' | 'draining' | 'ending' = 'serving';

  const serve = async (request: IncomingMessage, response: ServerResponse, requestId: string) => {
    await counting(metrics, 'host', () => checks.host(request));
    const url = targetOf(request);
    const { pathname } = url;
    // The pages check where a form came from themselves: a page without a referrer posts with the origin `null`.
    if (signIn !== undefined && pathname.startsWith(`${signInPath}/`)) return signIn(request, response);
    await counting(metrics, 'host', () => checks.origin(request));
    const metadata = resourceServer?.metadataOf(pathname);
    if (metadata !== undefined) return showMetadata(request, response, metadata);
    const path = paths.find((known) => known === pathname);
    if (path === undefined) throw new HttpRefusal(404, `Not found. MCP is served at ${basePath}/mcp.`);
    logged(request, response, path);
    if (!methods[path].includes(request.method ?? '')) {
      throw new HttpRefusal(405, `Method not allowed; ${path} accepts ${methods[path].join(', ')}.`, {
        headers: { allow: methods[path].join(', ') },
      });
    }
    if (path === '/healthz') return plain(response, 200, 'ok');
    if (path === '/readyz') return ready(response);
    if (path === '/metrics') {
      await counting(metrics, 'authentication', () => admit(request));
      return showMetrics(request, response);
    }

    const caller = await counting(metrics, 'authentication', () => callerOf(request, url));
    if (state === 'ending') {
      metrics.refused('draining');
      throw new HttpRefusal(503, 'This server is shutting down; connect again.', {
        headers: { connection: 'close', 'retry-after': '1' },
      });
    }
    const principal = await principals.of(caller, () => checkKey(caller, request));
    // The client went away while its key was checked.
    if (response.closed) return;
    principal.serve(response);
    await countRate(principal);
    if (path === '/sse') return principal.streams.open(response);
    const body = request.method === 'POST' ? await readJson(request, limits) : undefined;
    checkIds(body);
    await counting(metrics, 'authentication', () => resourceServer?.admitMessages(caller, body, url));
    letToolsSee(request, caller);
    if (path === '/messages') {
      return principal.streams.receive(request, response, {
        body,
        requestId,
        sessionId: url.searchParams.get('sessionId'),
      });
    }
    const older = isOfOlderRevision(request, body) ? principal.sessions : principal.current;
    return older.handle(request, response, { body, requestId });
  };

  const keyChecks = options.checkKey && new KeyChecks(options.checkKey);
  const checkKey = async ({ apiKey }: Caller, request: IncomingMessage) =>
    keyChecks === undefined
      ? 'good'
      : counting(metrics, 'authentication', () =>
          keyChecks.check(apiKey, clientAddress(request, options.trustProxy ?? false)),
        );

  const countRate = async ({ backend }: Principal) => {
    const waitMs = await rates.count(backend.id);
    if (waitMs === 0) return;
    metrics.refused('rate');
    const seconds = Math.ceil(waitMs / 1000);
    throw new HttpRefusal(
      429,
      `Rate limit of ${limits.requestsPerMinute} requests in a minute for this key exceeded; retry in ${seconds} s.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  };

  const showMetadata = (request: IncomingMessage, response: ServerResponse, metadata: object) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new HttpRefusal(405, 'Method not allowed; use GET.', { headers: { allow: 'GET, HEAD' } });
    }
    plain(response, 200, JSON.stringify(metadata), 'application/json');
  };

  const ready = async (response: ServerResponse) => {
    if (state !== 'serving') return plain(response, 503, 'shutting down');
    try {
      await options.checkReady();
    } catch (error) {
      logger.warn({ err: error }, 'Not ready');
      return plain(response, 503, 'not ready');
    }
    plain(response, 200, 'ready');
  };

  const showMetrics = async (request: IncomingMessage, response: ServerResponse) => {
    if (access.token === undefined && !isFromThisMachine(request)) {
      throw new HttpRefusal(
        403,
        'Without SVC_HTTP_TOKEN, metrics are shown only to this machine, without a proxy.',
      );
    }
    plain(response, 200, await metrics.render(), metrics.contentType);
  };

  const logged = (request: IncomingMessage, response: ServerResponse, path: Path) => {
    const startedAt = performance.now();
    response.once('close', () => {
      metrics.answered(path, response.statusCode);
      logger.debug(
        {
          request_id: response.getHeader('x-request-id'),
          method: request.method,
          path,
          status: response.statusCode,
          ms: Math.round(performance.now() - startedAt),
        },
        'Request',
      );
    });
  };

  const server = createServer((request, response) => {
    const requestId = requestIdOf(request);
    response.setHeader('x-request-id', requestId);
    serve(request, response, requestId).catch((error: unknown) => {
      if (error instanceof HttpRefusal) {
        logger.info({ request_id: requestId, status: error.status }, error.message);
        refuse(response, error);
        return;
      }
      logger.error({ err: error, request_id: requestId }, 'A request failed unexpectedly');
      refuse(
        response,
        new HttpRefusal(500, 'The server met an unexpected problem; its log has the details.'),
      );
    });
  });
  server.keepAliveTimeout = keepAliveMs;
  server.requestTimeout = requestMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });

  const untilNoCalls = async (ms: number) => {
    const deadline = Date.now() + ms;
    while (sum(({ calls }) => calls) > 0 && Date.now() < deadline) await delay(20);
  };

  const revocations =
    resourceServer &&
    setInterval(
      () =>
        principals
          .endRevoked((caller) => resourceServer.isCurrent(caller))
          .catch((error: unknown) => logger.warn({ err: error }, 'Revoked keys could not be looked for')),
      limits.revocationMs,
    ).unref();

  return {
    origin: originOf(server.address()),
    async close(graceMs) {
      state = 'draining';
      clearInterval(revocations);
      await untilNoCalls(graceMs * naturalEnd);
      state = 'ending';
      const closed = new Promise((resolve) => server.close(resolve));
      for (const { backend } of principals.all) backend.endWaits();
      await untilNoCalls(graceMs * handles);
      await principals.close(graceMs * (1 - naturalEnd - handles));
      server.closeIdleConnections();
      // Answers that a client does not read are not waited for any longer.
      const cut = setTimeout(() => server.closeAllConnections(), 500);
      await closed;
      clearTimeout(cut);
    },
  };
}

async function counting<Value>(
  metrics: Metrics,
  reason: 'host' | 'authentication',
  check: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await check();
  } catch (error) {
    metrics.refused(reason);
    throw error;
  }
}

/** What the token allows reaches the tools by the protocol library; the token itself does not. */
function letToolsSee(request: IncomingMessage, { grant }: Caller): void {
  if (grant === undefined) return;
  Object.assign(request, { auth: { token: '', clientId: grant.clientId, scopes: [...grant.scopes] } });
}

function plain(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(`${text}\n`);
}

function originOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}
