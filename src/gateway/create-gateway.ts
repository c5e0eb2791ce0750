/** Puts the gateway together for one principal. */
import type { Api } from '../contract/api.ts';
import type { Target } from '../store/database.ts';
import { Accounts } from './accounts/choose-account.ts';
import { showIdentities } from './accounts/identities.ts';
import { SignIns } from './accounts/sign-in.ts';
import type { SignInOptions } from './accounts/sign-in-methods.ts';
import { ActionCalls } from './action-calls.ts';
import { Admission } from './admission/admission.ts';
import { createAnswering } from './answering.ts';
import { Batches } from './batches/batches.ts';
import { Builds } from './builds/builds.ts';
import { previewBuild } from './builds/preview.ts';
import { Catalog } from './catalog/catalog.ts';
import type { SharedCatalog } from './catalog/shared-catalog.ts';
import type { Snapshot } from './catalog/snapshot.ts';
import type { SnapshotFile } from './catalog/snapshot-file.ts';
import { listCatalogs, showCatalog } from './discovery/browse.ts';
import { Names } from './discovery/names.ts';
import { ActionSearch } from './discovery/search.ts';
import { forCatalog, nearestTool } from './discovery/unknown-names.ts';
import { type Clock, systemClock } from './foundation/clock.ts';
import type { Logger } from './foundation/logger.ts';
import { StoredHandles } from './handles/handles.ts';
import type { Gateway, Listing } from './interface/gateway.ts';
import type { JsonObject, Outcome } from './interface/outcomes.ts';
import type { Principal } from './interface/principal.ts';
import { type GatewaySettings, resultBudget } from './interface/settings.ts';
import { listJobs } from './jobs/job-list.ts';
import { Jobs } from './jobs/jobs.ts';
import { Records } from './paid-calls/records.ts';
import { CurrentPrices } from './prices/current-prices.ts';
import { SeenPrices } from './prices/prices.ts';
import type { RunLimits } from './runs/limits.ts';
import { Runs } from './runs/runs.ts';
import { isBatchId } from './store/batch-terms.ts';
import { GatewayDatabase, GatewayStore } from './store/gateway-store.ts';
import { listTools } from './tools/listing.ts';
import { getUsage } from './usage.ts';
import { ParamsValidator } from './validation/validator.ts';

export interface GatewayDependencies {
  readonly api: Api;
  readonly principal: Principal;
  readonly settings: GatewaySettings;
  readonly snapshotFile: SnapshotFile | undefined;
  /** Where intents and results are kept: its own, or one that it shares with other gateways and leaves open. */
  readonly store: Target | GatewayDatabase;
  readonly logger: Logger;
  /** How a person signs in; absent: only by params. */
  readonly signIn?: SignInOptions | undefined;
  readonly limits?: Partial<RunLimits>;
  readonly clock?: Clock;
  /** What keys of the same service share. */
  readonly sharedCatalog?: SharedCatalog | undefined;
  /** Calls the listener when what the service offers has changed; returns how to stop that. */
  readonly onServiceChange?: ((listener: () => void) => () => void) | undefined;
}

/** Milliseconds for requests that were broken off to be written as such. */
const closingMs = 200;

