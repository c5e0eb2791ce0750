/**
 * Handles: what a caller holds instead of waiting. One is a view of a paid call or of a batch, so it needs no care of
 * its own: what the service is asked, and what its answers mean, stands in `runs/`, `batches/` and `builds/`.
 *
 * Where the process may die, and what the next one finds:
 * 1. before the handle is written: the caller has no answer; the same call is attached to the intent, as ever.
 * 2. after it is written: the handle, and behind it the intent or the batch in whatever state it is.
 */

import * as z from 'zod';
import type { Batches } from '../batches/batches.ts';
import type { Builds } from '../builds/builds.ts';
import type { Clock } from '../foundation/clock.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext, Handle, Handles } from '../interface/gateway.ts';
import { isFailure, isUnfinished, type Outcome } from '../interface/outcomes.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { pollSchedule } from '../runs/poll-schedule.ts';
import type { Runs } from '../runs/runs.ts';
import { isBatchId } from '../store/batch-terms.ts';
import type { GatewayStore } from '../store/gateway-store.ts';
import type { Intent } from '../store/intents.ts';
import { ownJobId } from '../store/job-ids.ts';
import type { OpenStore } from '../store/open-store.ts';
import type { HandleRow } from '../store/schema.ts';
import { parseObject } from '../store/stored-json.ts';
import { FollowedCalls, isUnderWay } from './followed-calls.ts';
import { describeState, type HandleSource, handleGivenUp, resultUnavailable } from './handle-texts.ts';

/** The longest life of a handle on a paid call. */
const paidMs = 7 * 24 * 60 * 60_000;
/** The life of a handle on an answer that cost nothing. */
const unpaidMs = 60 * 60_000;
const fastestPollMs = 500;
const slowestPollMs = 30_000;
/** Milliseconds between two looks at a build or a batch. */
const longWorkPollMs = 2_000;

interface Dependencies {
  readonly store: GatewayStore;
  readonly runs: Runs;
  readonly builds: Builds;
  readonly jobs: Jobs;
  readonly batches: Batches;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
  readonly clock: Clock;
  readonly limits: TimeLimits;
}

