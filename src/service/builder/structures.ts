/** What the catalog `web` uses to read pages: the only part of the builder that it may import. */

export type { Structure } from './candidates/candidate.ts';
export { looksLikeFeed } from './candidates/feed.ts';
export { findCandidates } from './candidates/find-candidates.ts';
export { findTables } from './candidates/tables.ts';
export { createDateContext } from './columns/dates.ts';
export type { Place } from './columns/place.ts';
export { isPresent } from './page/elements.ts';
