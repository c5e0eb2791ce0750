/** The catalogs of public sites that come with the program. */
import type { CatalogDefinition } from '../foundation/ports.ts';
import { CatalogFile, toDefinition } from './definition.ts';
import arxiv from './public/arxiv.json' with { type: 'json' };
import github from './public/github.json' with { type: 'json' };
import hackernews from './public/hackernews.json' with { type: 'json' };
import openlibrary from './public/openlibrary.json' with { type: 'json' };
import wikipedia from './public/wikipedia.json' with { type: 'json' };

/** Throws where one is no catalog. */
export const readShipped = (files: readonly unknown[]): CatalogDefinition[] =>
  files.map((file) => toDefinition(CatalogFile.parse(file)));

/** Sites whose robots.txt leaves the addresses used here open to programs; not every documented interface does. */
export const publicCatalogs = (): CatalogDefinition[] =>
  readShipped([wikipedia, hackernews, arxiv, github, openlibrary]);
