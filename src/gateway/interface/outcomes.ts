/** What the gateway answers: plain JSON bodies, the same for every transport. `status` alone decides success. */

import type { NextStep } from './next-step.ts';

export type JsonObject = Record<string, unknown>;

/** A paid run that ended well. `data` may be a preview; then `truncated` says how to read the whole. */
export interface Completed extends JsonObject {
  status: 'completed';
  job_id: string;
  data: unknown;
  /** What this answer tells of the cost for the first time. */
  credits_used: number | null;
  /** What the job cost. */
  job_credits: number | null;
  execution_ms: number | null;
}

/** Still running when the wait ended; `next` says how to go on. */
export interface Processing extends JsonObject {
  status: 'processing';
  job_id: string;
  next: NextStep;
}

/** The job failed; the service refunded it. */
export interface Failed extends JsonObject {
  status: 'failed';
  job_id: string;
  error: ErrorDetail;
  credits_used: number;
  job_credits: number;
  next: NextStep;
}

/** Refused or wrong: nothing runs. */
export interface Refused extends JsonObject {
  status: 'error';
  error: ErrorDetail;
  next: NextStep;
}

/** Nobody knows whether the task was submitted; never sent again by itself. */
export interface Unknown extends JsonObject {
  status: 'unknown';
  error: ErrorDetail;
  next: NextStep;
}

export interface ErrorDetail extends JsonObject {
  code: string;
  message: string;
}

export type RunBody = Completed | Processing | Failed | Refused | Unknown;

/** A body, and what must happen when it was written to a client that neither cancelled nor left. */
export interface Outcome<Body extends JsonObject = JsonObject> {
  readonly body: Body;
  /** The question that a person must answer before the call can continue; callers that cannot ask return `body`. Nothing was sent. */
  readonly question?: Question;
  readonly delivered?: () => Promise<void>;
  /** Runs when the answer was written in full, so that it may be read. Returns what to call if it was not read after all. */
  readonly written?: () => () => void;
  /**
   * Runs if the answer was written, but the client left before anything showed that it had read it, or cancelled what was
   * answered; there also after `delivered`, which is taken back.
   */
  readonly unconfirmed?: () => Promise<void>;
  /** Names the paid call behind the body, for `Tasks.open`. */
  readonly paidCall?: string;
  /** The id of the batch behind the body, for `Tasks.open`. */
  readonly batch?: string;
  /** The part of the result that the call asked for, for `Tasks.open`. */
  readonly view?: ViewRequest;
}

/** The part of a result that a call asks for, and how it is written. */
export interface ViewRequest {
  /** JMESPath into the whole data. */
  readonly select?: string | undefined;
  /** Elements of an array or characters of a string. */
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly format?: 'json' | 'csv' | undefined;
}

/** Whether the paid job or build still runs after this answer. */
export function isUnfinished(body: JsonObject): boolean {
  return body.status === 'processing' || body.status === 'pending';
}

/** The error that a body names, with all its members. */
export function getError({ error }: JsonObject): ErrorDetail | undefined {
  const { code, message, ...others }: { code?: unknown; message?: unknown } = Object(error);
  return typeof code === 'string' && typeof message === 'string' ? { code, message, ...others } : undefined;
}

/** What the one table of a batch lacks, in words; undefined where it holds all rows of all inputs. */
export function missingFromTable(body: JsonObject): string | undefined {
  const without = placesOf(body, ({ status }) => status !== 'completed');
  const words = [cutFromTable(body), without && `The inputs ${without} have no result.`].filter(Boolean);
  return words.length === 0 ? undefined : words.join(' ');
}

/** Of which inputs the table does not hold all rows: nothing in it shows that, as an input without a result has a row that says why. */
export function cutFromTable(body: JsonObject): string | undefined {
  const cut = placesOf(body, ({ truncated }) => truncated !== undefined);
  return cut === ''
    ? undefined
    : `Not whole: not all rows of the inputs ${cut} are here; get_job of their job ids reads them.`;
}

function placesOf({ rows }: JsonObject, isMeant: (input: JsonObject) => boolean): string {
  const inputs: readonly JsonObject[] = Array.isArray(rows) ? rows : [];
  return inputs.flatMap((input, index) => (isMeant(input) ? [index + 1] : [])).join(', ');
}

/** Whether a body is a failure for the caller. */
export function isFailure(body: JsonObject): boolean {
  return body.status === 'error' || body.status === 'failed' || body.status === 'unknown';
}

/** A question that a person must answer before money is spent. */
export interface Confirmation {
  readonly actionId: string;
  readonly actionName: string;
  /** The catalog or website that the action is of. */
  readonly site?: string | undefined;
  /** The name of the account that the call acts for. */
  readonly account?: string | undefined;
  /** Credits that are reserved for this call: an answer counts for this figure. */
  readonly credits: number;
  /** What it costs, in words: `3 credits`, `3 credits, at most 15`, `3 credits or more` or `3 credits in 3 runs`. */
  readonly cost: string;
  /** Credits this principal spent since the start of the UTC day. */
  readonly spentToday: number;
}

/** A page on which a person signs in; the address is a secret between us and that person. */
export interface SignInOffer {
  /** What `awaitSignIn` and `CallContext.signIn` take. */
  readonly id: string;
  readonly url: string;
  readonly catalogSlug: string;
  /** What the person is asked, in one sentence. */
  readonly message: string;
}

/** Asked before anything is sent. */
export type Question =
  | { readonly kind: 'confirmation'; readonly confirmation: Confirmation }
  | { readonly kind: 'sign-in'; readonly offer: SignInOffer };
