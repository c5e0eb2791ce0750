/** Builds as a kind of paid calls: POST /build-request, followed by GET /build-requests (specification: Build request). */
import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from '../../contract/api.ts';
import { buildErrors } from '../../contract/errors.ts';
import type { ListedBuild } from '../../contract/reading.ts';
import { traced } from '../../tracing/tracing.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { toGatewayError } from '../foundation/failures.ts';
import type { NextStep } from '../interface/next-step.ts';
import { buildBody, hasEnded, StepReport } from './build-body.ts';
import type { Ending, Look, PaidKind } from './kind.ts';

const maxFailedLooks = 3;
/** Between the last progress message and the answer. */
const answerAfterMs = 50;

export interface BuildKindDependencies {
  /** Reads the list of builds, and notices what has ended in it. */
  readonly list: (options: CallOptions) => Promise<readonly ListedBuild[]>;
  readonly snapshot: () => Promise<Snapshot>;
  readonly submitMs: number;
}

export const createBuildKind = ({ list, snapshot, submitMs }: BuildKindDependencies): PaidKind => ({
  refusals: Object.keys(buildErrors),
  notDeducted: ['INTERNAL_ERROR'],
  leastAnswerMs: submitMs,
  pace: { growth: 0.25, leastMs: 250, mostMs: 2_000 },
  // Builds are polled without a waiter too, so that a new action becomes a tool.
  backgroundMs: 15_000,
  look: async (id, options) => {
    const builds = await traced('poll builds', {}, () => list(options));
    return { kind: 'build', build: builds.find((build) => build.id === id) };
  },
  getEnding: getBuildEnding,
  isFatal: (_error, inARow) => inARow >= maxFailedLooks,
  createReport: (tell) => {
    const report = new StepReport(tell);
    return {
      look: (look) => report.update(look.kind === 'build' ? look.build : undefined),
      tick: () => undefined,
    };
  },
  unanswered: () => ({
    status: 'pending',
    next: { kind: 'list', of: 'builds', why: 'started' } satisfies NextStep,
  }),
  running: async (id, look, attachment) => ({
    ...buildBody(getBuild(look), id, undefined, await snapshot()),
    ...attachment,
  }),
  ended: async (id, look, { row, attachment, isTold }) => {
    // Clients drop progress that comes in one piece with the answer.
    await delay(answerAfterMs);
    return { ...buildBody(getBuild(look), id, row, await snapshot(), isTold), ...attachment };
  },
  lookError: (error, id) =>
    toGatewayError(error, {
      extra: { build_request_id: id },
      next: { kind: 'wait', for: 'build', call: { id, wait_seconds: 45 }, isLater: true },
    }),
});

const getBuild = (look: Look | undefined): ListedBuild | undefined =>
  look?.kind === 'build' ? look.build : undefined;

export function getBuildEnding(look: Look): Ending | undefined {
  const build = getBuild(look);
  if (build === undefined || !hasEnded(build)) return undefined;
  const outcome = build.status === 'failed' ? 'failed' : 'completed';
  return { outcome, reported: build.credits_charged };
}
