/** The transport of revision 2024-11-05, for clients of every revision: a stream of events from the server (`GET /sse`), and messages to it (`POST /messages`). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AuthInfo, isJSONRPCRequest, type RequestId, type Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from '../../../gateway/foundation/logger.ts';
import type { Connection, Deliveries } from '../../calls/delivery.ts';
import { HttpError } from '../../errors.ts';
import { tellUpdated } from '../../resource-updates.ts';
import type { HttpLimits } from './http-limits.ts';
import { tooManySessions } from './sessions.ts';
import { type CreateServer, followAnswers, type HttpConnections } from './written.ts';

type SseTransport = InstanceType<
  typeof import('@modelcontextprotocol/sdk/server/sse.js')['SSEServerTransport']
>;

/** The HTTP request that brought a JSON-RPC request. */
interface RequestOrigin {
  readonly requestId: string;
  /** What its token allows. */
  readonly auth: AuthInfo | undefined;
}

interface Stream {
  readonly handle: ReturnType<typeof serveStdio>;
  /** Carries all answers. */
  readonly connection: Connection;
  /** One server, except while the revision is negotiated; with its answers. */
  readonly servers: Map<Server, Deliveries>;
  readonly transport: SseTransport;
  /** Of the JSON-RPC requests under way. */
  readonly requestOrigins: Map<RequestId, RequestOrigin>;
}

/** The interval of keep-alive comments: proxies close silent streams. */
const keepAliveMs = 15_000;
const keepAlive = ': keepalive\n\n';

export interface LegacyStreamDependencies {
  readonly createServer: CreateServer;
  readonly limits: Pick<HttpLimits, 'sessions'>;
  /** Sessions and streams that the principal has open. */
  readonly open: () => number;
  readonly connections: HttpConnections;
  readonly messagesPath: string;
  readonly logger: Logger;
}

export class LegacyStreams {
  readonly #dependencies: LegacyStreamDependencies;
  readonly #streams = new Map<string, Stream>();
  #opening = 0;

  constructor(dependencies: LegacyStreamDependencies) {
    this.#dependencies = dependencies;
  }

  get size(): number {
    return this.#streams.size + this.#opening;
  }

  /** `GET /sse`: opens a stream that lasts until either side closes it. */
  async open(response: ServerResponse): Promise<void> {
    const { createServer, limits, open, connections, messagesPath, logger } = this.#dependencies;
    if (open() >= limits.sessions) throw tooManySessions(limits);
    // Counted before the first await, so that the limit holds.
    this.#opening += 1;
    // Most servers never see a client of this revision.
    const { SSEServerTransport } = await import('@modelcontextprotocol/sdk/server/sse.js').finally(() => {
      this.#opening -= 1;
    });
    if (response.destroyed) return;
    const transport = new SSEServerTransport(messagesPath, response);
    const connection = connections.of(response);
    const requestOrigins: Stream['requestOrigins'] = new Map();
    const servers: Stream['servers'] = new Map();
    const onerror = (error: Error) => logger.debug({ err: error }, 'A problem with a stream');
    const timer = setInterval(() => response.write(keepAlive), keepAliveMs).unref();
    response.once('close', () => {
      clearInterval(timer);
      this.#streams.delete(transport.sessionId);
    });
    // A stream is one connection as stdio is: the client's first message says in which revision it speaks.
    const handle = serveStdio(
      () => {
        const { server, deliveries } = createServer((id) => requestOrigins.get(id)?.requestId, {
          getAuthInfo: (id, signal) => {
            const origin = requestOrigins.get(id);
            // Nothing else would remove it; a later request may have the same id.
            signal.addEventListener('abort', () => {
              if (requestOrigins.get(id) === origin) requestOrigins.delete(id);
            });
            return origin?.auth;
          },
        });
        followAnswers(transport, deliveries, (id) => {
          requestOrigins.delete(id);
          return { connection, written: whenFlushed(response), cancellable: false };
        });
        servers.set(server, deliveries);
        server.onclose = () => servers.delete(server);
        server.onerror = onerror;
        return server;
      },
      { transport, onerror },
    );
    this.#streams.set(transport.sessionId, { handle, connection, servers, transport, requestOrigins });
  }

  /** `POST /messages?sessionId=…`. Throws a refusal; a stream of another principal is not found. */
  async receive(
    request: IncomingMessage & { readonly auth?: AuthInfo },
    response: ServerResponse,
    { body, requestId, sessionId }: { body: unknown; requestId: string; sessionId: string | null },
  ): Promise<void> {
    const stream = sessionId === null ? undefined : this.#streams.get(sessionId);
    if (stream === undefined) {
      throw new HttpError(404, 'Session not found: open a new stream with GET /sse.', { code: -32_001 });
    }
    for (const deliveries of stream.servers.values()) {
      this.#dependencies.connections.received(response, body, deliveries);
    }
    // A message of this client, whatever connection brought it.
    stream.connection.received();
    if (isJSONRPCRequest(body)) stream.requestOrigins.set(body.id, { requestId, auth: request.auth });
    await stream.transport.handlePostMessage(request, response, body);
  }

  toolsChanged(): void {
    for (const { servers } of this.#streams.values()) {
      for (const server of servers.keys()) server.sendToolListChanged().catch(() => undefined);
    }
  }

  /** `ids`: of watches. */
  watchesTold(ids: readonly string[]): void {
    for (const { servers } of this.#streams.values()) {
      for (const server of servers.keys()) tellUpdated(server, ids);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#streams.values()].map(({ handle }) => handle.close()));
  }
}

/** The comment goes out behind everything that was written before it. */
function whenFlushed(response: ServerResponse): Promise<void> {
  const flushed = new Promise<void>((resolve, reject) => {
    if (response.writableEnded || response.destroyed) reject(new Error('The client disconnected'));
    else response.write(':\n\n', (error) => (error ? reject(error) : resolve()));
  });
  // Nobody may be waiting.
  flushed.catch(() => undefined);
  return flushed;
}
