/**
 * A paid run from the call to its answer: check, choose the account, write the intent, send once, wait, answer.
 * What may be sent, and what a doubt means, is decided in `intents.ts` and `submission.ts`.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { ContractError, isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Accounts, ChosenAccount } from '../accounts/choose-account.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { stopIfCancelled } from '../errors.ts';
import { failureOf } from '../failures.ts';
import type { CallContext } from '../gateway.ts';
import type { Logger } from '../logger.ts';
import type { JsonObject, Outcome, RunBody } from '../outcomes.ts';
import { type Attachment, dataLength, endBody, processingBody, runFacts } from '../results/job-body.ts';
import { type GatewaySettings, resultBudget } from '../settings.ts';
import type { GatewayStore, OpenStore } from '../store/gateway-store.ts';
import type { GatewaySchema } from '../store/schema.ts';
import { cleanText } from '../text.ts';
import type { ParamsValidator } from '../validation/validator.ts';
import { admit } from './budget.ts';
import type { Intent } from './intents.ts';
import { type JobEnd, JobWatches } from './job-watch.ts';
import { defaultRunLimits, type RunLimits } from './limits.ts';
import { checkedParams } from './params.ts';
import type { SeenPrices } from './prices.ts';
import { lostJob, refusedBefore, signInStep, submissionUnknown } from './refusals.ts';
import { judge, notDeducted, Submissions } from './submission.ts';
import { within } from './within.ts';

/** A sync action is given up so long before the call's wait ends, so that the doubt is what the call answers. */
const doubtMs = 200;
const leastSyncMs = 1_000;
/** How often the intent of another process is looked at while that process sends. */
const otherProcessPollMs = 250;

export interface RunRequest {
  readonly action: SearchResult;
  readonly snapshot: Snapshot;
  readonly params: JsonObject;
  readonly identity: string | undefined;
  readonly resubmit: boolean;
}

/** What is known of a run once its request was answered. */
interface Sent {
  readonly intent: Intent;
  /** A sync action's answer is its end. */
  readonly end?: JobEnd;
}

