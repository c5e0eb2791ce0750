/** `search_actions`: the service's own search; where several words find nothing, the nearest of the known actions. */
import type { Api } from '../../contract/api.ts';
import type { SearchQuery } from '../../contract/endpoints.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { GatewayError } from '../errors.ts';
import type { CallContext, SearchActionsInput } from '../gateway.ts';
import type { JsonObject } from '../outcomes.ts';
import type { SeenPrices } from '../runs/prices.ts';
import { type GatewaySettings, resultBudget } from '../settings.ts';
import { cleanText } from '../text.ts';
import { shownParams } from '../tools/action-tool.ts';
import { toolNameFor } from './tool-name-for.ts';
import { withinBudget } from './within-budget.ts';

const defaultLimit = 10;
const maxLimit = 50;
const timeoutMs = 30_000;
/** Turning a page asks the same again: the search is limited to 30 a minute. */
const rememberedMs = 60_000;
const remembered = 8;
const nearestCount = 20;

interface Found {
  readonly results: readonly SearchResult[];
  readonly nearest: boolean;
  readonly at: number;
}

export class ActionSearch {
  readonly #api: Api;
  readonly #catalog: Catalog;
  readonly #prices: SeenPrices;
  readonly #settings: GatewaySettings;
  readonly #answers = new Map<string, Found>();

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
    const query: SearchQuery = {
      ...(filters.q?.trim() ? { q: filters.q.trim() } : {}),
      ...(filters.catalog === undefined ? {} : { catalog: filters.catalog }),
      ...(filters.category === undefined ? {} : { category: filters.category }),
      ...(filters.auth === false ? { auth: 'false' } : {}),
    };
    const snapshot = await this.#catalog.snapshot();
    const found = await this.#found(query, offset > 0, snapshot, context);
    const count = Math.min(limit ?? defaultLimit, maxLimit);
    const hits = found.results.slice(offset, offset + count).map((result) => this.#hit(result, snapshot));
    const fitting = withinBudget(hits, resultBudget(this.#settings, context));
    for (const hit of fitting) this.#prices.shown(hit.action_id, hit.credits);
    // Budgets go by the snapshot: one that shows another price is out of date.
    const differs = ({ action_id, credits }: SearchResult) =>
      (snapshot.action(action_id)?.credits ?? credits) !== credits;
    if (found.results.some(differs)) void this.#catalog.refresh();
    const end = offset + fitting.length;
    return {
      results: fitting,
      total: found.results.length,
      ...(end < found.results.length && fitting.length > 0 ? { next_cursor: writeCursor(end) } : {}),
      ...(found.nearest ? { note: 'No action matches all the words; these are the nearest matches.' } : {}),
      ...(found.results.length === 0 ? { next: nothingFound(query) } : {}),
    };
  }

  async #found(
    query: SearchQuery,
    further: boolean,
    snapshot: Snapshot,
    context: CallContext,
  ): Promise<Found> {
    const key = JSON.stringify(query);
    const known = this.#answers.get(key);
    if (further && known !== undefined && Date.now() - known.at < rememberedMs) return known;
    const answer = await this.#api.search(query, { signal: context.signal, timeoutMs });
    const exact = answer.items;
    const words = query.q?.split(/\s+/) ?? [];
    const nearest =
      exact.length === 0 && words.length > 1 ? await this.#nearest(query, snapshot, context) : [];
    const found = {
      results: exact.length > 0 ? exact : nearest,
      nearest: nearest.length > 0,
      at: Date.now(),
    };
    this.#answers.delete(key);
    this.#answers.set(key, found);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= remembered) break;
      this.#answers.delete(oldest);
    }
    return found;
  }

  async #nearest(query: SearchQuery, snapshot: Snapshot, context: CallContext): Promise<SearchResult[]> {
    const { q = '', category } = query;
    // Only the service knows an action's category.
    const candidates =
      category === undefined
        ? [...snapshot.actions()]
        : (await this.#api.search({ ...query, q: undefined }, { signal: context.signal, timeoutMs })).items;
    const { rankActions } = await import('./rank.ts');
    return rankActions(
      candidates.filter((action) => passes(action, query)),
      q,
      nearestCount,
    );
  }

  #hit(result: SearchResult, snapshot: Snapshot) {
    return {
      tool: toolNameFor(result, snapshot),
      action_id: result.action_id,
      catalog_slug: result.catalog_slug,
      name: cleanText(result.name, 120),
      description: cleanText(result.description, 500),
      mode: result.mode,
      auth_mode: result.auth_mode,
      connected: result.connected,
      credits: result.credits,
      params: shownParams(result.params).schema,
    };
  }
}

/** The filters that an action itself can answer. */
const passes = (action: SearchResult, { catalog, auth }: SearchQuery) =>
  (catalog === undefined || action.catalog_slug === catalog) &&
  (auth !== 'false' || action.auth_mode !== 'required');

function nothingFound(query: SearchQuery): string {
  const filtered = query.catalog !== undefined || query.category !== undefined || query.auth !== undefined;
  return filtered
    ? 'Nothing matches: search again without the filters, or call request_build {website_url, goal} for a new action.'
    : 'Nothing matches: call request_build {website_url, goal} to have an action built for the website.';
}

const writeCursor = (offset: number) => Buffer.from(`offset:${offset}`).toString('base64url');

function readCursor(cursor: string): number {
  const offset = /^offset:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1];
  if (offset !== undefined) return Number(offset);
  throw new GatewayError(
    'INVALID_PARAMS',
    'The cursor is not one of ours.',
    'Call search_actions again without cursor.',
    { issues: [{ path: 'cursor', message: 'unknown cursor' }] },
  );
}
