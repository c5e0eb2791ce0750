/**
 * Runs of actions: the params, the account and the request of one, paid by `PaidCalls`. The params are within bounds,
 * repaired where a client sent JSON as text, and valid where that can be told.
 */
import { ContractError, isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import { priceText } from '../../contract/price.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { withLargeIntegers } from '../../contract/schema-types.ts';
import { traced } from '../../tracing/tracing.ts';
import type { Accounts, ChosenAccount } from '../accounts/choose-account.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { priceOfSearchResult } from '../catalog/prices.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { actionNotFound } from '../catalog/unknown-names.ts';
import type { Clock } from '../foundation/clock.ts';
import { GatewayError } from '../foundation/errors.ts';
import { takesIdempotencyKeys } from '../foundation/extensions.ts';
import { toGatewayError } from '../foundation/failures.ts';
import { cleanText } from '../foundation/text.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import { readAnswer } from '../results/large-answers.ts';
import { argumentIssue, type Issue, toVisiblePath } from '../schemas/argument-bounds.ts';
import { explainIssue } from '../schemas/explain-issue.ts';
import { repairParams } from '../schemas/repair.ts';
import type { ParamsValidator } from '../schemas/validator.ts';
import type { PaidRow } from '../store/schema.ts';
import { signInStep } from './answers.ts';
import { getIdempotencyKey, type PaidCall, parseInput, toJobId } from './call.ts';
import type { PaidKind } from './kind.ts';
import type { PaidCalls } from './paid-calls.ts';
import { type GroupAgreement, getConfirmed, type Purchase, type Quotes } from './quote.ts';
import type { Acceptance } from './send.ts';
import type { GatewayStore } from './store.ts';

const bareNote =
  'The service answered at once, without a job id, although the action is listed as one with jobs. Its whole answer is taken for the data.';

export interface RunRequest {
  readonly action: SearchResult;
  readonly snapshot: Snapshot;
  readonly params: JsonObject;
  /** For a call of the action's tool: the names that it takes beside the params. */
  readonly toolArguments?: readonly string[] | undefined;
  readonly identity: string | undefined;
  readonly resubmit: boolean;
  /** A completed result of the same call that is not older is the answer, for free; 0: never. */
  readonly maxAgeMs: number;
  /** `BUDGET_EXCEEDED` before anything is sent where more is reserved for the run. */
  readonly maxCredits: number | undefined;
}

/** A run whose params were checked and whose account was chosen. */
export interface CheckedRun extends RunRequest {
  readonly credentialId: string | undefined;
  /** As of `PaidCall`. */
  readonly signedIn: string | undefined;
  /** As of `PaidRow`. */
  readonly account: string | null;
  /** For a row of a group: what was agreed for all its rows together. */
  readonly member?: GroupAgreement | undefined;
}

interface Dependencies {
  readonly api: Api;
  readonly store: GatewayStore;
  readonly validator: ParamsValidator;
  readonly accounts: Accounts;
  readonly catalog: Catalog;
  readonly quotes: Quotes;
  readonly paid: PaidCalls;
  readonly kind: PaidKind;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly limits: TimeLimits;
}

export const toCall = (
  run: Pick<CheckedRun, 'action' | 'params' | 'credentialId' | 'signedIn'>,
): PaidCall => ({
  kind: 'run',
  subject: run.action.action_id,
  params: run.params,
  credentialId: run.credentialId,
  signedIn: run.signedIn,
});

export class Runs {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Rejects with a `GatewayError` or a `SubmissionUnknownError`. */
  async run(request: RunRequest, context: CallContext): Promise<Outcome> {
    const { clock, paid } = this.#dependencies;
    const deadline = clock.monotonic() + context.waitMs;
    const params = await this.check(request.action, request.params, request.toolArguments);
    const account = await this.chooseAccount(request, context.signal);
    const run = { ...request, params, ...account };
    if (paid.hasDayLimit) await paid.followRunning();
    const cached = run.maxAgeMs === 0 ? undefined : await this.#readCached(run, context);
    return cached ?? paid.pay(await this.purchase(run, context), deadline, context);
  }

  /** The params as they will be sent. Rejects with `INVALID_PARAMS`. */
  check(
    action: SearchResult,
    params: JsonObject,
    toolArguments: readonly string[] = [],
  ): Promise<JsonObject> {
    const target = { action, toolArguments };
    return traced('validate params', {}, () => checkRunParams(this.#dependencies.validator, target, params));
  }

  async chooseAccount(
    { action, identity, maxAgeMs }: Pick<RunRequest, 'action' | 'identity' | 'maxAgeMs'>,
    signal: AbortSignal,
  ): Promise<Pick<CheckedRun, 'credentialId' | 'signedIn' | 'account'>> {
    try {
      const account: ChosenAccount | undefined = await this.#dependencies.accounts.choose(
        action,
        identity,
        signal,
      );
      const credentialId = account?.credentialId;
      const isUntold = credentialId !== undefined && account?.signedIn === undefined;
      if (isUntold && maxAgeMs > 0) throw userUnknown(account?.name ?? credentialId);
      const signedIn = isUntold ? await this.#countSignIns(credentialId) : account?.signedIn;
      return {
        credentialId,
        signedIn,
        account: account === undefined ? null : (account.name ?? ''),
      };
    } catch (error) {
      throw isApiError(error) ? toGatewayError(error) : error;
    }
  }

  /** Where the service does not tell who is signed in: the sign-ins that this store saw. */
  async #countSignIns(credentialId: string): Promise<string> {
    const { signIns } = await this.#dependencies.store.open();
    return `sign-in ${await signIns.count(credentialId)}`;
  }

  /** How a planned row is sent, by whichever process claims it. Rejects with ACTION_NOT_FOUND. */
  async readPlanned({ subject, input, account }: PaidRow, member: CheckedRun['member']): Promise<CheckedRun> {
    const snapshot = await this.#dependencies.catalog.snapshotFor(subject);
    const action = snapshot.action(subject);
    if (action === undefined) throw actionNotFound(subject, snapshot);
    const { params, credentialId, signedIn, agreed } = parseInput(input ?? '{"params":{}}');
    const identity = account === null || account === '' ? undefined : account;
    const maxCredits = agreed?.maxCredits;
    const request = { action, snapshot, params, identity, resubmit: false, maxAgeMs: 0, maxCredits };
    return { ...request, credentialId, signedIn, account, member };
  }

  /** An earlier result of the same call, if the caller accepts one. An open row takes precedence. */
  async findCached({ maxAgeMs, resubmit, ...run }: CheckedRun): Promise<PaidRow | undefined> {
    if (maxAgeMs === 0 || resubmit) return undefined;
    const { queries } = await this.#dependencies.store.open();
    return queries.completedSame(toCall(run), maxAgeMs);
  }

  /** How a run is paid. */
  async purchase(run: CheckedRun, context: CallContext): Promise<Purchase> {
    const { api, quotes, kind, limits } = this.#dependencies;
    const { action, identity, params, member } = run;
    const keyed = await takesIdempotencyKeys(api, context.signal);
    const submitWithinMs = action.mode === 'sync' ? limits.syncMs : limits.submitMs;
    return {
      call: toCall(run),
      resubmit: run.resubmit,
      isLimited: quotes.isLimited(run.maxCredits),
      account: run.account,
      agreed: { maxCredits: run.maxCredits, confirmed: getConfirmed(context) },
      paidFor: member?.groupId ?? null,
      repeatCosts: priceText(priceOfSearchResult(action)),
      announcement: ({ priced }) => `Submitting ${cleanText(action.name, 80)} (${priceText(priced.cost)})`,
      quote: (store, asking) =>
        member === undefined
          ? quotes.forRun(run, store, asking)
          : quotes.forMember(run, member, store, asking),
      request: {
        kind,
        keyed,
        submitWithinMs,
        send: (row, timeoutMs) => this.#send(run, row, timeoutMs),
        refusal: (error) => toGatewayError(error, signInStep(error, action, api.origin)),
        repeat: { params, identity },
      },
    };
  }

  async #send(
    { action, params, credentialId }: CheckedRun,
    row: PaidRow,
    timeoutMs: number,
  ): Promise<Acceptance> {
    const body = {
      action_id: action.action_id,
      params: withLargeIntegers(params, action.params, BigInt),
      ...(credentialId === undefined ? {} : { credential_id: credentialId }),
    };
    const answer = await this.#dependencies.api.submitTask(body, { timeoutMs, ...getIdempotencyKey(row) });
    if (answer.kind === 'accepted') return { jobId: answer.jobId };
    const isOdd = answer.bare && action.mode !== 'sync';
    // 202 means accepted, but this answer names no job. With 200 the action may have become sync since it was listed.
    if (isOdd && answer.httpStatus !== 200) {
      throw new ContractError('submitTask', answer.httpStatus, 'the answer names no job');
    }
    return { end: { kind: 'run', answer: answer.answer, ...(isOdd && { note: bareNote }) } };
  }

  async #readCached(run: CheckedRun, context: CallContext): Promise<Outcome | undefined> {
    const { settings, kind, store } = this.#dependencies;
    const row = await this.findCached(run);
    if (row === undefined) return undefined;
    const { rows, results } = await store.open();
    if ((await rows.findOpen(toCall(run))) !== undefined) return undefined;
    const budget = resultBudget(settings, context);
    const kept = await results.read(row.id);
    if (kept === undefined) return undefined;
    const answer = await readAnswer(kept);
    const body = await kind.ended(
      toJobId(row),
      { kind: 'run', answer },
      { row, attachment: undefined, budget, isTold: true },
    );
    if (body.status !== 'completed') return undefined;
    const { data, ...facts } = body;
    return { body: { ...facts, cached: true, data }, paidCall: row.id };
  }
}

