/** The preview of a repair, of the extension `action-edit`. */

import type { RepairAnswer, RepairBody } from '../../contract/endpoints.ts';
import { previewErrors } from '../../contract/errors.ts';
import { parseAction } from '../catalog/definition-rows.ts';
import { findLatestVersion } from '../catalog/publish-build.ts';
import { storeShown } from '../catalog/shown-columns.ts';
import type { Builder, RepairOutcome } from '../foundation/ports.ts';
import { notFound, refuse } from '../foundation/request-error.ts';
import { findGoodRun } from '../jobs/good-run.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import { getBuiltAction } from './manage-builds.ts';
import type { RunPreview } from './preview-build.ts';

/** What a repair would change. Charges nothing, and stores only what the ids mean that it shows. */
export type PreviewRepair = (
  userId: string,
  actionId: string,
  body: RepairBody,
  signal: AbortSignal,
) => Promise<RepairAnswer>;

export function createPreviewRepair(tools: {
  readonly database: ServiceDatabase;
  readonly builder: Builder | undefined;
  readonly runPreview: RunPreview;
  readonly mayRender: (userId: string) => Promise<boolean>;
}): PreviewRepair {
  const { database, builder, runPreview, mayRender } = tools;
  return async (userId, actionId, { good_job_id }, requested) => {
    const { websiteUrl } = await getBuiltAction(database, actionId, userId);
    const latest = await findLatestVersion(database.query, actionId);
    if (builder?.repair === undefined)
      throw refuse(previewErrors, 'BUILDER_NOT_AVAILABLE', 'This service builds no actions');
    if (latest === undefined) throw notFound('built action');
    const { repair } = builder;
    const action = parseAction(latest.definition);
    const good = await findGoodRun(database.query, { userId, actionId, jobId: good_job_id });
    const task = { action, good, mayRender: () => mayRender(userId) };
    const outcome = await runPreview(userId, requested, (signal) => repair(task, { signal, user: userId }));
    if (!outcome.repaired) await storeShown(database, userId, websiteUrl, outcome.shown ?? []);
    return toAnswer(outcome);
  };
}

function toAnswer(outcome: RepairOutcome): RepairAnswer {
  if (!outcome.repaired)
    return { status: 'ok', reason: outcome.reason, candidates: copyOf(outcome.candidates) };
  const { proof, before, after, fields } = outcome;
  return {
    status: 'ok',
    proof: { ...proof },
    rows_before: before.map((row) => ({ ...row })),
    rows_after: after.map((row) => ({ ...row })),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, sides]) => [
        name,
        { before: toMeaning(sides.before), after: toMeaning(sides.after) },
      ]),
    ),
  };
}

const toMeaning = ({
  label,
  kind,
  samples,
}: {
  label: string;
  kind: string;
  samples: readonly string[];
}) => ({
  label,
  kind,
  samples: [...samples],
});

const copyOf = (candidates: Extract<RepairOutcome, { repaired: false }>['candidates']) =>
  candidates.map((candidate) => ({
    ...candidate,
    columns: candidate.columns.map((column) => ({ ...column, samples: [...column.samples] })),
  }));
