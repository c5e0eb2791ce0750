/**
 * A proxy between a gateway and a service that breaks requests on demand and keeps account of every paid one:
 * whether it was read, whether the service got it, and what the gateway was told.
 *
 *     const proxy = await startFaultProxy(upstream.origin);
 *     proxy.inject('task', 'reset-after');        // the next POST /task
 *     proxy.posts[0];                             // { body, fault: 'reset-after', forwarded: true, at }
 *     const held = proxy.hold('job', 'before');   // the next GET /jobs/… stops before it is passed on
 *     await held.reached; held.release();
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { extensionsHeader, idempotencyHeader } from '../../src/contract/extensions.ts';

/** `task` is POST /task and POST /build-request; `job` is GET /jobs/{id} and GET /build-requests; `identities` is GET /identities; `connection` is any new one. */
type Route = 'task' | 'job' | 'identities' | 'connection' | 'other';

const faults = [
  /** The connection is reset: a new one before anything is read, else when the request has arrived. */
  'reset-before',
  /** The service gets the request; then the connection is reset. */
  'reset-after',
  /** The service gets the request; half of its answer comes through, then the end. */
  'truncate',
  /** The service never gets the request, and no answer comes. */
  'hang-before',
  /** The service gets the request, and no answer comes. */
  'hang-after',
  /** 500 with the documented code that says that nothing was charged; the service never gets the request. */
  'execution-failed',
  /** 500 with a code that is documented nowhere; the service got the request. */
  'undocumented-500',
  /** 502 with HTML; the service got the request. */
  'bad-gateway-after',
  /** 502 with HTML; the service never gets the request. */
  'bad-gateway-before',
  'too-many-requests',
  'not-found',
  /** 408; the service got the request. */
  'request-timeout',
  /** 402, 403 or 409, as a service may answer a repeat of what it took; it never gets this request. */
  'payment-required',
  'forbidden',
  'in-progress',
  /** 200 with an error envelope of a code that is documented nowhere; the service got the request. */
  'error-with-200',
  /** 200 with text that is no JSON; the service never gets the request. */
  'unreadable',
] as const;
export type FaultKind = (typeof faults)[number];

export interface PaidRequest {
  readonly body: unknown;
  /** Its idempotency key. */
  readonly key?: string | undefined;
  readonly fault: FaultKind | 'held' | undefined;
  /** Whether the service got it. */
  forwarded: boolean;
  /** Whether an answer went back, whole or not; undefined while that is open. */
  answered: boolean | undefined;
  readonly at: number;
}

interface Held {
  /** Resolves when a request has come to the point. */
  readonly reached: Promise<void>;
  /** Lets it go on. */
  release(): void;
}

interface Hold {
  readonly route: Route;
  readonly point: 'before' | 'after';
  readonly reach: () => void;
  readonly released: Promise<void>;
}

