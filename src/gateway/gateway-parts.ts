/** The parts of the gateway of one principal, and how they are made from what it is given. */
import type { Api } from '../contract/api.ts';
import type { Target } from '../store/database.ts';
import { Accounts } from './accounts/choose-account.ts';
import { SignIns } from './accounts/sign-in.ts';
import type { SignInOptions } from './accounts/sign-in-methods.ts';
import { ActionCalls } from './action-calls.ts';
import { Admission } from './admission/admission.ts';
import { createAnswering } from './answering.ts';
import { Batches } from './batches/batches.ts';
import { Builds } from './builds/builds.ts';
import { Catalog } from './catalog/catalog.ts';
import type { SharedCatalog } from './catalog/shared-catalog.ts';
import type { SnapshotFile } from './catalog/snapshot-file.ts';
import { Names } from './discovery/names.ts';
import { ActionSearch } from './discovery/search.ts';
import { type Clock, systemClock } from './foundation/clock.ts';
import type { Logger } from './foundation/logger.ts';
import { defaultTimeLimits, type TimeLimits } from './foundation/time-limits.ts';
import { StoredHandles } from './handles/handles.ts';
import type { JsonObject, Outcome } from './interface/outcomes.ts';
import type { Principal } from './interface/principal.ts';
import type { GatewaySettings } from './interface/settings.ts';
import { Jobs } from './jobs/jobs.ts';
import { Records } from './paid-calls/records.ts';
import { CurrentPrices } from './prices/current-prices.ts';
import { SeenPrices } from './prices/prices.ts';
import { Runs } from './runs/runs.ts';
import { GatewayDatabase, GatewayStore } from './store/gateway-store.ts';
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
  readonly limits?: Partial<TimeLimits>;
  readonly clock?: Clock;
  /** What keys of the same service share. */
  readonly sharedCatalog?: SharedCatalog;
  /** Calls the listener when what the service offers has changed; returns how to stop that. */
  readonly onServiceChange?: ((listener: () => void) => () => void) | undefined;
}

export type GatewayParts = ReturnType<typeof createParts>;

/** Starts nothing: no part sends a request or opens a file before it is used. */
export function createParts(dependencies: GatewayDependencies) {
  const { api, principal, settings, logger, clock = systemClock } = dependencies;
  const limits = { ...defaultTimeLimits, ...dependencies.limits };
  const catalog = createCatalog(dependencies);
  const database = chooseDatabase(dependencies);
  const store = new GatewayStore(database, principal);
  const validator = new ParamsValidator(principal.id);
  const accounts = new Accounts(api, clock);
  const prices = new SeenPrices();
  const records = new Records(logger);
  const current = new CurrentPrices(api, catalog, clock);
  const admission = new Admission({ limits: settings, seen: prices, current });
  const runs = new Runs({ api, store, validator, accounts, admission, settings, records, clock, limits });
  const signIns = new SignIns({ api, accounts, principal, settings, options: dependencies.signIn });
  const builds = new Builds({ api, catalog, accounts, store, settings, records, clock, logger, limits });
  const jobs = new Jobs({ store, runs, builds, settings });
  const answering = createAnswering(logger);
  const batches = new Batches({ store, runs, jobs, admission, settings, clock, answering, limits });
  const answerPlainly = (work: () => Promise<JsonObject>): Promise<Outcome> =>
    answering(async () => ({ body: await work() }));
  return {
    api,
    settings,
    clock,
    catalog,
    database,
    ownsDatabase: database !== dependencies.store,
    store,
    accounts,
    prices,
    records,
    runs,
    signIns,
    builds,
    jobs,
    answering,
    answerPlainly,
    batches,
    search: new ActionSearch(api, catalog, prices, settings),
    handles: new StoredHandles({ store, runs, builds, jobs, batches, answering, clock, limits }),
    names: new Names({ api, catalog, accounts, store, logger }),
    actions: new ActionCalls({ catalog, runs, batches, jobs, signIns, answering }),
  };
}

function createCatalog(dependencies: GatewayDependencies): Catalog {
  const { api, snapshotFile, logger, settings, onServiceChange, sharedCatalog } = dependencies;
  const { reserved } = settings;
  return new Catalog({
    api,
    file: snapshotFile,
    logger,
    reserved: reserved.names,
    onServiceChange,
    shared: sharedCatalog,
  });
}

function chooseDatabase({ store, settings, logger }: GatewayDependencies): GatewayDatabase {
  if (store instanceof GatewayDatabase) return store;
  return new GatewayDatabase(store, { retention: settings.retention, logger });
}
