/** Revisions 2025-03-26 to 2025-11-25: a session is a connection over many requests. A client that goes away cancels nothing. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest, isJSONRPCRequest, type Server } from '@modelcontextprotocol/server';
import type { Logger } from '../../../gateway/logger.ts';
import type { HttpLimits } from './limits.ts';
import type { CreateServer } from './principal.ts';
import { HttpRefusal } from './refusal.ts';
import { followAnswers, type RequestId, written } from './written.ts';

interface Session {
  readonly server: Server;
  readonly transport: NodeStreamableHTTPServerTransport;
  /** The HTTP exchanges in which requests are to be answered. */
  readonly exchanges: Map<RequestId, { readonly requestId: string; readonly written: Promise<void> }>;
  /** Responses that are open, streams included. */
  open: number;
  usedAt: number;
}

export interface SessionParts {
  readonly createServer: CreateServer;
  readonly limits: Pick<HttpLimits, 'sessions' | 'idleSessionMs'>;
  /** Sessions and streams that the principal has open. */
  readonly open: () => number;
  readonly logger: Logger;
}

export class Sessions {
  readonly #parts: SessionParts;
  readonly #sessions = new Map<string, Session>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** `body` is the parsed JSON of a POST. Throws a refusal; a session of another principal is not found. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    { body, requestId }: { body: unknown; requestId: string },
  ): Promise<void> {
    const id = request.headers['mcp-session-id'];
    if (id === undefined && isInitializeRequest(body)) {
      const session = await this.#start();
      await this.#exchange(session, request, response, { body, requestId });
      // Refused by the transport: nobody will come back for it.
      if (session.transport.sessionId === undefined) await session.server.close();
      return;
    }
    if (id === undefined) {
      throw new HttpRefusal(400, 'Mcp-Session-Id is missing: a session begins with initialize.');
    }
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (session === undefined) {
      throw new HttpRefusal(404, 'Session not found: begin a new one with initialize.', { code: -32_001 });
    }
    await this.#exchange(session, request, response, { body, requestId });
  }

  toolsChanged(): void {
    for (const { server } of this.#sessions.values()) {
      server.sendToolListChanged().catch((error: unknown) => this.#report(error));
    }
  }

  /** Ends the sessions that nobody has used for long. */
  async endIdle(now: number): Promise<void> {
    const idle = [...this.#sessions.values()].filter(
      ({ open, usedAt }) => open === 0 && now - usedAt > this.#parts.limits.idleSessionMs,
    );
    await Promise.all(idle.map(({ server }) => server.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  async #start(): Promise<Session> {
    const { createServer, limits, open } = this.#parts;
    if (open() >= limits.sessions) throw tooManySessions(limits);
    const exchanges: Session['exchanges'] = new Map();
    const { server, deliveries } = createServer((id) => exchanges.get(id)?.requestId);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, session);
      },
    });
    const session: Session = { server, transport, exchanges, open: 0, usedAt: Date.now() };
    followAnswers(
      transport,
      deliveries,
      (id) => exchanges.get(id)?.written ?? Promise.reject(new Error('The client was gone')),
    );
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    server.onerror = (error) => this.#report(error);
    await server.connect(transport);
    return session;
  }

  async #exchange(
    session: Session,
    request: IncomingMessage,
    response: ServerResponse,
    { body, requestId }: { body: unknown; requestId: string },
  ): Promise<void> {
    const exchange = { requestId, written: written(response) };
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    const ids = messages.flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
    for (const id of ids) session.exchanges.set(id, exchange);
    session.open += 1;
    session.usedAt = Date.now();
    response.once('close', () => {
      session.open -= 1;
      session.usedAt = Date.now();
      for (const id of ids) {
        if (session.exchanges.get(id) === exchange) session.exchanges.delete(id);
      }
    });
    await session.transport.handleRequest(request, response, body);
  }

  #report(error: unknown): void {
    this.#parts.logger.debug({ err: error }, 'A problem with a session');
  }
}

export function tooManySessions({ sessions }: Pick<HttpLimits, 'sessions'>): HttpRefusal {
  return new HttpRefusal(
    429,
    `${sessions} sessions with this key are open, as many as may be: end one, or wait until an idle one ends.`,
    { headers: { 'retry-after': '60' } },
  );
}
