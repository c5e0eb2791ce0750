/** Gateways for many principals in one process, by the settings: they share a database, and the embedded service. */
import { isKeyRefusal } from '../../client/errors.ts';
import { createHttpClient } from '../../client/http-client.ts';
import type { Api } from '../../contract/api.ts';
import { toApiRoot } from '../../contract/web-address.ts';
import { createPageHandler, explainToPerson } from '../../gateway/accounts/login.ts';
import type { SignInPage } from '../../gateway/accounts/sign-in-pages.ts';
import { type PageHandler, SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import { SharedActions } from '../../gateway/catalog/shared-actions.ts';
import { SnapshotFile } from '../../gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../gateway/create-gateway.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import { createPrincipal, embeddedService, type Subject } from '../../gateway/interface/principal.ts';
import type { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import { type PageRecord, PageRecords } from '../../gateway/store/page-records.ts';
import type { WatchOutlets } from '../../gateway/watching.ts';
import type { KeyVerdict } from '../../mcp/transports/http/principals.ts';
import type { Settings } from '../config/load.ts';
import { gatewaySettings, keyFile, openGatewayDatabase } from './connection.ts';
import { serveWatches } from './watch-servers.ts';

/** A key, and the subject that acts with it where subjects have keys. */
interface ServiceCaller {
  readonly apiKey: string;
  readonly subject?: Subject;
}

/** Milliseconds for the service to say whether it takes a key. */
const keyCheckMs = 5_000;

export interface Gateways {
  /** The one key that all act with; undefined: each client brings its own, or each subject has one. */
  readonly sharedKey: string | undefined;
  /** The sign-in pages of all principals; processes on one database share them. */
  readonly pages: SignInPages;
  /** The gateways' database, which also holds the keys of subjects. */
  readonly database: GatewayDatabase;
  getPrincipalId(caller: ServiceCaller): string;
  /** One gateway for each key, and for each subject that acts with it. The caller that opens it closes it. */
  open(caller: ServiceCaller): {
    readonly principalId: string;
    readonly gateway: Gateway;
  };
  /** Runs what is due of watches, of the one key or of those that its clients' watches kept, in gateways of their own. */
  serveWatches(): { close(): Promise<void> };
  /** Asks the service about a key of a client; undefined where clients bring none. */
  readonly checkKey: ((apiKey: string) => Promise<KeyVerdict>) | undefined;
  /** Rejects while paid calls could not be recorded. */
  checkReady(): Promise<unknown>;
  /** Closes what the gateways share. The gateways must be closed before. */
  close(): Promise<void>;
}

/** Rejects where the embedded service cannot start. */
export async function openGateways(
  settings: Settings,
  getAddress: (page: SignInPage) => Promise<string>,
  logger: Logger,
): Promise<Gateways> {
  const { dataDir, apiPrefix } = settings;
  const database = openGatewayDatabase(settings, logger);
  await database.checkUsable();
  const embedded =
    settings.baseUrl === undefined
      ? await (await import('./embedded.ts')).startEmbeddedService(settings)
      : undefined;
  const baseUrl = embedded?.baseUrl ?? settings.baseUrl ?? '';
  const sharedKey = settings.oauthIssuer === undefined ? (settings.apiKey ?? embedded?.apiKey) : undefined;
  const service = embedded === undefined ? toApiRoot(baseUrl, apiPrefix) : embeddedService;
  const principalFor = ({ apiKey, subject }: ServiceCaller) => createPrincipal(service, apiKey, subject);
  const getPrincipalId = (caller: ServiceCaller) => principalFor(caller).id;
  const gatewayOptions = gatewaySettings(settings);
  const sharedActions = new SharedActions(gatewayOptions.reserved.names);
  const createApi = (apiKey: string) => createHttpClient({ baseUrl, apiKey, apiPrefix });
  const pages = new SignInPages({
    records: new PageRecords(database, { keepKeys: sharedKey === undefined }),
    createHandler: createSignInHandlers(createApi, sharedKey),
  });
  // Loaded with the first watch of a client's own key.
  const openWatchKeys = async () => {
    const { WatchKeys } = await import('../../gateway/store/watch-keys.ts');
    return new WatchKeys(database, keyFile(settings));
  };
  const open = (caller: ServiceCaller, outlets?: WatchOutlets) => {
    const { apiKey, subject } = caller;
    const principal = principalFor(caller);
    const api = createApi(apiKey);
    const gateway = createGateway({
      api,
      principal,
      settings: gatewayOptions,
      snapshotFile: new SnapshotFile(dataDir, principal.id),
      store: database,
      signIn: { pages, getAddress, apiKey },
      keyHolder: sharedKey !== undefined ? 'server' : caller.subject === undefined ? 'client' : 'subject',
      watchOutlets: outlets,
      ...(sharedKey === undefined && {
        sealWatchKey: async () =>
          (await openWatchKeys()).seal(principal.id, subject === undefined ? { apiKey } : { subject }),
      }),
      logger,
      sharedActions,
      onServiceChange: embedded && ((listener) => embedded.onCatalogChange(listener)),
    });
    return { principalId: principal.id, gateway };
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
      await database.close();
      await embedded?.close();
    },
  };
}

/** Each sign-in uses a client with the key of the principal it is for. */
const createSignInHandlers =
  (createApi: (apiKey: string) => Api, sharedKey: string | undefined) =>
  (page: PageRecord): PageHandler => ({
    async signIn(params, signal) {
      const api = createApi(page.apiKey ?? sharedKey ?? '');
      try {
        return await createPageHandler(api, page).signIn(params, signal);
      } finally {
        await api.close();
      }
    },
    explain: explainToPerson,
  });

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
