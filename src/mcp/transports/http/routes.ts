/** The paths of MCP over HTTP: what is checked before any of them, and how refusals are answered. */
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { Logger } from '../../../gateway/foundation/logger.ts';
import { discardRest } from '../../../http/server.ts';
import { isFromThisMachine } from '../../../http/this-machine.ts';
import { HttpError } from '../../errors.ts';
import { type SignInHandler, signInPath } from '../../pages/sign-in-handler.ts';
import { type Access, createAuthentication } from './authentication.ts';
import type { Metrics, RefusalReason } from './metrics.ts';
import { type HostAndOriginChecks, readRequestId } from './request.ts';
import type { ResourceServer } from './resource-server.ts';

type HttpContext = Context<{ Bindings: HttpBindings }>;
/** Undefined: the response was written to `outgoing`. */
export type Handler = (context: HttpContext) => Promise<Response | undefined>;

export interface Route {
  readonly path: string;
  readonly methods: readonly string[];
  readonly handle: Handler;
}

export interface ListenerDependencies {
  readonly routes: readonly Route[];
  readonly checks: HostAndOriginChecks;
  /** Answers everything below the sign-in path. */
  readonly signInPages?: SignInHandler | undefined;
  readonly resourceServer?: ResourceServer | undefined;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Path at which clients reach this server; empty at the root. */
  readonly basePath: string;
}

/** The listener of a Node server. */
export function createListener(dependencies: ListenerDependencies): ReturnType<typeof getRequestListener> {
  const { fetch } = createRoutes(dependencies);
  return getRequestListener(fetch, {
    // The globals Request and Response stay Node's own: other code of this process uses them.
    overrideGlobalObjects: false,
    // Bodies are read from the request itself, within limits; `discardRest` reads the rest.
    autoCleanupIncoming: false,
    // Only so that a request without Host reaches the check of its host.
    hostname: 'localhost',
    errorHandler: () =>
      toRefusalResponse(new HttpError(400, 'The Host header or the path of the request is not valid.')),
  });
}

function createRoutes(dependencies: ListenerDependencies): Hono<{ Bindings: HttpBindings }> {
  const { routes, checks, signInPages, resourceServer, metrics, logger, basePath } = dependencies;
  // `/mcp/` is `/mcp`: clients add a slash.
  const application = new Hono<{ Bindings: HttpBindings }>({ strict: false });
  application.use(async ({ env: { incoming, outgoing } }, next) => {
    await next();
    await discardRest(incoming, outgoing);
  });
  application.use(async ({ env: { incoming, outgoing } }, next) => {
    outgoing.setHeader('x-request-id', readRequestId(incoming));
    await countRefusals(metrics, 'host', () => checks.host(incoming));
    await next();
  });
  // Whoever has a page's address may use it, and addresses are secrets: they are neither counted nor logged. The pages check
  // themselves where a form came from: a page without a referrer posts with the origin `null`.
  if (signInPages !== undefined)
    application.all(`${signInPath}/*`, ({ req, env }) => signInPages(req.raw, env));
  application.use(async ({ env: { incoming } }, next) => {
    await countRefusals(metrics, 'host', () => checks.origin(incoming));
    await next();
  });
  application.use(async ({ req }, next) => {
    const metadata = resourceServer?.getMetadata(new URL(req.url).pathname);
    if (metadata === undefined) return next();
    checkMethod(req.raw.method, ['GET', 'HEAD']);
    return answer(200, JSON.stringify(metadata), 'application/json');
  });
  for (const { path, methods, handle } of routes) {
    application.all(path, async (context) => {
      recordRequest(context, path, dependencies);
      checkMethod(context.env.incoming.method, methods);
      return (await handle(context)) ?? RESPONSE_ALREADY_SENT;
    });
  }
  application.notFound(() => {
    throw new HttpError(404, `Not found. MCP is served at ${basePath}/mcp.`);
  });
  application.onError((error, { env: { outgoing } }) => {
    const refusal = toRefusal(error, String(outgoing.getHeader('x-request-id')), logger);
    if (!outgoing.headersSent) return toRefusalResponse(refusal);
    outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  });
  return application;
}

/** A refusal as HTTP and as JSON-RPC at once. */
function toRefusalResponse({ status, message, details }: HttpError): Response {
  const error = { code: details.code ?? -32_000, message };
  return new Response(JSON.stringify({ jsonrpc: '2.0', error, id: null }), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...details.headers },
  });
}

function toRefusal(error: Error, requestId: string, logger: Logger): HttpError {
  if (error instanceof HttpError) {
    logger.info({ request_id: requestId, status: error.status }, error.message);
    return error;
  }
  logger.error({ err: error, request_id: requestId }, 'A request failed unexpectedly');
  return new HttpError(500, 'Internal error of this server; its log has the details.');
}

function checkMethod(method = '', allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  throw new HttpError(405, `Method not allowed; use ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}

/** Logs and counts the request when its response is closed. */
function recordRequest(
  { env: { incoming, outgoing } }: HttpContext,
  path: string,
  { metrics, logger }: ListenerDependencies,
): void {
  const startedAt = performance.now();
  outgoing.once('close', () => {
    metrics.countAnswer(path, outgoing.statusCode);
    logger.debug(
      {
        request_id: outgoing.getHeader('x-request-id'),
        method: incoming.method,
        path,
        status: outgoing.statusCode,
        ms: Math.round(performance.now() - startedAt),
      },
      'Request',
    );
  });
}

/** Runs a check and counts its refusal. */
export async function countRefusals<Value>(
  metrics: Metrics,
  reason: RefusalReason,
  check: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await check();
  } catch (error) {
    metrics.countRefusal(reason);
    throw error;
  }
}

/** A short text that no cache keeps. */
const answer = (status: number, text: string, type = 'text/plain'): Response =>
  new Response(`${text}\n`, { status, headers: { 'content-type': type, 'cache-control': 'no-store' } });

export interface OperatorRoutesDependencies {
  readonly access: Access;
  readonly metrics: Metrics;
  readonly isShuttingDown: () => boolean;
  /** Rejects while the server could not answer calls. */
  readonly checkReady: () => Promise<unknown>;
  readonly logger: Logger;
}

export function createOperatorRoutes(dependencies: OperatorRoutesDependencies): readonly Route[] {
  const { access, metrics, isShuttingDown, checkReady, logger } = dependencies;
  const { admit } = createAuthentication(access);
  const readOnly = ['GET', 'HEAD'];
  return [
    { path: '/healthz', methods: readOnly, handle: async () => answer(200, 'ok') },
    {
      path: '/readyz',
      methods: readOnly,
      async handle() {
        if (isShuttingDown()) return answer(503, 'shutting down');
        try {
          await checkReady();
        } catch (error) {
          logger.warn({ err: error }, 'Not ready');
          return answer(503, 'not ready');
        }
        return answer(200, 'ready');
      },
    },
    {
      path: '/metrics',
      methods: ['GET'],
      async handle({ env: { incoming } }) {
        await countRefusals(metrics, 'authentication', () => admit(incoming));
        if (access.token === undefined && !isFromThisMachine(incoming)) {
          throw new HttpError(
            403,
            'Without SVC_HTTP_TOKEN, metrics are shown only to requests from this machine that no proxy forwarded.',
          );
        }
        return answer(200, await metrics.render(), metrics.contentType);
      },
    },
  ];
}
