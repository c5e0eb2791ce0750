/** Many inputs of one action in one call: named in the store first, paid one by one, answered together. */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { GatewayError, stopIfCancelled } from '../errors.ts';
import type { CallContext, GetJobInput } from '../gateway.ts';
import type { Jobs } from '../jobs.ts';
import type { ErrorDetail, JsonObject, Outcome } from '../outcomes.ts';
import { callHash } from '../paid-calls/canonical.ts';
import { ownJobId } from '../paid-calls/job-ids.ts';
import { lostJob } from '../paid-calls/refusals.ts';
import { within } from '../paid-calls/within.ts';
import type { Admission } from '../runs/admission.ts';
import type { RunRequest, Runs } from '../runs/runs.ts';
import { type GatewaySettings, resultBudget } from '../settings.ts';
import type { GatewayStore, OpenStore } from '../store/gateway-store.ts';
import type { BatchRow } from '../store/schema.ts';
import { type AnsweredRow, batchBody, processingBatch } from './batch-body.ts';
import { type BatchInput, renewMs } from './kept-batches.ts';

/** How many runs of one batch are under way at the same time. */
const parallelRuns = 5;
/** A run that takes longer is left to the service; its row can be read later. */
const longestRunMs = 60 * 60_000;
const otherProcessPollMs = 500;
const reportMs = 2_000;

/** After one of these every further run would be refused too, or is not what the caller agreed to. */
const stopping =
  /^(INSUFFICIENT_CREDITS|AUTH_.*|PRICE_CHANGED|PRICE_UNAVAILABLE|BUDGET_EXCEEDED|CANCELLED|STORE_UNAVAILABLE|UNAUTHORIZED|FORBIDDEN|NOT_FOUND)$/;

export interface BatchRequest extends Omit<RunRequest, 'params' | 'resubmit'> {
  readonly batch: readonly JsonObject[];
}

interface Parts {
  readonly store: GatewayStore;
  readonly runs: Runs;
  readonly jobs: Jobs;
  readonly admission: Admission;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  /** Turns what the parts throw into bodies. */
  readonly answering: (work: () => Promise<Outcome>) => Promise<Outcome>;
}

interface Running {
  /** Never rejects. */
  readonly end: Promise<void>;
  /** Starts nothing more; what is under way goes on. */
  readonly stop: (error: ErrorDetail) => void;
  ended: number;
}

type View = Pick<GetJobInput, 'path' | 'format'>;

export class Batches {
  readonly #parts: Parts;
  readonly #running = new Map<string, Running>();
  readonly #closing = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Rejects with a `GatewayError`; then nothing was sent. */
  async run(request: BatchRequest, view: View, context: CallContext): Promise<Outcome> {
    const { runs, admission } = this.#parts;
    const { action, maxAgeMs } = request;
    const paramsOfRows: JsonObject[] = [];
    for (const [index, params] of request.batch.entries()) {
      paramsOfRows.push(await checkedRow(index, () => runs.check(action, params)));
    }
    const account = await runs.chooseAccount(request, context.signal);
    const credentialId = account?.credentialId;
    const inputs = paramsOfRows.map((params) => ({
      params,
      hash: callHash({ kind: 'run', subject: action.action_id, params, credentialId }),
    }));
    const store = await this.#parts.store.open();
    stopIfCancelled(context.signal);
    const known = await store.batches.openSame(inputs);
    if (known !== undefined && (this.#running.has(known.id) || !store.batches.hasEnded(known))) {
      return this.#answer(known, view, context, { asRun: true });
    }
    // One that stopped by itself is told as it is until it was delivered; one whose process died goes on.
    if (known !== undefined && known.finished_at !== null) {
      return this.#answer(known, view, context, { asRun: true });
    }
    const left = known === undefined ? inputs : await this.#left(known, store);
    const question = await admission.admitBatch(request, uniqueOf(left).length, store.intents, context);
    if (question !== undefined) return question;
    const batch = await this.#begin(known, action.action_id, inputs, store);
    if (batch === undefined) return this.run(request, view, context);
    this.#start(batch, uniqueOf(left), store, (params, signal) =>
      runs.runChecked(
        { ...request, params, resubmit: false, maxCredits: undefined, maxAgeMs, inBatch: true },
        account,
        {
          signal,
          waitMs: longestRunMs,
          progress: () => undefined,
          confirmation: 'cannot-ask',
        },
      ),
    );
    return this.#answer(batch, view, context, { asRun: true });
  }

