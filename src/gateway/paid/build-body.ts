/** A build request as the caller sees it, with details beyond the specification: its steps, and a repair with its proof. */
import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { maxGoal } from '../../contract/limits.ts';
import type { ListedBuild } from '../../contract/reading.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { toVisibleParams } from '../catalog/action-tool.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { stepAfter } from '../foundation/failures.ts';
import { cleanText, quoted, toVisibleMembers } from '../foundation/text.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { costMembers } from '../results/job-body.ts';
import type { PaidRow } from '../store/schema.ts';
import { parseObject } from './call-identity.ts';
import { costOfEnd } from './kind.ts';
import { pricedRun } from './page-actions.ts';
import { maxOrder, readCandidates } from './preview-build.ts';

/** The newest builds are shown, each without the rows it found. */
const maxListed = 50;

/** Without what tells a caller nothing. */
function toVisibleBuild({
  user_id: _user,
  updated_at: _updated,
  domain: _domain,
  ...build
}: JsonObject): JsonObject {
  return toVisibleMembers(build);
}

/** A page of the builds as the service lists them, the newest first. */
export function overview(builds: readonly ListedBuild[], offset: number): JsonObject {
  const visibleBuilds = builds
    .slice(offset, offset + maxListed)
    .map((build) =>
      toVisibleBuild(Object.fromEntries(Object.entries(build).filter(([, value]) => !Array.isArray(value)))),
    );
  const end = offset + visibleBuilds.length;
  const hasMore = end < builds.length;
  return {
    build_requests: visibleBuilds,
    returned: visibleBuilds.length,
    total: builds.length,
    has_more: hasMore,
    ...(hasMore && {
      next: { kind: 'list', of: 'builds', why: 'older', page: { offset: end } } satisfies NextStep,
    }),
    ...(builds.length === 0 && { next: { kind: 'nothing-yet', of: 'builds' } satisfies NextStep }),
  };
}

/**
 * `build` is undefined where the service accepted the request but does not list it. `isTold`: an earlier answer told the
 * cost.
 */
export function buildBody(
  build: ListedBuild | undefined,
  id: string,
  row: PaidRow | undefined,
  snapshot: Snapshot,
  isTold = false,
): JsonObject {
  const wait: NextStep = { kind: 'wait', for: 'build', call: { id, wait_seconds: 45 } };
  if (build === undefined) return { status: 'pending', build_request: { id, status: 'pending' }, next: wait };
  // Progress messages reported the steps, and `error` the reason.
  const { steps: _steps, error: _error, candidates, ...ended } = build;
  if (typeof build.repairs === 'string')
    return repairBody(build, { id, actionId: build.repairs, row, isTold });
  const members = { build_request: toVisibleBuild(hasEnded(build) ? ended : build) };
  if (build.status === 'failed') {
    const code = cleanText(build.error_type ?? 'BUILD_FAILED', 60);
    return {
      status: 'failed',
      error_type: code,
      ...members,
      error: { code, message: `The build failed: ${quoted(build.error ?? '', maxReason)}` },
      ...costMembers({ credits_used: 0 }, {}),
      ...offered(candidates),
      ...(build.error_type === 'CHOICE_NEEDED' && { unmatched: listUnmatched(build) }),
      next: { kind: 'refunded', step: askAgain(build, row) },
    };
  }
  if (build.status !== 'success') return { status: 'pending', ...members, next: wait };
  const actionId = build.action_id ?? '';
  const action = snapshot.action(actionId);
  const tool = snapshot.getToolName(actionId);
  const next: NextStep = {
    kind: 'run-built',
    run: pricedRun(actionId, snapshot),
    tool,
    isReplacement: build.replaces === actionId,
    missing: listUnmatched(build),
    ...(typeof build.unsorted === 'string' && { unsorted: cleanText(build.unsorted, maxOrder) }),
    isSinglePage: action !== undefined && isSinglePage(action),
  };
  return {
    status: 'success',
    ...members,
    ...costMembers(
      { credits_used: costOfEnd({ outcome: 'completed', reported: build.credits_charged }, row) },
      { isTold },
    ),
    action_id: actionId,
    ...(tool === undefined ? {} : { tool }),
    ...(action === undefined
      ? {}
      : { credits: action.credits, params: toVisibleParams(action.params, cleanText).schema }),
    next,
  };
}

