/** The practice sites with their catalogs: invented content to try everything on without the internet. */
export { practiceCatalogs, practiceSlugs } from './catalogs.ts';
export { startPracticeSites } from './sites/practice-sites.ts';
