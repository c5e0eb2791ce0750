/** A view of a result as members of an answer: what is shown, what is left, and the free call that reads on. */

import { cleanText } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { VisibleData } from './job-body.ts';
import type { ResultView, ViewTask } from './view.ts';

type PartRequest = Pick<ViewTask, 'select' | 'format'>;

/** `call`: the answer of the call itself, in which a page that holds everything is not worth its characters. */
export function renderPart(
  jobId: string,
  request: PartRequest,
  view: ResultView,
  call: 'run' | 'get_job',
): VisibleData {
  const { data, page, tooLarge, missing, beside, note, path = request.select } = view;
  if (missing !== undefined) return nothingShown(jobId, missing, request);
  const format = isTable(request) && tooLarge === undefined ? { format: 'csv' } : {};
  const readOn = (part: { path: string | undefined; offset: number }): NextStep => ({
    kind: 'read',
    call: { job_id: jobId, ...named(part.path), offset: part.offset, ...format },
    what: 'rest',
  });
  const nextOffset = page !== undefined && page.next_offset !== null ? page.next_offset : undefined;
  const truncated: JsonObject = {
    ...(tooLarge !== undefined && {
      total_chars: tooLarge.totalChars,
      ...(tooLarge.alsoCut !== undefined && { also_cut: tooLarge.alsoCut }),
      next: readOn(tooLarge),
    }),
    ...(tooLarge === undefined &&
      call === 'run' &&
      page !== undefined &&
      nextOffset !== undefined && {
        rows_shown: nextOffset - page.offset,
        rows_total: page.total,
        next: readOn({ path, offset: nextOffset }),
      }),
  };
  return {
    ...(note === undefined ? {} : { note: cleanText(note, 1_500) }),
    ...(call === 'get_job' && page !== undefined ? { page } : {}),
    ...(Object.keys(truncated).length === 0 ? {} : { truncated }),
    ...(beside === undefined ? {} : { beside }),
    ...(call === 'get_job' && tooLarge === undefined && nextOffset !== undefined
      ? { next: readOn({ path, offset: nextOffset }) }
      : {}),
    data,
  };
}

const isTable = ({ format = 'json' }: PartRequest): boolean => format !== 'json';

const maxKey = 60;

function nothingShown(
  jobId: string,
  { message, keys, path }: NonNullable<ResultView['missing']>,
  { format: requested }: PartRequest,
): VisibleData {
  const format = isTable({ format: requested }) ? 'csv' : undefined;
  return {
    note: cleanText(message, 1_500),
    keys: keys.map((key) => cleanText(key, maxKey)),
    next: {
      kind: 'read',
      call: { job_id: jobId, ...named(path), format },
      what: path === undefined ? 'whole' : 'part',
    },
    data: null,
  };
}

const named = (path: string | undefined): { select?: string } =>
  path === undefined || path === '@' ? {} : { select: path };
