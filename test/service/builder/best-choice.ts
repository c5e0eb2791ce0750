/** What the best choice among the first candidates of a page would give: how far the builder finds the structure. */
import type { Candidate } from '../../../src/service/builder/candidates/candidate.ts';
import { findCandidates } from '../../../src/service/builder/candidates/find-candidates.ts';
import { dateContextOf } from '../../../src/service/builder/columns/dates.ts';
import { Document, type Page } from '../../../src/service/recipes/document.ts';
import { extract } from '../../../src/service/recipes/parse.ts';
import type { PageSet } from './page-sets.ts';
import { bestColumns, type Row, scoreRows } from './scoring.ts';

const shown = 3;

export const documentOf = (set: PageSet): Document => {
  const page: Page = {
    url: `https://${set.site ?? 'site.example'}${set.address}`,
    status: 200,
    contentType: set.type,
    link: '',
    body: set.body,
  };
  return new Document(page);
};

export async function candidatesOf(document: Document): Promise<Candidate[]> {
  const isPage = /html/.test(document.page.contentType);
  return findCandidates(
    document,
    dateContextOf(document, isPage ? (document.html('html').attr('lang') ?? '') : ''),
  );
}

async function rowsOf(document: Document, candidate: Candidate): Promise<readonly Row[]> {
  const fields = candidate.columns.map(({ id, source, rules }) => ({ name: id, source, rules }));
  const extracted = await extract(document, candidate.toExtract(fields));
  return extracted.kind === 'rows' ? extracted.rows : [extracted.record];
}

/** The F1 that the best columns of the best of the first three candidates reach. */
export async function bestChoice(set: PageSet): Promise<number> {
  const document = documentOf(set);
  let best = 0;
  for (const candidate of (await candidatesOf(document)).slice(0, shown)) {
    const rows = await rowsOf(document, candidate);
    const columns = bestColumns(rows, set.truth, set.fields);
    const named = rows.map((row) =>
      Object.fromEntries([...columns].map(([name, column]) => [name, row[column]])),
    );
    best = Math.max(best, scoreRows(named, set.truth, set.fields).f1);
  }
  return best;
}
