/** POST /build-request/preview, of the extension `build-preview`: what a page offers, before anything is paid. */

import type { BuildPreview, BuildPreviewBody } from '../../contract/endpoints.ts';
import { buildErrors, type ExistingAction, openErrors, previewErrors } from '../../contract/errors.ts';
import { maxGoal, maxPreviewsAtOnce } from '../../contract/limits.ts';
import { shortRow } from '../catalog/short-row.ts';
import { findShown, storeShown } from '../catalog/shown-columns.ts';
import type { WebsiteCheck } from '../fetch/website.ts';
import { RequestError } from '../foundation/errors.ts';
import type { Builder, PreviewOutcome } from '../foundation/ports.ts';
import { refuse } from '../foundation/request-error.ts';
import { startDeadline } from '../foundation/time-limit.ts';
import type { ServiceDatabase } from '../store/schema.ts';

/** Throws a `RequestError`. Charges nothing, and stores only what the ids mean that it shows. */
export type PreviewBuild = (
  userId: string,
  body: BuildPreviewBody,
  signal: AbortSignal,
) => Promise<BuildPreview>;

/** Milliseconds; callers wait for the answer. */
const timeLimit = 45_000;
const tooLong = `The preview took longer than ${timeLimit / 1000} s`;

/** Runs one preview of a user within the limits. Throws a `RequestError`. */
export type RunPreview = <Result>(
  userId: string,
  requested: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

/** Counts the previews of this process, of builds and of repairs: two at once for a user. */
export function createPreviewRuns(stopped: AbortSignal): RunPreview {
  const running = new Map<string, number>();
  return async (userId, requested, work) => {
    const count = running.get(userId) ?? 0;
    if (count >= maxPreviewsAtOnce)
      throw refuse(
        previewErrors,
        'PREVIEW_LIMIT_REACHED',
        `${maxPreviewsAtOnce} previews are running; wait until one ends`,
      );
    running.set(userId, count + 1);
    const deadline = startDeadline(timeLimit, AbortSignal.any([requested, stopped]));
    try {
      return await work(deadline.signal);
    } catch (error) {
      if (deadline.isOver()) throw refuse(previewErrors, 'TIMEOUT', tooLong);
      // The caller has left, or the service stops.
      if (deadline.signal.aborted)
        throw refuse(openErrors, 'SERVICE_STOPPING', 'The preview was cancelled; call again');
      throw error;
    } finally {
      deadline.clear();
      const remaining = (running.get(userId) ?? 1) - 1;
      if (remaining === 0) running.delete(userId);
      else running.set(userId, remaining);
    }
  };
}

export function createPreviewBuild(tools: {
  readonly database: ServiceDatabase;
  readonly builder: Builder | undefined;
  readonly checkWebsite: WebsiteCheck;
  /** Whether the user may have another page shown by a browser now. */
  readonly mayRender: (userId: string) => Promise<boolean>;
  readonly runPreview: RunPreview;
  /** The visible actions of a user that read the page. */
  readonly findExisting: (userId: string, url: URL) => Promise<ExistingAction[]>;
}): PreviewBuild {
  const { database, builder, checkWebsite, mayRender, runPreview, findExisting } = tools;
  return async (userId, body, requested) => {
    const website = await checkWebsite(body.website_url);
    if ('refusal' in website) throw website.refusal;
    if ((body.goal ?? '').length > maxGoal)
      throw refuse(buildErrors, 'INVALID_INPUT', `goal must have at most ${maxGoal} characters`);
    if (builder === undefined)
      throw refuse(previewErrors, 'BUILDER_NOT_AVAILABLE', 'This service builds no actions');
    const { goal, candidate, choose } = body;
    const { href: url } = website.url;
    const task = {
      websiteUrl: url,
      goal,
      candidate,
      choose,
      kept: choose && (await findShown(database.query, choose, { userId, url }))?.columns,
      mayRender: () => mayRender(userId),
    };
    const outcome = await runPreview(userId, requested, (signal) =>
      builder.preview(task, { signal, user: userId }),
    );
    const answer = toAnswer(outcome);
    if (outcome.ok) await storeShown(database, userId, url, outcome.shown);
    const existing = await findExisting(userId, website.url);
    return { ...answer, ...(existing.length > 0 && { existing_actions: existing }) };
  };
}

function toAnswer(outcome: PreviewOutcome): BuildPreview {
  if (!outcome.ok)
    throw new RequestError(previewErrors.NO_DATA_FOUND.httpStatus, outcome.errorType, outcome.message);
  const { page, candidates, sample, paging, search, guess, unmatched, unsorted } = outcome;
  return {
    status: 'ok',
    page,
    candidates: candidates.map((candidate) => ({
      ...candidate,
      columns: candidate.columns.map((column) => ({ ...column, samples: [...column.samples] })),
    })),
    ...(sample === undefined ? {} : { sample: sample.map(shortRow) }),
    ...(paging === undefined ? {} : { paging }),
    ...(search === undefined ? {} : { search }),
    ...(guess === undefined ? {} : { guess: { candidate: guess.candidate, fields: { ...guess.fields } } }),
    ...(unmatched === undefined ? {} : { unmatched: [...unmatched] }),
    ...(unsorted === undefined ? {} : { unsorted }),
  };
}
