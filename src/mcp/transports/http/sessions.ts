/**
 * Revisions 2025-03-26 to 2025-11-25: a session spans many requests. A client that goes away cancels nothing. A session
 * of an earlier process, or of another replica, goes on here: its id carries what it began with.
 */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import {
  type AuthInfo,
  isInitializeRequest,
  isJSONRPCRequest,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { CompactEncrypt, compactDecrypt } from 'jose';
import * as z from 'zod';
import type { Logger } from '../../../gateway/foundation/logger.ts';
import type { SessionRecords } from '../../../gateway/store/session-records.ts';
import type { Deliveries, Passage } from '../../calls/delivery.ts';
import { HttpError } from '../../errors.ts';
import { tellUpdated } from '../../resource-updates.ts';
import { acceptBoth, asJson, takesStreams } from './accepted-form.ts';
import type { HttpLimits } from './http-limits.ts';
import { type CreateServer, followAnswers, type HttpConnections } from './written.ts';

interface Exchange {
  readonly requestId: string;
  readonly passage: Passage;
}

interface Session {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly deliveries: Deliveries;
  /** The HTTP exchanges that requests are answered in. */
  readonly exchanges: Map<RequestId, Exchange>;
  /** Responses that are open, streams included. */
  open: number;
  usedAt: number;
  /** When a use was recorded last, for other processes. */
  recordedAt: number;
}

export interface SessionDependencies {
  readonly createServer: CreateServer;
  readonly limits: Pick<HttpLimits, 'sessions' | 'idleSessionMs'>;
  /** Sessions and streams that the principal has open. */
  readonly open: () => number;
  readonly connections: HttpConnections;
  readonly logger: Logger;
  /** With both, sessions outlive this process. */
  readonly seal?: SessionSeal | undefined;
  readonly records?: SessionRecords | undefined;
}

type Incoming = IncomingMessage & { readonly auth?: AuthInfo };

export class Sessions {
  readonly #dependencies: SessionDependencies;
  readonly #sessions = new Map<string, Session>();
  readonly #resuming = new Map<string, Promise<Session | undefined>>();

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** `body` is the parsed JSON of a POST. Throws a refusal; a session of another principal is not found. */
  async handle(
    request: Incoming,
    response: ServerResponse,
    { body, requestId }: { body: unknown; requestId: string },
  ): Promise<void> {
    const id = request.headers['mcp-session-id'];
    if (id === undefined && isInitializeRequest(body)) {
      const session = await this.#start((await this.#dependencies.seal?.seal(body.params)) ?? randomUUID());
      await this.#exchange(session, request, response, { body, requestId });
      // The transport refused it, so no client will use it again.
      if (session.transport.sessionId === undefined) await session.server.close();
      return;
    }
    if (id === undefined) {
      throw new HttpError(400, 'Mcp-Session-Id is missing: a session begins with initialize.');
    }
    const session = typeof id === 'string' ? (this.#sessions.get(id) ?? (await this.#resume(id))) : undefined;
    if (session === undefined) {
      throw new HttpError(404, 'Session not found: begin a new one with initialize.', { code: -32_001 });
    }
    await this.#exchange(session, request, response, { body, requestId });
  }

  toolsChanged(): void {
    for (const { server } of this.#sessions.values()) {
      server.sendToolListChanged().catch((error: unknown) => this.#report(error));
    }
  }

  /** `ids`: of watches. */
  watchesTold(ids: readonly string[]): void {
    for (const { server } of this.#sessions.values()) tellUpdated(server, ids);
  }

  /** Ends the sessions that nobody has used for long. */
  async endIdle(now: number): Promise<void> {
    for (const session of this.#sessions.values()) if (session.open > 0) this.#recordUse(session, now);
    const idle = [...this.#sessions.values()].filter(
      ({ open, usedAt }) => open === 0 && now - usedAt > this.#dependencies.limits.idleSessionMs,
    );
    await Promise.all(idle.map(({ server }) => server.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  async #start(newId: string): Promise<Session> {
    const { createServer, limits, open, records } = this.#dependencies;
    if (open() >= limits.sessions) throw tooManySessions(limits);
    const exchanges: Session['exchanges'] = new Map();
    const { server, deliveries } = createServer((id) => exchanges.get(id)?.requestId);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => newId,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, session);
        this.#recordUse(session, performance.now());
      },
      onsessionclosed: (id) => records?.end(id).catch((error: unknown) => this.#report(error)),
    });
    const session: Session = {
      server,
      transport,
      deliveries,
      exchanges,
      open: 0,
      usedAt: performance.now(),
      recordedAt: Number.NEGATIVE_INFINITY,
    };
    followAnswers(transport, deliveries, (id) => exchanges.get(id)?.passage);
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    server.onerror = (error) => this.#report(error);
    await server.connect(transport);
    return session;
  }

  /** The session of an earlier process or of another replica; undefined when there is none, or it has ended. */
  #resume(id: string): Promise<Session | undefined> {
    const resuming = this.#resuming.get(id) ?? this.#resumeOnce(id).finally(() => this.#resuming.delete(id));
    this.#resuming.set(id, resuming);
    return resuming;
  }

  async #resumeOnce(id: string): Promise<Session | undefined> {
    const { seal, records, limits } = this.#dependencies;
    const params = await seal?.open(id);
    if (params === undefined || records === undefined) return undefined;
    if (!(await records.isOpen(id, limits.idleSessionMs))) return undefined;
    const session = await this.#start(id);
    try {
      await initialize(session.transport, id, params);
      return session;
    } catch (error) {
      await session.server.close();
      throw error;
    }
  }

  /** At most once in a tenth of the time after which the session is idle. */
  #recordUse(session: Session, now: number): void {
    const { records, limits } = this.#dependencies;
    const { sessionId } = session.transport;
    if (records === undefined || sessionId === undefined) return;
    if (now - session.recordedAt < limits.idleSessionMs / 10) return;
    session.recordedAt = now;
    records.use(sessionId).catch((error: unknown) => this.#report(error));
  }

  async #exchange(
    session: Session,
    request: Incoming,
    response: ServerResponse,
    { body, requestId }: { body: unknown; requestId: string },
  ): Promise<void> {
    const { connections } = this.#dependencies;
    connections.received(response, body, session.deliveries);
    const passage = connections.passage(response);
    const exchange: Exchange = { requestId, passage };
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    const ids = messages.flatMap((message) => (isJSONRPCRequest(message) ? [message.id] : []));
    for (const id of ids) session.exchanges.set(id, exchange);
    session.open += 1;
    session.usedAt = performance.now();
    this.#recordUse(session, session.usedAt);
    response.once('close', () => {
      session.open -= 1;
      session.usedAt = performance.now();
      for (const id of ids) {
        if (session.exchanges.get(id) === exchange) session.exchanges.delete(id);
      }
    });
    const isStreamTaken = takesStreams(request);
    const listener = getRequestListener(
      async (webRequest) => {
        acceptBoth(webRequest, isStreamTaken);
        const answer = await session.transport.handleRequest(webRequest, {
          parsedBody: body,
          ...(request.auth !== undefined && { authInfo: request.auth }),
        });
        return isStreamTaken ? answer : asJson(answer);
      },
      { overrideGlobalObjects: false },
    );
    await listener(request, response);
  }

  #report(error: unknown): void {
    this.#dependencies.logger.debug({ err: error }, 'A problem with a session');
  }
}

