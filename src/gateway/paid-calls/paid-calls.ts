/**
 * The pipeline of every paid call: write the intent, send it once, judge the answer, wait, return the outcome.
 * Runs and builds are its two kinds. What may be sent, and what a doubt means, is decided in `intents.ts`, `states.ts`
 * and `submission.ts`.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { StopSignal } from '../../contract/api.ts';
import { StoreError } from '../../store/errors.ts';
import { traced } from '../../tracing/tracing.ts';
import { stopIfCancelled } from '../errors/errors.ts';
import type { Clock } from '../foundation/clock.ts';
import { Stop } from '../foundation/stop.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { JsonObject, Outcome, Refused } from '../interface/outcomes.ts';
import type { Attachment } from '../results/job-body.ts';
import { type GatewayStore, storeFailure } from '../store/gateway-store.ts';
import type { BeginResult, Intent } from '../store/intents.ts';
import { ownJobId } from '../store/job-ids.ts';
import type { BeginOptions } from '../store/new-intent.ts';
import type { OpenStore } from '../store/open-store.ts';
import { clockToleranceMs } from '../store/owner.ts';
import { Callers } from './callers.ts';
import type { PaidKind, Purchase } from './purchase.ts';
import type { Records } from './records.ts';
import { lostJob, submissionUnknown, toEarlierRefusal } from './refusals.ts';
import { Sender, type Sent } from './sending.ts';
import { Submissions } from './submission.ts';
import { within } from './within.ts';

/** Of an intent that the service has taken. */
const takenStates: readonly string[] = ['submitted', 'finished', 'delivered', 'lost'];
/** The poll interval of an intent while another process sends it. */
const otherProcessPollMs = 250;

interface Dependencies {
  readonly store: GatewayStore;
  readonly records: Records;
  readonly clock: Clock;
}

export class PaidCalls<Body extends JsonObject, End = never> {
  readonly #dependencies: Dependencies;
  readonly #kind: PaidKind<Body, End>;
  readonly #submissions = new Submissions<Sent<End>>();
  readonly #sender: Sender<End>;
  readonly #callers = new Callers();
  readonly #ending = new Stop();
  /** By job id: accepted, while the store may not know it yet. */
  readonly #accepted = new Map<string, Intent>();

