/** The parts of the gateway of one principal, how they are made, and how what they throw becomes an answer. */
import { isApiError } from '../client/errors.ts';
import type { Api } from '../contract/api.ts';
import type { Target } from '../store/database.ts';
import type { Encrypted } from '../store/encryption.ts';
import { StoreError } from '../store/errors.ts';
import { Accounts } from './accounts/choose-account.ts';
import { SignIns } from './accounts/sign-in.ts';
import type { SignInOptions } from './accounts/sign-in-methods.ts';
import { ActionCalls } from './action-calls.ts';
import { listingTerms } from './catalog/action-tool.ts';
import { ActionTypes } from './catalog/action-types.ts';
import { Catalog } from './catalog/catalog.ts';
import { CurrentPrices, SeenPrices } from './catalog/prices.ts';
import { ActionSearch } from './catalog/search.ts';
import { SharedActions } from './catalog/shared-actions.ts';
import type { SnapshotFile } from './catalog/snapshot-file.ts';
import { VisibleCatalogs } from './catalog/visible-catalogs.ts';
import { type Clock, systemClock } from './foundation/clock.ts';
import { GatewayError, SubmissionUnknownError } from './foundation/errors.ts';
import { toGatewayError, withKeyStep } from './foundation/failures.ts';
import type { Logger } from './foundation/logger.ts';
import { defaultTimeLimits, type TimeLimits } from './foundation/time-limits.ts';
import type { KeyHolder } from './interface/next-step.ts';
import type { JsonObject, Outcome } from './interface/outcomes.ts';
import type { Principal } from './interface/principal.ts';
import type { GatewaySettings } from './interface/settings.ts';
import { createBuildKind } from './paid/build-kind.ts';
import { BuildLists } from './paid/build-lists.ts';
import { Builds } from './paid/builds.ts';
import { Drifts } from './paid/drifts.ts';
import { Groups } from './paid/groups.ts';
import { Jobs } from './paid/jobs.ts';
import { PaidCalls } from './paid/paid-calls.ts';
import { Quotes } from './paid/quote.ts';
import { createRunKind } from './paid/run-kind.ts';
import { Runs } from './paid/runs.ts';
import { GatewayStore } from './paid/store.ts';
import { PaidTasks } from './paid/tasks.ts';
import { Writes } from './paid/writes.ts';
import { ParamsValidator } from './schemas/validator.ts';
import { GatewayDatabase, storeFailedMeanwhile, toStoreUnavailable } from './store/gateway-database.ts';
import { Watching, type WatchOutlets } from './watching.ts';

export interface GatewayDependencies {
  readonly api: Api;
  readonly principal: Principal;
  readonly settings: GatewaySettings;
  readonly snapshotFile: SnapshotFile | undefined;
  /** Where paid calls and results are kept: its own, or one that it shares with other gateways and leaves open. */
  readonly store: Target | GatewayDatabase;
  readonly logger: Logger;
  /** How a person signs in; absent: only by params. */
  readonly signIn?: SignInOptions | undefined;
  /** Who is told what to do about a refused key; absent: the user, whose settings have it. */
  readonly keyHolder?: KeyHolder;
  readonly limits?: Partial<TimeLimits>;
  readonly clock?: Clock;
  readonly watchOutlets?: WatchOutlets | undefined;
  /** Encrypts what runs watches while their caller is away; absent: the process has the key itself. */
  readonly sealWatchKey?: (() => Promise<Encrypted>) | undefined;
  /** What keys of the same service share. */
  readonly sharedActions?: SharedActions;
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
  const list = new VisibleCatalogs(api, clock);
  const accounts = new Accounts(api, clock);
  const seen = new SeenPrices();
  const current = new CurrentPrices(api, catalog, clock);
  const quotes = new Quotes({ settings, seen, current });
  const writes = new Writes(logger);
  const lists = new BuildLists({ api, catalog, store, writes, logger });
  const drifts = new Drifts(store, catalog);
  const kinds = { run: createRunKind(api, drifts), build: createBuilds(lists, catalog, limits) };
  const shared = { api, store, settings, clock, limits, logger, writes, catalog, accounts, quotes, current };
  const paid = new PaidCalls({ ...shared, kinds, drifts });
  const runs = new Runs({ ...shared, paid, kind: kinds.run, validator: new ParamsValidator(principal.id) });
  const builds = new Builds({ ...shared, paid, lists });
  const signIns = new SignIns({
    ...shared,
    principal,
    options: dependencies.signIn,
    onSignIn: (slug) => catalog.noticeSignIn(slug),
    countSignIn: async (credentialId) => (await store.open()).signIns.add(credentialId),
  });
  const jobs = new Jobs({ ...shared, builds, paid });
  const answering = createAnswering(logger, dependencies.keyHolder ?? 'user', () => database.checkUsable());
  const running = { ...shared, runs, paid, answering };
  const groups = new Groups({ ...running, jobs, ending: paid.ending });
  const answerPlainly = (work: () => Promise<JsonObject>): Promise<Outcome> =>
    answering(async () => ({ body: await work() }));
  return {
    api,
    settings,
    clock,
    catalog,
    database,
    store,
    accounts,
    prices: seen,
    listingTerms: listingTerms(settings, principal),
    actionTypes: new ActionTypes(shared),
    writes,
    paid,
    signIns,
    builds,
    jobs,
    groups,
    watching: createWatching(dependencies, { ...running, database }),
    answering,
    answerPlainly,
    list,
    search: new ActionSearch({ api, catalog, list }, seen, settings),
    tasks: new PaidTasks({ ...shared, paid, jobs, groups, answering }),
    actions: new ActionCalls({
      ...running,
      groups,
      jobs,
      signIns,
      drifts,
      runArguments: settings.reserved.runArguments,
    }),
  };
}

