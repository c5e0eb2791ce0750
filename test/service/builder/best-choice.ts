/** What the best choice among the first candidates of a page would give: how far the builder finds the structure. */

import type { BuildChoice } from '../../../src/contract/endpoints.ts';
import type { Candidate } from '../../../src/service/builder/candidates/candidate.ts';
import { findCandidates } from '../../../src/service/builder/candidates/find-candidates.ts';
import { createDateContext } from '../../../src/service/builder/columns/dates.ts';
import { Document, type PageContent } from '../../../src/service/page/document.ts';
import { extract } from '../../../src/service/recipes/parse.ts';
import type { PageSet } from './page-sets.ts';
import { bestColumns, type Row, type Score, scoreRows } from './scoring.ts';

const shown = 3;

export const documentOf = (set: PageSet): Document => {
  const page: PageContent = {
    url: `https://${set.site ?? 'site.example'}${set.address}`,
    status: 200,
    contentType: set.type,
    link: '',
    body: set.body,
  };
  return new Document(page);
};

export const candidatesOf = (document: Document): Promise<Candidate[]> =>
  findCandidates(document, createDateContext(document));

async function rowsOf(document: Document, candidate: Candidate): Promise<readonly Row[]> {
  const fields = candidate.columns.map(({ id, source, rules }) => ({ name: id, source, rules }));
  const extracted = await extract(document, candidate.toExtract(fields));
  return extracted.kind === 'rows' ? extracted.rows : [extracted.record];
}

/** The score of the columns that fit the truth best. */
async function scoreOf(document: Document, candidate: Candidate, set: PageSet): Promise<Score> {
  const rows = await rowsOf(document, candidate);
  const columns = bestColumns(rows, set.truth, set.fields);
  const named = rows.map((row) =>
    Object.fromEntries([...columns].map(([name, column]) => [name, row[column]])),
  );
  return scoreRows(named, set.truth, set.fields);
}

/** The columns that fit the truth best, as a choice; undefined where none does. */
export async function bestChoice(set: PageSet): Promise<BuildChoice | undefined> {
  const document = documentOf(set);
  let best: { readonly choose: BuildChoice; readonly f1: number } | undefined;
  for (const candidate of await candidatesOf(document)) {
    const columns = bestColumns(await rowsOf(document, candidate), set.truth, set.fields);
    const { f1 } = await scoreOf(document, candidate, set);
    if (f1 > (best?.f1 ?? 0))
      best = { choose: { candidate: candidate.id, fields: Object.fromEntries(columns) }, f1 };
  }
  return best?.choose;
}

export interface Reach {
  /** The F1 that the best columns of the best of the first three candidates reach. */
  readonly best: number;
  /** The share of the true values that the page's structured data have; undefined where it has none. */
  readonly structured: number | undefined;
}

export async function reachOf(set: PageSet): Promise<Reach> {
  const document = documentOf(set);
  let reach: Reach = { best: 0, structured: undefined };
  for (const [index, candidate] of (await candidatesOf(document)).entries()) {
    const isStructured = candidate.kind === 'structured data';
    if (index >= shown && !isStructured) continue;
    const { f1, recall } = await scoreOf(document, candidate, set);
    reach = {
      best: index < shown ? Math.max(reach.best, f1) : reach.best,
      structured: isStructured ? Math.max(reach.structured ?? 0, recall) : reach.structured,
    };
  }
  return reach;
}
