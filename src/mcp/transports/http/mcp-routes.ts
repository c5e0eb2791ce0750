/** `/mcp`, `/sse` and `/messages`: who calls, how often, and which transport answers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Bodies } from '../../../http/bodies.ts';
import { clientAddress, networkOf } from '../../../http/server.ts';
import { HttpError } from '../../errors.ts';
import { type Access, createCallerReader, KeyChecks, refusedKey } from './authentication.ts';
import { consume, type HttpLimits } from './http-limits.ts';
import type { Metrics } from './metrics.ts';
import type { HttpPrincipal } from './principal.ts';
import type { Caller, KeyVerdict, Principals } from './principals.ts';
import { beginsClient, checkIds, isOfOlderRevision, readJsonBody } from './request.ts';
import type { ResourceServer } from './resource-server.ts';
import { countRefusals, type Handler, type Route } from './routes.ts';

export interface McpRoutesDependencies {
  readonly access: Access;
  readonly resourceServer?: ResourceServer | undefined;
  readonly checkKey?: ((apiKey: string) => Promise<KeyVerdict>) | undefined;
  readonly trustProxy?: boolean | undefined;
  readonly principals: Principals;
  readonly limits: HttpLimits;
  readonly metrics: Metrics;
  /** No new calls are accepted. */
  readonly isEnding: () => boolean;
}

type McpRequest = IncomingMessage & { auth?: AuthInfo };

/** A request whose caller may use the server, and whose principal has room for it. */
interface AdmittedRequest {
  readonly request: McpRequest;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly url: URL;
  readonly caller: Caller;
  readonly principal: HttpPrincipal;
  /**
   * Asks the service again about the key of an open principal, so that nobody begins with a key that was revoked. Rejects with a
   * 401, and ends what is open with this key.
   */
  readonly confirmKey: () => Promise<void>;
}

export function createMcpRoutes(dependencies: McpRoutesDependencies): readonly Route[] {
  const { limits, metrics, resourceServer } = dependencies;
  const afterAdmission = createAdmission(dependencies);

  const bodies = new Bodies(limits.bodyBytesInAll);

  /** The parsed body of a POST, after the checks of ids and scopes. */
  const readBody = async ({ request, url, caller, principal }: AdmittedRequest): Promise<unknown> => {
    const { id } = principal.backend;
    const body = request.method === 'POST' ? await readJsonBody(request, id, bodies, limits) : undefined;
    checkIds(body);
    await countRefusals(metrics, 'authentication', () => resourceServer?.admitMessages(caller, body, url));
    passGrant(request, caller);
    return body;
  };

  return [
    {
      path: '/mcp',
      methods: ['GET', 'POST', 'DELETE'],
      handle: afterAdmission(async (admitted) => {
        const { request, response, requestId, principal, confirmKey } = admitted;
        const body = await readBody(admitted);
        if (beginsClient(body)) await confirmKey();
        const transport = isOfOlderRevision(request, body) ? principal.sessions : principal.current;
        await transport.handle(request, response, { body, requestId });
      }),
    },
    {
      path: '/sse',
      methods: ['GET'],
      handle: afterAdmission(async ({ principal, response, confirmKey }) => {
        await confirmKey();
        if (!response.closed) await principal.streams.open(response);
      }),
    },
    {
      path: '/messages',
      methods: ['POST'],
      handle: afterAdmission(async (admitted) => {
        const { request, response, requestId, url, principal } = admitted;
        const body = await readBody(admitted);
        const sessionId = url.searchParams.get('sessionId');
        await principal.streams.receive(request, response, { body, requestId, sessionId });
      }),
    },
  ];
}

/** Makes handlers that first find the caller's principal, check its key and count its requests. */
function createAdmission(dependencies: McpRoutesDependencies) {
  const { access, resourceServer, checkKey, trustProxy = false, principals, limits, metrics } = dependencies;
  const readCaller = createCallerReader(access, resourceServer);
  const keyChecks = checkKey && new KeyChecks(checkKey);
  const rates = new RateLimiterMemory({ points: limits.requestsPerMinute, duration: 60 });

  const findPrincipal = async (caller: Caller, request: IncomingMessage) => {
    let isChecked = keyChecks === undefined;
    const principal = await principals.getOrCreate(caller, async () => {
      isChecked = true;
      return keyChecks === undefined
        ? 'good'
        : countRefusals(metrics, 'authentication', () =>
            keyChecks.check(caller.apiKey, networkOf(clientAddress(request, trustProxy))),
          );
    });
    const confirmKey = async () => {
      if (isChecked || !(await keyChecks?.isRevoked(caller.apiKey))) return;
      await principals.endRevoked(async ({ apiKey }) => apiKey !== caller.apiKey);
      metrics.countRefusal('authentication');
      throw refusedKey();
    };
    return { principal, confirmKey };
  };

  const countRate = async ({ backend }: HttpPrincipal) => {
    const waitMs = await consume(rates, backend.id);
    if (waitMs === 0) return;
    metrics.countRefusal('rate');
    const seconds = Math.ceil(waitMs / 1000);
    throw new HttpError(
      429,
      `Rate limit of ${limits.requestsPerMinute} requests per minute for this key exceeded; retry in ${seconds} s.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  };

  return (serve: (admitted: AdmittedRequest) => Promise<void>): Handler =>
    async ({ env: { incoming: request, outgoing: response }, req }) => {
      const url = new URL(req.url);
      const caller = await countRefusals(metrics, 'authentication', () => readCaller(request, url));
      if (dependencies.isEnding()) {
        metrics.countRefusal('draining');
        throw new HttpError(503, 'This server is shutting down; connect again.', {
          headers: { connection: 'close', 'retry-after': '1' },
        });
      }
      const { principal, confirmKey } = await findPrincipal(caller, request);
      // The client went away while its key was checked.
      if (response.closed) return undefined;
      principal.serve(response);
      await countRate(principal);
      const requestId = String(response.getHeader('x-request-id'));
      await serve({ request, response, requestId, url, caller, principal, confirmKey });
      return undefined;
    };
}

/** Passes the scopes of a token to the tools through the protocol library; the token itself stays here. */
function passGrant(request: McpRequest, { grant }: Caller): void {
  if (grant === undefined) return;
  request.auth = { token: '', clientId: grant.clientId, scopes: [...grant.scopes] };
}
