/** Puts the gateway together for one principal. */
import { showIdentities } from './accounts/identities.ts';
import { listCatalogs, showCatalog } from './catalog/browse.ts';
import type { Catalog } from './catalog/catalog.ts';
import { listTools } from './catalog/listing.ts';
import type { Snapshot } from './catalog/snapshot.ts';
import { forCatalog, nearestTool } from './catalog/unknown-names.ts';
import { createParts, type GatewayDependencies, type GatewayParts } from './gateway-parts.ts';
import { describeWebsite, summarizeWebsites } from './guide.ts';
import type { Gateway, NameKind, ToolListing } from './interface/gateway.ts';
import { resultBudget } from './interface/settings.ts';
import { isGroupId, toJobId } from './paid/call-identity.ts';
import { editOwnAction } from './paid/edit-action.ts';
import { listPaidJobs } from './paid/job-list.ts';
import { previewBuild } from './paid/preview-build.ts';
import type { GatewayStore } from './paid/store.ts';
import { getUsage } from './usage.ts';

type ListingMethods = Pick<
  Gateway,
  | 'listing'
  | 'unavailableActions'
  | 'websites'
  | 'whenRead'
  | 'guides'
  | 'guide'
  | 'nearestTool'
  | 'onListingChange'
>;
type CallMethods = Pick<Gateway, 'runTool' | 'runAction' | 'runBatch' | 'getJob'>;
type CatalogMethods = Pick<
  Gateway,
  'searchActions' | 'browseCatalogs' | 'login' | 'awaitSignIn' | 'listIdentities'
>;
type WatchMethods = Pick<
  Gateway,
  'watch' | 'listWatches' | 'watchNews' | 'onWatchNews' | 'serveWatches' | 'runDueWatches'
>;
type BuildMethods = Pick<
  Gateway,
  'requestBuild' | 'editAction' | 'previewBuild' | 'listBuildRequests' | 'getUsage'
>;

/** Milliseconds for requests that were broken off to be written as such. */
const closingMs = 200;

/** Creating a gateway sends no request and opens no file; the first call does. */
export function createGateway(dependencies: GatewayDependencies): Gateway {
  const parts = createParts(dependencies);
  const { tasks } = parts;
  return {
    ...createListing(parts),
    ...createCalls(parts),
    ...createCatalogCalls(parts),
    ...createBuildCalls(parts),
    ...createWatchCalls(parts),
    tasks,
    names: (kind, catalogSlug) => findNames(kind, catalogSlug, parts),
    ...createEnd(parts, parts.database !== dependencies.store),
  };
}

/** The tools to list, kept as one object until they change. */
function createListing(parts: GatewayParts): ListingMethods {
  const { catalog, prices, settings, actionTypes } = parts;
  let listed: { snapshot: Snapshot; listing: ToolListing; fingerprint: string } | undefined;
  const toListing = (snapshot: Snapshot): ToolListing => {
    if (listed?.snapshot !== snapshot) {
      const { actions, ...tools } = listTools(snapshot, settings, parts.listingTerms);
      const { lacksEditing } = snapshot.data;
      const listing = { ...tools, ...(lacksEditing && { lacksEditing }) };
      actionTypes.request(actions, snapshot);
      const fingerprint = JSON.stringify([listing.tools, listing.unlisted, lacksEditing]);
      // An unchanged list stays the same object, so that it is encoded only once.
      const same = listed?.fingerprint === fingerprint ? listed.listing : listing;
      listed = { snapshot, listing: same, fingerprint };
    }
    return listed.listing;
  };
  return {
    async listing() {
      const snapshot = await catalog.snapshot();
      prices.recordListed(snapshot);
      return toListing(snapshot);
    },
    unavailableActions: async () => (await catalog.snapshot()).unavailable(),
    websites: () => catalog.websites(),
    whenRead: () => catalog.whenRead(),
    guides: async () => summarizeWebsites(await catalog.snapshot(), settings.catalogs),
    guide: async (slug) => describeWebsite(await catalog.snapshot(), slug, parts.store),
    nearestTool: async (name) => nearestTool(name, await catalog.snapshot(), settings.reserved.names),
    onListingChange(listener) {
      return catalog.onChange((snapshot) => {
        const before = listed?.listing;
        if (before !== undefined && toListing(snapshot) !== before) listener();
      });
    },
  };
}

function createCalls({ answering, actions, catalog, store, jobs, groups }: GatewayParts): CallMethods {
  return {
    runTool: (name, args, context) => answering(() => actions.runTool(name, args, context)),
    runAction: (input, context) => answering(() => actions.run(input, context)),
    runBatch: (input, context) => answering(() => actions.runBatch(input, context)),
    getJob: (input, context) =>
      answering(async () =>
        input.job_id === undefined
          ? { body: await listPaidJobs(store, await catalog.known(), input) }
          : isGroupId(input.job_id)
            ? groups.get(input.job_id, input, context)
            : jobs.get(input.job_id, input, context),
      ),
  };
}