export interface FaultProxy {
  readonly origin: string;
  /** Every paid request whose connection was not reset unread, in order. */
  readonly posts: readonly PaidRequest[];
  /** Faults that really happened, by `route fault`. */
  readonly injected: ReadonlyMap<string, number>;
  /** Sets a fault for so many of the next requests on a route. */
  inject(route: Route, kind: FaultKind, times?: number): void;
  /** Stops the next request on a route, before it is passed on or before its answer is; a connection, unread. */
  hold(route: Route, point: 'before' | 'after'): Held;
  /** Refuses connections until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** Forgets faults that have not happened, and takes connections. */
  heal(): Promise<void>;
  /** The same, ends what hangs and begins a new account. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function startFaultProxy(upstreamOrigin: string): Promise<FaultProxy> {
  let pending: { readonly route: Route; readonly kind: FaultKind; left: number }[] = [];
  let holds: Hold[] = [];
  let posts: PaidRequest[] = [];
  const injected = new Map<string, number>();
  const count = (name: string) => injected.set(name, (injected.get(name) ?? 0) + 1);

  const take = (route: Route): FaultKind | undefined => {
    const found = pending.find((one) => one.route === route && one.left > 0);
    if (found === undefined) return undefined;
    found.left -= 1;
    count(`${route} ${found.kind}`);
    return found.kind;
  };
  const takeHold = (route: Route): Hold | undefined => {
    const found = holds.find((hold) => hold.route === route);
    holds = holds.filter((hold) => hold !== found);
    return found;
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const route = routeOf(incoming);
    const text = await readText(incoming);
    const kind = take(route);
    const hold = kind === undefined ? takeHold(route) : undefined;
    const key = incoming.headers[idempotencyHeader.toLowerCase()];
    const paid: PaidRequest = {
      body: route === 'task' ? JSON.parse(text) : undefined,
      key: typeof key === 'string' ? key : undefined,
      fault: kind ?? (hold === undefined ? undefined : 'held'),
      forwarded: false,
      answered: undefined,
      at: performance.now(),
    };
    if (route === 'task') posts.push(paid);
    response.on('close', () => {
      paid.answered = response.writableFinished;
    });
    const carryOut = () => {
      paid.forwarded = true;
      return passOn(upstreamOrigin, incoming, text);
    };
    if (kind !== undefined) {
      await play(kind, incoming, response, carryOut);
      return;
    }
    if (hold?.point === 'before') await stopAt(hold);
    const answer = await carryOut();
    if (hold?.point === 'after') await stopAt(hold);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };

  const server = createServer((incoming, response) => {
    // A connection that somebody has broken is no news here.
    handle(incoming, response).catch(() => response.destroy());
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    const hold = takeHold('connection');
    if (hold !== undefined) {
      socket.pause();
      void stopAt(hold).then(() => socket.resume());
    } else if (take('connection') !== undefined) socket.resetAndDestroy();
  });
  let port = 0;
  const listen = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address !== null && typeof address === 'object') port = address.port;
  };
  const refuse = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  const heal = async () => {
    pending = [];
    holds = [];
    if (!server.listening) await listen();
  };
  await listen();

  const held = (route: Route, point: Hold['point'], add: (hold: Hold) => void): Held => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => add({ route, point, reach: resolve, released }));
    return { reached, release };
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    get posts() {
      return posts;
    },
    injected,
    inject(route, kind, times = 1) {
      pending.push({ route, kind, left: times });
    },
    hold: (route, point) => held(route, point, (hold) => holds.push(hold)),
    async refuse() {
      count('connection refused');
      await refuse();
    },
    async accept() {
      if (!server.listening) await listen();
    },
    heal,
    async reset() {
      posts = [];
      for (const socket of sockets) socket.destroy();
      await heal();
    },
    close: refuse,
  };
}

async function stopAt(hold: Hold): Promise<void> {
  hold.reach();
  await hold.released;
}

interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

async function play(
  kind: FaultKind,
  { socket, url = '' }: IncomingMessage,
  response: ServerResponse,
  carryOut: () => Promise<PlainAnswer>,
): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const envelope = (code: string) =>
    JSON.stringify({ status: 'error', error: { code, message: 'An injected fault' } });
  const html = () =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<!doctype html><h1>Bad gateway</h1>');
  switch (kind) {
    case 'reset-before':
      socket.resetAndDestroy();
      return;
    case 'reset-after':
      await carryOut();
      socket.resetAndDestroy();
      return;
    case 'truncate': {
      const { status, headers, body } = await carryOut();
      response
        .writeHead(status, { ...headers, 'content-length': String(body.length) })
        .write(body.subarray(0, body.length / 2), () => socket.destroySoon());
      return;
    }
    case 'hang-before':
      return;
    case 'hang-after':
      await carryOut();
      return;
    case 'execution-failed':
      response.writeHead(500, json).end(envelope(isBuild(url) ? 'INTERNAL_ERROR' : 'EXECUTION_FAILED'));
      return;
    case 'undocumented-500':
      await carryOut();
      response.writeHead(500, json).end(envelope('SOMETHING_BROKE'));
      return;
    case 'bad-gateway-after':
      await carryOut();
      html();
      return;
    case 'bad-gateway-before':
      html();
      return;
    case 'too-many-requests':
      response.writeHead(429, { 'retry-after': '0' }).end('Slow down');
      return;
    case 'not-found':
      response.writeHead(404, json).end(envelope('NOT_FOUND'));
      return;
    case 'request-timeout':
      await carryOut();
      response.writeHead(408, json).end(envelope('REQUEST_TIMEOUT'));
      return;
    case 'payment-required':
      response.writeHead(402, json).end(envelope('INSUFFICIENT_CREDITS'));
      return;
    case 'forbidden':
      response.writeHead(403, json).end(envelope('FORBIDDEN'));
      return;
    case 'in-progress':
      response.writeHead(409, json).end(envelope('REQUEST_IN_PROGRESS'));
      return;
    case 'error-with-200':
      await carryOut();
      response.writeHead(200, json).end(envelope('SOMETHING_BROKE'));
      return;
    case 'unreadable':
      response.writeHead(200, json).end('{"status": "proc');
  }
}

const isBuild = (url: string) => url.endsWith('/build-request');

function routeOf({ method, url = '' }: IncomingMessage): Route {
  if (method === 'POST' && (url.endsWith('/task') || isBuild(url))) return 'task';
  if (method === 'GET' && (url.includes('/jobs/') || url.includes('/build-requests'))) return 'job';
  if (method === 'GET' && url.includes('/identities')) return 'identities';
  return 'other';
}

async function passOn(origin: string, incoming: IncomingMessage, text: string): Promise<PlainAnswer> {
  const { host: _host, connection: _connection, 'accept-encoding': _encoding, ...headers } = incoming.headers;
  const outgoing = request(new URL(incoming.url ?? '/', origin), {
    method: incoming.method ?? 'GET',
    headers,
    agent: false,
  });
  outgoing.end(text);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const extensions = answer.headers[extensionsHeader.toLowerCase()];
  return {
    status: answer.statusCode ?? 502,
    headers: {
      'content-type': answer.headers['content-type'] ?? 'application/json',
      ...(typeof extensions === 'string' && { [extensionsHeader]: extensions }),
    },
    body: Buffer.concat(chunks),
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
