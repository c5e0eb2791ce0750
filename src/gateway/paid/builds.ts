/** Build requests: the request of one, paid by `PaidCalls`, and the list of them. */
import { type ApiError, isApiError } from '../../client/errors.ts';
import type { Api, CallOptions } from '../../contract/api.ts';
import type { BuildRequestBody, RepairBody } from '../../contract/endpoints.ts';
import { buildCredits } from '../../contract/limits.ts';
import type { ListedBuild } from '../../contract/reading.ts';
import type { Accounts } from '../accounts/choose-account.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { fixedPrice } from '../catalog/prices.ts';
import type { Clock } from '../foundation/clock.ts';
import { GatewayError } from '../foundation/errors.ts';
import { announcedExtensions } from '../foundation/extensions.ts';
import { toGatewayError } from '../foundation/failures.ts';
import type { Logger } from '../foundation/logger.ts';
import { cleanText } from '../foundation/text.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext, RequestBuildInput } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import { runFacts } from '../results/job-body.ts';
import type { PaidRow } from '../store/schema.ts';
import { buildBody, hasEnded, overview } from './build-body.ts';
import type { BuildLists } from './build-lists.ts';
import { getIdempotencyKey, parseObject, repairSubject, toRowId } from './call-identity.ts';
import type { Order } from './order.ts';
import { existingActions } from './page-actions.ts';
import type { PaidCalls } from './paid-calls.ts';
import { choiceNotSupported, nameNotSupported } from './preview-build.ts';
import type { GatewayStore, OpenStore } from './store.ts';

const listTimeoutMs = 10_000;
/** The newest runs of an action among which the good one is looked for. */
const judgedRuns = 100;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Dependencies {
  readonly api: Api;
  readonly catalog: Catalog;
  readonly accounts: Accounts;
  readonly store: GatewayStore;
  readonly paid: PaidCalls;
  readonly lists: BuildLists;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: Pick<TimeLimits, 'submitMs'>;
}

