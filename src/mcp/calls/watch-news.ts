/** One line about news of watches in the next answer: once a session, until somebody reads them. */
import type { Gateway } from '../../gateway/interface/gateway.ts';
import type { JsonObject } from '../../gateway/interface/outcomes.ts';
import { listWatches } from '../tools/list-watches.ts';
import type { CallingClient } from './client.ts';
import { findKnownClient } from './known-clients.ts';

/** Sessions that were told: their servers, or the gateway where each request stands alone. */
const told = new WeakSet<object>();

interface AnsweredCall {
  readonly tool: string;
  readonly server: object;
  readonly gateway: Gateway;
  readonly client: CallingClient;
}

export function withNews(body: JsonObject, { tool, server, gateway, client }: AnsweredCall): JsonObject {
  const session = client.stateless ? gateway : server;
  if (tool === listWatches.name) {
    told.delete(session);
    return body;
  }
  const news = gateway.watchNews();
  // People have `svc-mcp watches`; a batch has an answer of its own size.
  const isUntold = findKnownClient(client.name).stepsAsData === true || body.batch_id !== undefined;
  if (news === undefined || isUntold || told.has(session)) return body;
  told.add(session);
  // Data come last, because clients cut the end of long answers.
  const { data, ...facts } = body;
  return { ...facts, watches: news, ...(data !== undefined && { data }) };
}
