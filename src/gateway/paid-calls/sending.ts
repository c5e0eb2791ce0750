/**
 * Sends the one request of an intent, once: not after its deadline, not for callers who have left, and only while the
 * store says that it is still to be sent by this process. A doubt is resolved by the idempotency key where the service
 * takes one, and else said.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiError, isApiError } from '../../client/errors.ts';
import { traced } from '../../tracing/tracing.ts';
import { GatewayError } from '../errors/errors.ts';
import type { Clock } from '../foundation/clock.ts';
import { storeFailure } from '../store/gateway-store.ts';
import type { Intent } from '../store/intents.ts';
import type { OpenStore } from '../store/open-store.ts';
import type { Accepted, Purchase } from './purchase.ts';
import type { Records } from './records.ts';
import { submissionUnknown } from './refusals.ts';
import { answersDoubt, judge } from './submission.ts';

/** Milliseconds before a request in doubt is repeated with its key. */
const pausesMs = [200, 1_000];

/** The result of a request. */
export interface Sent<End> {
  readonly intent: Intent;
  readonly end?: End;
  /**
   * Resolves when the store knows of it, or has failed to learn it at once; to the other submission of the same call,
   * where a person had gone past the doubt before this answer came.
   */
  readonly recorded?: Promise<Intent | undefined>;
}

export interface Sending<End> {
  readonly intent: Intent;
  readonly purchase: Purchase<End>;
  readonly store: OpenStore;
  /** When the intent was begun, by the monotonic clock. */
  readonly begunAt: number;
  /** Whether anybody still waits for it. */
  readonly isWanted: () => boolean;
}

interface Dependencies {
  readonly records: Records;
  readonly clock: Clock;
}

export interface SenderKind<End> {
  readonly notDeducted: readonly string[];
  keepEnd?(intent: Intent, end: End, store: OpenStore): Promise<void>;
}

export class Sender<End> {
  readonly #dependencies: Dependencies;
  readonly #kind: SenderKind<End>;
  readonly #onAccepted: (intent: Intent, landed: Promise<void>) => void;

  constructor(
    dependencies: Dependencies,
    kind: SenderKind<End>,
    onAccepted: (intent: Intent, landed: Promise<void>) => void,
  ) {
    this.#dependencies = dependencies;
    this.#kind = kind;
    this.#onAccepted = onAccepted;
  }

  /**
   * Resolves while the answer is being recorded. Rejects with a `GatewayError` where nothing was
   * charged, or a `SubmissionUnknownError`.
   */
  send(sending: Sending<End>): Promise<Sent<End>> {
    const { id, kind } = sending.intent;
    const attributes = { 'svc_mcp.intent.id': id };
    return traced(`submit ${kind}`, { attributes }, async (span) => {
      const sent = await this.#send(sending);
      span.set({ 'svc_mcp.job.id': sent.intent.job_id ?? undefined });
      return sent;
    });
  }

  async #send(sending: Sending<End>): Promise<Sent<End>> {
    const { intent, purchase } = sending;
    let isInDoubt = intent.state === 'unknown';
    for (let attempt = 0; ; attempt += 1) {
      const claimedAt = this.#dependencies.clock.monotonic();
      const reason = await this.#reasonNotToSend(sending, attempt === 0);
      if (reason !== undefined) {
        if (isInDoubt) throw await this.#inDoubt(sending);
        await this.#refuse(sending, reason);
        throw reason;
      }
      try {
        const remainingMs = claimedAt + purchase.submitWithinMs - this.#dependencies.clock.monotonic();
        return await this.#accepted(sending, await purchase.send(intent, Math.max(1, remainingMs)));
      } catch (error) {
        if (!isApiError(error)) throw error;
        const isTaken = judge(error, this.#kind.notDeducted) === 'unknown';
        if (!isTaken && (!isInDoubt || answersDoubt(error))) {
          const refusal = await purchase.refusal(error);
          await this.#refuse(sending, refusal);
          throw refusal;
        }
        isInDoubt = true;
        const pauseMs = intent.keyed === 1 ? pausesMs[attempt] : undefined;
        if (pauseMs === undefined) throw await this.#inDoubt(sending, error);
        await delay(pauseMs);
      }
    }
  }

  async #reasonNotToSend(
    { intent, purchase, store, begunAt, isWanted }: Sending<End>,
    isFirst: boolean,
  ): Promise<GatewayError | undefined> {
    const { clock } = this.#dependencies;
    const { submitWithinMs } = purchase;
    if (isFirst && !isWanted()) return cancelled();
    const startedAt = clock.monotonic();
    if (isFirst && startedAt - begunAt >= submitWithinMs) return tooLate();
    try {
      if (!(await store.intents.claim(intent.id, submitWithinMs))) return tooLate();
    } catch (error) {
      return storeFailure(error);
    }
    if (isFirst && !isWanted()) return cancelled();
    // In less than half of its time it may get no answer, and a doubt costs more than a refusal.
    return clock.monotonic() - startedAt >= submitWithinMs / 2 ? tooLate() : undefined;
  }

  async #accepted({ intent, store }: Sending<End>, { jobId, end }: Accepted<End>): Promise<Sent<End>> {
    const { records, clock } = this.#dependencies;
    const now = clock.now();
    const submitted = { ...intent, state: 'submitted' as const, submitted_at: now, job_id: jobId };
    if (end !== undefined) {
      const finished = { ...submitted, state: 'finished' as const, finished_at: now };
      await this.#kind.keepEnd?.(finished, end, store);
      return { intent: finished, end };
    }
    let other: Intent | undefined;
    const write = async () => {
      const row = await store.intents.submitted(intent.id, jobId);
      // The intent was closed meanwhile: a person resubmitted the call.
      if (row?.open === 0) other = await store.intents.other(row);
    };
    const recorded = records.write(intent.id, `the accepted job ${jobId}`, write).then(() => other);
    this.#onAccepted(submitted, records.landed(intent.id));
    return { intent: submitted, recorded };
  }

  #refuse({ intent, store }: Sending<End>, { body }: GatewayError): Promise<void> {
    const write = () => store.intents.refused(intent.id, body.error);
    return this.#dependencies.records.write(intent.id, 'a refused submission', write);
  }

  async #inDoubt({ intent, purchase, store }: Sending<End>, error?: ApiError): Promise<Error> {
    await this.#dependencies.records.write(intent.id, 'a submission in doubt', () =>
      store.intents.unknown(intent.id),
    );
    return submissionUnknown(intent, purchase.repeat, error);
  }
}

const cancelled = () =>
  new GatewayError(
    'CANCELLED',
    'The call was cancelled. Nothing was sent.',
    'Call again if it is still wanted.',
  );

const tooLate = () =>
  new GatewayError(
    'STORE_UNAVAILABLE',
    'The store of paid calls took so long that the time to send this call had passed. Nothing was sent or charged.',
    'Call again; if it happens again, check the database or the disk: `svc-mcp doctor`.',
  );
