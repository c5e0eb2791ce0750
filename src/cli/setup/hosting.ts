/** Gateways of a process that serves many clients: their sign-in pages, the check of their keys, and their watches. */
import { isKeyRefusal } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { SignInPage, SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import type { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import type { WatchOutlets } from '../../gateway/watching.ts';
import type { KeyVerdict } from '../../mcp/transports/http/principals.ts';
import type { Settings } from '../config/load.ts';
import { createSignInPages } from './create-sign-in-pages.ts';
import { keyFile, openGateways, type ServiceCaller } from './gateways.ts';
import { serveWatches } from './watch-servers.ts';

/** Milliseconds for the service to say whether it takes a key. */
const keyCheckMs = 5_000;

export interface Hosting {
  /** The one key that all act with; undefined: each client brings its own, or each subject has one. */
  readonly sharedKey: string | undefined;
  /** The sign-in pages of all principals; processes on one database share them. */
  readonly pages: SignInPages;
  /** The gateways' database, which also holds the keys of subjects. */
  readonly database: GatewayDatabase;
  getPrincipalId(caller: ServiceCaller): string;
  /** One gateway for each key, and for each subject that acts with it. The caller that opens it closes it. */
  open(caller: ServiceCaller): Gateway;
  /** Runs what is due of watches, of the one key or of those that its clients' watches kept, in gateways of their own. */
  serveWatches(): { close(): Promise<void> };
  /** Asks the service about a key of a client; undefined where clients bring none. */
  readonly checkKey: ((apiKey: string) => Promise<KeyVerdict>) | undefined;
  /** Rejects while paid calls could not be recorded. */
  checkReady(): Promise<unknown>;
  /** Closes what the gateways share. The gateways must be closed before. */
  close(): Promise<void>;
}

/** Rejects where the database cannot be used, or the embedded service cannot start. */
export async function openHosting(
  settings: Settings,
  getAddress: (page: SignInPage) => Promise<string>,
  logger: Logger,
): Promise<Hosting> {
  const gateways = await openGateways(settings, logger);
  const { database, createApi, getPrincipalId } = gateways;
  await database.checkUsable();
  await gateways.embedded?.start();
  const sharedKey = settings.oauthIssuer === undefined ? gateways.ownKey : undefined;
  const pages = createSignInPages(gateways, sharedKey);
  // Loaded with the first watch of a client's own key.
  const openWatchKeys = async () => {
    const { WatchKeys } = await import('../../gateway/store/watch-keys.ts');
    return new WatchKeys(database, keyFile(settings));
  };
  const open = (caller: ServiceCaller, outlets?: WatchOutlets): Gateway => {
    const { apiKey, subject } = caller;
    return gateways.open(caller, {
      signIn: { pages, getAddress, apiKey },
      keyHolder: sharedKey !== undefined ? 'server' : subject === undefined ? 'client' : 'subject',
      watchOutlets: outlets,
      ...(sharedKey === undefined && {
        sealWatchKey: async () =>
          (await openWatchKeys()).seal(
            getPrincipalId(caller),
            subject === undefined ? { apiKey } : { subject },
          ),
      }),
    });
  };
  return {
    sharedKey,
    pages,
    database,
    getPrincipalId,
    open: (caller) => open(caller),
    serveWatches: () =>
      serveWatches(settings, { sharedKey, database, openWatchKeys, getPrincipalId, open, logger }),
    checkKey:
      sharedKey === undefined && settings.oauthIssuer === undefined
        ? (apiKey) => checkKeyAtService(createApi(apiKey))
        : undefined,
    checkReady: () => database.checkAnswers(),
    async close() {
      await pages.close();
      await gateways.close();
    },
  };
}

/** Asks with a request that has no rate limit. */
async function checkKeyAtService(api: Api): Promise<KeyVerdict> {
  try {
    await api.listIdentities({}, { signal: new AbortController().signal, timeoutMs: keyCheckMs });
    return 'good';
  } catch (error) {
    return isKeyRefusal(error) ? 'refused' : 'unknown';
  } finally {
    await api.close();
  }
}
