/** What a page offers to a build, as callers may see it: labels and samples are text of the site. */
import * as z from 'zod';
import { type BuildChoice, PreviewCandidate } from '../../contract/endpoints.ts';
import { fieldName } from '../../contract/field-name.ts';
import { cleanText } from '../foundation/text.ts';

const maxCandidates = 10;
/** The most columns shown of a candidate; the answer counts the others. */
const maxColumns = 200;
const maxSamples = 5;

/** Undefined where it is no list of candidates. */
export function readCandidates(value: unknown): readonly PreviewCandidate[] | undefined {
  const parsed = z.array(PreviewCandidate).safeParse(value);
  return parsed.success ? parsed.data.slice(0, maxCandidates).map(toVisibleCandidate) : undefined;
}

function toVisibleCandidate({
  id,
  kind,
  about,
  rows,
  columns,
  more_columns = 0,
}: PreviewCandidate): PreviewCandidate {
  const more = more_columns + Math.max(0, columns.length - maxColumns);
  return {
    id: cleanText(id, 20),
    kind: cleanText(kind, 60),
    ...(about === undefined ? {} : { about: cleanText(about, 120) }),
    rows,
    columns: columns.slice(0, maxColumns).map((column) => ({
      id: cleanText(column.id, 20),
      label: cleanText(column.label, 120),
      kind: cleanText(column.kind, 60),
      samples: column.samples.slice(0, maxSamples).map((sample) => cleanText(sample, 120)),
      ...(column.part_of === undefined ? {} : { part_of: cleanText(column.part_of, 20) }),
      ...(column.match === undefined ? {} : { match: cleanText(column.match, 500) }),
    })),
    ...(more === 0 ? {} : { more_columns: more }),
  };
}

/** The most columns in an example choice. */
const maxNamed = 4;

/** A choice of the first columns that have values, named by their labels: for the caller to correct. */
export function exampleChoice({ id, columns }: Pick<PreviewCandidate, 'id' | 'columns'>): BuildChoice {
  const ownColumns = columns.filter(({ part_of, samples }) => part_of === undefined && samples.length > 0);
  const fields = new Map<string, string>();
  for (const column of ownColumns.length > 0 ? ownColumns : columns) {
    const name = fieldName(column.label) || column.id;
    if (fields.size < maxNamed && !fields.has(name)) fields.set(name, column.id);
  }
  return { candidate: id, fields: Object.fromEntries(fields) };
}