  /** The rows of a batch, waited for. Rejects with `JOB_NOT_FOUND`. */
  async get(id: string, { path, format }: View, context: CallContext): Promise<Outcome> {
    const { batches } = await this.#parts.store.open();
    const batch = await batches.find(id);
    if (batch === undefined) throw lostJob(id, undefined);
    const view = { path, format };
    return this.#answer(batch, view, context, { asRun: batch.open === 1 });
  }

  /** Starts nothing more. What is under way is answered as far as the runs' own close lets it. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const running of this.#running.values()) {
      running.stop({ code: 'CANCELLED', message: 'The server was shut down.' });
    }
    await Promise.all([...this.#running.values()].map(({ end }) => end));
  }

  async #begin(
    known: BatchRow | undefined,
    actionId: string,
    inputs: readonly BatchInput[],
    { batches }: OpenStore,
  ): Promise<BatchRow | undefined> {
    if (known === undefined) return batches.add(actionId, inputs);
    return (await batches.takeOver(known)) ? batches.find(known.id) : undefined;
  }

  /** The inputs of a batch whose process died of which nothing was begun. */
  async #left(batch: BatchRow, { batches }: OpenStore): Promise<BatchInput[]> {
    const left: BatchInput[] = [];
    for (const row of await batches.rowsOf(batch.id)) {
      const isLeft = row.refusal === null && (await batches.intentOf(row, batch)) === undefined;
      if (isLeft) left.push({ params: JSON.parse(row.params), hash: row.call_hash });
    }
    return left;
  }

  #start(
    batch: BatchRow,
    inputs: readonly BatchInput[],
    store: OpenStore,
    pay: (params: JsonObject, signal: AbortSignal) => Promise<Outcome>,
  ): void {
    const { batches } = store;
    const queue = [...inputs];
    const stop = new AbortController();
    // Every run of the batch listens.
    setMaxListeners(0, stop.signal);
    let stopped: ErrorDetail | undefined;
    const stopWith = (error: ErrorDetail) => {
      stopped ??= error;
      queue.length = 0;
    };
    const worker = async () => {
      for (let input = queue.shift(); input !== undefined; input = queue.shift()) {
        const { params, hash } = input;
        const outcome = await this.#parts.answering(() => pay(params, stop.signal));
        running.ended += 1;
        const error = errorOf(outcome.body);
        if (outcome.paidCall !== undefined) await batches.link(batch.id, hash, outcome.paidCall);
        else if (error !== undefined) await this.#noteRefusal(batch, hash, error, store);
        if (error !== undefined && stopping.test(error.code)) stopWith(error);
      }
    };
    const work = async () => {
      // A store that fails is tried again at the next beat; until then the lease lasts.
      const beat = setInterval(() => void batches.renew(batch.id).catch(() => undefined), renewMs);
      beat.unref();
      try {
        await Promise.all(Array.from({ length: parallelRuns }, worker));
        // After a shutdown the same call goes on, in another process.
        if (!this.#closing.signal.aborted) await batches.finish(batch.id, stopped);
      } catch {
        // The store failed: the batch counts as left by its process, and the same call takes it over.
        queue.length = 0;
      } finally {
        clearInterval(beat);
        this.#running.delete(batch.id);
      }
    };
    const running: Running = { end: Promise.resolve(), stop: stopWith, ended: 0 };
    this.#running.set(batch.id, Object.assign(running, { end: work() }));
  }

  /** A refusal before the intent was written is kept here; after it, with the intent. */
  async #noteRefusal(
    batch: BatchRow,
    hash: string,
    error: ErrorDetail,
    { batches }: OpenStore,
  ): Promise<void> {
    const row = (await batches.rowsOf(batch.id)).find(({ call_hash }) => call_hash === hash);
    if (row === undefined || (await batches.intentOf(row, batch)) !== undefined) return;
    // What stops the batch is told once, and the row is simply not sent.
    if (!stopping.test(error.code)) await batches.refuse(batch.id, hash, error);
  }

  async #answer(
    batch: BatchRow,
    view: View,
    context: CallContext,
    { asRun }: { asRun: boolean },
  ): Promise<Outcome> {
    const { clock, settings } = this.#parts;
    const store = await this.#parts.store.open();
    const deadline = clock.monotonic() + context.waitMs;
    const ended = await this.#ended(batch, deadline, context, store);
    const rows = await store.batches.rowsOf(batch.id);
    if (ended === undefined) return { body: processingBatch(batch.id, rows.length) };
    const budget = Math.max(200, Math.floor(resultBudget(settings, context) / rows.length));
    const answered = await Promise.all(
      rows.map(async (row): Promise<AnsweredRow> => {
        const intent = await store.batches.intentOf(row, ended);
        if (intent === undefined)
          return { row, body: undefined, identity: undefined, charged: 0, delivered: undefined };
        const left = { ...context, waitMs: Math.max(0, deadline - clock.monotonic()) };
        const { body, delivered } = await this.#parts.answering(() =>
          this.#parts.jobs.get(intent.job_id ?? ownJobId(intent.id), { ...view, maxChars: budget }, left, {
            asRun: true,
          }),
        );
        const isOwn = asRun && intent.created_at >= batch.created_at;
        const charged = isOwn ? intent.charged : 0;
        return { row, body, identity: intent.account || undefined, charged, delivered };
      }),
    );
    if (answered.some(({ body }) => body?.status === 'processing')) {
      return { body: processingBatch(batch.id, rows.length) };
    }
    return {
      body: batchBody(ended, answered),
      delivered: async () => {
        for (const { delivered } of answered) await delivered?.();
        await store.batches.delivered(batch.id);
      },
    };
  }

  /** The batch once nothing of it will be started any more; undefined at the deadline. A cancel stops it. */
  async #ended(
    batch: BatchRow,
    deadline: number,
    context: CallContext,
    { batches }: OpenStore,
  ): Promise<BatchRow | undefined> {
    const { clock } = this.#parts;
    const running = this.#running.get(batch.id);
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
        if (context.signal.aborted) running.stop({ code: 'CANCELLED', message: 'The call was cancelled.' });
        stopIfCancelled(context.signal);
        throw error;
      } finally {
        clearInterval(report);
      }
    }
    for (;;) {
      const now = (await batches.find(batch.id)) ?? batch;
      if (batches.hasEnded(now)) return now;
      const left = deadline - clock.monotonic();
      if (left <= 0 || this.#closing.signal.aborted) return undefined;
      await delay(Math.min(otherProcessPollMs, left), undefined, { signal: context.signal }).catch(
        () => undefined,
      );
      stopIfCancelled(context.signal);
    }
  }
}

const uniqueOf = (inputs: readonly BatchInput[]): BatchInput[] => [
  ...new Map(inputs.map((input) => [input.hash, input])).values(),
];

function errorOf(body: JsonObject): ErrorDetail | undefined {
  const { code, message }: { code?: unknown; message?: unknown } = Object(body.error);
  return typeof code === 'string' ? { code, message: typeof message === 'string' ? message : '' } : undefined;
}

/** The place of an issue is that in the batch. */
async function checkedRow(index: number, check: () => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { code, message, issues, ...extra } = error.body.error;
    const placed = Array.isArray(issues)
      ? issues.map((issue: { path?: unknown }) => ({ ...issue, path: `batch[${index}].${issue.path ?? ''}` }))
      : [];
    throw new GatewayError(
      { service: code },
      `Input ${index + 1} of the batch: ${message}`,
      error.body.next,
      {
        ...extra,
        issues: placed,
      },
    );
  }
}
