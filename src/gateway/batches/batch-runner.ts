/** Pays the inputs of the batches that this process runs, a few at a time. */
import { setMaxListeners } from 'node:events';
import type { ErrorDetail, JsonObject, Outcome } from '../interface/outcomes.ts';
import { renewMs } from '../store/batch-terms.ts';
import type { BatchInput } from '../store/kept-batches.ts';
import type { OpenStore } from '../store/open-store.ts';
import type { BatchRow } from '../store/schema.ts';

/** How many runs of one batch are under way at the same time. */
const parallelRuns = 5;

/** After one of these every further run would be refused too, or is not what the caller agreed to. */
const stopping =
  /^(INSUFFICIENT_CREDITS|AUTH_.*|PRICE_CHANGED|PRICE_UNAVAILABLE|BUDGET_EXCEEDED|CANCELLED|STORE_UNAVAILABLE|UNAUTHORIZED|FORBIDDEN|NOT_FOUND)$/;

/** After so many submissions in a row of which nobody knows whether they were accepted, no further one is risked. */
const maxDoubts = 2;

export interface RunningBatch {
  /** Never rejects. */
  end: Promise<void>;
  /** Starts nothing more; what is under way goes on. */
  readonly stop: (error: ErrorDetail) => void;
  /** How many runs have ended. */
  ended: number;
}

/** Never rejects. */
type Pay = (params: JsonObject, signal: AbortSignal) => Promise<Outcome>;

export class BatchRunner {
  readonly #running = new Map<string, RunningBatch>();
  readonly #closing: AbortSignal;

  /** `closing`: the process shuts down; the same call goes on with the batch in another one. */
  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  running(id: string): RunningBatch | undefined {
    return this.#running.get(id);
  }

  /** Pays each input once. The batch and its inputs are in the store already. */
  start(batch: BatchRow, inputs: readonly BatchInput[], store: OpenStore, pay: Pay): void {
    const queue = [...inputs];
    // Belongs to the batch, not to the call that began it, so that paid runs are waited for. Every run listens to it.
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    let stopped: ErrorDetail | undefined;
    let doubts = 0;
    const stop = (error: ErrorDetail) => {
      stopped ??= error;
      queue.length = 0;
    };
    const worker = async () => {
      for (let input = queue.shift(); input !== undefined; input = queue.shift()) {
        const { params, hash } = input;
        const outcome = await pay(params, signal);
        running.ended += 1;
        const error = getError(outcome.body);
        if (outcome.paidCall !== undefined) await store.batches.link(batch.id, hash, outcome.paidCall);
        else if (error !== undefined) await noteRefusal(batch, hash, error, store);
        doubts = error?.code === 'SUBMISSION_UNKNOWN' ? doubts + 1 : 0;
        if (error !== undefined && (stopping.test(error.code) || doubts >= maxDoubts)) stop(error);
      }
    };
    const work = async () => {
      const beat = setInterval(() => {
        // A store that fails is tried again at the next beat; until then the lease lasts.
        const renewed = store.batches.renew(batch.id).catch(() => undefined);
        void renewed.then((reason) => reason && stop(reason));
      }, renewMs);
      beat.unref();
      try {
        await Promise.all(Array.from({ length: parallelRuns }, worker));
        if (!this.#closing.aborted) await store.batches.finish(batch.id, stopped);
      } catch {
        // The store failed: the batch counts as left by its process, and the same call takes it over.
        queue.length = 0;
      } finally {
        clearInterval(beat);
        this.#running.delete(batch.id);
      }
    };
    const running: RunningBatch = { end: Promise.resolve(), stop, ended: 0 };
    this.#running.set(batch.id, running);
    running.end = work();
  }

  /** Starts nothing more of any batch. */
  stop(reason: ErrorDetail): void {
    for (const running of this.#running.values()) running.stop(reason);
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ end }) => end));
  }
}

/** A refusal before the intent was written is kept here; after it, with the intent. */
async function noteRefusal(
  batch: BatchRow,
  hash: string,
  error: ErrorDetail,
  { batches }: OpenStore,
): Promise<void> {
  const row = (await batches.listRows(batch.id)).find(({ call_hash }) => call_hash === hash);
  if (row === undefined || (await batches.findIntent(row, batch)) !== undefined) return;
  // The error that stops the batch is shown once; this row counts as not sent.
  if (!stopping.test(error.code)) await batches.refuse(batch.id, hash, error);
}

function getError(body: JsonObject): ErrorDetail | undefined {
  const { code, message }: { code?: unknown; message?: unknown } = Object(body.error);
  return typeof code === 'string' ? { code, message: typeof message === 'string' ? message : '' } : undefined;
}
