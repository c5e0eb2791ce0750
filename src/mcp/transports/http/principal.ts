/** What one principal is served: its servers, its sessions and streams, and how much it takes at once. */
import type { Server } from '@modelcontextprotocol/server';
import { GatewayError } from '../../../gateway/errors.ts';
import type { Logger } from '../../../gateway/logger.ts';
import type { JsonObject } from '../../../gateway/outcomes.ts';
import type { CallObserver } from '../../calls.ts';
import { Deliveries } from '../../delivery.ts';
import { keyChallenge } from './authentication.ts';
import { CurrentRevision } from './current-revision.ts';
import { LegacyStreams } from './legacy-streams.ts';
import type { HttpLimits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import { HttpRefusal } from './refusal.ts';
import { Sessions } from './sessions.ts';

/** What stands behind the transports: the gateway of a principal, or a test's own server. */
export interface Backend {
  /** Safe to log. */
  readonly id: string;
  /** A server for one request or one connection. */
  createServer(parts: {
    readonly deliveries: Deliveries;
    readonly calls: CallObserver;
    readonly logger: Logger;
  }): Server;
  /** Whether the service takes the key; absent: it is not the caller's own. False only where the service said so. */
  isKeyGood?: (() => Promise<boolean>) | undefined;
  /** Calls the listener whenever the list of tools changes; returns how to stop that. */
  onListingChange(listener: () => void): () => void;
  /** Ends what calls are waiting for: they answer with a handle. */
  endWaits(): void;
  /** Lets what is under way be written down for at most `graceMs`, then releases everything. */
  close(graceMs: number): Promise<void>;
}

export interface PrincipalParts {
  readonly backend: Backend;
  readonly limits: HttpLimits;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Where clients of the legacy transport send their messages. */
  readonly messagesPath: string;
}

/** Makes the server of one request or connection; `requestIdOf` names the HTTP request that a JSON-RPC one came with. */
export type CreateServer = (requestIdOf: (id: string | number) => string | undefined) => {
  readonly server: Server;
  readonly deliveries: Deliveries;
};

export class Principal {
  readonly backend: Backend;
  readonly current: CurrentRevision;
  readonly sessions: Sessions;
  readonly streams: LegacyStreams;
  readonly #limits: HttpLimits;
  readonly #metrics: Metrics;
  readonly #logger: Logger;
  readonly #recording = new Set<Promise<void>>();
  readonly #stopListening: () => void;
  #keyIsGood: Promise<boolean> | undefined;
  #isRefused = false;
  /** Requests that are being served. */
  #serving = 0;
  #calls = 0;

  constructor({ backend, limits, metrics, logger, messagesPath }: PrincipalParts) {
    this.backend = backend;
    this.#limits = limits;
    this.#metrics = metrics;
    this.#logger = logger;
    const createServer: CreateServer = (requestIdOf) => {
      const deliveries = new Deliveries(logger, this.#recording);
      const calls: CallObserver = { begin: ({ id, tool }) => this.#begin(tool, requestIdOf(id)) };
      return { server: backend.createServer({ deliveries, calls, logger }), deliveries };
    };
    const open = () => this.sessions.size + this.streams.size;
    this.current = new CurrentRevision(createServer, logger);
    this.sessions = new Sessions({ createServer, limits, open, logger });
    this.streams = new LegacyStreams({ createServer, limits, open, messagesPath, logger });
    this.#stopListening = backend.onListingChange(() => {
      this.current.toolsChanged();
      this.sessions.toolsChanged();
      this.streams.toolsChanged();
    });
  }

  get isIdle(): boolean {
    return this.#serving + this.#calls + this.sessions.size + this.streams.size === 0;
  }

  /** The service took its key for none when it was asked last. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Asks the service once. @throws HttpRefusal 401 */
  async checkKey(): Promise<void> {
    this.#keyIsGood ??= this.backend.isKeyGood?.() ?? Promise.resolve(true);
    this.#isRefused = !(await this.#keyIsGood);
    if (!this.#isRefused) return;
    this.#keyIsGood = undefined;
    this.#metrics.refused('authentication');
    throw new HttpRefusal(401, 'The service refused this key: send a valid one as X-API-Key.', {
      headers: { 'www-authenticate': keyChallenge },
    });
  }

  /** Counts a request as being served until its response is over. */
  serve(response: { once(event: 'close', listener: () => void): unknown }): void {
    this.#serving += 1;
    response.once('close', () => {
      this.#serving -= 1;
    });
  }

  /** Resolves when no call is waited for any more. */
  get calls(): number {
    return this.#calls;
  }

  /** Resolves when everything that was answered is recorded, and all is released. */
  async close(graceMs: number): Promise<void> {
    this.#stopListening();
    await Promise.all([this.current.close(), this.sessions.close(), this.streams.close()]);
    await Promise.allSettled(this.#recording);
    await this.backend.close(graceMs);
  }

  /** @throws GatewayError TOO_MANY_CALLS */
  #begin(tool: string, requestId: string | undefined): (body: JsonObject | undefined) => void {
    if (this.#calls >= this.#limits.calls) {
      this.#metrics.refused('calls');
      throw new GatewayError(
        'TOO_MANY_CALLS',
        `${this.#limits.calls} calls with this key are under way, as many as may be. Nothing was sent.`,
        'Call again when one of them has ended.',
      );
    }
    this.#calls += 1;
    const startedAt = performance.now();
    return (body) => {
      this.#calls -= 1;
      const ms = Math.round(performance.now() - startedAt);
      const fields = body ?? {};
      this.#metrics.called(String(fields.status ?? (body === undefined ? 'aborted' : 'asked')), ms, fields);
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
  }
}
