/**
 * `search_actions`: the service's own search, and ours over the snapshot, which also knows word forms, params and
 * goals. What both find comes first; where nothing matches all the words, the nearest actions are shown as weak.
 */
import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { SearchQuery } from '../../contract/endpoints.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { CallContext, SearchActionsInput } from '../gateway.ts';
import type { JsonObject } from '../outcomes.ts';
import type { SeenPrices } from '../runs/prices.ts';
import { type GatewaySettings, resultBudget } from '../settings.ts';
import type { ActionIndex } from './action-index.ts';
import { nothingFound } from './nothing-found.ts';
import { readCursor, writeCursor } from './search-cursor.ts';
import { searchHit } from './search-hit.ts';
import { withinBudget } from './within-budget.ts';

const defaultLimit = 10;
const maxLimit = 50;
const timeoutMs = 30_000;
/** For a search that ours can stand in for. */
const replaceableTimeoutMs = 5_000;
/** Turning a page asks the same again: the search is limited to 30 a minute. */
const rememberedMs = 60_000;
const remembered = 8;
const categoriesMs = 60_000;

interface Matches {
  readonly results: readonly SearchResult[];
  readonly weak: boolean;
  /** Only the snapshot was searched, because the service did not answer. */
  readonly local: boolean;
  readonly at: number;
}

export class ActionSearch {
  readonly #api: Api;
  readonly #catalog: Catalog;
  readonly #prices: SeenPrices;
  readonly #settings: GatewaySettings;
  readonly #answers = new Map<string, Matches>();
  #index: { readonly snapshot: Snapshot; readonly index: Promise<ActionIndex> } | undefined;
  #categories: { readonly at: number; readonly bySlug: ReadonlyMap<string, string> } | undefined;

  constructor(api: Api, catalog: Catalog, prices: SeenPrices, settings: GatewaySettings) {
    this.#api = api;
    this.#catalog = catalog;
    this.#prices = prices;
    this.#settings = settings;
  }

  /** Rejects with an `ApiError` or a `GatewayError`. */
  async search(input: SearchActionsInput, context: CallContext): Promise<JsonObject> {
    const { limit, cursor, ...filters } = input;
    const offset = cursor === undefined ? 0 : readCursor(cursor);
    const query = queryOf(filters);
    const snapshot = await this.#catalog.snapshot();
    const matches = await this.#matches(query, offset > 0, snapshot, context);
    const { results, weak } = matches;
    const count = Math.min(limit ?? defaultLimit, maxLimit);
    const hits = results.slice(offset, offset + count).map((result) => searchHit(result, snapshot, { weak }));
    const fitting = withinBudget(hits, resultBudget(this.#settings, context));
    for (const hit of fitting) this.#prices.shown(hit.action_id, hit.credits);
    const end = offset + fitting.length;
    const hasMore = end < results.length && fitting.length > 0;
    return {
      results: fitting,
      returned: fitting.length,
      total: results.length,
      has_more: hasMore,
      ...noteOn(matches),
      ...(hasMore ? nextPage(input, end) : {}),
      ...(results.length === 0 ? { next: nothingFound(query, snapshot, this.#categories?.bySlug) } : {}),
    };
  }

  async #matches(
    query: SearchQuery,
    further: boolean,
    snapshot: Snapshot,
    context: CallContext,
  ): Promise<Matches> {
    const key = JSON.stringify(query);
    const known = this.#answers.get(key);
    if (further && known !== undefined && Date.now() - known.at < rememberedMs) return known;
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
    const at = Date.now();
    const { signal } = context;
    if (query.q === undefined) {
      const { items } = await this.#api.search(query, { signal, timeoutMs });
      this.#catalog.compare(items, snapshot);
      return { results: items, weak: false, local: false, at };
    }
    const [answer, ours] = await Promise.all([
      this.#askService(query, snapshot, signal),
      this.#rank(query.q, query, snapshot, signal),
    ]);
    const theirs = answer ?? [];
    this.#catalog.compare(theirs, snapshot);
    const newest = new Map(theirs.map((result) => [result.action_id, result]));
    const ranked = ours.weak && theirs.length > 0 ? [] : ours.actions;
    const order = new Set([...ranked.map(({ action_id }) => action_id), ...newest.keys()]);
    const byId = new Map([...ranked.map((action) => [action.action_id, action] as const), ...newest]);
    return {
      results: [...order].flatMap((id) => byId.get(id) ?? []),
      weak: ours.weak && theirs.length === 0,
      local: answer === undefined,
      at,
    };
  }

  /** Undefined where it has no time for us and the snapshot can answer instead. */
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

  async #rank(words: string, query: SearchQuery, snapshot: Snapshot, signal: AbortSignal) {
    const index = await this.#indexOf(snapshot);
    const categories = query.category === undefined ? undefined : await this.#categoriesBySlug(signal);
    return index.search(words, (action) => passes(action, query, categories));
  }

  /** Made when the first search needs it, once for each snapshot. */
  #indexOf(snapshot: Snapshot): Promise<ActionIndex> {
    if (this.#index?.snapshot !== snapshot) {
      const index = import('./action-index.ts').then(({ ActionIndex }) => ActionIndex.create(snapshot));
      this.#index = { snapshot, index };
    }
    return this.#index.index;
  }

  /** Actions do not carry the category of their catalog. */
  async #categoriesBySlug(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    if (this.#categories === undefined || Date.now() - this.#categories.at > categoriesMs) {
      const { items } = await this.#api.listCatalogs({}, { signal, timeoutMs });
      const bySlug = new Map(items.map(({ slug, category }) => [slug, category]));
      this.#categories = { at: Date.now(), bySlug };
    }
    return this.#categories.bySlug;
  }
}

function queryOf({ q, catalog, category, auth }: Omit<SearchActionsInput, 'limit' | 'cursor'>): SearchQuery {
  return {
    ...(q?.trim() ? { q: q.trim() } : {}),
    ...(catalog === undefined ? {} : { catalog }),
    ...(category === undefined ? {} : { category }),
    ...(auth === false ? { auth: 'false' } : {}),
  };
}

function passes(
  action: SearchResult,
  { catalog, category, auth }: SearchQuery,
  categories: ReadonlyMap<string, string> | undefined,
): boolean {
  if (catalog !== undefined && action.catalog_slug !== catalog) return false;
  if (category !== undefined && categories?.get(action.catalog_slug) !== category) return false;
  return auth !== 'false' || action.auth_mode !== 'required';
}

function noteOn({ weak, local }: Matches): JsonObject {
  const notes = [
    weak ? 'No action matches all the words; these are the nearest matches.' : '',
    local ? "The service's own search is busy; these are matches of the list as last fetched." : '',
  ].filter((note) => note !== '');
  return notes.length === 0 ? {} : { note: notes.join(' ') };
}

function nextPage({ limit, auth, ...input }: SearchActionsInput, end: number): JsonObject {
  const cursor = writeCursor(end);
  const args = { ...input, ...(auth === false && { auth: 'false' }), ...(limit && { limit }), cursor };
  return {
    next_cursor: cursor,
    next: `Call search_actions ${JSON.stringify(args)} for the next ones; free.`,
  };
}
