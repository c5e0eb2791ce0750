/**
 * `search_actions`: the service's own search, and ours over the snapshot, which also knows word forms, params and
 * goals. What both find comes first; where nothing matches all the words, the nearest actions are shown as weak.
 */
import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { SearchQuery } from '../../contract/endpoints.ts';
import { creditsText, priceText } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText, nearestName, toVisibleMembers } from '../foundation/text.ts';
import type { CallContext, SearchActionsInput } from '../interface/gateway.ts';
import type { Listed, NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import { ActionIndex } from './action-index.ts';
import { toVisibleParams } from './action-tool.ts';
import type { Catalog } from './catalog.ts';
import { priceOfSearchResult, type SeenPrices } from './prices.ts';
import type { Actions, Snapshot } from './snapshot.ts';
import type { VisibleCatalogs } from './visible-catalogs.ts';

const defaultLimit = 10;
const maxLimit = 50;
/** Weak matches only hint at what exists; more of them would cost the caller tokens. */
const maxWeak = 3;
const timeoutMs = 30_000;
/** The time for a service's search that our own search can replace. */
const replaceableTimeoutMs = 5_000;
/** Requests for further pages repeat the query, and the search is limited to 30 a minute. */
const rememberedMs = 60_000;
const remembered = 8;
const categoriesMs = 60_000;
/** The largest age of a snapshot that answers a search for everything. */
const listAgeMs = 10_000;
/** In a larger catalog the service is asked only if our search finds nothing: its answer could be as large as the catalog. */
const largeSize = 5_000;

interface Matches {
  readonly ids: readonly string[];
  /** Actions in the service's latest answer; the others are in the snapshot. */
  readonly newest: ReadonlyMap<string, SearchResult>;
  readonly weak: boolean;
  /** Only the snapshot was searched, because the service did not answer. */
  readonly local: boolean;
  readonly at: number;
}

/** Indexes by the actions that they were made of, which keys of one service may share. */
const indexes = new WeakMap<Actions, { readonly goals: string; readonly index: Promise<ActionIndex> }>();

export class ActionSearch {
  readonly #api: Api;
  readonly #catalog: Catalog;
  readonly #list: VisibleCatalogs;
  readonly #prices: SeenPrices;
  readonly #settings: GatewaySettings;
  readonly #answers = new Map<string, Matches>();
  #categories: ReadonlyMap<string, string> | undefined;

  constructor(
    { api, catalog, list }: { readonly api: Api; readonly catalog: Catalog; readonly list: VisibleCatalogs },
    prices: SeenPrices,
    settings: GatewaySettings,
  ) {
    this.#api = api;
    this.#catalog = catalog;
    this.#list = list;
    this.#prices = prices;
    this.#settings = settings;
  }

  /** Rejects with an `ApiError` or a `GatewayError`. */
  async search(input: SearchActionsInput, context: CallContext): Promise<JsonObject> {
    const { limit, cursor, ...filters } = input;
    const offset = cursor === undefined ? 0 : readCursor(cursor);
    const query = toQuery(filters);
    const matches = await this.#matches(query, offset > 0, await this.#catalog.snapshot(), context);
    // Read again for each page: the matches kept for further pages hold no snapshot, which may be large.
    const snapshot = await this.#catalog.snapshot();
    const { ids, weak } = matches;
    const count = Math.min(limit ?? defaultLimit, maxLimit);
    const hits = ids.slice(offset, offset + count).flatMap((id) => {
      const action = matches.newest.get(id) ?? snapshot.action(id);
      if (action === undefined) return [];
      const isSignedIn = this.#catalog.hasSignedIn(action.catalog_slug);
      return [searchHit(action, snapshot, { weak, isSignedIn })];
    });
    const fitting = withinBudget(hits, resultBudget(this.#settings, context));
    for (const hit of fitting) this.#prices.recordShown(hit.action_id, hit.credits);
    const end = offset + fitting.length;
    const hasMore = end < ids.length && fitting.length > 0;
    return {
      results: fitting,
      returned: fitting.length,
      total: ids.length,
      has_more: hasMore,
      ...noteOn(matches),
      ...(hasMore
        ? nextPage(input, end)
        : ids.length === 0
          ? { next: nothingFound(query, snapshot, this.#categories) }
          : weak && { next: weakStep }),
    };
  }

  async #matches(
    query: SearchQuery,
    further: boolean,
    snapshot: Snapshot,
    context: CallContext,
  ): Promise<Matches> {
    const key = JSON.stringify(query);
    const cached = this.#answers.get(key);
    if (further && cached !== undefined && performance.now() - cached.at < rememberedMs) return cached;
    const matches = await this.#find(query, snapshot, context);
    this.#answers.delete(key);
    this.#answers.set(key, matches);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= remembered) break;
      this.#answers.delete(oldest);
    }
    return matches;
  }

  async #find(query: SearchQuery, snapshot: Snapshot, context: CallContext): Promise<Matches> {
    const { signal } = context;
    const { q, catalog, category } = query;
    if (q !== undefined) return this.#findWords(q, query, snapshot, signal);
    if (catalog === undefined && category === undefined) return this.#findAll(query);
    const { items } = await this.#api.search(query, { signal, timeoutMs });
    this.#catalog.compare(items, snapshot);
    const newest = new Map(items.map((result) => [result.action_id, result]));
    return { ids: [...newest.keys()], newest, weak: false, local: false, at: performance.now() };
  }

  /** Without filters the snapshot already is the answer. */
  async #findAll(query: SearchQuery): Promise<Matches> {
    const { snapshot, isCurrent } = await this.#catalog.snapshotOfAge(listAgeMs);
    const matchingIds = snapshot.actions
      .filter((action) => passes(action, query, undefined))
      .map(({ action_id }) => action_id);
    return { ids: matchingIds, newest: new Map(), weak: false, local: !isCurrent, at: performance.now() };
  }

  async #findWords(
    words: string,
    query: SearchQuery,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<Matches> {
    const fetchedAt = performance.now();
    const asking = snapshot.size > largeSize ? undefined : this.#askService(query, snapshot, signal);
    // A rejection while the other promise is awaited must not be unhandled.
    asking?.catch(() => undefined);
    const ownMatches = await this.#rank(words, query, snapshot);
    const isEnough = asking === undefined && ownMatches.ids.length > 0 && !ownMatches.weak;
    const answer = isEnough ? [] : await (asking ?? this.#askService(query, snapshot, signal));
    const serviceResults = answer ?? [];
    this.#catalog.compare(serviceResults, snapshot);
    const newest = new Map(serviceResults.map((result) => [result.action_id, result]));
    const ranked = ownMatches.weak && serviceResults.length > 0 ? [] : ownMatches.ids;
    const weak = ownMatches.weak && serviceResults.length === 0;
    const matchingIds = [...new Set([...ranked, ...newest.keys()])];
    return {
      ids: weak ? matchingIds.slice(0, maxWeak) : matchingIds,
      newest,
      weak,
      local: answer === undefined,
      at: fetchedAt,
    };
  }

  /** Undefined if the service is busy and the snapshot can answer instead. */
  async #askService(query: SearchQuery, snapshot: Snapshot, signal: AbortSignal) {
    try {
      const answer = await this.#api.search(query, {
        signal,
        timeoutMs: snapshot.size === 0 ? timeoutMs : replaceableTimeoutMs,
      });
      return answer.items;
    } catch (error) {
      const isBusy = isApiError(error) && (error.kind === 'rate-limit' || error.kind === 'timeout');
      if (isBusy && snapshot.size > 0) return undefined;
      throw error;
    }
  }

  async #rank(words: string, query: SearchQuery, snapshot: Snapshot) {
    const index = await getIndex(snapshot);
    const categories = query.category === undefined ? undefined : await this.#categoriesBySlug();
    return index.search(words, (id) => {
      const action = snapshot.action(id);
      return action !== undefined && passes(action, query, categories);
    });
  }

  /** Actions do not carry the category of their catalog. */
  async #categoriesBySlug(): Promise<ReadonlyMap<string, string>> {
    const items = await this.#list.read(categoriesMs);
    this.#categories = new Map(items.map(({ slug, category }) => [slug, category]));
    return this.#categories;
  }
}

