/** Previews a page before a build is paid for: free, and nothing is stored. Labels and samples are text of the site. */

import * as z from 'zod';
import { type ApiError, isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import { type BuildChoice, PreviewCandidate } from '../../contract/endpoints.ts';
import { columnName } from '../../contract/field-name.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { toGatewayError } from '../foundation/failures.ts';
import { cleanText, toVisibleMembers } from '../foundation/text.ts';
import type { CallContext, PreviewBuildInput } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { runOf, toExisting } from './page-actions.ts';

/** Milliseconds; the service fetches the page meanwhile. */
const timeoutMs = 50_000;
/** Rows. */
const maxSample = 5;
/** The most characters shown of what a goal says of an order. */
export const maxOrder = 60;

/** Rejects with `NOT_SUPPORTED` where the service has no previews. */
export async function previewBuild(
  { api, catalog }: { readonly api: Api; readonly catalog: Pick<Catalog, 'snapshot'> },
  input: PreviewBuildInput,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<JsonObject> {
  const {
    page,
    candidates,
    sample,
    paging,
    search,
    guess,
    unmatched = [],
    unsorted: order,
    existing_actions,
  } = await api.previewBuild(input, { signal, timeoutMs }).catch((error: unknown) => {
    throw isApiError(error) && isMissing(error) ? notSupported() : toGatewayError(error);
  });
  const visibleCandidates = readCandidates(candidates) ?? [];
  const [first] = visibleCandidates;
  const missing = unmatched.map((name) => cleanText(name, 64));
  const unsorted = order === undefined ? {} : { unsorted: cleanText(order, maxOrder) };
  const snapshot = existing_actions && (await catalog.snapshot());
  const existing = snapshot === undefined ? [] : toExisting(existing_actions, snapshot);
  return {
    page: { title: cleanText(page.title, 200), url: cleanText(page.url, 2_000) },
    candidates: visibleCandidates,
    ...(sample === undefined
      ? {}
      : { sample: sample.slice(0, maxSample).map((row) => toVisibleMembers(row)) }),
    ...(paging === undefined ? {} : { paging: cleanText(paging, 120) }),
    ...(search === undefined ? {} : { search: cleanText(search, 120) }),
    ...(missing.length === 0 ? {} : { unmatched: missing }),
    ...unsorted,
    ...(existing.length === 0 ? {} : { existing_actions: existing }),
    next:
      first === undefined
        ? { kind: 'preview', page: 'other' }
        : {
            ...describeNext(input, first, guess, missing),
            ...unsorted,
            existing: snapshot && runOf(existing, snapshot),
          },
  };
}

/** A complete call, to be corrected: what was chosen, what the goal seems to mean, or else the first columns. */
function describeNext(
  { website_url, goal, choose: choice }: PreviewBuildInput,
  first: PreviewCandidate,
  guess: BuildChoice | undefined,
  missing: readonly string[],
): NextStep<'build'> {
  const choose = choice ?? guess ?? exampleChoice(first);
  const call = { website_url, goal: goal ?? `List ${Object.keys(choose.fields).join(', ')}`, choose };
  if (choice !== undefined) return { kind: 'build', call, as: 'tried' };
  if (guess !== undefined) return { kind: 'build', call, as: 'guess', missing };
  return { kind: 'build', call, as: 'example', ...(first.more_columns !== undefined && { cut: first.id }) };
}

/** A service without the extension has no such path. */
const isMissing = (error: ApiError) =>
  (error.kind === 'service' || error.kind === 'contract') && [404, 405].includes(error.httpStatus);

const notSupported = () =>
  new GatewayError('NOT_SUPPORTED', 'This service has no previews of pages; nothing was charged.', {
    kind: 'build-anew',
    by: 'goal',
  });

/** For a build with `choose` where the service has not announced that it takes one. */
export const choiceNotSupported = () =>
  new GatewayError(
    'NOT_SUPPORTED',
    'This service takes no choice of columns; nothing was sent and nothing charged.',
    { kind: 'build-anew', by: 'goal-alone' },
  );

/** For a build with `name` where the service has not announced that it takes one. */
export const nameNotSupported = () =>
  new GatewayError(
    'NOT_SUPPORTED',
    'This service gives actions its own names; nothing was sent and nothing charged.',
    { kind: 'build-anew', by: 'goal-alone' },
  );

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
function exampleChoice({ id, rows, columns }: PreviewCandidate): BuildChoice {
  const own = columns.filter(({ part_of, samples }) => part_of === undefined && samples.length > 0);
  // One sample: the same in all rows, such as a currency, which comes after what tells the rows apart.
  const telling = own.filter(({ samples }) => rows < 3 || samples.length > 1);
  const fields = new Map<string, string>();
  for (const column of [...telling, ...own, ...columns]) {
    const name = columnName(column.label, column.id);
    if (fields.size < maxNamed && !fields.has(name)) fields.set(name, column.id);
  }
  return { candidate: id, fields: Object.fromEntries(fields) };
}
