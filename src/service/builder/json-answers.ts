/** What an interface answers with. */
import type { Candidate } from './candidate.ts';
import { isRow } from './json-columns.ts';
import { listCandidate, listsIn, recordCandidate } from './json-lists.ts';

export function answerCandidates(value: unknown): Candidate[] {
  const lists = listsIn(value, '').map((found) => listCandidate('page state', found, {}));
  const record = isRow(value)
    ? recordCandidate('page state', { path: '', row: value, about: [] }, {})
    : undefined;
  return [...lists, record].filter((candidate) => candidate !== undefined);
}
