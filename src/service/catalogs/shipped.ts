/** The catalogs that come with the program: public sites, and the practice sites where those are served. */
import type { CatalogDefinition } from '../ports.ts';
import { CatalogFile, definitionOf } from './definition.ts';
import bookshop from './practice/bookshop.json' with { type: 'json' };
import members from './practice/members.json' with { type: 'json' };
import quotes from './practice/quotes.json' with { type: 'json' };
import stations from './practice/stations.json' with { type: 'json' };
import arxiv from './public/arxiv.json' with { type: 'json' };
import github from './public/github.json' with { type: 'json' };
import hackernews from './public/hackernews.json' with { type: 'json' };
import openlibrary from './public/openlibrary.json' with { type: 'json' };
import wikipedia from './public/wikipedia.json' with { type: 'json' };

/** Stands in the practice catalogs for the origin, whose port is another at every start. */
const placeholderOrigin = 'http://practice.invalid';

export function practiceCatalogs(origin: string): CatalogDefinition[] {
  const atOrigin = (file: CatalogFile): CatalogFile =>
    JSON.parse(JSON.stringify(file).replaceAll(placeholderOrigin, origin));
  return [bookshop, stations, quotes, members].map((file) => definitionOf(CatalogFile.parse(file), atOrigin));
}

/** Sites whose robots.txt leaves the addresses used here open to programs; not every documented interface does. */
export function publicCatalogs(): CatalogDefinition[] {
  return [wikipedia, hackernews, arxiv, github, openlibrary].map((file) =>
    definitionOf(CatalogFile.parse(file)),
  );
}
