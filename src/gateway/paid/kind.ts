/** What differs between the kinds of paid calls, runs and builds: data for one pipeline. */
import type { ApiError } from '../../client/errors.ts';
import type { Answer } from '../../contract/api.ts';
import type { ListedBuild } from '../../contract/reading.ts';
import type { Job } from '../../contract/resources.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Attachment } from '../results/job-body.ts';
import type { PaidRow } from '../store/schema.ts';

/** A job or a build as the service shows it. A build that the service does not list is undefined. */
export type Look =
  | {
      readonly kind: 'run';
      readonly answer: Answer<Job>;
      /** A note for the caller about an odd answer. */
      readonly note?: string | undefined;
    }
  | { readonly kind: 'build'; readonly build: ListedBuild | undefined };

/** The end of a job. What it has cost is decided by `costOfEnd`. */
export interface Ending extends ReportedEnd {
  /** The answer to keep as the result. */
  readonly result?: Answer<Job> | undefined;
}

/** Progress of one waiting call. */
export interface Report {
  /** After each look at the job. */
  look(look: Look): void;
  /** Every two seconds. `seconds`: the age of the job. */
  tick(seconds: number): void;
}

/** What is known of an end beside what the service shows. */
export interface EndFacts {
  readonly row: PaidRow | undefined;
  readonly attachment: Attachment | undefined;
  readonly budget: number;
  /** Whether an earlier answer told the cost. */
  readonly isTold: boolean;
}

export interface PaidKind {
  /** Codes that the specification names for the request: with one, also a 2xx is a refusal. */
  readonly refusals: readonly string[];
  /** Codes that say, with a 5xx, that nothing was deducted. */
  readonly notDeducted: readonly string[];
  /** Milliseconds that a call waits for the answer to its request at least, however short its own wait. */
  readonly leastAnswerMs: number;
  /** A pause between two looks is this share of the job's age, within the bounds, in milliseconds. */
  readonly pace: { readonly growth: number; readonly leastMs: number; readonly mostMs: number };
  /** The pause between two polls without a waiter, until the job ends; undefined: no such polls. */
  readonly backgroundMs: number | undefined;
  /** One look at the job. Rejects with an `ApiError`. */
  look(jobId: string, options: { signal: AbortSignal; timeoutMs: number }): Promise<Look>;
  /** Undefined while it is under way. */
  getEnding(look: Look): Ending | undefined;
  /** Whether a failed poll ends the wait; `inARow` counts consecutive failures. */
  isFatal(error: ApiError, inARow: number): boolean;
  createReport(tell: (message: string) => void): Report;
  /** The body while the request has no answer. */
  unanswered(row: PaidRow): JsonObject;
  /** The body of a job that is under way. */
  running(
    jobId: string,
    look: Look | undefined,
    attachment: Attachment | undefined,
  ): JsonObject | Promise<JsonObject>;
  /** The body of a job that has ended. */
  ended(jobId: string, look: Look, facts: EndFacts): JsonObject | Promise<JsonObject>;
  /** The message if the service refuses to show the job. */
  lookError(error: ApiError, jobId: string): GatewayError;
}

/** What the service says of the end of a run or a build. */
export interface ReportedEnd {
  readonly outcome: 'completed' | 'failed';
  /** Credits, where the service states them readably (`ReportedCredits`). */
  readonly reported: number | undefined;
}

/**
 * Credits of an end, in whole thousandths: 0 for a failed one, which the service refunds, whatever it says. A cost that the
 * service does not state readably counts as what was reserved, because less would lift the limits. Undefined only without a row.
 */
export function costOfEnd(end: ReportedEnd, row: PaidRow): number;
export function costOfEnd(end: ReportedEnd, row: PaidRow | undefined): number | undefined;
export function costOfEnd({ outcome, reported }: ReportedEnd, row: PaidRow | undefined): number | undefined {
  // Decided when the end was written.
  if (row !== undefined && row.outcome !== null) return row.charged;
  if (outcome === 'failed') return 0;
  if (reported !== undefined || row === undefined) return reported;
  return row.charged > 0 ? row.charged : row.price;
}