/** Initializes a resumed session with the params that its client sent to the first process. */
async function initialize(
  transport: WebStandardStreamableHTTPServerTransport,
  id: string,
  params: InitializeParams,
): Promise<void> {
  const post = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    transport.handleRequest(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...headers,
        },
      }),
      { parsedBody: body },
    );
  const answer = await post({ jsonrpc: '2.0', id: 'resume', method: 'initialize', params });
  await answer.text();
  if (!answer.ok) throw new Error(`The session could not be resumed (${answer.status})`);
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': id });
}

export function tooManySessions({ sessions }: Pick<HttpLimits, 'sessions'>): HttpError {
  return new HttpError(
    429,
    `The limit of ${sessions} sessions with this key is reached: end one, or wait until an idle one ends.`,
    { headers: { 'retry-after': '60' } },
  );
}

/** The params of `initialize` that a server looks at. */
const InitializeParams = z.object({
  protocolVersion: z.string().max(100),
  capabilities: z.record(z.string(), z.unknown()),
  clientInfo: z.object({ name: z.string(), version: z.string() }),
});
export type InitializeParams = z.infer<typeof InitializeParams>;

/** Of the JSON; ids travel in a header, which proxies bound at 4 to 8 kB. */
const maxChars = 2_000;
const maxNameChars = 100;

export class SessionSeal {
  readonly #key: Uint8Array;

  /** `key` has 32 bytes. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** A new id. Undefined when the params do not fit into one. */
  async seal(params: unknown): Promise<string | undefined> {
    const read = InitializeParams.safeParse(params);
    if (!read.success) return undefined;
    const { protocolVersion, capabilities, clientInfo } = read.data;
    const [name, version] = [clientInfo.name, clientInfo.version].map((text) => text.slice(0, maxNameChars));
    const text = JSON.stringify({
      protocolVersion,
      capabilities,
      clientInfo: { name, version },
    });
    if (text.length > maxChars) return undefined;
    return new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#key);
  }

  /** Undefined for an id that was not made with this key. */
  async open(id: string): Promise<InitializeParams | undefined> {
    try {
      const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
      const { plaintext } = await compactDecrypt(id, this.#key, options);
      return InitializeParams.parse(JSON.parse(Buffer.from(plaintext).toString('utf8')));
    } catch {
      return undefined;
    }
  }
}
