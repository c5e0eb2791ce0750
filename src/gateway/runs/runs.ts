/**
 * Runs of actions: check the params, choose the account, pay, and wait for the job. Paying is the pipeline's work
 * (`paid-calls/`).
 */
import { ContractError, isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { traced } from '../../tracing/tracing.ts';
import type { Accounts, ChosenAccount } from '../accounts/choose-account.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Clock } from '../clock.ts';
import { stopIfCancelled } from '../errors.ts';
import { failureOf } from '../failures.ts';
import type { CallContext } from '../gateway.ts';
import type { JsonObject, Outcome, RunBody } from '../outcomes.ts';
import type { PaidCall } from '../paid-calls/canonical.ts';
import type { Intent } from '../paid-calls/intents.ts';
import { ownJobId } from '../paid-calls/job-ids.ts';
import { keyOf, lostOutcome, PaidCalls } from '../paid-calls/paid-calls.ts';
import type { Accepting, PaidKind, Purchase } from '../paid-calls/purchase.ts';
import type { Records } from '../paid-calls/records.ts';
import { lostJob, signInStep } from '../paid-calls/refusals.ts';
import { type Attachment, dataLength, endBody, processingBody, runFacts } from '../results/job-body.ts';
import { endOf, serviceStatus } from '../results/job-end.ts';
import { type GatewaySettings, resultBudget } from '../settings.ts';
import type { GatewayStore, OpenStore } from '../store/gateway-store.ts';
import { cleanText, creditsText } from '../text.ts';
import type { ParamsValidator } from '../validation/validator.ts';
import type { Admission } from './admission.ts';
import { type JobEnd, type JobRunning, JobWatches } from './job-watch.ts';
import { defaultRunLimits, type RunLimits } from './limits.ts';
import { checkedParams } from './params.ts';

/** A sync action is given up so long before the call's wait ends, so that the doubt is what the call answers. */
const doubtMs = 200;
const leastSyncMs = 1_000;
/** An end that the service tells again is given up after so many attempts to write it. */
const retriedEnds = 5;

export interface RunRequest {
  readonly action: SearchResult;
  readonly snapshot: Snapshot;
  readonly params: JsonObject;
  readonly identity: string | undefined;
  readonly resubmit: boolean;
  /** A completed result of the same call that is not older is the answer, for free; 0: never. */
  readonly maxAgeMs: number;
  /** One of a batch: what applies to a call was checked for all its runs together. */
  readonly inBatch?: boolean;
  /** `BUDGET_EXCEEDED` before anything is sent where the run is expected to cost more. */
  readonly maxCredits: number | undefined;
}

type Ended = JobEnd & { readonly kind: 'ended' };

interface Parts {
  readonly api: Api;
  readonly store: GatewayStore;
  readonly validator: ParamsValidator;
  readonly accounts: Accounts;
  readonly admission: Admission;
  readonly settings: GatewaySettings;
  readonly records: Records;
  readonly clock: Clock;
  readonly limits?: Partial<RunLimits> | undefined;
}

export class Runs {
  readonly #parts: Parts;
  readonly #limits: RunLimits;
  readonly #paid: PaidCalls<RunBody, Ended>;
  readonly #watches: JobWatches;
  /** Ends that are being written, by intent: several callers may wait for one job. */
  readonly #finishing = new Map<string, Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#limits = { ...defaultRunLimits, ...parts.limits };
    const kind: PaidKind<RunBody, Ended> = {
      notDeducted: ['EXECUTION_FAILED'],
      leastAnswerMs: 0,
      unanswered: (intent) => processingBody(ownJobId(intent.id)),
      // The service keeps no job of a sync action: our copy is the only one.
      keepEnd: (intent, end, store) => this.#writeEnd(intent, end, store, { onlyCopy: true }),
      conclude: (accepting) => this.#conclude(accepting),
    };
    this.#paid = new PaidCalls(parts, kind);
    this.#watches = new JobWatches(parts.api, this.#limits, this.#paid.ending, parts.clock);
  }

  /** Rejects with a `GatewayError` or a `SubmissionUnknownError`. */
  async run(request: RunRequest, context: CallContext): Promise<Outcome<RunBody>> {
    const params = await this.check(request.action, request.params);
    const account = await this.chooseAccount(request, context.signal);
    return this.runChecked({ ...request, params }, account, context);
  }

  /** The params as they will be sent. Rejects with `INVALID_PARAMS`. */
  check(action: SearchResult, params: JsonObject): Promise<JsonObject> {
    return traced('validate params', {}, () => checkedParams(this.#parts.validator, action, params));
  }

  /** Runs with params that were checked, for an account that was chosen. */
  async runChecked(
    request: RunRequest,
    account: ChosenAccount | undefined,
    context: CallContext,
  ): Promise<Outcome<RunBody>> {
    const deadline = this.#parts.clock.monotonic() + context.waitMs;
    // The time to submit begins with an open store.
    await this.#parts.store.open();
    const purchase = this.#purchase(request, account, deadline, context);
    const cached = await this.#cached(purchase.call, request, context);
    return cached ?? this.#paid.pay(purchase, deadline, context);
  }

  /** An earlier result of the same call, where the caller takes one; an open run is joined instead. */
  async #cached(
    call: PaidCall,
    { maxAgeMs, resubmit }: RunRequest,
    context: CallContext,
  ): Promise<Outcome<RunBody> | undefined> {
    if (maxAgeMs === 0 || resubmit) return undefined;
    const { earlier, results } = await this.#parts.store.open();
    const intent = await earlier.completedSame(call, maxAgeMs);
    const jobId = intent?.job_id ?? undefined;
    const job = jobId === undefined ? undefined : await results.read(jobId);
    if (intent === undefined || jobId === undefined || job === undefined) return undefined;
    const body = this.#ended(
      jobId,
      { kind: 'ended', answer: { body: job, text: '' }, durationMs: null },
      { intent, budget: resultBudget(this.#parts.settings, context) },
    );
    if (body.status !== 'completed') return undefined;
    const { data, ...facts } = body;
    return { body: { ...facts, credits_used: 0, cached: true, data }, paidCall: intent.id };
  }

  /** Waits for a job whose intent is known, such as one that `get_job` asks for. */
  follow(intent: Intent, context: CallContext): Promise<Outcome<RunBody>> {
    return this.#paid.follow(intent, context);
  }

  /** Waits for a job that this store has no intent of: submitted elsewhere with the same key. */
  async followJob(jobId: string, context: CallContext): Promise<Outcome<RunBody>> {
    const store = await this.#parts.store.open();
    const deadline = this.#parts.clock.monotonic() + context.waitMs;
    const end = await this.#wait(jobId, undefined, deadline, context, store);
    if (end.kind === 'running') return { body: processingBody(jobId, runningFacts(end)) };
    if (end.kind === 'ended') {
      const keep = () => store.results.keep(jobId, end.answer.text);
      await this.#parts.records.write(jobId, 'the result', keep, 1);
    }
    if (end.kind === 'lost') throw lostJob(jobId, undefined);
    return { body: this.#ended(jobId, end, { budget: resultBudget(this.#parts.settings, context) }) };
  }

  /** Ends every wait now: calls answer with what is known, mostly a handle. For a shutdown. */
  endWaits(): void {
    this.#paid.endWaits();
  }

  /** Resolves when every end that was answered is written, or could not be. */
  async written(): Promise<void> {
    await this.#parts.records.settled();
  }

  /** The intent of a job that was accepted and is not in the store yet. */
  accepted(jobId: string): Intent | undefined {
    return this.#paid.accepted(jobId);
  }

  /** Lets requests under way be answered. */
  async close(graceMs: number): Promise<void> {
    await this.#paid.settle(graceMs);
  }

  async chooseAccount(
    request: Pick<RunRequest, 'action' | 'identity'>,
    signal: AbortSignal,
  ): Promise<ChosenAccount | undefined> {
    try {
      return await this.#parts.accounts.choose(request.action, request.identity, signal);
    } catch (error) {
      throw isApiError(error) ? failureOf(error) : error;
    }
  }

  #purchase(
    request: RunRequest,
    account: ChosenAccount | undefined,
    deadline: number,
    context: CallContext,
  ): Purchase<Ended> {
    const { api, admission, clock } = this.#parts;
    const { action, params, identity } = request;
    const credentialId = account?.credentialId;
    const submitWithinMs =
      action.mode === 'sync'
        ? Math.max(deadline - clock.monotonic() - doubtMs, leastSyncMs)
        : this.#limits.submitMs;
    const body = {
      action_id: action.action_id,
      params,
      ...(credentialId === undefined ? {} : { credential_id: credentialId }),
    };
    return {
      call: { kind: 'run', subject: action.action_id, params, credentialId },
      terms: admission.termsOf(request, context),
      submitWithinMs,
      resubmit: request.resubmit,
      account: account === undefined ? null : (account.name ?? ''),
      announcement: ({ price }) => `Submitting ${cleanText(action.name, 80)} (${creditsText(price)})`,
      keyed: api.extensions.has('idempotency'),
      send: async (intent, timeoutMs) => {
        const answer = await api.submitTask(body, { timeoutMs, ...keyOf(intent) });
        if (answer.kind === 'accepted') return { jobId: answer.jobId };
        if (answer.bare && action.mode !== 'sync') {
          throw new ContractError('submitTask', 200, 'the answer names no job');
        }
        const end = { kind: 'ended', answer: answer.answer, durationMs: null } as const;
        return { jobId: ownJobId(intent.id), end };
      },
      refusal: (error) => failureOf(error, signInStep(error, action, api.origin)),
      repeat: { params, identity },
    };
  }

  async #conclude(accepting: Accepting<Ended>): Promise<Outcome<RunBody>> {
    const { intent, jobId, attachment, deadline, context, store } = accepting;
    const kept =
      accepting.end ?? (intent.state === 'submitted' ? undefined : await this.#keptEnd(jobId, store));
    const end = kept ?? (await this.#wait(jobId, intent, deadline, context, store));
    if (end.kind === 'running')
      return { body: processingBody(jobId, { ...attachment, ...runningFacts(end) }) };
    if (end.kind === 'lost') {
      await this.#parts.records.write(intent.id, 'the loss', () => store.intents.lost(intent.id));
      return lostOutcome(jobId, intent, store);
    }
    const ended = { ...intent, finished_at: intent.finished_at ?? this.#parts.clock.now() };
    const recorded = this.#finishLater(ended, end, store);
    const budget = resultBudget(this.#parts.settings, context);
    return {
      body: this.#ended(jobId, end, {
        intent: ended,
        attachment: withRepeatNote(attachment, intent),
        budget,
      }),
      delivered: async () => {
        await recorded;
        await this.#parts.records.queue(intent.id, 'the delivery', () =>
          store.intents.queueDelivered(intent.id),
        );
      },
      unconfirmed: async () => {
        await recorded;
        await this.#parts.records.write(intent.id, 'the answer', () => store.intents.answered(intent.id));
      },
    };
  }

  async #wait(
    jobId: string,
    intent: Intent | undefined,
    deadline: number,
    context: CallContext,
    store: OpenStore,
  ): Promise<JobEnd | JobRunning> {
    const { clock } = this.#parts;
    const since = intent?.submitted_at ?? clock.now();
    const report = () => {
      const seconds = Math.max(0, Math.round((clock.now() - since) / 1000));
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
    const underWay = this.#finishing.get(intent.id);
    if (underWay !== undefined) return underWay;
    const finishing = this.#writeEnd(intent, end, store, { onlyCopy: false }).finally(() =>
      this.#finishing.delete(intent.id),
    );
    this.#finishing.set(intent.id, finishing);
    return finishing;
  }

  /** The end and its result in one transaction: a job that is `finished` can always be read again. */
  #writeEnd(
    intent: Intent,
    end: JobEnd & { kind: 'ended' },
    { intents, results }: OpenStore,
    { onlyCopy }: { onlyCopy: boolean },
  ): Promise<void> {
    const { body: job, text } = end.answer;
    const failed = endOf(job) === 'failed';
    const jobId = intent.job_id ?? ownJobId(intent.id);
    const ended = {
      jobId,
      outcome: failed ? ('failed' as const) : ('completed' as const),
      charged: failed ? 0 : (job.credits_used ?? intent.price),
      durationMs: failed ? null : end.durationMs,
      endedAt: intent.finished_at ?? this.#parts.clock.now(),
    };
    this.#parts.admission.ended(intent.subject, ended.charged, intent.charged);
    const write = async () => {
      const keep = await results.keepStatement(jobId, text);
      return intents.finished(intent.id, ended, [keep], onlyCopy);
    };
    const what = `the end of ${jobId}`;
    return onlyCopy
      ? this.#parts.records.write(intent.id, what, write)
      : this.#parts.records.queue(intent.id, what, write, retriedEnds);
  }
}

/** Nobody may run it anew without knowing that it is paid again. */
const withRepeatNote = (attachment: Attachment | undefined, { price }: Intent): Attachment | undefined =>
  attachment && {
    ...attachment,
    next: `This is the answer to the same call made earlier, for no further charge. Repeating the call now runs the action anew for ${creditsText(price)}.`,
  };

const runningFacts = ({ job }: JobRunning) => (job === undefined ? {} : serviceStatus(job));

const goOn = (jobId: string) =>
  `Call get_job ${JSON.stringify({ job_id: jobId })} later; the job runs on and is not charged again.`;