/** Whether the action gives rows, and has no param that reads further pages. */
const isSinglePage = ({ returns, params }: SearchResult): boolean =>
  returns !== undefined &&
  !Array.isArray(returns) &&
  'items' in returns &&
  !Object.hasOwn(Object(toVisibleParams(params, cleanText).schema.properties), 'max_pages');

/** The parts of the answer from which the caller can choose. */
function offered(value: unknown): JsonObject {
  const candidates = readCandidates(value);
  return candidates === undefined || candidates.length === 0 ? {} : { candidates };
}

/** Characters of a service's reason, which may show rows of what it found. */
const maxReason = 1_000;

/** The fields of the goal that a guess or an action lacks; empty where the service names none. */
const listUnmatched = (build: ListedBuild): string[] =>
  (z.array(z.string()).safeParse(build.unmatched).data ?? []).map((name) => cleanText(name, 64));

/** A complete call with the service's best guess: what the caller gave and was right stays, so only the rest is corrected. */
function askAgain(build: ListedBuild, row: PaidRow | undefined): NextStep {
  const choose = getGuess(build);
  if (build.error_type === 'TEST_FAILED' && build.choose) return { kind: 'preview', page: 'again' };
  if (choose === undefined)
    return build.error_type === 'CHOICE_NEEDED'
      ? { kind: 'build-anew', by: 'other-candidate', likely: likelyCandidate(build) }
      : (stepAfter(build.error_type ?? '') ?? { kind: 'build-anew', by: 'other-page' });
  const call = {
    website_url: cleanText(build.website_url, 500),
    // Another goal would build another action.
    goal: cleanText(build.goal, maxGoal),
    ...otherArguments(row),
    choose,
  };
  return { kind: 'build', call, as: 'guess', missing: listUnmatched(build) };
}

/** What else the caller asked for, where this store has the request. */
function otherArguments(row: PaidRow | undefined): JsonObject {
  const { name, catalog_id: catalog, visibility, force } = parseObject(row?.params ?? '{}');
  return { name, catalog, visibility, force };
}

/** The candidate whose columns the caller may name; undefined where the first one is no list. */
function likelyCandidate({ candidates }: ListedBuild): { id: string; rows: number } | undefined {
  const [first] = readCandidates(candidates) ?? [];
  return first === undefined || first.rows < 2 ? undefined : { id: first.id, rows: first.rows };
}

const maxSteps = 50;

/** The steps so far, in the service's words; only one if the service tells just the present step. */
function getSteps(build: ListedBuild | undefined): string[] {
  const stepList = Array.isArray(build?.steps) ? build.steps : [build?.progress ?? build?.step];
  return stepList
    .filter((step) => typeof step === 'string')
    .slice(-maxSteps)
    .map((step) => cleanText(step, 120))
    .filter((step) => step !== '');
}

/** Reports every step once, and that the build continues if nothing is new. */
export class StepReport {
  readonly #tell: (message: string) => void;
  readonly #startedAt = performance.now();
  #reported: readonly string[] = [];
  #seconds = 0;

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  update(build: ListedBuild | undefined): void {
    const steps = getSteps(build);
    // A build that was taken up again by another process starts with the first step.
    const isFurther = this.#reported.every((step, index) => steps[index] === step);
    const news = isFurther ? steps.slice(this.#reported.length) : steps;
    this.#reported = steps;
    for (const step of news) this.#tell(step);
    const seconds = Math.floor((performance.now() - this.#startedAt) / 1000);
    if (seconds === this.#seconds || (build !== undefined && hasEnded(build))) return;
    this.#seconds = seconds;
    if (news.length === 0) this.#tell(`${steps.at(-1) ?? 'The build is under way'} (${seconds} s)`);
  }
}

/** Any other status, also an unknown one, means that the build continues. */
export const hasEnded = (build: ListedBuild) => build.status === 'success' || build.status === 'failed';

/** The choice that the service would make, for CHOICE_NEEDED; undefined where it names none. */
const getGuess = (build: ListedBuild): BuildChoice | undefined =>
  build.error_type === 'CHOICE_NEEDED' ? BuildChoice.safeParse(build.choose).data : undefined;

const Rows = z.array(z.record(z.string(), z.unknown())).catch([]);
const shownRows = 3;
/** Of a repair, whose rows stand beside it. */
const maxRepairReason = 500;

interface RepairFacts {
  readonly id: string;
  readonly actionId: string;
  readonly row: PaidRow | undefined;
  readonly isTold: boolean;
}

function repairBody(build: ListedBuild, facts: RepairFacts): JsonObject {
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
      reason: cleanText(build.error ?? '', maxRepairReason),
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
