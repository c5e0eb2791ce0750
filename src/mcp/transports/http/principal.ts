/** One principal over HTTP: its MCP servers, sessions and streams, and its limits. */
import { hkdfSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/server';
import { toRefusal } from '../../../gateway/foundation/errors.ts';
import type { Logger } from '../../../gateway/foundation/logger.ts';
import type { Gateway } from '../../../gateway/interface/gateway.ts';
import type { JsonObject } from '../../../gateway/interface/outcomes.ts';
import type { SessionRecords } from '../../../gateway/store/session-records.ts';
import type { CallObserver, CallStart } from '../../calls/call-observer.ts';
import { Deliveries, DeliveryRecords } from '../../calls/delivery.ts';
import { createQuestionCodec } from '../../calls/questions.ts';
import { createMcpServer, type ServerHooks } from '../../server.ts';
import { CurrentRevision } from './current-revision.ts';
import { type HttpLimits, UnreadOutput } from './http-limits.ts';
import { LegacyStreams } from './legacy-streams.ts';
import type { Metrics } from './metrics.ts';
import { SessionSeal, Sessions } from './sessions.ts';
import { type CreateServer, HttpConnections } from './written.ts';

/** What stands behind the transports: the gateway of a principal, or a test's own server. */
export interface Backend {
  /** Safe to log. */
  readonly id: string;
  /** A server for one request or one connection. */
  createServer(dependencies: {
    readonly deliveries: Deliveries;
    readonly calls: CallObserver;
    readonly logger: Logger;
    readonly hooks: ServerHooks | undefined;
  }): Server;
  /** Resolves soon, when a server made now would know the websites to name; absent: at once. */
  whenRead?(): Promise<void>;
  /** Makes the ids of its sessions; absent: they end with this process. */
  readonly seal?: SessionSeal;
  /** Calls the listener whenever the list of tools changes; returns how to stop that. */
  onListingChange(listener: () => void): () => void;
  /** Calls the listener with the ids of watches that told something; returns how to stop that. */
  onWatchNews(listener: (ids: readonly string[]) => void): () => void;
  /** Ends what calls are waiting for: they answer `processing`. */
  endWaits(): void;
  /** Ends the pages on which a person may sign in for the principal. */
  endSignIns(): Promise<void>;
  /** Lets calls under way be recorded for at most `graceMs`, then releases everything. */
  close(graceMs: number): Promise<void>;
}

export interface PrincipalDependencies {
  readonly backend: Backend;
  readonly limits: HttpLimits;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Where clients of the legacy transport send their messages. */
  readonly messagesPath: string;
  /** The setting `SVC_TRUST_PROXY`. */
  readonly trustProxy?: boolean | undefined;
  /** Records sessions, so that other processes can continue them. */
  readonly sessionRecords?: SessionRecords | undefined;
}

export class HttpPrincipal {
  readonly backend: Backend;
  readonly current: CurrentRevision;
  readonly sessions: Sessions;
  readonly streams: LegacyStreams;
  readonly #limits: HttpLimits;
  readonly #metrics: Metrics;
  readonly #logger: Logger;
  readonly #deliveryRecords: DeliveryRecords;
  readonly #stopListening: () => void;
  readonly #unread: UnreadOutput;
  /** Requests that are being served. */
  #serving = 0;
  #calls = 0;

  constructor(dependencies: PrincipalDependencies) {
    const {
      backend,
      limits,
      metrics,
      logger,
      messagesPath,
      trustProxy = false,
      sessionRecords,
    } = dependencies;
    this.backend = backend;
    this.#limits = limits;
    this.#metrics = metrics;
    this.#logger = logger;
    this.#deliveryRecords = new DeliveryRecords(logger);
    const connections = new HttpConnections(this.#deliveryRecords, trustProxy);
    const createServer: CreateServer = (getRequestId, hooks) => {
      const deliveries = new Deliveries(this.#deliveryRecords);
      const calls: CallObserver = { begin: ({ id, tool }) => this.#begin(tool, getRequestId(id)) };
      return { server: backend.createServer({ deliveries, calls, logger, hooks }), deliveries };
    };
    const open = () => this.sessions.size + this.streams.size;
    this.current = new CurrentRevision(createServer, connections, logger);
    const { seal } = backend;
    const common = { createServer, limits, open, connections, logger };
    this.sessions = new Sessions({ ...common, seal, records: sessionRecords });
    this.streams = new LegacyStreams({ ...common, messagesPath });
    this.#unread = new UnreadOutput({
      limits,
      onClose: (bytes) => {
        metrics.countRefusal('unread');
        logger.info({ principal: backend.id, bytes }, 'Closed a connection whose client does not read');
      },
    });
    const transports = [this.current, this.sessions, this.streams];
    const stops = [
      backend.onListingChange(() => {
        for (const transport of transports) transport.toolsChanged();
      }),
      backend.onWatchNews((ids) => {
        for (const transport of transports) transport.watchesTold(ids);
      }),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  get isIdle(): boolean {
    return this.#serving + this.#calls + this.sessions.size + this.streams.size === 0;
  }

  /** Counts a request and its unread output until its response is closed. */
  serve(response: ServerResponse): void {
    this.#serving += 1;
    this.#unread.watch(response);
    response.once('close', () => {
      this.#serving -= 1;
    });
  }

  get calls(): number {
    return this.#calls;
  }

  /** Resolves when everything that was answered is recorded, and all is released. */
  async close(graceMs: number): Promise<void> {
    this.#stopListening();
    await Promise.all([this.current.close(), this.sessions.close(), this.streams.close()]);
    await this.#deliveryRecords.close();
    await this.backend.close(graceMs);
  }

  /** Refuses with `TOO_MANY_CALLS`. */
  #begin(tool: string, requestId: string | undefined): CallStart {
    if (this.#calls >= this.#limits.calls) {
      this.#metrics.countRefusal('calls');
      const message = `${this.#limits.calls} calls with this key are already running, which is the limit. Nothing was sent.`;
      return { refusal: toRefusal('TOO_MANY_CALLS', message, { kind: 'retry', when: 'one-ended' }) };
    }
    this.#calls += 1;
    const startedAt = performance.now();
    const end = (body: JsonObject | undefined) => {
      this.#calls -= 1;
      const ms = Math.round(performance.now() - startedAt);
      const fields = body ?? {};
      this.#metrics.countCall(
        String(fields.status ?? (body === undefined ? 'aborted' : 'asked')),
        ms,
        fields,
      );
      const line = {
        request_id: requestId,
        principal: this.backend.id,
        tool: tool.slice(0, 100),
        status: fields.status,
        job_id: fields.job_id,
        credits_used: fields.credits_used,
        ms,
      };
      if (fields.job_id === undefined) this.#logger.debug(line, 'Tool call');
      else this.#logger.info(line, 'Paid tool call');
    };
    return { end };
  }
}

export interface GatewayBackendOptions {
  /** Of the principal; safe to log. */
  readonly id: string;
  readonly apiKey: string;
  readonly gateway: Gateway;
  /** Ends the principal's sign-in pages. */
  readonly endSignIns: () => Promise<void>;
  /** Version of this program. */
  readonly version: string;
  /** The setting `SVC_WAIT_SECONDS`. */
  readonly waitSeconds?: number | undefined;
}

export function gatewayBackend(options: GatewayBackendOptions): Backend {
  const { id, apiKey, gateway, endSignIns, version, waitSeconds } = options;
  // Processes that act for the same principal can check each other's questions; no other principal can.
  const secretFor = (use: string) =>
    new Uint8Array(hkdfSync('sha256', apiKey, '', `svc-mcp ${use} ${id}`, 32));
  const questions = createQuestionCodec(secretFor('questions'));
  return {
    id,
    seal: new SessionSeal(secretFor('sessions')),
    createServer: (parts) => createMcpServer({ gateway, version, waitSeconds, questions, ...parts }),
    whenRead: () => gateway.whenRead(),
    onListingChange: (listener) => gateway.onListingChange(listener),
    onWatchNews: (listener) => gateway.onWatchNews(listener),
    endWaits: () => gateway.endWaits(),
    endSignIns,
    close: (graceMs) => gateway.close(graceMs),
  };
}