function toQuery({ q, catalog, category, auth }: Omit<SearchActionsInput, 'limit' | 'cursor'>): SearchQuery {
  return {
    ...(q?.trim() ? { q: q.trim() } : {}),
    ...(catalog === undefined ? {} : { catalog }),
    ...(category === undefined ? {} : { category }),
    ...(auth === false ? { auth: 'false' } : {}),
  };
}

/** Made when the first search needs it. A refresh that changed nothing keeps the actions as they are. */
function getIndex(snapshot: Snapshot): Promise<ActionIndex> {
  const { actions } = snapshot.data;
  const goals = JSON.stringify(snapshot.data.goals);
  const known = indexes.get(actions);
  if (known?.goals === goals) return known.index;
  const index = ActionIndex.create(snapshot);
  indexes.set(actions, { goals, index });
  return index;
}

/** The filters that the snapshot can answer. */
function passes(
  { catalog_slug: slug, auth_mode }: SearchResult,
  { catalog, category, auth }: SearchQuery,
  categories: ReadonlyMap<string, string> | undefined,
): boolean {
  if (catalog !== undefined && slug !== catalog) return false;
  if (category !== undefined && categories?.get(slug) !== category) return false;
  return auth !== 'false' || auth_mode !== 'required';
}

const weakStep: NextStep = { kind: 'find', what: 'params' };