function createCatalogCalls(parts: GatewayParts): CatalogMethods {
  const { api, settings, answering, answerPlainly, search, catalog, list, prices, accounts, signIns } = parts;
  const inCatalog = <Result>(slug: string | undefined, work: () => Promise<Result>) =>
    forCatalog(slug, { catalog, list }, work);
  return {
    searchActions: (input, context) => answerPlainly(() => search.search(input, context)),
    browseCatalogs: ({ catalog: slug, scope, maxChars }, context) =>
      answerPlainly(async () => {
        const budget = maxChars ?? resultBudget(settings, context);
        if (slug === undefined) return listCatalogs(api, scope, budget, context);
        const snapshot = await catalog.snapshot();
        return inCatalog(slug, () => showCatalog(api, slug, { snapshot, prices, budget }, context));
      }),
    login: (input, context) => answering(() => inCatalog(input.catalog, () => signIns.login(input, context))),
    awaitSignIn: (id, options) => signIns.awaitSignIn(id, options),
    listIdentities: (input, context) =>
      answerPlainly(() =>
        inCatalog(input.catalog, () =>
          showIdentities(api, accounts, input, context, (id) => signIns.getExpiry(id)),
        ),
      ),
  };
}

function createBuildCalls(parts: GatewayParts): BuildMethods {
  const { api, settings, answering, answerPlainly, builds, store } = parts;
  return {
    requestBuild: (input, context) => answering(() => builds.request(input, context)),
    editAction: (input, context) => answering(() => editOwnAction(parts, input, context)),
    previewBuild: (input, context) => answerPlainly(() => previewBuild(parts, input, context)),
    listBuildRequests: ({ id, offset }, context) =>
      answering(() => (id === undefined ? builds.list(context, offset) : builds.get(id, context))),
    getUsage: ({ signal }) => answerPlainly(() => getUsage({ api, store, settings }, signal)),
  };
}

function createWatchCalls({ answering, watching, signIns, catalog }: GatewayParts): WatchMethods {
  return {
    watch: (input, context) =>
      answering(async () => {
        if ('watch_id' in input) return watching.watch(input, context);
        const action = (await catalog.snapshotFor(input.action_id)).action(input.action_id);
        const make = () => watching.watch(input, context);
        return action === undefined ? make() : signIns.runWithAccount(action, input.identity, context, make);
      }),
    listWatches: (input, context) => answering(() => watching.list(input, context)),
    watchNews: () => watching.news,
    onWatchNews: (listener) => watching.onNews(listener),
    serveWatches: () => watching.serve(),
    runDueWatches: () => watching.runDue(),
  };
}

/** `ownsDatabase`: whether no other gateway uses it. */
function createEnd(parts: GatewayParts, ownsDatabase: boolean): Pick<Gateway, 'endWaits' | 'close'> {
  const { api, catalog, actionTypes, database, writes, paid, groups, signIns } = parts;
  const { watching } = parts;
  return {
    endWaits() {
      groups.stop();
      paid.endWaits();
      signIns.endWaits();
    },
    async close(graceMs = 0) {
      // Nothing more of a group or a watch is sent.
      groups.stop();
      await watching.stop();
      await Promise.all([actionTypes.close(), catalog.close(), paid.settle(graceMs), signIns.close()]);
      // Requests under way are in doubt now, and that is written before the store closes.
      await api.close();
      paid.close();
      await Promise.all([paid.settle(closingMs), writes.close(closingMs)]);
      // Accepted jobs that a group waits for are left to the service.
      paid.endWaits();
      await Promise.all([groups.close(), watching.close()]);
      if (ownsDatabase) await database.close();
    },
  };
}

const recentJobs = 100;

/** What is known here, because a person's every letter asks for the names. */
async function findNames(
  kind: NameKind,
  catalogSlug: string | undefined,
  { catalog, store }: { readonly catalog: Catalog; readonly store: GatewayStore },
): Promise<readonly string[]> {
  if (kind === 'job') {
    const rows = await (await store.open()).queries.newest(recentJobs);
    return rows.filter((row) => row.kind === 'run').map(toJobId);
  }
  const snapshot = await catalog.snapshot();
  if (kind === 'catalog') return snapshot.websites();
  const isWanted = (slug: string) => catalogSlug === undefined || slug === catalogSlug;
  return snapshot.actions.flatMap((action) => (isWanted(action.catalog_slug) ? [action.action_id] : []));
}