export class StoredHandles implements Handles {
  readonly #dependencies: Dependencies;
  readonly #followed: FollowedCalls;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#followed = new FollowedCalls(dependencies);
  }

  async open(outcome: Outcome): Promise<Handle> {
    const store = await this.#dependencies.store.open();
    const { paidCall, batch, body, view } = outcome;
    const isPaid = paidCall !== undefined || batch !== undefined;
    const row = await store.handles.add(
      {
        intent_id: paidCall ?? null,
        batch_id: batch ?? null,
        answer: isPaid ? null : JSON.stringify(body),
        view: isPaid && view !== undefined ? JSON.stringify(view) : null,
      },
      { now: this.#dependencies.clock.now(), ttlMs: isPaid ? paidMs : unpaidMs },
    );
    const source = await findSource(row, store);
    if (source.kind === 'call' && isUnderWay(source.intent)) this.#followed.follow(source.intent);
    return this.#toHandle(row, source, store);
  }

  async look(id: string, { signal, waitMs }: Pick<CallContext, 'signal' | 'waitMs'>) {
    const store = await this.#dependencies.store.open();
    let row = await this.#find(id, store);
    if (row === undefined) return undefined;
    let source = await findSource(row, store);
    if (getState(row, source) === 'under-way') {
      await this.#watch(source, waitMs, signal);
      // It may have ended, or been given up by another process.
      row = await this.#find(id, store);
      if (row === undefined) return undefined;
      source = await findSource(row, store);
    }
    const handle = await this.#toHandle(row, source, store);
    if (handle.state === 'under-way') return { handle };
    const outcome = await this.#readOutcome(row, source);
    // An end is final, so none is reported while the service does not return the result.
    if (source.kind !== 'answer' && isUnfinished(outcome.body)) throw resultUnavailable(source);
    return { handle, outcome };
  }

  async giveUp(id: string) {
    const store = await this.#dependencies.store.open();
    const before = await this.#find(id, store);
    if (before === undefined) return undefined;
    const source = await findSource(before, store);
    if (getState(before, source) === 'under-way') {
      await store.handles.giveUp(before, this.#dependencies.clock.now());
      if (before.batch_id !== null) await this.#dependencies.batches.stop(before.batch_id);
    }
    const row = (await this.#find(id, store)) ?? before;
    const previousState = before.given_up_at === null && row.given_up_at !== null ? 'not-ended' : 'ended';
    return { handle: await this.#toHandle(row, await findSource(row, store), store), previousState } as const;
  }

  /** Ends all waits. */
  close(): void {
    this.#followed.close();
  }

  /** A batch is found by its own id as well. */
  async #find(id: string, { handles, batches }: OpenStore): Promise<HandleRow | undefined> {
    const now = this.#dependencies.clock.now();
    const row = await handles.find(id, now);
    if (row !== undefined || !isBatchId(id) || (await batches.find(id)) === undefined) return row;
    return handles.add(
      { intent_id: null, batch_id: id, answer: null, view: null },
      { now, ttlMs: paidMs, id },
    );
  }

  async #watch(source: HandleSource, waitMs: number, signal: AbortSignal): Promise<void> {
    if (source.kind === 'call') return this.#followed.watch(source.intent, waitMs, signal);
    if (source.kind === 'answer') return;
    const context = { ...this.#context(), signal, waitMs };
    try {
      await this.#dependencies.batches.get(source.progress.batch.id, {}, context);
    } finally {
      // The end of a run is written behind its answer.
      await this.#dependencies.runs.written();
    }
  }

  #context(): CallContext {
    const signal = this.#followed.closing;
    return { signal, waitMs: 0, progress: () => undefined, confirmation: 'cannot-ask' };
  }

  async #readOutcome(row: HandleRow, source: HandleSource): Promise<Outcome> {
    const { answering, jobs, builds, batches } = this.#dependencies;
    if (row.given_up_at !== null) return { body: handleGivenUp(source).body };
    const context = this.#context();
    const asRun = { asRun: true };
    switch (source.kind) {
      case 'answer':
        return { body: source.answer };
      case 'batch':
        return answering(() => batches.get(source.progress.batch.id, parseView(row), context, asRun));
      case 'call': {
        const { intent } = source;
        return answering(async () =>
          intent.kind === 'build'
            ? builds.follow(intent, context)
            : jobs.select(
                await jobs.get(intent.job_id ?? ownJobId(intent.id), {}, context, asRun),
                parseView(row),
                context,
              ),
        );
      }
    }
  }

  async #toHandle(row: HandleRow, source: HandleSource, { intents }: OpenStore): Promise<Handle> {
    const state = getState(row, source);
    return {
      id: row.id,
      state,
      message: describeState(state, source),
      createdAt: row.created_at,
      updatedAt: row.given_up_at ?? getChangedAt(source) ?? row.created_at,
      expiresAt: row.expires_at,
      pollMs:
        state === 'under-way'
          ? await getPollMs(source, intents, this.#dependencies.clock.now())
          : fastestPollMs,
    };
  }
}

const View = z.object({ path: z.string().optional(), format: z.enum(['json', 'csv']).optional() });
const parseView = ({ view }: HandleRow) => View.parse(JSON.parse(view ?? '{}'));

async function findSource(row: HandleRow, { intents, batches }: OpenStore): Promise<HandleSource> {
  const progress = row.batch_id === null ? undefined : await batches.progress(row.batch_id);
  if (progress !== undefined) return { kind: 'batch', progress };
  const intent: Intent | undefined = row.intent_id === null ? undefined : await intents.reread(row.intent_id);
  return intent === undefined
    ? { kind: 'answer', answer: parseObject(row.answer ?? '{}') }
    : { kind: 'call', intent };
}

function getState(row: HandleRow, source: HandleSource): Handle['state'] {
  if (row.given_up_at !== null) return 'given-up';
  if (source.kind === 'batch') return source.progress.state;
  if (source.kind === 'answer') return isFailure(source.answer) ? 'failed' : 'completed';
  if (isUnderWay(source.intent)) return 'under-way';
  return source.intent.outcome === 'completed' ? 'completed' : 'failed';
}

function getChangedAt(source: HandleSource): number | null {
  if (source.kind === 'answer') return null;
  if (source.kind === 'batch') return source.progress.batch.finished_at;
  return source.intent.finished_at ?? source.intent.submitted_at;
}

async function getPollMs(source: HandleSource, intents: OpenStore['intents'], now: number): Promise<number> {
  if (source.kind !== 'call' || source.intent.kind === 'build') return longWorkPollMs;
  const { intent } = source;
  if (intent.submitted_at === null || intent.state !== 'submitted') return fastestPollMs;
  const elapsed = Math.max(0, now - intent.submitted_at);
  const schedule = pollSchedule(await intents.durations(intent.subject));
  return Math.ceil(Math.min(slowestPollMs, Math.max(fastestPollMs, schedule.nextDelay(elapsed))));
}
