/**
 * The one next step of an answer, as data. Whoever shows the answer writes the sentence: `mcp/steps` for agents,
 * `cli/terminal/next-steps.ts` for people. Texts of others in it are clean already.
 */
import type { BuildChoice } from '../../contract/endpoints.ts';
import type { FailureReason, LoginErrorCode } from '../../contract/errors.ts';
import type { StoreError } from '../../store/errors.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Who holds the key that a gateway acts with, and so can replace a refused one. */
export type KeyHolder = 'user' | 'client' | 'server' | 'subject';

/** Arguments of `login`. */
interface Account {
  readonly catalog?: string | undefined;
  readonly identity_name?: string | undefined;
}

/** What names an account in a call of the action's own tool, where the action has an `identity` of its own. */
type OwnIdentity = 'svc_identity' | undefined;

/** The argument that names an account; `runAction`: how its writer calls `run_action`, which has one of its own beside the params. */
export const accountArgument = (own: OwnIdentity, runAction: string): string =>
  own === undefined ? 'identity' : `${own} (in ${runAction}: identity)`;

/** Arguments of `request_build`. */
interface BuildCall extends JsonObject {
  readonly website_url: string;
  readonly goal: string;
  readonly choose?: BuildChoice | undefined;
  readonly visibility?: string;
}

/** A run with what it costs, in words; without params where the caller must make them up. */
export interface PricedRun {
  readonly call: { readonly action_id: string; readonly params?: JsonObject | undefined };
  readonly cost: string;
}

/** The first names of a list, and how many it has beyond them. */
export interface Listed {
  readonly names: readonly string[];
  readonly more: number;
}

/** A number: in so many seconds. `connected`, `stored`: what may stand in the way can be checked. */
type RetryTime =
  | number
  | ('now' | 'soon' | 'later' | 'if-wanted' | 'once-more' | 'one-ended')
  | ('at-new-price' | 'same-key' | 'connected' | 'stored');

