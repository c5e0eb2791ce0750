/** Errors of the service. */
import type { BuilderFailure, FailureReason, LoginErrorCode, runFailures } from '../../contract/errors.ts';
import { BaseError } from '../../errors/base-error.ts';
import type { BuildChoice, PreviewCandidate, ShownCandidate } from './ports.ts';

/** A refused request: what the error envelope says (specification: Errors). */
export class RequestError extends BaseError {
  override readonly name = 'RequestError';
  readonly httpStatus: number;
  readonly code: string;
  /** Members beside `code` and `message`. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    httpStatus: number,
    code: string,
    message: string,
    more: { extra?: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.httpStatus = httpStatus;
    this.code = code;
    this.extra = more.extra ?? {};
    this.headers = more.headers ?? {};
  }

  body(): unknown {
    return { status: 'error', error: { code: this.code, message: this.message, ...this.extra } };
  }
}

/** The code of a job whose recipe no longer fits its site; it is refunded like every failed job. */
export const siteChanged = 'SITE_CHANGED';

/**
 * Why a run ended without a result. `message` is a sentence of this program, fit for the user; it never holds text of
 * the site.
 */
export class RunError extends BaseError {
  override readonly name = 'RunError';
  readonly code: keyof typeof runFailures;
  /** What its caller can do about it; undefined where that is not known. */
  readonly reason: FailureReason | undefined;
  /** A retry may succeed (the site was busy); the action itself is fine. */
  readonly transient: boolean;

  constructor(
    message: string,
    options: {
      code?: RunError['code'];
      reason?: FailureReason | undefined;
      transient?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = options.code ?? 'EXECUTION_FAILED';
    this.reason = options.reason;
    this.transient = options.transient ?? false;
  }
}

/** Why nothing was built. The list is closed, so that callers can act on each reason. */
export class BuildError extends BaseError {
  override readonly name = 'BuildError';
  readonly errorType: BuilderFailure;
  /** Candidates to choose from, the best first. */
  readonly candidates: readonly PreviewCandidate[];
  /** The same, to be kept for the choice. */
  readonly shown: readonly ShownCandidate[] | undefined;
  /** The builder's best guess. */
  readonly choose: BuildChoice | undefined;

  constructor(
    errorType: BuilderFailure,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly candidates?: readonly PreviewCandidate[];
      readonly shown?: readonly ShownCandidate[] | undefined;
      readonly choose?: BuildChoice | undefined;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.errorType = errorType;
    this.candidates = options.candidates ?? [];
    this.shown = options.shown;
    this.choose = options.choose;
  }
}

export type FetchProblem =
  /** The address is not one this service fetches: wrong scheme or port, credentials in it. */
  | 'forbidden'
  /** The address is in a private network, which only a setting opens. */
  | 'private'
  /** The website is on the operator's block list. */
  | 'blocked'
  /** The site's robots.txt asks programs not to fetch this address. */
  | 'robots'
  | 'too-large'
  | 'timeout'
  /** The site's name has no address. */
  | 'name'
  /** The site has no server at this port. */
  | 'refused'
  /** The connection broke, perhaps in the middle of the page. */
  | 'reset'
  /** There is no way to the site, or its robots.txt cannot be read. */
  | 'unreachable'
  /** The operator's proxy (`SVC_FETCH_PROXY`) does not lead to the site. */
  | 'proxy'
  /** The site's certificate, or its encryption, is not accepted. */
  | 'certificate'
  /** The answer is no HTTP, or could be read in two ways. */
  | 'parser'
  /** The page is compressed in a way that cannot be read. */
  | 'encoding'
  /** The address is a file to download. */
  | 'file'
  | 'redirects'
  /** The caller's signal was aborted. */
  | 'cancelled';

/** Why a page could not be fetched. Messages hold nothing of the site, not even the host of a redirect. */
export class FetchError extends BaseError {
  override readonly name = 'FetchError';
  readonly problem: FetchProblem;

  constructor(problem: FetchProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}

export type BrowserProblem =
  /** No browser, or no `playwright-core`: nothing can be rendered on this machine as it is. */
  | 'unavailable'
  /** The page broke its limits, crashed or closed itself. */
  | 'page-failed'
  /** The browser's process ended, perhaps because of another page. */
  | 'browser-ended';

/** Why a browser could not be used. Messages tell what to do. */
export class BrowserError extends BaseError {
  override readonly name = 'BrowserError';
  readonly problem: BrowserProblem;

  constructor(problem: BrowserProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}

/** What is wrong with a page, in our own words. Its kinds are told apart by name, which passes from the worker. */
export class ParseError extends BaseError {
  override readonly name: 'ParseError' | 'PageChangedError' | 'PageUnfitError' | 'PageTooLargeError' =
    'ParseError';
}

/** The page lacks what its recipe requires, so it may not be the page that the recipe was written for any more. */
export class PageChangedError extends ParseError {
  override readonly name = 'PageChangedError';
}

/** The page is of another kind than what is read, or holds none of it. */
export class PageUnfitError extends ParseError {
  override readonly name = 'PageUnfitError';
}

/** The page has more than can be read or returned. */
export class PageTooLargeError extends ParseError {
  override readonly name = 'PageTooLargeError';
}

/** An administrator's request that cannot be carried out; the message says why. */
export class AdministrationError extends BaseError {
  override readonly name = 'AdministrationError';
}

/** A sign-in that did not work, by a code of the login table. */
export class LoginError extends BaseError {
  override readonly name = 'LoginError';
  readonly code: LoginErrorCode;

  constructor(code: LoginErrorCode) {
    super(code);
    this.code = code;
  }
}

/** Another process has the job by now. Thrown, because only a throw rolls a transaction back. */
export class LeaseLostError extends BaseError {
  override readonly name = 'LeaseLostError';
}
