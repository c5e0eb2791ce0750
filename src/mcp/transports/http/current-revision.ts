/** Revision 2026-07-28: every request stands alone, and a client that goes away cancels it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Logger } from '../../../gateway/foundation/logger.ts';
import type { Passage } from '../../calls/delivery.ts';
import { updatedUris } from '../../resource-updates.ts';
import { asJson, takesStreams } from './accepted-form.ts';
import { type CreateServer, followAnswers, type HttpConnections } from './written.ts';

interface Exchange {
  readonly requestId: string;
  readonly passage: Passage;
}

export class CurrentRevision {
  readonly #handler: ReturnType<typeof createMcpHandler>;
  readonly #logger: Logger;
  readonly #connections: HttpConnections;
  /** Keyed by the request: the SDK passes nothing else to the factory of its server. */
  readonly #exchanges = new WeakMap<Request, Exchange>();

  constructor(createServer: CreateServer, connections: HttpConnections, logger: Logger) {
    this.#connections = connections;
    this.#logger = logger;
    this.#handler = createMcpHandler(
      ({ requestInfo }) => {
        const exchange = requestInfo && this.#exchanges.get(requestInfo);
        const { server, deliveries } = createServer(() => exchange?.requestId, {
          onConnect: (transport) => followAnswers(transport, deliveries, () => exchange?.passage),
        });
        return server;
      },
      { legacy: 'reject', onerror: (error) => logger.debug({ err: error }, 'A request was refused') },
    );
  }

  /** `body` is the request's parsed JSON. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    { body, requestId }: { body: unknown; requestId: string },
  ): Promise<void> {
    this.#connections.received(response, body);
    const passage = this.#connections.passage(response);
    const handle = toNodeHandler(
      {
        fetch: async (webRequest, options) => {
          this.#exchanges.set(webRequest, { requestId, passage });
          const answer = await this.#handler.fetch(webRequest, options);
          return takesStreams(request) ? answer : asJson(answer);
        },
      },
      { onerror: (error) => this.#logger.error({ err: error, request_id: requestId }, 'A request failed') },
    );
    // A server's request always has both; Node's type does not say so.
    const { method = 'GET', url = '/' } = request;
    await handle(Object.assign(request, { method, url }), response, body);
  }

  toolsChanged(): void {
    this.#handler.notify.toolsChanged();
  }

  /** `ids`: of watches. */
  watchesTold(ids: readonly string[]): void {
    for (const uri of updatedUris(ids)) this.#handler.notify.resourceUpdated(uri);
  }

  close(): Promise<void> {
    return this.#handler.close();
  }
}
