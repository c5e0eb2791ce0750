/** Definitions for tests, with everything that a test does not care about filled in. */
import type {
  ActionDefinition,
  CatalogDefinition,
  CatalogImport,
  CatalogSource,
} from '../../src/service/foundation/ports.ts';

export function action(definition: Partial<ActionDefinition> & { action_id: string }): ActionDefinition {
  return {
    name: definition.action_id,
    description: null,
    tags: [],
    type: 'scrape',
    mode: 'async',
    auth_mode: 'none',
    parameters: { type: 'object', properties: {} },
    credits_per_call: 1,
    wheel_version: '1',
    recipe: { name: definition.action_id },
    ...definition,
  };
}

export function catalog(
  definition: Partial<CatalogDefinition> & { slug: string; actions: readonly ActionDefinition[] },
): CatalogDefinition {
  return {
    name: definition.slug,
    url: `https://www.${definition.slug}.example/`,
    category: 'test',
    description: `The site ${definition.slug}`,
    logo_url: `https://www.${definition.slug}.example/logo.png`,
    auth_types: [],
    auth_login_url: null,
    ...definition,
  };
}

/** The file that the test's catalogs are imported from. */
export const importOf = (catalog: CatalogDefinition): CatalogImport => ({
  source: `file:test/${catalog.slug}.json`,
  catalog,
});

/** Catalogs that the test changes with `set`. */
export function sourceOf(
  ...initial: CatalogDefinition[]
): CatalogSource & { set(...catalogs: CatalogDefinition[]): void } {
  let catalogs = initial;
  const listeners = new Set<() => void>();
  return {
    origins: ['file:test/'],
    current: () => catalogs.map(importOf),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    refuse: async () => undefined,
    problems: () => [],
    close: () => Promise.resolve(),
    set(...next) {
      catalogs = next;
      for (const listener of listeners) listener();
    },
  };
}