/** What the params are for. `toolArguments`: names that the caller may also give, beside the params. */
interface Target {
  readonly action: SearchResult;
  readonly toolArguments: readonly string[];
}

/** Rejects with `INVALID_PARAMS` and what is wrong; nothing was sent then. */
async function checkRunParams(
  validator: ParamsValidator,
  target: Target,
  params: JsonObject,
): Promise<JsonObject> {
  const { action } = target;
  const issue = argumentIssue(params);
  if (issue !== undefined) throw invalidParams([issue], target, {});
  const { params: repaired, issues } = repairParams(params, action.params);
  const repairedIssue = issues[0] ?? argumentIssue(repaired);
  if (repairedIssue !== undefined) throw invalidParams([repairedIssue], target, {});
  // A large integer is sent exactly; a check needs a number.
  const checked = withLargeIntegers(repaired, action.params, Number);
  const verdict = await validator.check(action.params, checked);
  if (verdict.kind === 'invalid') throw invalidParams(verdict.issues, target, repaired);
  return repaired;
}

function userUnknown(account: string): GatewayError {
  return new GatewayError(
    'INVALID_PARAMS',
    `max_age_seconds cannot be used for the account "${cleanText(account, 100)}": the service does not tell who is signed in, and an earlier result may be another user's. Nothing was sent.`,
    { kind: 'correct-argument', argument: 'max_age_seconds' },
    { issues: [{ path: 'max_age_seconds', message: 'not with this account' }] },
  );
}

function invalidParams(
  issues: readonly Issue[],
  { action, toolArguments }: Target,
  params: JsonObject,
): GatewayError {
  const checked = { schema: action.params, params, otherNames: toolArguments };
  const explained = issues.map((issue) => explainIssue(issue, checked));
  const visibleIssues = explained.map((issue) => ({ ...issue, path: toVisiblePath(issue.path) }));
  const paths = [
    ...new Set(issues.map(({ path }) => toVisiblePath(path)).filter((path) => path !== '')),
  ].slice(0, 5);
  const where = paths.length === 0 ? '' : ` (${paths.join(', ')})`;
  return new GatewayError(
    'INVALID_PARAMS',
    `The params do not match the schema of ${cleanText(action.action_id, 120)}${where}; see issues. Nothing was sent.`,
    { kind: 'correct', named: 'issues' },
    { issues: visibleIssues },
  );
}
