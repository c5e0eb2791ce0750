/** The catalogs of the practice sites. */
import { CatalogFile, toDefinition } from '../service/catalogs/definition.ts';
import type { CatalogDefinition } from '../service/foundation/ports.ts';
import bookshop from './catalogs/bookshop.json' with { type: 'json' };
import gallery from './catalogs/gallery.json' with { type: 'json' };
import members from './catalogs/members.json' with { type: 'json' };
import quotes from './catalogs/quotes.json' with { type: 'json' };
import stations from './catalogs/stations.json' with { type: 'json' };

/** Stands in the practice catalogs for the origin, whose port is another at every start. */
const placeholderOrigin = 'http://practice.invalid';

/** `withBrowser`: also the gallery, whose pages only a browser can read. */
export function practiceCatalogs(origin: string, { withBrowser = false } = {}): CatalogDefinition[] {
  const atOrigin = (file: CatalogFile): CatalogFile =>
    CatalogFile.parse(JSON.parse(JSON.stringify(file).replaceAll(placeholderOrigin, origin)));
  const files: unknown[] = [bookshop, stations, quotes, members, ...(withBrowser ? [gallery] : [])];
  return files.map((file) => toDefinition(CatalogFile.parse(file), atOrigin));
}
