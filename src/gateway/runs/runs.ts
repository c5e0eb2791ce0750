/**
 * Runs of actions: check the params, choose the account, pay, and wait for the job. Paying is the pipeline's work
 * (`paid-calls/`).
 */
import { ContractError, isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { traced } from '../../tracing/tracing.ts';
import type { Accounts, ChosenAccount } from '../accounts/choose-account.ts';
import type { Admission } from '../admission/admission.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { toGatewayError } from '../errors/failures.ts';
import type { Clock } from '../foundation/clock.ts';
import { takesIdempotencyKeys } from '../foundation/extensions.ts';
import { cleanText, creditsText } from '../foundation/text.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { JsonObject, Outcome, RunBody } from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import { getIdempotencyKey, lostOutcome, PaidCalls } from '../paid-calls/paid-calls.ts';
import type { Accepting, PaidKind, Purchase } from '../paid-calls/purchase.ts';
import type { Records } from '../paid-calls/records.ts';
import { signInStep } from '../paid-calls/refusals.ts';
import { type Attachment, processingBody } from '../results/job-body.ts';
import { serviceStatus } from '../results/job-end.ts';
import type { PaidCall } from '../store/canonical.ts';
import type { GatewayStore } from '../store/gateway-store.ts';
import type { Intent } from '../store/intents.ts';
import { ownJobId } from '../store/job-ids.ts';
import type { ParamsValidator } from '../validation/validator.ts';
import { CostWatches } from './cost-watches.ts';
import type { JobEnd, JobRunning } from './job-watch.ts';
import { checkRunParams } from './params.ts';
import { RunEnds } from './run-ends.ts';

/** Milliseconds before the end of the call's wait at which a sync action is given up, so that the call can answer `unknown`. */
const doubtMs = 200;
const leastSyncMs = 1_000;

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

interface Dependencies {
  readonly api: Api;
  readonly store: GatewayStore;
  readonly validator: ParamsValidator;
  readonly accounts: Accounts;
  readonly admission: Admission;
  readonly settings: GatewaySettings;
  readonly records: Records;
  readonly clock: Clock;
  readonly limits: TimeLimits;
}

export class Runs {
  readonly #dependencies: Dependencies;
  readonly #limits: TimeLimits;
  readonly #paid: PaidCalls<RunBody, Ended>;
  readonly #ends: RunEnds;
  readonly #costs: CostWatches;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#limits = dependencies.limits;
    const kind: PaidKind<RunBody, Ended> = {
      notDeducted: ['EXECUTION_FAILED'],
      leastAnswerMs: 0,
      unanswered: (intent) => processingBody(ownJobId(intent.id)),
      // The service keeps no job of a sync action: our copy is the only one.
      keepEnd: (intent, end, store) => this.#ends.write(intent, end, store, { onlyCopy: true }),
      conclude: (accepting) => this.#conclude(accepting),
    };
    this.#paid = new PaidCalls(dependencies, kind);
    this.#ends = new RunEnds(dependencies, this.#limits, this.#paid.ending);
    this.#costs = new CostWatches(dependencies, this.#ends);
  }

  /** Rejects with a `GatewayError` or a `SubmissionUnknownError`. */
  async run(request: RunRequest, context: CallContext): Promise<Outcome<RunBody>> {
    const params = await this.check(request.action, request.params);
    const account = await this.chooseAccount(request, context.signal);
    return this.runChecked({ ...request, params }, account, context);
  }

  /** The params as they will be sent. Rejects with `INVALID_PARAMS`. */
  check(action: SearchResult, params: JsonObject): Promise<JsonObject> {
    return traced('validate params', {}, () => checkRunParams(this.#dependencies.validator, action, params));
  }

  /** Runs with params that were checked, for an account that was chosen. */
  async runChecked(
    request: RunRequest,
    account: ChosenAccount | undefined,
    context: CallContext,
  ): Promise<Outcome<RunBody>> {
    const deadline = this.#dependencies.clock.monotonic() + context.waitMs;
    // The time to submit begins with an open store.
    await this.#costs.addRunning(await this.#dependencies.store.open());
    const keyed = await takesIdempotencyKeys(this.#dependencies.api, context.signal);
    const purchase = this.#purchase(request, account, keyed, deadline, context);
    const cached = await this.#findCached(purchase.call, request, context);
    return cached ?? this.#paid.pay(purchase, deadline, context);
  }

  /** An earlier result of the same call, where the caller takes one; an open run is joined instead. */
  async #findCached(
    call: PaidCall,
    { maxAgeMs, resubmit }: RunRequest,
    context: CallContext,
  ): Promise<Outcome<RunBody> | undefined> {
    if (maxAgeMs === 0 || resubmit) return undefined;
    const { earlier, results } = await this.#dependencies.store.open();
    const intent = await earlier.completedSame(call, maxAgeMs);
    const jobId = intent?.job_id ?? undefined;
    const budget = resultBudget(this.#dependencies.settings, context);
    const job = jobId === undefined ? undefined : await results.read(jobId, budget);
    if (intent === undefined || jobId === undefined || job === undefined) return undefined;
    const body = this.#ends.toBody(
      jobId,
      { kind: 'ended', answer: job, durationMs: null },
      { intent, budget },
    );
    if (body.status !== 'completed') return undefined;
    const { data, ...facts } = body;
    return { body: { ...facts, credits_used: 0, cached: true, data }, paidCall: intent.id };
  }

  /** Waits for a job whose intent is known, such as one that `get_job` asks for. */
  follow(intent: Intent, context: CallContext): Promise<Outcome<RunBody>> {
    return this.#paid.follow(intent, context);
  }

  /** Waits for a job that this store has no intent of: submitted elsewhere with the same key. Undefined: there is none. */
  async followJob(jobId: string, context: CallContext): Promise<Outcome<RunBody> | undefined> {
    const store = await this.#dependencies.store.open();
    const deadline = this.#dependencies.clock.monotonic() + context.waitMs;
    const end = await this.#ends.wait(jobId, undefined, deadline, context, store);
    if (end.kind === 'running') return { body: processingBody(jobId, runningFacts(end)) };
    if (end.kind === 'ended') {
      const keep = () => store.results.keep(jobId, end.answer.text);
      await this.#dependencies.records.write(jobId, 'the result', keep, 1);
    }
    if (end.kind === 'lost') return undefined;
    return {
      body: this.#ends.toBody(jobId, end, { budget: resultBudget(this.#dependencies.settings, context) }),
    };
  }

  /** Ends every wait now: calls answer with what is known, mostly a handle. For a shutdown. */
  endWaits(): void {
    this.#paid.endWaits();
  }

  /** Resolves when every end that was answered is written, or could not be. */
  async written(): Promise<void> {
    await this.#dependencies.records.whenSettled();
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
      return await this.#dependencies.accounts.choose(request.action, request.identity, signal);
    } catch (error) {
      throw isApiError(error) ? toGatewayError(error) : error;
    }
  }

  #purchase(
    request: RunRequest,
    account: ChosenAccount | undefined,
    keyed: boolean,
    deadline: number,
    context: CallContext,
  ): Purchase<Ended> {
    const { api, admission, clock } = this.#dependencies;
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
      terms: admission.getTerms(request, context),
      submitWithinMs,
      resubmit: request.resubmit,
      account: account === undefined ? null : (account.name ?? ''),
      announcement: ({ price }) => `Submitting ${cleanText(action.name, 80)} (${creditsText(price)})`,
      keyed,
      send: async (intent, timeoutMs) => {
        const answer = await api.submitTask(body, { timeoutMs, ...getIdempotencyKey(intent) });
        if (answer.kind === 'accepted') return { jobId: answer.jobId };
        if (answer.bare && action.mode !== 'sync') {
          throw new ContractError('submitTask', 200, 'the answer names no job');
        }
        const end = { kind: 'ended', answer: answer.answer, durationMs: null } as const;
        return { jobId: ownJobId(intent.id), end };
      },
      refusal: (error) => toGatewayError(error, signInStep(error, action, api.origin)),
      repeat: { params, identity },
    };
  }

  async #wait(jobId: string, { intent, deadline, context, store }: Accepting<Ended>) {
    let end: JobEnd | JobRunning | undefined;
    try {
      end = await this.#ends.wait(jobId, intent, deadline, context, store);
      return end;
    } finally {
      // The call has a handle, or was cancelled.
      if (end === undefined || end.kind === 'running') this.#costs.add(intent, store);
    }
  }

  async #conclude(accepting: Accepting<Ended>): Promise<Outcome<RunBody>> {
    const { intent, jobId, attachment, context, store } = accepting;
    const budget = resultBudget(this.#dependencies.settings, context);
    const stored =
      accepting.end ??
      (intent.state === 'submitted' ? undefined : await this.#ends.readKeptEnd(jobId, budget, store));
    const end = stored ?? (await this.#wait(jobId, accepting));
    if (end.kind === 'running')
      return { body: processingBody(jobId, { ...attachment, ...runningFacts(end) }) };
    if (end.kind === 'lost') {
      await this.#dependencies.records.write(intent.id, 'the loss', () => store.intents.lost(intent.id));
      return lostOutcome(jobId, intent, store);
    }
    const ended = { ...intent, finished_at: intent.finished_at ?? this.#dependencies.clock.now() };
    const recorded = this.#ends.finishLater(ended, end, store);
    return {
      body: this.#ends.toBody(jobId, end, {
        intent: ended,
        attachment: withRepeatNote(attachment, intent),
        budget,
      }),
      delivered: async () => {
        await recorded;
        await this.#dependencies.records.queue(intent.id, 'the delivery', () =>
          store.intents.queueDelivered(intent.id),
        );
      },
      unconfirmed: async () => {
        await recorded;
        await this.#dependencies.records.write(intent.id, 'the answer', () =>
          store.intents.answered(intent.id),
        );
      },
    };
  }
}

/** Tells the caller that a further run is paid again. */
const withRepeatNote = (attachment: Attachment | undefined, { price }: Intent): Attachment | undefined =>
  attachment && {
    ...attachment,
    next: `This is the answer to an earlier identical call; it cost nothing more. Calling again runs the action again for ${creditsText(price)}.`,
  };

const runningFacts = ({ job }: JobRunning) => (job === undefined ? {} : serviceStatus(job));