/** The data of each kind. */
interface Steps {
  retry: { readonly when: RetryTime };
  /** The arguments of the call, as the message or `issues` tells. */
  correct: { readonly named: 'message' | 'issues'; readonly tool?: string; readonly isUncharged?: true };
  'correct-argument': {
    readonly argument: 'identity' | 'select' | 'format' | 'cursor' | 'max_age_seconds' | 'batch';
  };
  /** An argument that the action's own tool does not take. */
  'run-action': { readonly action_id: string; readonly argument: string };
  'add-credits': object;
  'replace-key': { readonly holder: KeyHolder };
  'check-address': object;
  find: { readonly what: 'action' | 'catalog' | 'id' | 'params'; readonly nearest?: string | undefined };
  search: {
    readonly args: JsonObject;
    readonly why: 'more' | 'whole-catalog' | 'other-catalogs' | 'without-account';
  };
  'nothing-found': {
    readonly catalog?: {
      readonly name: string;
      readonly isKnown: boolean;
      readonly nearest?: string | undefined;
    };
    /** `known`: those that exist; absent where this one does. */
    readonly category?: { readonly name: string; readonly known?: Listed };
    /** Whether only actions without a sign-in were wanted. */
    readonly isWithoutSignIn: boolean;
    readonly websites: Listed;
  };
  /** `on-page`: the person types there what the call had or lacked. `perhaps`: it is not known whether there is a sign-in. */
  'sign-in': {
    readonly account: Account;
    readonly why: 'needed' | 'none-connected' | 'on-page' | 'perhaps';
    /** Whether another account is still signed in. */
    readonly others?: boolean;
    readonly argument?: OwnIdentity;
  };
  'sign-in-failed': { readonly code: LoginErrorCode };
  /** The page that `login_url` or `connect_url` of the answer names; `owner`: who serves it, where it is not us. */
  'open-page': {
    readonly why: 'waiting' | 'rejected' | 'refused' | 'declined' | 'shown' | 'expired' | 'connect-url';
    readonly owner?: string | undefined;
    readonly until?: string;
  };
  'name-account': {
    readonly why: 'ambiguous' | 'unknown' | 'untaken' | 'forbidden' | 'too-many' | 'no-such-id';
    readonly nearest?: string | undefined;
    readonly account?: Account;
    readonly argument?: OwnIdentity;
  };
  ask: { readonly about: 'declined-credits' | 'declined-sign-in' | 'lost-job' };
  'other-website': object;
  preview: {
    readonly page:
      | ('again' | 'when-one-ended' | 'other' | 'with-data' | 'reachable')
      | ('without-sign-in' | 'for-programs' | 'without-scripts');
  };
  /**
   * `cut`: the candidate of which not all columns were shown. `missing`: wanted fields without a column. `unsorted`: the words of the
   * goal that ask for an order, which no action makes. `existing`: an action that reads the page already.
   */
  build: {
    readonly call: BuildCall & { readonly choose: BuildChoice };
    readonly as: 'tried' | 'example' | 'guess';
    readonly cut?: string;
    readonly missing?: readonly string[];
    readonly unsorted?: string;
    readonly existing?: PricedRun | undefined;
  };
  /** `likely`: the candidate that looks right though its columns have no clear names. */
  'build-anew': {
    readonly by: 'goal' | 'goal-alone' | 'other-page' | 'other-candidate' | 'other-columns';
    readonly likely?: { readonly id: string; readonly rows: number } | undefined;
  };
  'build-anyway': { readonly existing?: PricedRun | undefined };
  'run-built': {
    readonly run: PricedRun;
    readonly tool?: string | undefined;
    readonly isReplacement: boolean;
    readonly missing: readonly string[];
    /** As of `build`. */
    readonly unsorted?: string;
    /** Whether its example had no further pages. */
    readonly isSinglePage: boolean;
  };
  list: {
    readonly of: 'jobs' | 'builds';
    readonly why: 'all' | 'older' | 'started' | 'under-way';
    readonly page?: { readonly offset: number; readonly limit?: number };
  };
  /** A list is empty: what fills it. */
  'nothing-yet': { readonly of: 'watches' | 'builds' | 'own-catalogs' };
  /** Arguments of `get_job`, or of a build `{id}`. */
  read: { readonly call: JsonObject; readonly what: 'rest' | 'whole' | 'part' | 'kept' | 'end' | 'end-soon' };
  wait: { readonly for: 'job' | 'batch' | 'build'; readonly call: JsonObject; readonly isLater?: boolean };
  /** `earlierFor`: the answer is that of an earlier run, and a further one costs this, in words. */
  'run-again': { readonly earlierFor?: string };
  resubmit: { readonly of: 'build' } | { readonly of: 'run'; readonly call?: JsonObject | undefined };
  /** What is left of a batch; `inputs`: how many. */
  'run-rest': {
    readonly inputs?: number;
    readonly condition?: 'price' | 'new-price' | 'limit' | 'agreed' | 'confirmed' | 'mended';
    readonly until?: string;
  };
  /** Rows of a batch, each with its own next step; counted from 1. */
  'see-rows': { readonly rows: Listed | 'unknown' };
  'raise-limit': {
    readonly limit: 'max_credits' | `SVC_${string}`;
    /** Credits. */
    readonly to?: number;
    /** `smaller-total`: `max_credits` of a watch, or a client that can ask. */
    readonly or: 'cheaper-action' | 'rest' | 'next-day' | 'other-client' | 'smaller-total' | 'stay-in-doubt';
    readonly until?: string;
  };
  /** What can be done with an action that the caller built. */
  'own-action': {
    readonly action_id: string;
    readonly state:
      | ('site-changed' | 'doubtful' | 'provable' | 'unprovable' | 'unknown')
      | ('repaired' | 'edited' | 'reverted' | 'removed' | 'only-version');
    /** Watches that run it, where it was removed. */
    readonly watches?: number;
  };
  /** A build whose columns say that they are those of the action that it replaces. */
  rebuild: { readonly call: BuildCall };
  /** After a run that failed. */
  'mend-run': { readonly reason?: FailureReason | 'blocked' | undefined };
  /** `isMeanwhile`: it failed when something may have been sent. */
  'repair-store': { readonly cause: StoreError['kind'] | 'updated'; readonly isMeanwhile?: true };
  'correct-login-values': { readonly by: 'removing-one' | 'mending-file' };
  /** What can be done with a watch. `resume`: once a person has done this. */
  watch:
    | { readonly as: 'list' | 'end-one' }
    | {
        readonly as: 'read' | 'earlier' | 'pause' | 'without-action' | 'raise-total';
        readonly watch_id: string;
      }
    | {
        readonly as: 'resume';
        readonly once: 'price-accepted' | 'signed-in' | 'key-accepted' | 'mended';
        readonly watch_id: string;
      };
  refunded: { readonly step: NextStep };
}

type StepKind = keyof Steps;
export type NextStep<Kind extends StepKind = StepKind> = {
  [One in Kind]: { readonly kind: One } & Steps[One];
}[Kind];

/** A sentence for each kind. */
export type StepWriters = { readonly [Kind in StepKind]: (step: NextStep<Kind>) => string };

export const writeStep = <Kind extends StepKind>(writers: StepWriters, step: NextStep<Kind>): string =>
  writers[step.kind](step);

export const isNextStep = (value: unknown): value is NextStep =>
  typeof value === 'object' && value !== null && 'kind' in value;

/**
 * The body with each `next` replaced: its own, those of its doubt and of what was cut, those of a batch's rows, and
 * those of watches, in this order.
 */
export function mapNext(body: JsonObject, map: (next: unknown) => unknown): Record<string, unknown> {
  const { next, drift, truncated, batch_id, rows, watches } = body;
  return {
    ...body,
    ...(next !== undefined && { next: map(next) }),
    ...(drift !== undefined && { drift: mapNext(Object(drift), map) }),
    ...(truncated !== undefined && { truncated: mapNext(Object(truncated), map) }),
    ...(batch_id !== undefined &&
      Array.isArray(rows) && { rows: rows.map((row) => mapNext(Object(row), map)) }),
    ...(Array.isArray(watches) && { watches: watches.map((watch) => mapNext(Object(watch), map)) }),
  };
}
