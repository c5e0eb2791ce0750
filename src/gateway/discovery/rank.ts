/** Ranks actions by words, forgiving spelling and word forms, where the service's exact search finds nothing. */
import MiniSearch from 'minisearch';
import type { SearchResult } from '../../contract/resources.ts';

export function rankActions(actions: readonly SearchResult[], words: string, count: number): SearchResult[] {
  const index = new MiniSearch<{ id: number; name: string; description: string; catalog: string }>({
    fields: ['name', 'catalog', 'description'],
    searchOptions: { boost: { name: 3, catalog: 2 }, prefix: true, fuzzy: 0.2 },
  });
  index.addAll(
    actions.map((action, id) => ({
      id,
      name: `${action.name} ${action.action_id.replace(/[^\p{L}\p{N}]+/gu, ' ')}`,
      description: action.description,
      catalog: `${action.catalog_name} ${action.catalog_slug}`,
    })),
  );
  return index
    .search(words)
    .slice(0, count)
    .flatMap((hit) => actions[hit.id] ?? []);
}
