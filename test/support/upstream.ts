/**
 * A scripted upstream: a real HTTP server on loopback that implements the specification in memory, records
 * every request and misbehaves on demand.
 *
 *     const upstream = await startUpstream({
 *       actions: [{ action_id: 'list-books', catalog_slug: 'shop', credits: 3, job: { data: { books: [] }, polls: 2 } }],
 *     });
 *     createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey });
 *
 *     upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
 *     await upstream.waitForRequests('getJob', 3);         // resolves when the third poll has arrived
 *     upstream.requestsTo('submitTask')[0]?.body;          // recorded: headers, body, connection, time
 *     upstream.service.actions.get('list-books');          // change a price, a schema, the next jobs' script
 *     upstream.service.jobs.get(jobId);                    // end or change a running job; delete it for a 404
 *     await upstream.refuse();                             // connections are refused from here …
 *     await upstream.accept();                             // … to here, on the same port
 *     await upstream.close();
 *
 * - What can be scripted: `upstream-script.ts`; what can be changed while it runs: `upstream-service.ts`.
 * - Every fault and what it does: `upstream-faults.ts`. `carriedOut` says whether the request took effect first.
 * - Faults are tried in the order in which they were set; one that is used up (`times`) is passed over.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { defaultApiPrefix, type EndpointName, endpoints } from '../../src/contract/endpoints.ts';
import { idempotencyHeader } from '../../src/contract/extensions.ts';
import { type Fault, playFault } from './upstream-faults.ts';
import type { UpstreamScript } from './upstream-script.ts';
import { ScriptedService } from './upstream-service.ts';

interface RecordedRequest {
  /** Undefined where no endpoint of the specification matches. */
  readonly endpoint: EndpointName | undefined;
  readonly method: string;
  /** Path and query as received, still encoded. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON where it is JSON, else the text; undefined where there was none. */
  readonly body: unknown;
  /** Numbers the TCP connections in the order of their first request, from 1. */
  readonly connection: number;
  /** Milliseconds (`performance.now()`). */
  readonly at: number;
}

interface SetFault {
  readonly endpoint: EndpointName | 'any';
  readonly fault: Fault;
  skip: number;
  left: number;
}

export interface Upstream {
  /** `http://127.0.0.1:<port>`; usable as a base URL. */
  readonly origin: string;
  readonly apiKey: string;
  readonly service: ScriptedService;
  readonly requests: readonly RecordedRequest[];
  requestsTo(endpoint: EndpointName): RecordedRequest[];
  /** Resolves when so many requests to the endpoint have arrived since the start. */
  waitForRequests(endpoint: EndpointName, count: number): Promise<void>;
  /** Sets a fault for `times` requests (default: all) after the first `after` ones (default: none). */
  fail(endpoint: EndpointName | 'any', fault: Fault, options?: { times?: number; after?: number }): void;
  clearFaults(): void;
  /** Drops every connection and refuses new ones until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  close(): Promise<void>;
}

export async function startUpstream(script: UpstreamScript = {}): Promise<Upstream> {
  const service = new ScriptedService(script);
  const apiKey = script.apiKey ?? 'key-of-the-scripted-upstream';
  const keys = new Set<unknown>([apiKey, ...(script.otherKeys ?? [])]);
  const prefix = script.apiPrefix ?? defaultApiPrefix;
  const requests: RecordedRequest[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const connections = new WeakMap<Socket, number>();
  let connectionCount = 0;
  let faults: SetFault[] = [];

  const takeFault = (endpoint: EndpointName | undefined): Fault | undefined => {
    for (const set of faults) {
      if ((set.endpoint !== 'any' && set.endpoint !== endpoint) || set.left === 0) continue;
      if (set.skip > 0) {
        set.skip -= 1;
        continue;
      }
      set.left -= 1;
      return set.fault;
    }
    return undefined;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? '/';
    const method = request.method ?? 'GET';
    const { pathname, searchParams } = new URL(url, 'http://upstream');
    const route = findRoute(method, pathname, prefix);
    const fault = takeFault(route?.endpoint);

    const text = fault?.kind === 'reset-before-body' ? '' : await readText(request);
    const connection = connections.get(request.socket) ?? ++connectionCount;
    connections.set(request.socket, connection);
    const body = parseBody(text);
    requests.push({
      endpoint: route?.endpoint,
      method,
      url,
      query: searchParams,
      headers: request.headers,
      body,
      connection,
      at: performance.now(),
    });
    arrivals.emit('request');

    const answer = () => {
      if (!keys.has(request.headers['x-api-key'])) {
        return service.error(401, 'UNAUTHORIZED', 'The API key is missing or wrong');
      }
      if (route === undefined) return service.error(404, 'NOT_FOUND', `No endpoint ${method} ${pathname}`);
      const idempotencyKey = request.headers[idempotencyHeader.toLowerCase()];
      return service.answer(route.endpoint, {
        parameter: route.parameter,
        query: searchParams,
        body,
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      });
    };
    if (fault !== undefined) {
      await playFault(fault, request, response, answer);
      return;
    }
    const { status, body: answerBody } = answer();
    const headers = {
      'content-type': 'application/json',
      ...(service.extensions !== undefined && { 'svc-extensions': service.extensions }),
    };
    response.writeHead(status, headers).end(JSON.stringify(answerBody));
  };

  const server = createServer((request, response) => {
    // A connection that the client or a fault has broken is no news here.
    handle(request, response).catch(() => response.destroy());
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The upstream has no port');
    return address.port;
  };
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  const port = await listen(0);

  const requestsTo = (endpoint: EndpointName) => requests.filter((request) => request.endpoint === endpoint);
  return {
    origin: `http://127.0.0.1:${port}`,
    apiKey,
    service,
    requests,
    requestsTo,
    async waitForRequests(endpoint, count) {
      while (requestsTo(endpoint).length < count) await once(arrivals, 'request');
    },
    fail(endpoint, fault, { times = Number.POSITIVE_INFINITY, after = 0 } = {}) {
      faults.push({ endpoint, fault, skip: after, left: times });
    },
    clearFaults() {
      faults = [];
    },
    refuse: stop,
    async accept() {
      await listen(port);
    },
    close: stop,
  };
}

const endpointNames = [
  'listCatalogs',
  'getCatalog',
  'search',
  'login',
  'submitTask',
  'getJob',
  'listIdentities',
  'getIdentity',
  'requestBuild',
  'previewBuild',
  'editAction',
  'removeAction',
  'revertAction',
  'repairAction',
  'listBuildRequests',
  'getUsage',
] as const satisfies readonly EndpointName[];

function findRoute(
  method: string,
  pathname: string,
  prefix: string,
): { endpoint: EndpointName; parameter: string } | undefined {
  if (!pathname.startsWith(`${prefix}/`)) return undefined;
  const [room, parameter, ...rest] = pathname.slice(prefix.length + 1).split('/');
  for (const name of endpointNames) {
    const endpoint = endpoints[name];
    const [, endpointRoom, endpointParameter, ...end] = endpoint.path.split('/');
    if (endpoint.method !== method || endpointRoom !== room || end.join() !== rest.join()) continue;
    if (
      endpointParameter?.startsWith('{') === true ? parameter === undefined : endpointParameter !== parameter
    )
      continue;
    return { endpoint: name, parameter: decodeURIComponent(parameter ?? '') };
  }
  return undefined;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