  constructor(dependencies: Dependencies, kind: PaidKind<Body, End>) {
    this.#dependencies = dependencies;
    this.#kind = kind;
    this.#sender = new Sender(dependencies, kind, (intent, landed) => {
      const jobId = intent.job_id ?? '';
      this.#accepted.set(jobId, intent);
      void landed.then(() => this.#accepted.delete(jobId));
    });
  }

  /** Aborts when every wait is at its deadline. */
  get ending(): StopSignal {
    return this.#ending;
  }

  /**
   * Pays once and waits until `deadline` (monotonic). Rejects with a `GatewayError` or a `SubmissionUnknownError`;
   * the question to a person comes before anything is sent.
   */
  async pay(
    purchase: Purchase<End>,
    deadline: number,
    context: CallContext,
  ): Promise<Outcome<Body | Refused>> {
    const store = await this.#dependencies.store.open();
    stopIfCancelled(context.signal);
    const begunAt = this.#dependencies.clock.monotonic();
    const beginning = await traced('write intent', {}, async (span) => {
      const written = await this.#begin(purchase, store, begunAt);
      // The website of a build is one of its params.
      const { kind, subject } = purchase.call;
      span.set({
        'svc_mcp.intent.outcome': written.kind,
        'svc_mcp.action.id': kind === 'run' ? subject : undefined,
      });
      return written;
    });
    if (beginning.kind === 'refused') {
      purchase.terms.onRefusal?.(beginning.outcome.body);
      return beginning.outcome;
    }
    const { intent } = beginning;
    const isOurs =
      beginning.kind === 'new' ||
      (beginning.kind === 'unknown' && (await asksAgain(intent, purchase, store)));
    if (beginning.kind === 'unknown' && !(purchase.keyed && intent.keyed === 1)) {
      throw submissionUnknown(intent, purchase.repeat);
    }
    const leave = this.#callers.enter(intent.id, context.signal);
    try {
      if (isOurs) {
        context.progress({ progress: 0, message: purchase.announcement(intent) });
        const isWanted = () => this.#callers.areWaiting(intent.id);
        this.#submissions.start(
          intent.id,
          () => this.#sender.send({ intent, purchase, store, begunAt, isWanted }),
          () => this.#dependencies.records.landed(intent.id),
        );
      }
      const { monotonic } = this.#dependencies.clock;
      const answerBy = Math.max(deadline, monotonic() + this.#kind.leastAnswerMs);
      const waits = { attached: beginning.kind !== 'new', answerBy, deadline };
      const current = beginning.kind === 'unknown' ? await store.intents.reread(intent.id) : intent;
      const outcome = await this.#follow(current ?? intent, waits, context, store);
      if (beginning.kind !== 'new' || beginning.replaces === undefined) return outcome;
      return withOther(outcome, await store.intents.reread(beginning.replaces));
    } finally {
      leave();
    }
  }

  /** Waits for a call whose intent is known. */
  async follow(intent: Intent, context: CallContext): Promise<Outcome<Body | Refused>> {
    const deadline = this.#dependencies.clock.monotonic() + context.waitMs;
    const store = await this.#dependencies.store.open();
    return this.#follow(intent, { attached: false, answerBy: deadline, deadline }, context, store);
  }

  /** The intent of a job that was accepted and is not in the store yet. */
  accepted(jobId: string): Intent | undefined {
    return this.#accepted.get(jobId);
  }

  endWaits(): void {
    this.#ending.now();
  }

  /** Resolves when every request under way was answered or `graceMs` have passed. */
  settle(graceMs: number): Promise<void> {
    return this.#submissions.settle(graceMs);
  }

  async #follow(
    beginning: Intent,
    { attached, answerBy, deadline }: { attached: boolean; answerBy: number; deadline: number },
    context: CallContext,
    store: OpenStore,
  ): Promise<Outcome<Body | Refused>> {
    const paidCall = beginning.id;
    const { clock } = this.#dependencies;
    const submission = this.#submissions.find(beginning.id);
    const sent =
      submission === undefined ? undefined : await this.#awaitSent(submission, answerBy, context.signal);
    const intent =
      submission === undefined
        ? await this.#awaitAnswer(beginning, answerBy, context.signal, store)
        : sent?.intent;
    if (intent === undefined) return { body: this.#kind.unanswered(beginning), paidCall };
    if (intent.state === 'unknown') throw submissionUnknown(intent, undefined);
    if (intent.state === 'refused') throw toEarlierRefusal(intent);
    const jobId = intent.job_id ?? ownJobId(intent.id);
    if (intent.state === 'lost') return lostOutcome(jobId, intent, store);
    const handleAt = clock.monotonic() + (context.handleAfterMs ?? Number.POSITIVE_INFINITY);
    let other: Intent | undefined;
    const outcome = await this.#kind
      .conclude({
        intent,
        jobId,
        end: sent?.end,
        attachment: attached ? toAttachment(intent) : undefined,
        deadline: Math.min(deadline, handleAt),
        context,
        store,
      })
      .finally(async () => {
        // An accepted job is in the store before anybody hears of it, unless the store fails.
        other = await sent?.recorded;
      });
    return { ...withOther(outcome, other), paidCall };
  }

  /** Finds or writes the intent. Where that fails nothing is sent, and should it have been written it is refused. */
  async #begin(
    { call, terms: source, ...options }: Purchase<End>,
    store: OpenStore,
    begunAt: number,
  ): Promise<Exclude<BeginResult, { kind: 'terms-needed' }>> {
    const { records, clock } = this.#dependencies;
    const { intents } = store;
    const id = randomUUID();
    try {
      let terms = await source.known(intents);
      // The price is read again only for a new intent: a call that attaches costs nothing.
      for (;;) {
        const beginning = await intents.begin(call, { ...options, id }, terms);
        if (beginning.kind !== 'terms-needed') return beginning;
        terms = await source.current(intents);
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const failure = storeFailure(error);
      const mayStillCome = () => clock.monotonic() - begunAt < options.submitWithinMs + clockToleranceMs;
      const abandon = () => intents.abandon(id, failure.body.error, mayStillCome());
      void records.write(id, 'that nothing was sent', abandon);
      throw failure;
    }
  }

  /** Resolves to the result of a request under way; to undefined at the deadline. */
  async #awaitSent<Value>(
    sending: Promise<Value>,
    deadline: number,
    signal: AbortSignal,
  ): Promise<Value | undefined> {
    try {
      const remainingMs = deadline - this.#dependencies.clock.monotonic();
      return await within(sending, remainingMs, signal, this.#ending);
    } catch (error) {
      stopIfCancelled(signal);
      throw error;
    }
  }

  /** The intent once its request was answered, by another process or long ago; undefined at the deadline. */
  async #awaitAnswer(
    beginning: Intent,
    deadline: number,
    signal: AbortSignal,
    { intents }: OpenStore,
  ): Promise<Intent | undefined> {
    if (beginning.state !== 'intended') return beginning;
    for (;;) {
      const intent = await intents.reread(beginning.id);
      if (intent === undefined || intent.state !== 'intended') return intent ?? beginning;
      const remainingMs = deadline - this.#dependencies.clock.monotonic();
      if (remainingMs <= 0 || this.#ending.aborted) return undefined;
      await pause(Math.min(otherProcessPollMs, remainingMs), signal);
    }
  }
}

/** Whether this process is to ask the service about an intent in doubt, by its key. */
async function asksAgain(
  intent: Intent,
  { keyed, submitWithinMs }: Pick<BeginOptions, 'keyed' | 'submitWithinMs'>,
  { intents }: OpenStore,
): Promise<boolean> {
  return keyed && intent.keyed === 1 && (await intents.askAgain(intent.id, submitWithinMs));
}

/** The intent's id is its idempotency key. */
export const getIdempotencyKey = ({ id, keyed }: Intent) => (keyed === 1 ? { idempotencyKey: id } : {});

const toAttachment = (intent: Intent): Attachment => ({
  attached: true,
  submitted_at: new Date(intent.submitted_at ?? intent.created_at).toISOString(),
});

/** Adds a note that the service accepted two submissions of the call, because a person resubmitted one in doubt. */
function withOther<Body extends JsonObject>(
  outcome: Outcome<Body>,
  other: Intent | undefined,
): Outcome<Body> {
  if (other === undefined || !takenStates.includes(other.state)) return outcome;
  const job_id = other.job_id ?? ownJobId(other.id);
  const also_submitted = {
    job_id,
    credits: other.charged,
    message: `This call was submitted twice, because it was repeated while it was not known whether the service had accepted it. Both were charged; the other one is ${job_id}.`,
  };
  return { ...outcome, body: { also_submitted, ...outcome.body } };
}

/** A lost job is delivered like a result: until then the same call gets this answer and is not sent again. */
export function lostOutcome(jobId: string, intent: Intent, { intents }: OpenStore): Outcome<Refused> {
  return {
    body: lostJob(jobId, intent.price),
    paidCall: intent.id,
    delivered: () => intents.delivered(intent.id),
    unconfirmed: () => intents.answered(intent.id),
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  stopIfCancelled(signal);
}
