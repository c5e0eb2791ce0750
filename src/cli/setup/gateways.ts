/** Gateways for many principals in one process, by the settings: they share a database, and the embedded service. */
import { isApiError } from '../../client/errors.ts';
import { createHttpClient } from '../../client/http-client.ts';
import type { Api } from '../../contract/api.ts';
import { explainToPerson, signIn } from '../../gateway/accounts/login.ts';
import type { SignInPage } from '../../gateway/accounts/sign-in-page.ts';
import { type PageHandler, SignInPages } from '../../gateway/accounts/sign-in-pages.ts';
import { SharedActions } from '../../gateway/catalog/shared-actions.ts';
import { SnapshotFile } from '../../gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../gateway/create-gateway.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import { createPrincipal, embeddedOrigin } from '../../gateway/interface/principal.ts';
import type { Subject } from '../../gateway/interface/subject.ts';
import type { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import type { PageRecord } from '../../gateway/store/page-records.ts';
import { SharedPageRecords } from '../../gateway/store/shared-page-records.ts';
import type { KeyVerdict } from '../../mcp/transports/http/key-checks.ts';
import type { Settings } from '../config/load.ts';
import { gatewaySettings } from './connection.ts';
import { openGatewayDatabase } from './gateway-database.ts';

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
  /** On which people sign in, for all principals; replicas on one PostgreSQL share them. */
  readonly pages: SignInPages;
  /** What the gateways keep, for the keys of subjects. */
  readonly database: GatewayDatabase;
  getPrincipalId(caller: ServiceCaller): string;
  /** One gateway for each key, and for each subject that acts with it. The caller that opens it closes it. */
  open(caller: ServiceCaller): {
    readonly principalId: string;
    readonly gateway: Gateway;
  };
  /** Asks the service about a key of a client; undefined where clients bring none. */
  readonly checkKey: ((apiKey: string) => Promise<KeyVerdict>) | undefined;
  /** Rejects while calls that cost credits could not be written down. */
  checkReady(): Promise<unknown>;
  /** Closes what the gateways shared; they are closed before. */
  close(): Promise<void>;
}

/** Rejects where the embedded service cannot start. */
export async function openGateways(
  settings: Settings,
  getAddress: (page: SignInPage) => Promise<string>,
  logger: Logger,
): Promise<Gateways> {
  const { databaseUrl, dataDir, apiPrefix } = settings;
  const database = openGatewayDatabase(settings, logger);
  const embedded =
    settings.baseUrl === undefined
      ? await (await import('./embedded.ts')).startEmbeddedService(settings)
      : undefined;
  const baseUrl = embedded?.baseUrl ?? settings.baseUrl ?? '';
  const sharedKey = settings.oauthIssuer === undefined ? (settings.apiKey ?? embedded?.apiKey) : undefined;
  const origin = embedded === undefined ? new URL(baseUrl).origin : embeddedOrigin;
  const principalFor = ({ apiKey, subject }: ServiceCaller) => createPrincipal(origin, apiKey, subject);
  const gatewayOptions = gatewaySettings(settings);
  const sharedActions = new SharedActions(gatewayOptions.reserved.names);
  const createApi = (apiKey: string) => createHttpClient({ baseUrl, apiKey, apiPrefix });
  const pages = new SignInPages({
    ...(databaseUrl !== undefined && {
      records: new SharedPageRecords(database, { keepKeys: sharedKey === undefined }),
    }),
    createHandler: createSignInHandlers(createApi, sharedKey),
  });
  return {
    sharedKey,
    pages,
    database,
    getPrincipalId: (caller) => principalFor(caller).id,
    open(caller) {
      const { apiKey } = caller;
      const principal = principalFor(caller);
      const api = createApi(apiKey);
      const gateway = createGateway({
        api,
        principal,
        settings: gatewayOptions,
        snapshotFile: new SnapshotFile(dataDir, principal.id),
        store: database,
        signIn: { pages, getAddress, apiKey },
        logger,
        sharedActions,
        onServiceChange: embedded && ((listener) => embedded.onCatalogChange(listener)),
      });
      return { principalId: principal.id, gateway };
    },
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

/** Each sign-in has a connection of its own, with the key of whom it is for. */
const createSignInHandlers =
  (createApi: (apiKey: string) => Api, sharedKey: string | undefined) =>
  ({ catalog, identityName, apiKey = sharedKey ?? '' }: PageRecord): PageHandler => ({
    async signIn(params, signal) {
      const api = createApi(apiKey);
      try {
        const input = { catalog_slug: catalog.slug, identity_name: identityName, params };
        return await signIn(api, input, { signal });
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
    const isRefused = isApiError(error) && 'httpStatus' in error && error.httpStatus === 401;
    return isRefused ? 'refused' : 'unknown';
  } finally {
    await api.close();
  }
}
