/** Polls builds until they end, even if nobody waits, so that every new action becomes a tool. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import { traced } from '../../tracing/tracing.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { toGatewayError } from '../errors/failures.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Logger } from '../foundation/logger.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { Records } from '../paid-calls/records.ts';
import type { GatewayStore } from '../store/gateway-store.ts';
import type { Intent } from '../store/intents.ts';
import { hasEnded, StepReport } from './build-details.ts';

const listTimeoutMs = 30_000;
/** The poll interval is a quarter of the build's age, within these bounds. */
const leastPollMs = 250;
const mostPollMs = 2_000;
/** The pause between the last progress message and the answer. */
const answerAfterMs = 50;
/** So many failed polls in a row end the wait with an error; the build itself continues. */
const maxFailedLooks = 3;
/** The poll interval of pending builds that nobody waits for. */
const backgroundPollMs = 15_000;
/** The shortest pause between two refreshes for a new action that the service does not list yet. */
const refreshAgainMs = 5_000;
/** The service's clock and ours may differ a little. */
const clockToleranceMs = 60_000;

export class BuildWatch {
  readonly #api: Api;
  readonly #catalog: Catalog;
  readonly #store: GatewayStore;
  readonly #records: Records;
  /** The intent of a build that is not in the store yet. */
  readonly #accepted: (id: string) => Intent | undefined;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #ending = new AbortController();
  readonly #pending = new Set<string>();
  /** Builds whose end is written. */
  readonly #finished = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: {
    api: Api;
    catalog: Catalog;
    store: GatewayStore;
    records: Records;
    clock: Clock;
    logger: Logger;
    accepted: (id: string) => Intent | undefined;
  }) {
    this.#api = dependencies.api;
    this.#catalog = dependencies.catalog;
    this.#store = dependencies.store;
    this.#records = dependencies.records;
    this.#accepted = dependencies.accepted;
    this.#clock = dependencies.clock;
    this.#logger = dependencies.logger;
    // Every call that waits listens.
    setMaxListeners(0, this.#ending.signal);
  }

  /** The build once it ended, or as it is at the deadline (monotonic); undefined where the service does not list it. */
  async end(
    id: string,
    deadline: number,
    context: Pick<CallContext, 'signal' | 'progress'>,
  ): Promise<BuildRequest | undefined> {
    // Its end may have been noticed before its id was written to its intent.
    this.#finished.delete(id);
    const startedAt = this.#clock.monotonic();
    let updates = 0;
    const report = new StepReport((message) => {
      updates += 1;
      context.progress({ progress: updates, message });
    });
    const signal = AbortSignal.any([context.signal, this.#ending.signal]);
    let build: BuildRequest | undefined;
    let failedLooks = 0;
    for (;;) {
      try {
        build = (await this.list(context.signal)).find((candidate) => candidate.id === id);
        failedLooks = 0;
        report.update(build);
      } catch (error) {
        failedLooks += 1;
        if (!isApiError(error) || context.signal.aborted) throw error;
        if (failedLooks >= maxFailedLooks)
          throw toGatewayError(error, { extra: { build_request_id: id }, next: goOn(id) });
      }
      if (build !== undefined && hasEnded(build)) {
        // Clients drop progress that comes in one piece with the answer.
        if (updates > 0) await delay(answerAfterMs, undefined, { signal }).catch(() => undefined);
        return build;
      }
      const now = this.#clock.monotonic();
      if (now >= deadline) return build;
      const pollMs = Math.min(mostPollMs, Math.max(leastPollMs, (now - startedAt) / 4), deadline - now);
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return build;
    }
  }

  /** All builds, the newest first as the service sends them; what ended is noticed. */
  async list(signal: AbortSignal | undefined): Promise<BuildRequest[]> {
    const { items } = await traced('poll builds', {}, () =>
      this.#api.listBuildRequests({
        ...(signal === undefined ? {} : { signal }),
        timeoutMs: listTimeoutMs,
      }),
    );
    await this.#notice(items);
    return items;
  }

  /** Looks at the build now and then until it ends, also if nobody waits. */
  start(id: string): void {
    if (this.#pending.has(id)) return;
    this.#pending.add(id);
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#pending.size === 0) return;
    this.#timer = setTimeout(() => {
      this.list(undefined)
        .catch((error: unknown) =>
          this.#logger.warn({ error: String(error) }, 'Build requests could not be read'),
        )
        .finally(() => this.#schedule());
    }, backgroundPollMs);
    this.#timer.unref();
  }

  /** Ends every wait now: calls answer with a handle. For a shutdown. */
  endWaits(): void {
    this.#ending.abort();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#pending.clear();
  }

  /** Writes the ends of builds and makes new actions visible; the only place that does, for every reader of builds. */
  async #notice(builds: readonly BuildRequest[]): Promise<void> {
    const snapshot = await this.#catalog.snapshot();
    const justEnded = new Set<string>();
    for (const build of builds) {
      if (!hasEnded(build)) this.start(build.id);
      else {
        if (this.#pending.delete(build.id)) justEnded.add(build.id);
        if (!this.#finished.has(build.id)) await this.#finish(build);
      }
    }
    const { fetchedAt } = snapshot.data;
    const isOld = Date.now() - fetchedAt > refreshAgainMs;
    const isNew = ({ id, status, action_id, updated_at }: BuildRequest) =>
      status === 'success' &&
      typeof action_id === 'string' &&
      snapshot.action(action_id) === undefined &&
      (justEnded.has(id) || (isOld && !(Date.parse(updated_at) < fetchedAt - clockToleranceMs)));
    if (builds.some(isNew)) await this.#catalog.refresh();
  }

  /** Also of a build that an earlier process asked for: its refund belongs to the day's budget. */
  async #finish(build: BuildRequest): Promise<void> {
    try {
      const { intents } = await this.#store.open();
      const intent = (await intents.byJob(build.id)) ?? this.#accepted(build.id);
      const failed = build.status === 'failed';
      if (intent !== undefined) {
        const finish = () =>
          intents.finished(intent.id, {
            jobId: build.id,
            outcome: failed ? 'failed' : 'completed',
            charged: failed ? 0 : build.credits_charged,
            durationMs: null,
          });
        await this.#records.queue(intent.id, `the end of build ${build.id}`, finish);
      }
      this.#finished.add(build.id);
    } catch (error) {
      this.#logger.error({ error: String(error) }, 'Could not write the end of a build to the store');
    }
  }
}

const goOn = (id: string) =>
  `Call list_build_requests ${JSON.stringify({ id, wait_seconds: 45 })} later; the build goes on and is not charged again.`;
