/** What is published: one query over the current rows, kept until the version that every publication counts up changes. */
import type { Logger } from 'pino';
import type { ActionDefinition, ActionRunner, CatalogSource } from '../foundation/ports.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import { readCatalogHead } from './catalogs-of-builds.ts';
import { builtSource, parseAction, parseCatalog } from './definition-rows.ts';
import { importCatalogs } from './import-catalogs.ts';
import { type ListedAction, type ListedCatalog, Listing } from './listing.ts';

/** Milliseconds between two looks at the version, and at the files that are not imported yet. */
const pollMs = 500;

interface PublicationOptions {
  readonly database: ServiceDatabase;
  readonly source: CatalogSource;
  /** Where this process serves the practice sites. */
  readonly practiceUrl: string | undefined;
  /** Why a stored recipe cannot be run. */
  readonly findProblem?: ActionRunner['findProblem'];
  readonly logger: Logger;
}

interface ParsedAction {
  readonly text: string;
  readonly definition: ActionDefinition;
  readonly problem: string | undefined;
}

export class Publication {
  readonly #options: PublicationOptions;
  readonly #listeners = new Set<() => void>();
  /** Whether the source has been imported since it changed. */
  #isImported = false;
  /** Whether a part of the source waits until another source gives up a slug or an id. */
  #hasClashes = false;
  #last: { readonly version: number; readonly listing: Listing } | undefined;
  #reading: Promise<void> | undefined;
  /** Kept, so that only changed definitions are parsed again. */
  #parsed: ReadonlyMap<string, ParsedAction> = new Map();

  constructor(options: PublicationOptions) {
    this.#options = options;
  }

  /**
   * Calls the listener within a second after anything published changed: a catalog file, or what this or another
   * process on the same database published. Returns how to stop that.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Follows the source and the database from now on; returns how to stop that. */
  async watch(): Promise<() => void> {
    const { source, logger } = this.#options;
    const stopSource = source.onChange(() => {
      this.#isImported = false;
    });
    let announcedVersion = await this.#version();
    let isAsking = false;
    const timer = setInterval(async () => {
      // While one poll waits for a slow database, no other is sent.
      if (isAsking) return;
      isAsking = true;
      try {
        let version = await this.#version();
        if (!this.#isImported || (this.#hasClashes && version !== announcedVersion)) {
          await this.current();
          version = await this.#version();
        }
        if (version !== announcedVersion) for (const listener of this.#listeners) listener();
        announcedVersion = version;
      } catch (error) {
        logger.warn({ err: error }, 'What is published cannot be read; trying again');
      } finally {
        isAsking = false;
      }
    }, pollMs);
    timer.unref();
    return () => {
      stopSource();
      clearInterval(timer);
    };
  }

  async #version(): Promise<number> {
    const { database } = this.#options;
    const { version } = await database.query
      .selectFrom('publications')
      .select('version')
      .executeTakeFirstOrThrow();
    // The version went back: the database was restored from a backup, so both the cached listing and the import are
    // outdated.
    if (this.#last !== undefined && version < this.#last.version) {
      this.#last = undefined;
      this.#isImported = false;
    }
    return version;
  }

  /** Everything published now; read anew only when something changed, here or in another process. */
  async current(): Promise<Listing> {
    const version = await this.#version();
    for (;;) {
      if (this.#isImported && this.#last !== undefined && this.#last.version >= version)
        return this.#last.listing;
      // A read that began before the change is awaited, then another one starts.
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
  }

  async #read(): Promise<void> {
    if (!this.#isImported || this.#hasClashes) await this.#import();
    const version = await this.#version();
    this.#last = { version, listing: new Listing(await this.#readCatalogs()) };
  }

  async #import(): Promise<void> {
    const { database, source } = this.#options;
    // A change during the import is imported by the next one.
    this.#isImported = true;
    try {
      const clashes = await importCatalogs(database, source);
      this.#hasClashes = clashes.length > 0;
      await source.refuse(clashes);
    } catch (error) {
      this.#isImported = false;
      throw error;
    }
  }

  #parse(text: string, source: string): ParsedAction {
    const definition = parseAction(text);
    // Imports were checked by the program that imported them.
    const problem = source === builtSource ? this.#options.findProblem?.(definition.recipe) : undefined;
    return { text, definition, problem };
  }

  async #readCatalogs(): Promise<ListedCatalog[]> {
    const { database, source, practiceUrl } = this.#options;
    const rows = await database.query
      .selectFrom('actions as action')
      .innerJoin('catalogs as catalog', 'catalog.id', 'action.catalog_id')
      .select(['action.action_id', 'action.id', 'action.owner', 'action.status', 'action.source'])
      .select(['action.definition', 'action.created_at', 'action.updated_at', 'catalog.id as catalog_id'])
      .select(['catalog.definition as head', 'catalog.source as catalog_source', 'catalog.slug'])
      .select(['catalog.created_at as catalog_created_at', 'catalog.updated_at as catalog_updated_at'])
      .select(['catalog.retired_at as catalog_retired_at', 'catalog.domain'])
      .where('action.retired_at', 'is', null)
      .orderBy('catalog.slug')
      .orderBy('action.action_id')
      .execute();
    const ownSources = new Set(source.current().map((imported) => imported.source));
    const isShown = (name: string) =>
      name === builtSource || name.startsWith('file:') || ownSources.has(name);
    const parsed = new Map<string, ParsedAction>();
    const catalogs = new Map<string, ListedCatalog & { readonly actions: ListedAction[] }>();
    for (const row of rows.filter((one) => isShown(one.source))) {
      const text = resolvePractice(row, practiceUrl);
      const known = this.#parsed.get(row.action_id);
      const action = known?.text === text ? known : this.#parse(text, row.source);
      parsed.set(row.action_id, action);
      const head = { source: row.catalog_source, definition: row.head };
      const catalog = catalogs.get(row.catalog_id) ?? {
        id: row.catalog_id,
        definition:
          row.catalog_retired_at === null
            ? parseCatalog(resolvePractice(head, practiceUrl))
            : readCatalogHead({ domain: row.domain, websiteUrl: `https://${row.domain}/` }, row.slug),
        createdAt: row.catalog_created_at,
        updatedAt: row.catalog_updated_at,
        actions: [],
      };
      catalogs.set(row.catalog_id, catalog);
      const { id, catalog_id: catalogId, owner: ownerUserId, status, source } = row;
      const times = { createdAt: row.created_at, updatedAt: row.updated_at };
      const { definition, problem } = action;
      catalog.actions.push({ id, catalogId, definition, problem, status, source, ownerUserId, ...times });
    }
    this.#parsed = parsed;
    return [...catalogs.values()];
  }
}

const placeholder = 'http://practice.invalid';

/** The prefix of their catalogs' sources. */
export const practiceSource = 'practice';

/** A stored definition with the addresses of this process. `practiceUrl` is undefined where it serves no practice sites. */
export const resolvePractice = (
  { source, definition }: { readonly source: string; readonly definition: string },
  practiceUrl: string | undefined,
): string =>
  source.startsWith(practiceSource) && practiceUrl !== undefined
    ? definition.replaceAll(placeholder, practiceUrl)
    : definition;
