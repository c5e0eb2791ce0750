/** A repair as the caller sees it: published with its proof, or what was found in its place. */
import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { maxGoal } from '../../contract/limits.ts';
import type { ListedBuild } from '../../contract/reading.ts';
import { cleanText, toVisibleMembers } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { costMembers } from '../results/job-body.ts';
import type { PaidRow } from '../store/schema.ts';
import { costOfEnd } from './cost.ts';
import { readCandidates } from './preview-build.ts';

const Rows = z.array(z.record(z.string(), z.unknown())).catch([]);
const shownRows = 3;
const maxReason = 500;

interface RepairFacts {
  readonly id: string;
  readonly actionId: string;
  readonly row: PaidRow | undefined;
  readonly isTold: boolean;
}

export function repairBody(build: ListedBuild, facts: RepairFacts): JsonObject {
  const { id, row, isTold } = facts;
  const actionId = cleanText(facts.actionId, 200);
  if (build.status === 'success') {
    const cost = costOfEnd({ outcome: 'completed', reported: build.credits_charged }, row);
    return {
      status: 'repaired',
      action_id: actionId,
      id,
      version: cleanText(String(build.version ?? ''), 60),
      ...toVisibleMembers({ proof: build.proof }),
      ...costMembers({ credits_used: cost }, { isTold }),
      rows_before: visibleRows(build.rows_before),
      rows_after: visibleRows(build.rows_after),
      next: { kind: 'own-action', action_id: actionId, state: 'repaired' },
    };
  }
  if (build.status === 'failed') {
    const candidates = readCandidates(build.candidates) ?? [];
    return {
      status: 'not_repaired',
      action_id: actionId,
      id,
      reason: cleanText(build.error ?? '', maxReason),
      ...costMembers({ credits_used: 0 }, {}),
      ...(candidates.length === 0 ? {} : { candidates }),
      next: { kind: 'refunded', step: chooseAgain(build) },
    };
  }
  return {
    status: 'processing',
    action_id: actionId,
    id,
    next: { kind: 'wait', for: 'build', call: { id, wait_seconds: 45 } },
  };
}

const visibleRows = (value: unknown) =>
  Rows.parse(value)
    .slice(0, shownRows)
    .map((row) => toVisibleMembers(row));

/** A complete call where the page has columns that say that they are the same; else a look at the page. */
function chooseAgain({ website_url, goal, choose }: ListedBuild): NextStep {
  const page = { website_url: cleanText(website_url, 500), goal: cleanText(goal, maxGoal) };
  const { data } = BuildChoice.safeParse(choose);
  return data === undefined
    ? { kind: 'preview', page: 'again' }
    : { kind: 'rebuild', call: { ...page, choose: data, force: true } };
}
