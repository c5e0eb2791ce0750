/** The practice catalogs with the addresses of sites that a test serves. */
import { practiceCatalogs } from '../../src/practice/catalogs.ts';
import { practiceSource, resolvePractice } from '../../src/service/catalog/publication.ts';
import type { CatalogDefinition } from '../../src/service/foundation/ports.ts';

export function practiceAt(origin: string): CatalogDefinition[] {
  const definition = JSON.stringify(practiceCatalogs().flatMap(({ catalogs }) => catalogs));
  return JSON.parse(resolvePractice({ source: practiceSource, definition }, origin));
}