/** Creating a gateway sends no request and opens no file; the first call does. */
export function createGateway(dependencies: GatewayDependencies): Gateway {
  const { api, settings, logger, limits, clock = systemClock } = dependencies;
  const catalog = new Catalog({
    api,
    file: dependencies.snapshotFile,
    logger,
    reserved: settings.reserved.names,
    onServiceChange: dependencies.onServiceChange,
    shared: dependencies.sharedCatalog,
  });
  const { retention } = settings;
  const database =
    dependencies.store instanceof GatewayDatabase
      ? dependencies.store
      : new GatewayDatabase(dependencies.store, { retention, logger });
  const store = new GatewayStore(database, dependencies.principal, clock);
  const validator = new ParamsValidator();
  const accounts = new Accounts(api);
  const prices = new SeenPrices();
  const records = new Records(logger);
  const admission = new Admission({
    limits: settings,
    seen: prices,
    current: new CurrentPrices(api, catalog, clock),
  });
  const runs = new Runs({ api, store, validator, accounts, admission, settings, records, clock, limits });
  const signIns = new SignIns({
    api,
    accounts,
    principal: dependencies.principal,
    settings,
    options: dependencies.signIn,
  });
  const builds = new Builds({ api, catalog, accounts, store, settings, records, clock, logger });
  const jobs = new Jobs({ store, runs, builds, settings });
  const search = new ActionSearch(api, catalog, prices, settings);

  let listed: { snapshot: Snapshot; listing: Listing; fingerprint: string } | undefined;
  const toListing = (snapshot: Snapshot): Listing => {
    if (listed?.snapshot !== snapshot) {
      const listing = listTools(snapshot, settings);
      const fingerprint = JSON.stringify([listing.tools, listing.unlisted]);
      // An unchanged list stays the same object, so that it is encoded only once.
      const same = listed?.fingerprint === fingerprint ? listed.listing : listing;
      listed = { snapshot, listing: same, fingerprint };
    }
    return listed.listing;
  };

  const answering = createAnswering(logger);
  const batches = new Batches({ store, runs, jobs, admission, settings, clock, answering });
  const handles = new StoredHandles({ store, runs, builds, jobs, batches, answering, clock, limits });
  const inCatalog = <Result>(slug: string | undefined, work: () => Promise<Result>) =>
    forCatalog(slug, () => catalog.snapshotWithout(slug), work);
  const names = new Names({ api, catalog, accounts, store, logger });
  const plain = (work: () => Promise<JsonObject>): Promise<Outcome> =>
    answering(async () => ({ body: await work() }));

  const actions = new ActionCalls({ catalog, runs, batches, jobs, signIns, answering });

  return {
    async listing() {
      const snapshot = await catalog.snapshot();
      prices.listed(snapshot);
      return toListing(snapshot);
    },
    unavailableActions: async () => (await catalog.snapshot()).unavailable(),
    websites: () => catalog.websites(),
    async findActionByTool(name) {
      const snapshot = (await catalog.snapshot()).findActionByTool(name);
      const action = snapshot ?? (await catalog.snapshotAfterMiss(name)).findActionByTool(name);
      return action === undefined ? undefined : { actionId: action.action_id };
    },
    nearestTool: async (name) => nearestTool(name, await catalog.snapshot(), settings.reserved.names),
    onListingChange(listener) {
      return catalog.onChange((snapshot) => {
        const before = listed?.listing;
        if (before !== undefined && toListing(snapshot) !== before) listener();
      });
    },
    runTool: (name, args, context) => answering(() => actions.runTool(name, args, context)),
    runAction: (input, context) => answering(() => actions.run(input, context)),
    runBatch: (input, context) => answering(() => actions.runBatch(input, context)),
    searchActions: (input, context) => plain(() => search.search(input, context)),
    browseCatalogs: ({ slug, scope, maxChars }, context) =>
      plain(async () => {
        const budget = maxChars ?? resultBudget(settings, context);
        if (slug === undefined) return listCatalogs(api, scope, budget, context);
        const snapshot = await catalog.snapshot();
        return inCatalog(slug, () => showCatalog(api, slug, { snapshot, prices, budget }, context));
      }),
    getJob: (input, context) =>
      answering(async () =>
        input.job_id === undefined
          ? { body: await listJobs(store, await catalog.snapshot(), input) }
          : isBatchId(input.job_id)
            ? batches.get(input.job_id, input, context)
            : jobs.get(input.job_id, input, context),
      ),
    login: (input, context) =>
      answering(() => inCatalog(input.catalog_slug, () => signIns.login(input, context))),
    awaitSignIn: (id, options) => signIns.awaitSignIn(id, options),
    listIdentities: (input, context) =>
      plain(() =>
        inCatalog(input.catalog_slug, () =>
          showIdentities(api, accounts, input, context, (id) => signIns.getExpiry(id)),
        ),
      ),
    requestBuild: (input, context) => answering(() => builds.request(input, context)),
    previewBuild: (input, context) => plain(() => previewBuild(api, input, context)),
    listBuildRequests: ({ id, offset }, context) => answering(() => builds.list(id, context, offset)),
    getUsage: ({ signal }) => plain(() => getUsage({ api, store, settings, now: clock.now() }, signal)),
    handles,
    names: (kind, catalogSlug) => names.of(kind, catalogSlug),
    endWaits() {
      batches.endWaits();
      runs.endWaits();
      builds.endWaits();
      signIns.endWaits();
    },
    async close(graceMs = 0) {
      handles.close();
      // Nothing more of a batch is started.
      const batchesClosed = batches.close();
      await Promise.all([catalog.close(), runs.close(graceMs), builds.close(graceMs), signIns.close()]);
      // What was under way is in doubt now, and that is written before the store closes.
      await api.close();
      await Promise.all([runs.close(closingMs), builds.close(closingMs), records.close(closingMs)]);
      // Accepted jobs that a batch waits for are left to the service.
      runs.endWaits();
      await batchesClosed;
      if (database !== dependencies.store) await database.close();
    },
  };
}