export class Builds {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** POST /build-request, once for the same request, then a wait for its end. Rejects as `Runs.run` does. */
  async request(input: RequestBuildInput, context: CallContext): Promise<Outcome> {
    const { clock, paid, api } = this.#dependencies;
    const deadline = clock.monotonic() + context.waitMs;
    const body = await this.#body(input, context.signal);
    await this.#settleDoubts(context.signal);
    const { website_url, ...params } = body;
    const order = this.#order({
      subject: website_url,
      params,
      name: `Build for ${cleanText(website_url, 120)}`,
      announcement: 'Requesting a build',
      request: (options) => api.requestBuild(body, options),
    });
    return paid.pay(order, deadline, context);
  }

  /** POST /actions/{id}/repair, paid, joined and waited for as a build. Rejects as `Runs.run` does. */
  async repair(actionId: string, context: CallContext): Promise<Outcome> {
    const { clock, paid, api } = this.#dependencies;
    const deadline = clock.monotonic() + context.waitMs;
    const order = this.#order({
      subject: repairSubject(actionId),
      params: { action_id: actionId, repair: true },
      name: `Repair of ${cleanText(actionId, 120)}`,
      announcement: 'Requesting a repair',
      unknown: { kind: 'own-action', action_id: cleanText(actionId, 200), state: 'unknown' },
      // The same at a repeat by key: runs that ended since say nothing of what the row was to repair.
      request: async (options, row) =>
        api.repairAction(actionId, await this.goodRun(actionId, row.created_at), options),
    });
    return paid.pay(order, deadline, context);
  }

  /** The run that can prove a repair: the newest one before the doubt, as the service knows it. */
  async goodRun(actionId: string, before = Number.MAX_SAFE_INTEGER): Promise<RepairBody> {
    try {
      const { queries } = await this.#dependencies.store.open();
      return runBeforeDoubt(await queries.judgedRuns(actionId, before, judgedRuns));
    } catch {
      // The service then takes the newest run with rows.
      return {};
    }
  }

  /** The builds from `offset`, newest first as the service sends them. */
  async list(context: CallContext, offset = 0): Promise<Outcome> {
    return { body: overview(await this.#read(context.signal), offset) };
  }

  /** Waits for the build with that id; undefined where the service lists none. */
  async find(id: string, context: CallContext): Promise<Outcome | undefined> {
    const { store, paid, clock, catalog } = this.#dependencies;
    const existing = (await this.#read(context.signal)).find((build) => build.id === id);
    if (existing === undefined) return undefined;
    const opened = await store.open();
    const row = (await opened.queries.byJob(id)) ?? paid.accepted(id);
    const deadline = clock.monotonic() + context.waitMs;
    const build = hasEnded(existing) ? existing : await paid.waits.forBuild(id, row, deadline, context);
    const isTold = row !== undefined && paid.waits.isTold(row);
    const body: JsonObject = buildBody(build ?? existing, id, row, await catalog.snapshot(), isTold);
    const { status: _status, build_request, ...rest } = body;
    const hasTold = build !== undefined && hasEnded(build) && row !== undefined;
    return {
      body: { build_requests: [build_request], ...rest },
      // A caller who has the end and asks for the same again wants another build.
      ...(hasTold && paid.waits.deliveryOf(row, opened, isTold)),
    };
  }

  /** As `find`. Rejects with BUILD_NOT_FOUND. */
  async get(id: string, context: CallContext): Promise<Outcome> {
    const outcome = await this.find(id, context);
    if (outcome !== undefined) return outcome;
    throw new GatewayError('BUILD_NOT_FOUND', `There is no build request ${cleanText(id, 80)}.`, {
      kind: 'list',
      of: 'builds',
      why: 'all',
    });
  }

  async #read(signal: AbortSignal): Promise<readonly ListedBuild[]> {
    const builds = await this.#dependencies.lists.read({ signal });
    await this.#settleDoubts(signal, builds);
    return builds;
  }

  /** The service's list may settle a request in doubt. If the list cannot be read, the doubt stays. */
  async #settleDoubts(signal: AbortSignal, builds?: readonly ListedBuild[]): Promise<void> {
    const { store, logger, lists } = this.#dependencies;
    try {
      const opened = await store.open();
      const rows = await Promise.all(
        (await opened.queries.inDoubt('build')).map(({ id }) => opened.rows.get(id)),
      );
      const doubts = rows.filter((row) => row?.state === 'unknown').filter((row) => row !== undefined);
      if (doubts.length > 0) await settleDoubts(doubts, builds ?? (await lists.read({ signal })), opened);
    } catch (error) {
      logger.warn({ error: String(error) }, 'Build requests in doubt could not be looked up');
    }
  }

  async #body(input: RequestBuildInput, signal: AbortSignal): Promise<BuildRequestBody> {
    if (input.choose !== undefined) await this.#checkSupported('build-choice', choiceNotSupported, signal);
    if (input.name !== undefined) await this.#checkSupported('build-name', nameNotSupported, signal);
    const { catalog, ...rest } = input;
    if (catalog === undefined) return rest;
    const isId = uuid.test(catalog);
    return {
      ...rest,
      catalog_id: isId ? catalog : await this.#dependencies.accounts.catalogId(catalog, signal),
    };
  }

  async #checkSupported(extension: string, refusal: () => GatewayError, signal: AbortSignal): Promise<void> {
    const { api } = this.#dependencies;
    try {
      const extensions = await announcedExtensions(api, { signal, timeoutMs: listTimeoutMs });
      if (extensions.has(extension)) return;
    } catch (error) {
      throw toGatewayError(error);
    }
    throw refusal();
  }

  /** A build, or a repair. */
  #order({
    request,
    unknown,
    ...bought
  }: Pick<Order, 'subject' | 'params' | 'name' | 'announcement'> & {
    request: (options: CallOptions, row: PaidRow) => Promise<ListedBuild>;
    /** The next step where the service does not know what is to be built anew. */
    unknown?: NextStep;
  }): Order {
    return {
      kind: 'build',
      ...bought,
      credentialId: undefined,
      account: null,
      listed: fixedPrice(buildCredits),
      resubmit: false,
      submitWithinMs: this.#dependencies.limits.submitMs,
      send: async (row, timeoutMs) => ({
        jobId: (await request({ timeoutMs, ...getIdempotencyKey(row) }, row)).id,
      }),
      refusal: async (error) => toGatewayError(error, await this.#refusal(error, unknown)),
    };
  }

  async #refusal(error: ApiError, unknown?: NextStep): Promise<{ next?: NextStep; extra?: JsonObject }> {
    if (unknown !== undefined && error.kind === 'service' && error.code === 'NOT_FOUND')
      return { next: unknown };
    // Documented as refunded (specification: POST /build-request errors); a run's code of this name is in doubt.
    if (isApiError(error) && error.kind === 'service' && error.code === 'INTERNAL_ERROR')
      return { next: { kind: 'refunded', step: { kind: 'retry', when: 'later' } } };
    return existingActions(error, await this.#dependencies.catalog.snapshot());
  }
}