function noteOn({ weak, local }: Matches): JsonObject {
  const notes = [
    weak ? 'No action matches all the words; these are the nearest matches, without their params.' : '',
    local ? "The service's own search is busy; these are matches of the list as last fetched." : '',
  ].filter((note) => note !== '');
  return notes.length === 0 ? {} : { note: notes.join(' ') };
}

function nextPage({ limit, ...input }: SearchActionsInput, end: number): JsonObject {
  const cursor = writeCursor(end);
  const args = { ...input, ...(limit && { limit }), cursor };
  return {
    next_cursor: cursor,
    next: { kind: 'search', args, why: 'more' } satisfies NextStep,
  };
}

/** A cursor holds the offset of the next page. */
const writeCursor = (offset: number) => Buffer.from(`offset:${offset}`).toString('base64url');

/** @throws GatewayError INVALID_PARAMS */
function readCursor(cursor: string): number {
  const offset = /^offset:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1];
  if (offset !== undefined) return Number(offset);
  throw new GatewayError(
    'INVALID_PARAMS',
    'Invalid cursor.',
    { kind: 'correct-argument', argument: 'cursor' },
    { issues: [{ path: 'cursor', message: 'is not a next_cursor of search_actions' }] },
  );
}

/** `isSignedIn`: an account of the catalog has signed in lately, which the result may not know yet. */
function searchHit(
  result: SearchResult,
  snapshot: Snapshot,
  { weak, isSignedIn }: { readonly weak: boolean; readonly isSignedIn: boolean },
) {
  const { returns } = result;
  const cost = priceText(priceOfSearchResult(result));
  return {
    tool: snapshot.toToolName(result),
    action_id: result.action_id,
    ...(weak && { match: 'weak' }),
    catalog_slug: result.catalog_slug,
    catalog_name: cleanText(result.catalog_name, 120),
    name: cleanText(result.name, 120),
    description: cleanText(result.description, 500),
    mode: result.mode,
    auth_mode: result.auth_mode,
    // Without a sign-in there is nothing to be connected to.
    ...(result.auth_mode !== 'none' && { connected: result.connected || isSignedIn }),
    credits: result.credits,
    // In words where it may be more.
    ...(cost !== creditsText(result.credits) && { cost }),
    // A weak hit is only a hint at what there is.
    ...(!weak && { params: toVisibleParams(result.params, cleanText).schema }),
    // The fields of the result, where the catalog declares them.
    ...(returns !== undefined && toVisibleMembers({ returns })),
  };
}

/** As many elements, from the first, as fit the budget in characters of JSON; always at least one. */
export function withinBudget<Item>(items: readonly Item[], budget: number): Item[] {
  let usedChars = 0;
  const fitting = items.findIndex((item, index) => {
    usedChars += JSON.stringify(item).length + 1;
    return usedChars > budget && index > 0;
  });
  return items.slice(0, fitting === -1 ? items.length : fitting);
}

const maxListed = 20;

function nothingFound(
  { catalog, category, auth }: SearchQuery,
  snapshot: Snapshot,
  categories: ReadonlyMap<string, string> | undefined,
): NextStep {
  const websites = snapshot.websites();
  return {
    kind: 'nothing-found',
    ...(catalog !== undefined && { catalog: searchedCatalog(catalog, websites) }),
    ...(category !== undefined &&
      categories !== undefined && { category: searchedCategory(category, categories) }),
    isWithoutSignIn: auth !== undefined,
    websites: toListed(websites),
  };
}

const searchedCatalog = (slug: string, websites: readonly string[]) => ({
  name: cleanText(slug, 80),
  isKnown: websites.includes(slug),
  nearest: nearestName(slug, websites),
});

function searchedCategory(category: string, bySlug: ReadonlyMap<string, string>) {
  const known = [...new Set(bySlug.values())].filter((name) => name !== '').sort();
  return {
    name: cleanText(category, 80),
    ...(!known.includes(category) && { known: toListed(known) }),
  };
}

const toListed = (names: readonly string[]): Listed => ({
  names: names.slice(0, maxListed).map((name) => cleanText(name, 80)),
  more: Math.max(0, names.length - maxListed),
});