export class Runs {
  readonly #api: Api;
  readonly #store: GatewayStore;
  readonly #validator: ParamsValidator;
  readonly #accounts: Accounts;
  readonly #prices: SeenPrices;
  readonly #settings: GatewaySettings;
  readonly #logger: Logger;
  readonly #limits: RunLimits;
  readonly #submissions = new Submissions<Sent>();
  readonly #watches: JobWatches;
  readonly #ending = new AbortController();
  /** Writes that no answer waits for. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(parts: {
    api: Api;
    store: GatewayStore;
    validator: ParamsValidator;
    accounts: Accounts;
    prices: SeenPrices;
    settings: GatewaySettings;
    logger: Logger;
    limits?: Partial<RunLimits> | undefined;
  }) {
    this.#api = parts.api;
    this.#store = parts.store;
    this.#validator = parts.validator;
    this.#accounts = parts.accounts;
    this.#prices = parts.prices;
    this.#settings = parts.settings;
    this.#logger = parts.logger;
    this.#limits = { ...defaultRunLimits, ...parts.limits };
    this.#watches = new JobWatches(parts.api, this.#limits, this.#ending.signal);
    // Every call that waits listens.
    setMaxListeners(0, this.#ending.signal);
  }

  /** Rejects with a `GatewayError`, a `SubmissionUnknownError` or `ConfirmationNeeded`. */
  async run(request: RunRequest, context: CallContext): Promise<Outcome<RunBody>> {
    const deadline = Date.now() + context.waitMs;
    const { action } = request;
    const params = await checkedParams(this.#validator, action, request.params);
    const account = await this.#account(request, context.signal);
    const credentialId = account?.credentialId;
    const store = await this.#store.open();
    stopIfCancelled(context.signal);

    const submitMs =
      action.mode === 'sync' ? Math.max(deadline - Date.now() - doubtMs, leastSyncMs) : this.#limits.submitMs;
    const price = this.#prices.of(action);
    const begun = await store.intents.begin(
      { kind: 'run', subject: action.action_id, params, credentialId },
      {
        price,
        submitWithinMs: submitMs,
        resubmit: request.resubmit,
        account: account === undefined ? null : (account.name ?? ''),
        admit: async (spentToday) => {
          stopIfCancelled(context.signal);
          this.#prices.check(action, request.snapshot);
          const purchase = {
            actionId: cleanText(action.action_id, 120),
            actionName: cleanText(action.name, 120),
            price,
          };
          await admit(purchase, spentToday, this.#settings, context.confirmation);
        },
      },
    );
    if (begun.kind === 'unknown') throw submissionUnknown(begun.intent, request);
    if (begun.kind === 'new') {
      context.progress({
        progress: 0,
        message: `Submitting ${cleanText(action.name, 80)} (${price} credits)`,
      });
      const body = {
        action_id: action.action_id,
        params,
        ...(credentialId === undefined ? {} : { credential_id: credentialId }),
      };
      this.#submissions.start(begun.intent.id, () =>
        this.#submit(begun.intent, body, submitMs, request, store),
      );
    }
    return this.#follow(begun.intent, begun.kind === 'attached', deadline, context, store);
  }

  /** Waits for a job whose intent is known, such as one that `get_job` asks for. */
  async follow(intent: Intent, context: CallContext): Promise<Outcome<RunBody>> {
    return this.#follow(intent, false, Date.now() + context.waitMs, context, await this.#store.open());
  }

  /** Waits for a job that this store has no intent of: submitted elsewhere with the same key. */
  async followJob(jobId: string, context: CallContext): Promise<Outcome<RunBody>> {
    const store = await this.#store.open();
    const end = await this.#wait(jobId, undefined, Date.now() + context.waitMs, context, store);
    if (end === undefined) return { body: processingBody(jobId) };
    if (end.kind === 'ended') {
      await this.#record('the result', jobId, store.results.keep(jobId, end.answer.text, { synced: false }));
    }
    if (end.kind === 'lost') throw lostJob(jobId, undefined);
    return { body: this.#ended(jobId, end, { budget: resultBudget(this.#settings, context) }) };
  }

  /** Ends every wait now: calls answer with what is known, mostly a handle. For a shutdown. */
  endWaits(): void {
    this.#ending.abort();
  }

  /** Resolves when every end that was answered is written. */
  async written(): Promise<void> {
    await Promise.allSettled(this.#writing.values());
  }

  /** Lets requests under way be answered, and finishes what is being written. */
  async close(graceMs: number): Promise<void> {
    await this.#submissions.settle(graceMs);
    await this.written();
  }

  async #account(request: RunRequest, signal: AbortSignal): Promise<ChosenAccount | undefined> {
    try {
      return await this.#accounts.choose(request.action, request.identity, signal);
    } catch (error) {
      throw isApiError(error) ? failureOf(error) : error;
    }
  }

  /** Sends the one request of an intent. Everything the answer means is written before the caller learns of it. */
  async #submit(
    intent: Intent,
    body: { action_id: string; params: JsonObject; credential_id?: string },
    timeoutMs: number,
    request: RunRequest,
    store: OpenStore,
  ): Promise<Sent> {
    const { intents } = store;
    try {
      const answer = await this.#api.submitTask(body, { timeoutMs });
      const submitted = { ...intent, state: 'submitted' as const, submitted_at: Date.now() };
      if (answer.kind === 'accepted') {
        await this.#record('the accepted job', answer.jobId, intents.submitted(intent.id, answer.jobId));
        return { intent: { ...submitted, job_id: answer.jobId } };
      }
      if (answer.bare && request.action.mode !== 'sync') {
        throw new ContractError('submitTask', 200, 'the answer names no job');
      }
      const jobId = ownJobId(intent.id);
      const end: JobEnd = { kind: 'ended', answer: answer.answer, durationMs: null };
      // The service keeps no job of a sync action: our copy is the only one.
      const finished = {
        ...submitted,
        state: 'finished' as const,
        job_id: jobId,
        finished_at: Date.now(),
      };
      await this.#writeEnd(finished, end, store, { synced: true });
      return { intent: finished, end };
    } catch (error) {
      if (!isApiError(error)) throw error;
      const judgement = judge(error, notDeducted.run);
      const failure = failureOf(error, signInStep(error, request.action, this.#api.origin));
      const settled =
        judgement === 'unknown' ? intents.unknown(intent.id) : intents.refused(intent.id, failure.body.error);
      await this.#record('the failed submission', ownJobId(intent.id), settled);
      if (judgement === 'unknown') throw submissionUnknown(intent, request, error);
      throw failure;
    }
  }

  async #follow(
    begun: Intent,
    attached: boolean,
    deadline: number,
    context: CallContext,
    store: OpenStore,
  ): Promise<Outcome<RunBody>> {
    const under = this.#submissions.of(begun.id);
    const sent = under === undefined ? undefined : await this.#submitted(under, deadline, context.signal);
    const intent = sent?.intent ?? (await this.#answered(begun, deadline, context.signal, store));
    if (intent === undefined) return { body: processingBody(ownJobId(begun.id)), paidCall: begun.id };
    if (intent.state === 'unknown') throw submissionUnknown(intent, undefined);
    if (intent.state === 'refused') throw refusedBefore(intent);
    const jobId = intent.job_id ?? ownJobId(intent.id);
    if (intent.state === 'lost') return lostOutcome(jobId, intent, store);
    const paidCall = intent.id;

    const attachment: Attachment | undefined = attached
      ? { attached: true, submitted_at: new Date(intent.submitted_at ?? intent.created_at).toISOString() }
      : undefined;
    const kept = sent?.end ?? (intent.state === 'submitted' ? undefined : await this.#keptEnd(jobId, store));
    const handleAt = Date.now() + (context.handleAfterMs ?? Number.POSITIVE_INFINITY);
    const end = kept ?? (await this.#wait(jobId, intent, Math.min(deadline, handleAt), context, store));
    if (end === undefined) return { body: processingBody(jobId, attachment), paidCall };
    if (end.kind === 'lost') {
      await this.#record('the loss', jobId, store.intents.lost(intent.id));
      return lostOutcome(jobId, intent, store);
    }
    const ended = { ...intent, finished_at: intent.finished_at ?? Date.now() };
    const recorded = this.#finishLater(ended, end, store);
    const body = this.#ended(jobId, end, {
      intent: ended,
      attachment,
      budget: resultBudget(this.#settings, context),
    });
    return {
      body,
      paidCall,
      delivered: async () => {
        await recorded;
        await this.#record('the delivery', jobId, store.intents.delivered(intent.id));
      },
    };
  }

  /** What a request under way leads to; undefined at the deadline. */
  async #submitted(sent: Promise<Sent>, deadline: number, signal: AbortSignal): Promise<Sent | undefined> {
    try {
      return await within(sent, deadline - Date.now(), signal, this.#ending.signal);
    } catch (error) {
      stopIfCancelled(signal);
      throw error;
    }
  }

  /** The intent once its request was answered, by another process or long ago; undefined at the deadline. */
  async #answered(
    begun: Intent,
    deadline: number,
    signal: AbortSignal,
    { intents }: OpenStore,
  ): Promise<Intent | undefined> {
    if (begun.state !== 'intended') return begun;
    for (;;) {
      const intent = await intents.reread(begun.id);
      if (intent === undefined || intent.state !== 'intended') return intent ?? begun;
      if (Date.now() >= deadline || this.#ending.signal.aborted) return undefined;
      await pause(Math.min(otherProcessPollMs, deadline - Date.now()), signal);
    }
  }

  async #wait(
    jobId: string,
    intent: Intent | undefined,
    deadline: number,
    context: CallContext,
    store: OpenStore,
  ): Promise<JobEnd | undefined> {
    const since = intent?.submitted_at ?? Date.now();
    const report = () => {
      const seconds = Math.round((Date.now() - since) / 1000);
      context.progress({ progress: seconds + 1, message: `The service is working on it (${seconds} s)` });
    };
    const timer = setInterval(report, 2_000);
    try {
      const job = {
        id: jobId,
        // One that had ended need not turn up any more: without a result it is looked up once.
        submittedAt: intent?.finished_at === null ? (intent.submitted_at ?? undefined) : undefined,
        earlier: async () => (intent === undefined ? [] : store.intents.durations(intent.subject)),
      };
      return await this.#watches.wait(job, { signal: context.signal, deadline });
    } catch (error) {
      stopIfCancelled(context.signal);
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  async #keptEnd(jobId: string, { results }: OpenStore): Promise<JobEnd | undefined> {
    const job = await results.read(jobId);
    if (job === undefined) return undefined;
    return { kind: 'ended', answer: { body: job, text: '' }, durationMs: null };
  }

  #ended(
    jobId: string,
    end: Exclude<JobEnd, { kind: 'lost' }>,
    { intent, attachment, budget }: { intent?: Intent; attachment?: Attachment | undefined; budget: number },
  ): RunBody {
    if (end.kind === 'error') throw failureOf(end.error, { extra: { job_id: jobId }, next: goOn(jobId) });
    const { body, text } = end.answer;
    const textLength = text === '' ? JSON.stringify(body.data ?? null).length : dataLength(body, text);
    return endBody(jobId, body, { budget, textLength, attachment, ...runFacts(intent) });
  }

  /** Writes the end and keeps the result, behind the answer: until then the job can be polled again. */
  async #finishLater(intent: Intent, end: JobEnd, store: OpenStore): Promise<void> {
    if (end.kind !== 'ended' || end.answer.text === '' || intent.state !== 'submitted') return;
    const underWay = this.#writing.get(intent.id);
    if (underWay !== undefined) return underWay;
    const writing = this.#writeEnd(intent, end, store, { synced: false }).finally(() =>
      this.#writing.delete(intent.id),
    );
    this.#writing.set(intent.id, writing);
    return writing;
  }

  /** The end and its result in one transaction: a job that is `finished` can always be read again. */
  #writeEnd(
    intent: Intent,
    end: JobEnd & { kind: 'ended' },
    { intents, results }: OpenStore,
    { synced }: { synced: boolean },
  ): Promise<void> {
    const { body: job, text } = end.answer;
    const failed = job.status === 'failed';
    const jobId = intent.job_id ?? ownJobId(intent.id);
    const ended = {
      jobId,
      outcome: failed ? ('failed' as const) : ('completed' as const),
      charged: failed ? 0 : (job.credits_used ?? intent.price),
      durationMs: failed ? null : end.durationMs,
      endedAt: intent.finished_at ?? Date.now(),
    };
    const record = (transaction: Transaction<GatewaySchema>) =>
      intents.finished(intent.id, ended, transaction);
    return this.#record('the end', jobId, results.keep(jobId, text, { synced, record }));
  }

  /** After the money is spent the answer matters more than its record: a failure to write is logged. */
  async #record(what: string, jobId: string, write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (error) {
      this.#logger.error(
        { job_id: jobId, error: String(error) },
        `Could not write ${what} of a paid job to the store`,
      );
    }
  }
}

/** The id of a job that has none of the service's: a sync action's, or one whose submission is not answered yet. */
export const ownJobId = (intentId: string) => `local-${intentId}`;
export const intentIdOf = (jobId: string) =>
  jobId.startsWith('local-') ? jobId.slice('local-'.length) : undefined;

/** A loss is told like a result: until it was, the same call hears of it and is not sent again. */
function lostOutcome(jobId: string, intent: Intent, { intents }: OpenStore): Outcome<RunBody> {
  return {
    body: lostJob(jobId, intent.price).body,
    paidCall: intent.id,
    delivered: () => intents.delivered(intent.id),
  };
}

const goOn = (jobId: string) =>
  `Call get_job ${JSON.stringify({ job_id: jobId })} later; the job runs on and is not charged again.`;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  stopIfCancelled(signal);
}
