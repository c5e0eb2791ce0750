/** What to do after a search without a hit: what exists, and what a build costs. */
import type { SearchQuery } from '../../contract/endpoints.ts';
import { nearestName } from '../foundation/nearest.ts';
import { buildCostText, cleanText } from '../foundation/text.ts';
import type { Snapshot } from './snapshot.ts';

const maxListed = 20;

export function nothingFound(
  query: SearchQuery,
  snapshot: Snapshot,
  categories: ReadonlyMap<string, string> | undefined,
): string {
  const websites = snapshot.websites();
  return [
    'Nothing matches.',
    unknownCatalog(query.catalog, websites),
    unknownCategory(query.category, categories),
    query.auth === undefined ? '' : 'Search again without auth to see actions that need a sign-in.',
    listWebsites(websites),
    `If none of them can do it, ask the user first, then call request_build {website_url, goal}: it costs ${buildCostText}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function unknownCatalog(slug: string | undefined, websites: readonly string[]): string {
  if (slug === undefined) return '';
  if (websites.includes(slug)) return 'Search again without catalog to see the other websites.';
  const nearest = nearestName(slug, websites);
  const unknown = `There is no catalog ${JSON.stringify(cleanText(slug, 80))}`;
  return nearest === undefined ? `${unknown}.` : `${unknown}; did you mean ${JSON.stringify(nearest)}?`;
}

function unknownCategory(
  category: string | undefined,
  bySlug: ReadonlyMap<string, string> | undefined,
): string {
  if (category === undefined || bySlug === undefined) return '';
  const categories = [...new Set(bySlug.values())].filter((name) => name !== '').sort();
  if (categories.includes(category)) return 'Search again without category to see the others.';
  return `There is no category ${JSON.stringify(cleanText(category, 80))}; there are ${toList(categories)}.`;
}

function listWebsites(websites: readonly string[]): string {
  return websites.length === 0
    ? ''
    : `Websites with actions: ${toList(websites)} (browse_catalogs shows them).`;
}

function toList(names: readonly string[]): string {
  const listedNames = names.slice(0, maxListed).map((name) => cleanText(name, 80));
  return `${listedNames.join(', ')}${listedNames.length < names.length ? ` and ${names.length - listedNames.length} more` : ''}`;
}
