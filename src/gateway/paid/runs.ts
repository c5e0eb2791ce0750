/**
 * Runs of actions: the params, the account and the request of one, paid by `PaidCalls`. The params are within bounds,
 * repaired where a client sent JSON as text, and valid where that can be told.
 */
import { ContractError, isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { withLargeIntegers } from '../../contract/schema-types.ts';
import { traced } from '../../tracing/tracing.ts';
import { type Accounts, type ChosenAccount, isSameUser } from '../accounts/choose-account.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { type CurrentPrices, priceOfSearchResult } from '../catalog/prices.ts';
import { actionNotFound } from '../catalog/unknown-names.ts';
import type { Clock } from '../foundation/clock.ts';
import { GatewayError } from '../foundation/errors.ts';
import { toGatewayError } from '../foundation/failures.ts';
import { cleanText } from '../foundation/text.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext, RunActionInput } from '../interface/gateway.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import { type GatewaySettings, resultBudget } from '../interface/settings.ts';
import { withNote } from '../results/empty-note.ts';
import { readAnswer } from '../results/large-answers.ts';
import { argumentIssue, type Issue, repairParams, toVisiblePath } from '../schemas/argument-bounds.ts';
import { explainIssue } from '../schemas/explain-issue.ts';
import type { ParamsValidator } from '../schemas/validator.ts';
import type { PaidRow } from '../store/schema.ts';
import { signInStep } from './answers.ts';
import { getIdempotencyKey, parseInput, toJobId } from './call-identity.ts';
import type { PaidKind } from './kind.ts';
import type { Acceptance, GroupAgreement, Offer, Order } from './order.ts';
import type { PaidCalls } from './paid-calls.ts';
import type { GatewayStore } from './store.ts';

const bareNote =
  'The service answered at once, without a job id, although the action is listed as one with jobs. Its whole answer is taken for the data.';

/** What a run is asked for with, beside its action. */
export type RunInput = Omit<RunActionInput, 'action_id' | 'select' | 'format'>;

/** The account that acts. */
export type ActingAccount = Pick<Order, 'credentialId' | 'signedIn' | 'account'> &
  Pick<ChosenAccount, 'hint'>;

interface Dependencies {
  readonly api: Api;
  readonly store: GatewayStore;
  readonly validator: ParamsValidator;
  readonly accounts: Accounts;
  readonly catalog: Catalog;
  readonly current: CurrentPrices;
  readonly paid: PaidCalls;
  readonly kind: PaidKind;
  readonly settings: GatewaySettings;
  readonly clock: Clock;
  readonly limits: TimeLimits;
}

export class Runs {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** `toolArguments`: for a call of the action's tool, the names that it takes beside the params. Rejects as `PaidCalls.pay`. */
  async run(
    offer: Offer,
    input: RunInput,
    context: CallContext,
    toolArguments?: readonly string[],
  ): Promise<Outcome> {
    const { clock, paid } = this.#dependencies;
    const deadline = clock.monotonic() + context.waitMs;
    const params = await this.check(offer.action, input.params ?? {}, toolArguments);
    const account = await this.chooseAccount(offer.action, input, context.signal);
    const order = this.order(offer, { ...input, params }, account);
    if (paid.hasDayLimit) await paid.followRunning();
    const { max_age_seconds: maxAge } = input;
    const cached = maxAge !== undefined ? await this.#readCached(order, maxAge, context) : undefined;
    return withHint(cached ?? (await paid.pay(order, deadline, context)), account);
  }

  /** The params as they will be sent. Rejects with `INVALID_PARAMS`. */
  check(
    action: SearchResult,
    params: JsonObject,
    toolArguments: readonly string[] = [],
  ): Promise<JsonObject> {
    const offer = { action, toolArguments };
    return traced('validate params', {}, () => checkRunParams(this.#dependencies.validator, offer, params));
  }

  async chooseAccount(
    action: SearchResult,
    { identity, max_age_seconds: maxAge = 0 }: RunInput,
    signal: AbortSignal,
  ): Promise<ActingAccount> {
    try {
      const account: ChosenAccount | undefined = await this.#dependencies.accounts.choose(
        action,
        identity,
        signal,
      );
      const credentialId = account?.credentialId;
      const isUntold = credentialId !== undefined && account?.signedIn === undefined;
      if (isUntold && maxAge > 0) throw userUnknown(account?.name ?? credentialId);
      const signedIn = isUntold ? await this.#countSignIns(credentialId) : account?.signedIn;
      return {
        credentialId,
        signedIn,
        account: account === undefined ? null : (account.name ?? ''),
        hint: account?.hint,
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

  /** What is bought with params that were checked, by the account that was chosen. */
  order(
    offer: Offer,
    { params, identity, max_credits, resubmit = false }: RunInput & { readonly params: JsonObject },
    { credentialId, signedIn, account }: ActingAccount,
    group?: Order['group'],
  ): Order {
    const { api, limits } = this.#dependencies;
    const { action } = offer;
    return {
      kind: 'run',
      subject: action.action_id,
      params,
      credentialId,
      signedIn,
      account,
      identity,
      offer,
      name: action.name,
      listed: priceOfSearchResult(action),
      maxCredits: max_credits,
      group,
      resubmit,
      submitWithinMs: action.mode === 'sync' ? limits.syncMs : limits.submitMs,
      announcement: `Submitting ${cleanText(action.name, 80)}`,
      send: (row, timeoutMs) => this.#send(action, { params, credentialId }, row, timeoutMs),
      refusal: (error) => toGatewayError(error, signInStep(error, action, api.origin)),
    };
  }

  /**
   * How a row is sent, by whichever process claims it: a planned one as its `input` says, one that a group pays once more with
   * these params (`again`) and the account as it is now. Rejects with ACTION_NOT_FOUND, and with ACCOUNT_CHANGED where
   * another user has signed in under the account's name since: the planned row would act for that one.
   */
  async orderOf(row: PaidRow, group: GroupAgreement, signal: AbortSignal, again?: JsonObject) {
    const { subject, input, account } = row;
    const snapshot = await this.#dependencies.catalog.snapshotFor(subject);
    const action = snapshot.action(subject);
    if (action === undefined) throw actionNotFound(subject, snapshot);
    const identity = account === null || account === '' ? undefined : account;
    const offer = { action, snapshot };
    if (again !== undefined) {
      const acting = await this.chooseAccount(action, { identity }, signal);
      return this.order(offer, { params: again, identity }, acting, group);
    }
    const { params, credentialId, signedIn } = parseInput(input ?? '{"params":{}}');
    const acting = { credentialId, signedIn, account };
    await this.#checkSameUser(action, acting, signal);
    return this.order(offer, { params, identity }, acting, group);
  }

  async #checkSameUser(action: SearchResult, planned: ActingAccount, signal: AbortSignal): Promise<void> {
    const { credentialId, signedIn, account } = planned;
    if (credentialId === undefined || signedIn === undefined) return;
    const now = await this.#dependencies.accounts
      .whoIsSignedIn(action, credentialId, signal)
      .catch((error: unknown) => {
        throw isApiError(error) ? toGatewayError(error) : error;
      });
    if (!isSameUser(signedIn, now ?? (await this.#countSignIns(credentialId))))
      throw new GatewayError(
        'ACCOUNT_CHANGED',
        `Another user has signed in as "${cleanText(account || credentialId, 100)}" since this run was planned. It was not sent.`,
        { kind: 'retry', when: 'if-wanted' },
      );
  }

  /**
   * An earlier result of the same call, by the action as it is now, that is not older than `maxAge` seconds. An open row takes
   * precedence.
   */
  async findCached(order: Order, maxAge = 0): Promise<PaidRow | undefined> {
    if (maxAge === 0 || order.resubmit) return undefined;
    const { store, current } = this.#dependencies;
    const action = order.offer?.action;
    const version = action?.wheel_version ?? null;
    const { queries } = await store.open();
    const row = await queries.completedSame(order, maxAge * 1000, version);
    // Another process may have changed the action since it was listed here.
    const isCurrent = row === undefined || action === undefined || (await current.isCurrent(action));
    return isCurrent ? row : undefined;
  }

  async #send(
    action: SearchResult,
    { params, credentialId }: Pick<Order, 'credentialId'> & { readonly params: JsonObject },
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

  async #readCached(order: Order, maxAge: number, context: CallContext): Promise<Outcome | undefined> {
    const { settings, kind, store } = this.#dependencies;
    const row = await this.findCached(order, maxAge);
    if (row === undefined) return undefined;
    const { rows, results } = await store.open();
    if ((await rows.findOpen(order)) !== undefined) return undefined;
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

/** The answer about a run that was sent, with how the caller names another account. */
export const withHint = (outcome: Outcome, { hint }: Pick<ActingAccount, 'hint'>): Outcome =>
  hint === undefined || outcome.body.status === 'error'
    ? outcome
    : { ...outcome, body: withNote(outcome.body, hint) };

/** What the params are for. `toolArguments`: names that the caller may also give, beside the params. */
interface CheckedAction {
  readonly action: SearchResult;
  readonly toolArguments: readonly string[];
}

/** Rejects with `INVALID_PARAMS` and what is wrong; nothing was sent then. */
async function checkRunParams(
  validator: ParamsValidator,
  offer: CheckedAction,
  params: JsonObject,
): Promise<JsonObject> {
  const { action } = offer;
  const issue = argumentIssue(params);
  if (issue !== undefined) throw invalidParams([issue], offer, {});
  const { params: repaired, issues } = repairParams(params, action.params);
  const repairedIssue = issues[0] ?? argumentIssue(repaired);
  if (repairedIssue !== undefined) throw invalidParams([repairedIssue], offer, {});
  // A large integer is sent exactly; a check needs a number.
  const checked = withLargeIntegers(repaired, action.params, Number);
  const verdict = await validator.check(action.params, checked);
  if (verdict.kind === 'invalid') throw invalidParams(verdict.issues, offer, repaired);
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
  { action, toolArguments }: CheckedAction,
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
