/** One line about news of watches in the next answer: once a session, until somebody reads them; never what was read there. */
import type { Gateway } from '../../gateway/interface/gateway.ts';
import type { JsonObject } from '../../gateway/interface/outcomes.ts';
import { type CallingClient, findKnownClient } from './client.ts';

interface Told {
  /** Whether the line was told since watches were read. */
  readonly isTold: boolean;
  /** The places that were read, by the watches' ids. */
  readonly read: ReadonlyMap<string, number>;
}

/** By session: its server, or the gateway where each request stands alone. */
const sessions = new WeakMap<object, Told>();
const nothing: Told = { isTold: false, read: new Map() };

interface Session {
  readonly server: object;
  readonly gateway: Gateway;
  readonly client: Pick<CallingClient, 'stateless'>;
}

const keyOf = ({ client, gateway, server }: Session): object => (client.stateless ? gateway : server);

/** The news of all watches, or of one up to a place, were shown in this session. */
export function noteRead(session: Session, one?: { readonly id: string; readonly place?: number }): void {
  const key = keyOf(session);
  const { read } = sessions.get(key) ?? nothing;
  const shown = [...(session.gateway.watchNews()?.places ?? [])]
    .filter(([id]) => one === undefined || id === one.id)
    .map(([id, newest]) => [id, one?.place ?? newest] as const);
  sessions.set(key, { isTold: false, read: new Map([...read, ...shown]) });
}

/** `list_watches` was answered. */
export function noteListed(session: Session, { watches, watch_id: id, next_after: place }: JsonObject): void {
  if (Array.isArray(watches)) noteRead(session);
  else if (typeof id === 'string' && typeof place === 'number') noteRead(session, { id, place });
}

export function withNews(
  body: JsonObject,
  session: Session & { readonly client: CallingClient },
): JsonObject {
  const { gateway, client } = session;
  const key = keyOf(session);
  const { isTold, read } = sessions.get(key) ?? nothing;
  const news = gateway.watchNews();
  // People have `svc-mcp watches`; a batch has an answer of its own size.
  const isUntold = findKnownClient(client.name).stepsAsData === true || body.batch_id !== undefined;
  if (news === undefined || isUntold || isTold) return body;
  if ([...news.places].every(([id, place]) => place <= (read.get(id) ?? -1))) return body;
  sessions.set(key, { isTold: true, read });
  // Data come last, because clients cut the end of long answers.
  const { data, ...facts } = body;
  return { ...facts, watches: news.text, ...(data !== undefined && { data }) };
}