/** Between our request and the service's time of creation: the request's 30 s, and clocks that differ. */
const toleranceMs = 120_000;

/**
 * Settles builds in doubt at a service without idempotency keys: a listed build with the same website and goal, made since
 * the request, is the build of that request. A list without such a build proves nothing, so the doubt stays.
 */
async function settleDoubts(
  doubts: readonly PaidRow[],
  builds: readonly ListedBuild[],
  { rows, queries }: Pick<OpenStore, 'rows' | 'queries'>,
): Promise<void> {
  for (const doubt of doubts) {
    const candidates: ListedBuild[] = [];
    for (const build of builds) {
      if (isSame(doubt, build) && !(await queries.isOfAnyone(build.id))) candidates.push(build);
    }
    const [build, ...others] = candidates;
    if (build === undefined) continue;
    // Two builds or two requests cannot be told apart.
    const isOnlyDoubt = doubts.every((other) => other === doubt || !isSame(other, build));
    if (others.length === 0 && isOnlyDoubt) await rows.accept(doubt.id, build.id);
  }
}

function isSame({ subject, params, created_at }: PaidRow, build: ListedBuild): boolean {
  const createdAt = Date.parse(build.created_at);
  return (
    Math.abs(createdAt - created_at) <= toleranceMs &&
    toHref(subject) === toHref(build.website_url) &&
    parseObject(params ?? '{}').goal === build.goal
  );
}

const toHref = (address: string) => (URL.canParse(address) ? new URL(address).href : address);

type JudgedRun = Pick<PaidRow, 'job_id' | 'call_hash' | 'drift' | 'finished_at'>;

/**
 * `runs`: completed ones, the newest first. Where none is known, the service takes its newest run with rows; where each is in
 * doubt, none of them proves anything, and its id is empty.
 */
function runBeforeDoubt(runs: readonly JudgedRun[]): RepairBody {
  const before = firstDoubt(runs);
  const good = runs.find(
    ({ drift, finished_at, job_id }) =>
      drift === null &&
      (finished_at ?? 0) < before &&
      // The service does not know ids of ours.
      job_id !== null &&
      toRowId(job_id) === undefined,
  );
  if (good?.job_id != null) return { good_job_id: good.job_id };
  return Number.isFinite(before) ? { good_job_id: '' } : {};
}

/** Milliseconds since the epoch; infinite where no doubt holds: the newest run of the same call was as usual again. */
function firstDoubt(runs: readonly JudgedRun[]): number {
  const seen = new Set<string>();
  let first = Number.POSITIVE_INFINITY;
  for (const { call_hash, drift, finished_at } of runs) {
    if (seen.has(call_hash)) continue;
    seen.add(call_hash);
    if (drift === null) continue;
    const { since } = runFacts({ account: null, finished_at, drift }).verdict ?? {};
    first = Math.min(first, since === undefined ? (finished_at ?? 0) : Date.parse(since));
  }
  return first;
}
