/** What is paid for: one request with its terms, what the service answers to it, and what a kind of paid calls adds. */
import type { ApiError } from '../../client/errors.ts';
import type { GatewayError } from '../errors/errors.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { JsonObject, Outcome, Refused } from '../interface/outcomes.ts';
import type { Attachment } from '../results/job-body.ts';
import type { PaidCall } from '../store/canonical.ts';
import type { Intent, Intents } from '../store/intents.ts';
import type { BeginOptions } from '../store/new-intent.ts';
import type { OpenStore } from '../store/open-store.ts';
import type { Terms } from '../store/terms.ts';

/** Where the terms of a new intent come from. */
export interface TermsSource {
  /** The terms by the last price read; undefined if the price must be read again first. */
  known(intents: Intents): Promise<Terms | undefined>;
  /** Asks the service if necessary. Rejects with a `GatewayError`. */
  current(intents: Intents): Promise<Terms>;
  /** Called with the refusal that the caller gets: one that a call attaches past is not heard of. */
  onRefusal?(refusal: Refused): void;
}

/** One paid request, ready to be sent. */
export interface Purchase<End> extends Omit<BeginOptions, 'id'> {
  readonly call: PaidCall;
  readonly terms: TermsSource;
  /** The progress message while the request is sent. */
  announcement(intent: Intent): string;
  /** Sends the request once, with the intent's id as its key where `intent.keyed`. Rejects with an `ApiError`. */
  send(intent: Intent, timeoutMs: number): Promise<Accepted<End>>;
  /** The refusal for an error after which nothing was charged. */
  refusal(error: ApiError): GatewayError | Promise<GatewayError>;
  /** The params and identity with which the caller resubmits a call in doubt. */
  readonly repeat?: { readonly params: JsonObject; readonly identity: string | undefined };
}

/** `end` where the answer was the job's end already (a sync action). */
export interface Accepted<End> {
  readonly jobId: string;
  readonly end?: End;
}

/** A paid call that the service has taken, and how long it may be waited for. */
export interface Accepting<End> {
  readonly intent: Intent;
  readonly jobId: string;
  readonly end: End | undefined;
  readonly attachment: Attachment | undefined;
  /** By the monotonic clock, in milliseconds. */
  readonly deadline: number;
  readonly context: CallContext;
  readonly store: OpenStore;
}

/** What differs between the kinds of paid calls, beside the request. */
export interface PaidKind<Body extends JsonObject, End = never> {
  /** Codes that say, with a 5xx, that nothing was deducted. */
  readonly notDeducted: readonly string[];
  /** Milliseconds that a call waits for the answer to its request at least, however short its own wait. */
  readonly leastAnswerMs: number;
  /** The body while the request has no answer. */
  unanswered(intent: Intent): Body;
  /** Writes the end of a job that came with the answer to its request, before the caller gets it. */
  keepEnd?(intent: Intent, end: End, store: OpenStore): Promise<void>;
  /** Waits for the end of what the service has taken. */
  conclude(accepting: Accepting<End>): Promise<Outcome<Body>>;
}
