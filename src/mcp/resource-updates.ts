/** Updates of the resources of watches: to connections that subscribed (2025-11-25), or that listen (2026-07-28). */
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { isStateless } from './calls/client.ts';
import { isWatchAddress, watchesUri, watchUri } from './resources/uris.ts';

/** Addresses that one connection may subscribe to. */
const maxSubscriptions = 100;

const subscriptions = new WeakMap<Server, Set<string>>();

/** Only the older revisions have these requests. */
export function registerSubscriptions(server: Server): void {
  const wanted = new Set<string>();
  subscriptions.set(server, wanted);
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (!isWatchAddress(uri)) throw refused('Only svc://watches and svc://watches/{id} tell of updates.');
    if (wanted.size >= maxSubscriptions && !wanted.has(uri))
      throw refused(
        `A connection subscribes to at most ${maxSubscriptions} resources: unsubscribe from one.`,
      );
    wanted.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    wanted.delete(uri);
    return {};
  });
}

const refused = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** The addresses that show news of these watches. */
export const updatedUris = (ids: readonly string[]): readonly string[] => [watchesUri, ...ids.map(watchUri)];

/** Tells one connection. Never rejects: one that has gone needs nothing. */
export function tellUpdated(server: Server, ids: readonly string[]): void {
  // What nobody listens to goes no further than the protocol library.
  const isWanted = (uri: string) => isStateless(server) || subscriptions.get(server)?.has(uri) === true;
  for (const uri of updatedUris(ids).filter(isWanted))
    server.sendResourceUpdated({ uri }).catch(() => undefined);
}
