/** Names for the completion of arguments: from the snapshot if it has them, otherwise read and kept for a while. */
import type { Api } from '../../contract/api.ts';
import type { Accounts } from '../accounts/choose-account.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Logger } from '../foundation/logger.ts';
import { cleanText } from '../foundation/text.ts';
import type { NameKind } from '../interface/gateway.ts';
import { toJobId } from '../paid/call.ts';
import type { GatewayStore } from '../paid/store.ts';

const timeoutMs = 5_000;
/** Completion is asked for at every letter that a person types. */
const keptMs = 10_000;
const keptKinds = 100;
const recentJobs = 100;
const maxLength = 200;

interface Dependencies {
  readonly api: Api;
  readonly catalog: Catalog;
  readonly accounts: Accounts;
  readonly store: GatewayStore;
  readonly logger: Logger;
}

export class Names {
  readonly #dependencies: Dependencies;
  readonly #cache = new Map<string, { readonly names: Promise<readonly string[]>; readonly until: number }>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Without repetitions. Empty if the names cannot be read: a missing completion harms nobody. */
  async complete(kind: NameKind, catalogSlug: string | undefined): Promise<readonly string[]> {
    const key = `${kind} ${catalogSlug ?? ''}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && performance.now() < cached.until) return cached.names;
    const names = this.#read(kind, catalogSlug)
      .then(usable)
      .catch((error: unknown) => {
        this.#dependencies.logger.debug({ err: error, kind }, 'Names could not be completed');
        return [];
      });
    if (this.#cache.size >= keptKinds) this.#cache.clear();
    this.#cache.set(key, { names, until: performance.now() + keptMs });
    return names;
  }

  async #read(kind: NameKind, catalogSlug: string | undefined): Promise<readonly string[]> {
    const { api, catalog, accounts, store } = this.#dependencies;
    const signal = AbortSignal.timeout(timeoutMs);
    const inCatalog = (slug: string) => catalogSlug === undefined || slug === catalogSlug;
    switch (kind) {
      case 'catalog':
        return (await catalog.snapshot()).websites();
      case 'action': {
        const { actions } = await catalog.snapshot();
        return actions
          .filter(({ catalog_slug }) => inCatalog(catalog_slug))
          .map(({ action_id }) => action_id);
      }
      case 'category':
        return (await api.listCatalogs({}, { signal, timeoutMs })).items.map(({ category }) => category);
      case 'identity': {
        const identities =
          catalogSlug === undefined
            ? (await api.listIdentities({}, { signal, timeoutMs })).items
            : await accounts.listIdentities(catalogSlug, signal);
        return identities.map(({ name }) => name);
      }
      case 'job': {
        const { queries } = await store.open();
        const rows = (await queries.newest(recentJobs)).filter(({ kind }) => kind === 'run');
        return rows.map(toJobId);
      }
    }
  }
}

/** Leaves out names that would have to be cleaned first, because a name is used as it stands. */
const usable = (names: readonly string[]): readonly string[] =>
  [...new Set(names)].filter((name) => name !== '' && name === cleanText(name, maxLength));
