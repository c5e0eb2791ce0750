/** The catalogs of the practice sites. Their addresses have a placeholder for the origin: each data folder has another port. */

import { readShipped, type ShippedCatalogs } from '../service/catalog/source.ts';
import bookshop from './catalogs/bookshop.json' with { type: 'json' };
import gallery from './catalogs/gallery.json' with { type: 'json' };
import members from './catalogs/members.json' with { type: 'json' };
import quotes from './catalogs/quotes.json' with { type: 'json' };
import stations from './catalogs/stations.json' with { type: 'json' };

/** Of all practice catalogs, also those that this machine cannot show. */
export const practiceSlugs = (): readonly string[] =>
  [bookshop, stations, quotes, members, gallery].map(({ slug }) => slug);

/** `withBrowser`: also the gallery, whose pages only a browser can read. */
export const practiceCatalogs = ({ withBrowser = false } = {}): ShippedCatalogs[] => [
  { origin: 'practice:', catalogs: readShipped([bookshop, stations, quotes, members]) },
  ...(withBrowser ? [{ origin: 'practice-browser:', catalogs: readShipped([gallery]) }] : []),
];