const createWatching = (
  dependencies: GatewayDependencies,
  parts: Omit<ConstructorParameters<typeof Watching>[0], 'sealKey' | 'watchOutlets'>,
): Watching => {
  const { watchOutlets, sealWatchKey: sealKey } = dependencies;
  return new Watching({ ...parts, sealKey, watchOutlets });
};

const createBuilds = (lists: BuildLists, catalog: Catalog, { submitMs }: TimeLimits) =>
  createBuildKind({
    list: (options) => lists.read(options),
    snapshot: () => catalog.snapshot(),
    submitMs,
  });

function createCatalog(dependencies: GatewayDependencies): Catalog {
  const { api, snapshotFile, logger, settings, onServiceChange } = dependencies;
  const shared = dependencies.sharedActions ?? new SharedActions(settings.reserved.names);
  return new Catalog({ api, file: snapshotFile, logger, onServiceChange, shared });
}

function chooseDatabase({ store, settings, logger }: GatewayDependencies): GatewayDatabase {
  if (store instanceof GatewayDatabase) return store;
  return new GatewayDatabase(store, { retention: settings.retention, logger });
}

/**
 * Runs some work and resolves to its outcome, or to a body that says why it failed. `checkUsable` rejects where the data
 * folder or the store can never be used: every call says so. It is undefined where there is nothing to check.
 */
const createAnswering =
  (logger: Logger, keyHolder: KeyHolder, checkUsable: () => Promise<void> | undefined) =>
  async <Result>(work: () => Promise<Result>): Promise<Result | { body: Refusal }> => {
    try {
      const checking = checkUsable();
      if (checking !== undefined)
        await checking.catch((error: unknown) => {
          throw toStoreUnavailable(error);
        });
      return await work();
    } catch (error) {
      return { body: refusal(error, logger, keyHolder) };
    }
  };

type Refusal = GatewayError['body'] | SubmissionUnknownError['body'];

/** The only place where errors become bodies. The text of an unknown error goes to the log only. */
function refusal(error: unknown, logger: Logger, keyHolder: KeyHolder): Refusal {
  if (error instanceof SubmissionUnknownError) return error.body;
  if (error instanceof GatewayError) return withKeyStep(error.body, keyHolder);
  if (isApiError(error)) return withKeyStep(toGatewayError(error).body, keyHolder);
  if (error instanceof StoreError) {
    logger.error({ error: error.message }, 'The store failed');
    return storeFailedMeanwhile(error).body;
  }
  logger.error(
    { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    'Unexpected failure',
  );
  return new GatewayError('INTERNAL_ERROR', 'Something unexpected failed inside svc-mcp.', {
    kind: 'list',
    of: 'jobs',
    why: 'started',
  }).body;
}
