/** What the catalog `web` reads pages with: the builder's one port for those who build nothing. */

export type { Structure } from './candidates/candidate.ts';
export { looksLikeFeed } from './candidates/feed.ts';
export { findCandidates, looksLikeJson } from './candidates/find-candidates.ts';
export { findMicrodata } from './candidates/microdata.ts';
export { findTables } from './candidates/tables.ts';
export { dateContextOf } from './columns/dates.ts';
export type { Place } from './columns/place.ts';
export { collapse, isPresent } from './page/elements.ts';
