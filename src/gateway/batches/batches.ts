/** Many inputs of one action in one call: named in the store first, paid one by one, answered together. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Admission } from '../admission/admission.ts';
import { stopIfCancelled } from '../errors/errors.ts';
import type { Clock } from '../foundation/clock.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext, GetJobInput } from '../interface/gateway.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { Callers } from '../paid-calls/callers.ts';
import { jobNotFound } from '../paid-calls/refusals.ts';
import { within } from '../paid-calls/within.ts';
import type { RunRequest, Runs } from '../runs/runs.ts';
import { callHash } from '../store/canonical.ts';
import type { GatewayStore } from '../store/gateway-store.ts';
import { ownJobId } from '../store/job-ids.ts';
import type { BatchInput } from '../store/kept-batches.ts';
import type { OpenStore } from '../store/open-store.ts';
import type { BatchRow } from '../store/schema.ts';
import { parseObject } from '../store/stored-json.ts';
import { type AnsweredRow, batchBody, processingBatch, unansweredRow } from './batch-body.ts';
import { checkInputs, toUnique } from './batch-inputs.ts';
import { BatchRunner } from './batch-runner.ts';

const otherProcessPollMs = 500;
const reportMs = 2_000;
const cancelled = { code: 'CANCELLED', message: 'The call was cancelled.' };

export interface BatchRequest extends Omit<RunRequest, 'params' | 'resubmit'> {
  readonly batch: readonly JsonObject[];
}

interface Dependencies {
  readonly store: GatewayStore;
  readonly runs: Runs;
  readonly jobs: Jobs;
  readonly admission: Admission;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly limits: Pick<TimeLimits, 'batchedRunMs'>;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
}

type View = Pick<GetJobInput, 'path' | 'format'>;

export class Batches {
  readonly #dependencies: Dependencies;
  readonly #callers = new Callers();
  readonly #closing = new AbortController();
  readonly #runner = new BatchRunner(this.#closing.signal);

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects with a `GatewayError`; then nothing was sent. */
  async run(request: BatchRequest, view: View, context: CallContext): Promise<Outcome> {
    const { runs, admission, limits } = this.#dependencies;
    const { action, maxAgeMs } = request;
    const paramsOfRows = await checkInputs(request.batch, (params) => runs.check(action, params));
    const account = await runs.chooseAccount(request, context.signal);
    const credentialId = account?.credentialId;
    const inputs = paramsOfRows.map((params) => ({
      params,
      hash: callHash({ kind: 'run', subject: action.action_id, params, credentialId }),
    }));
    const store = await this.#dependencies.store.open();
    stopIfCancelled(context.signal);
    const existing = await store.batches.openSame(inputs);
    // A batch that ended is answered as it is until it was delivered; one whose process died is continued.
    const isAnswer =
      existing !== undefined &&
      (existing.finished_at !== null ||
        this.#runner.running(existing.id) !== undefined ||
        !store.batches.hasEnded(existing));
    if (isAnswer) return this.#answerRun(existing, view, context);
    const remaining = existing === undefined ? inputs : await this.#listRemaining(existing, store);
    const question = await admission.admitBatch(request, toUnique(remaining).length, store.intents, context);
    if (question !== undefined) return question;
    const batch = await this.#begin(existing, action.action_id, inputs, store);
    if (batch === undefined) return this.run(request, view, context);
    const runOptions = { ...request, resubmit: false, maxCredits: undefined, maxAgeMs, inBatch: true };
    this.#runner.start(batch, toUnique(remaining), store, (params, signal) =>
      this.#dependencies.answering(() =>
        runs.runChecked({ ...runOptions, params }, account, {
          signal,
          waitMs: limits.batchedRunMs,
          progress: () => undefined,
          confirmation: 'cannot-ask',
        }),
      ),
    );
    return this.#answerRun(batch, view, context);
  }

  /** Waits for the rows of a batch; cancelling ends only the wait. Rejects with `JOB_NOT_FOUND`. */
  async get(
    id: string,
    { path, format }: View,
    context: CallContext,
    { asRun }: { asRun?: boolean } = {},
  ): Promise<Outcome> {
    const { batches } = await this.#dependencies.store.open();
    const batch = await batches.find(id);
    if (batch === undefined) throw jobNotFound(id);
    return this.#answer(batch, { path, format }, context, { asRun: asRun ?? batch.open === 1 });
  }

  /** Starts nothing more of it, whichever process runs it; what is under way goes on. */
  async stop(id: string): Promise<void> {
    const running = this.#runner.running(id);
    if (running !== undefined) return running.stop(cancelled);
    const { batches } = await this.#dependencies.store.open();
    await batches.requestStop(id, cancelled);
  }

  /** Before a shutdown: starts nothing more, and every wait answers with the batch's id. */
  endWaits(): void {
    this.#closing.abort();
    this.#runner.stop({ code: 'CANCELLED', message: 'The server was shut down.' });
  }

  /** Runs that are under way end as far as the close of `Runs` lets them. */
  async close(): Promise<void> {
    this.endWaits();
    await this.#runner.ended();
  }

  /**
   * The answer of a call that runs it. The batch stops when every such call was cancelled; one that took a handle still
   * wants it.
   */
  async #answerRun(batch: BatchRow, view: View, context: CallContext): Promise<Outcome> {
    const leave = this.#callers.enter(batch.id, context.signal);
    void Promise.resolve(this.#runner.running(batch.id)?.end).then(leave);
    const waitMs = Math.min(context.waitMs, context.handleAfterMs ?? Number.POSITIVE_INFINITY);
    try {
      return await this.#answer(batch, view, { ...context, waitMs }, { asRun: true });
    } catch (error) {
      if (context.signal.aborted && !this.#callers.areWaiting(batch.id)) await this.stop(batch.id);
      throw error;
    }
  }

  async #begin(
    existing: BatchRow | undefined,
    actionId: string,
    inputs: readonly BatchInput[],
    { batches }: OpenStore,
  ): Promise<BatchRow | undefined> {
    if (existing === undefined) return batches.add(actionId, inputs);
    return (await batches.takeOver(existing)) ? batches.find(existing.id) : undefined;
  }

  /** The inputs that were not begun, of a batch whose process died. */
  async #listRemaining(batch: BatchRow, { batches }: OpenStore): Promise<BatchInput[]> {
    const remaining: BatchInput[] = [];
    for (const row of await batches.listRows(batch.id)) {
      const isLeft = row.refusal === null && (await batches.findIntent(row, batch)) === undefined;
      if (isLeft) remaining.push({ params: parseObject(row.params), hash: row.call_hash });
    }
    return remaining;
  }

  async #answer(
    batch: BatchRow,
    view: View,
    context: CallContext,
    { asRun }: { asRun: boolean },
  ): Promise<Outcome> {
    const { clock, settings } = this.#dependencies;
    const store = await this.#dependencies.store.open();
    const deadline = clock.monotonic() + context.waitMs;
    const ended = await this.#awaitEnd(batch, deadline, context, store);
    const rows = await store.batches.listRows(batch.id);
    const processing = { body: processingBatch(batch.id, rows.length), batch: batch.id, view };
    if (ended === undefined) return processing;
    const budget = Math.max(200, Math.floor(resultBudget(settings, context) / rows.length));
    const answered = await Promise.all(
      rows.map(async (row): Promise<AnsweredRow> => {
        const intent = await store.batches.findIntent(row, ended);
        if (intent === undefined) return unansweredRow(row);
        const runContext = { ...context, waitMs: Math.max(0, deadline - clock.monotonic()) };
        const { body, delivered } = await this.#dependencies.answering(() =>
          this.#dependencies.jobs.get(
            intent.job_id ?? ownJobId(intent.id),
            { ...view, maxChars: budget },
            runContext,
            {
              asRun: true,
            },
          ),
        );
        const isOwn = asRun && intent.created_at >= batch.created_at;
        const charged = isOwn ? intent.charged : 0;
        return { row, body, identity: intent.account || undefined, charged, delivered };
      }),
    );
    if (answered.some(({ body }) => body?.status === 'processing')) return processing;
    return {
      body: batchBody(ended, answered),
      batch: batch.id,
      view,
      delivered: async () => {
        for (const { delivered } of answered) await delivered?.();
        await store.batches.delivered(batch.id);
      },
    };
  }

  /** Resolves to the batch when no more of its runs will start; to undefined at the deadline. */
  async #awaitEnd(
    batch: BatchRow,
    deadline: number,
    context: CallContext,
    { batches }: OpenStore,
  ): Promise<BatchRow | undefined> {
    const { clock } = this.#dependencies;
    const running = this.#runner.running(batch.id);
    if (running !== undefined) {
      const report = setInterval(
        () => context.progress({ progress: running.ended + 1, message: `${running.ended} runs have ended` }),
        reportMs,
      );
      const ended = running.end.then(() => true);
      try {
        if (!(await within(ended, deadline - clock.monotonic(), context.signal, this.#closing.signal))) {
          return undefined;
        }
      } catch (error) {
        stopIfCancelled(context.signal);
        throw error;
      } finally {
        clearInterval(report);
      }
    }
    for (;;) {
      const current = await batches.find(batch.id);
      if (current === undefined || batches.hasEnded(current)) return current ?? batch;
      const remainingMs = deadline - clock.monotonic();
      if (remainingMs <= 0 || this.#closing.signal.aborted) return undefined;
      await delay(Math.min(otherProcessPollMs, remainingMs), undefined, { signal: context.signal }).catch(
        () => undefined,
      );
      stopIfCancelled(context.signal);
    }
  }
}
